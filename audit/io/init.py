"""A first release document from a bare data file: what can be inferred safely, and every assumption as a note."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any

from audit.errors import InputError
from audit.io.archive import ArchiveFolder
from audit.io.columns import Columns
from audit.io.files import Folder
from audit.io.records import refuse_records, refuse_repeated
from audit.io.sources import PARQUET, TEXT_FORMATS, read_columns
from audit.io.status_words import USUAL_NAMES, StatusSource, are_words, read_statuses, status_word
from audit.io.totals import find_total
from audit.io.value_column import ADVICE, is_numeric, read_value_column, value_column
from audit.io.wording import listing, quoted
from audit.model import SCHEMES, Note, Status
from audit.model.status import WORDS


def is_data_file(path: PurePath) -> bool:
    """True for files that hold bare data and no release document."""
    return path.suffix.lower() in (*TEXT_FORMATS, *PARQUET)


def infer_document(
    data: PurePath, root: ArchiveFolder | None = None, *, status_map: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], list[Note]]:
    """A release document for one table in a data file (of a folder of an archive, if given), and what was assumed.

    The column of values is the only column of numbers (and usual marks), or the only one with a usual name (value, n,
    count, freq, turnover, ...). A column of status words is the status. All other columns are classifications; a code
    is taken as the total if its name says so or if its rows are the sums of the others.

    Parameters
    ----------
    status_map: flag -> status word, for flags in the status column.

    Raises
    ------
    InputError: the file cannot be read, or more than one reading is possible; the message says what to write.
    """
    folder = Folder(Path(data.parent) if root is None else root)
    columns = read_columns(folder, data.name, data.name)
    source = columns.source
    refuse_records(columns)
    explained = {flag: status_word(word, f"status map {flag}") for flag, word in (status_map or {}).items()}
    status = _status_column(columns, explained)
    sources = [StatusSource(status)] if status else []
    withheld = read_statuses(columns, sources, explained, source) > Status.FROZEN
    limits = [name for name in ("lower", "upper") if is_numeric(columns.data.get(name, ()))]
    rest = _without(columns, [status, *limits])
    numeric = [name for name, entries in rest.data.items() if is_numeric(entries)]

    def fits(name: str, numbers: Sequence[str]) -> bool:
        try:
            return bool(_classifications(rest, name, numbers, []))
        except InputError:
            return False

    value = value_column(rest, numeric, withheld, fits)
    notes = [*folder.notes, Note("assumed_value", f"{source}: the values are in column {quoted(value)}.")]
    if status is None:
        notes.append(Note("assumed_status", f"{source}: no column holds a status; a row without value is withheld."))
    else:
        notes.append(Note("assumed_status", f"{source}: the status is in column {quoted(status)}, in words."))
    values = read_value_column(columns, value, withheld)
    # What is withheld takes no part in the arithmetic, so that no message can tell it.
    published = [None if hidden else number for number, hidden in zip(values.numbers, withheld, strict=True)]
    # Beside published values they are something else, such as limits of confidence.
    bounds = [
        name
        for name in limits
        if not any(
            e and e.strip() and known is not None for e, known in zip(columns.data[name], published, strict=True)
        )
    ]
    if bounds:
        text = f"{source}: everybody knows the bounds in {listing(bounds)}, which stand where no value is published."
        notes.append(Note("assumed_bounds", text))
    numeric += [name for name in limits if name not in bounds]
    names = _classifications(_without(columns, [status, *bounds]), value, numeric, notes)
    refuse_repeated(columns, names, published)
    notes += values.notes
    classifications = {name: [code or "" for code in columns.data[name]] for name in names}
    table: dict[str, Any] = {"name": data.stem, "file": data.name, "value": value}
    table |= {**({"status": status} if status else {}), **values.said, **{name: name for name in bounds}}
    document = {
        "tableseal": 1,
        "title": data.stem,
        **values.scale,
        "variables": {name: _variable(source, name, classifications, published, notes) for name in names},
        "tables": [table],
    }
    return document, notes


def _status_column(columns: Columns, explained: Mapping[str, Status]) -> str | None:
    words = [name for name, entries in columns.data.items() if are_words(entries)]
    if len(words) > 1:
        raise InputError(f"{columns.source}: several columns hold status words ({listing(words)}); {ADVICE}.")
    if words:
        return words[0]
    for name, entries in columns.data.items():
        if name.lower() in USUAL_NAMES:
            flags = [(entry or "").strip() for entry in entries]
            row = next((r for r, flag in enumerate(flags) if flag not in explained and flag.lower() not in WORDS), None)
            if row is not None:
                raise InputError(
                    f"{columns.place(row, name)}: looks like a status column, but {quoted(flags[row])} is no status "
                    f"word ({listing(word for word in WORDS if word)}); letters mean different things in different "
                    f"tools, so write a release file that says `status: {{column: {name}, scheme: ...}}` with one of "
                    f"{listing(scheme for scheme in SCHEMES if scheme != 'words')}, or `status: none`; for a quick "
                    f"look `tableseal audit` takes `--status-map {flags[row]}=withheld`."
                )
            return name  # an empty status column: everything is published
    return None


def _without(columns: Columns, names: Sequence[str | None]) -> Columns:
    return replace(columns, data={name: entries for name, entries in columns.data.items() if name not in names})


def _classifications(columns: Columns, value: str, numeric: Sequence[str], notes: list[Note]) -> list[str]:
    """Columns of codes; columns of other numbers are among them only if they are needed to tell rows apart."""
    plain = [name for name in columns.data if name not in (value, *numeric)]
    extra = [name for name in numeric if name != value]
    if extra and _tell_apart(columns, plain):
        text = f"{columns.source}: the columns of numbers {listing(extra)} are left out."
        notes.append(Note("columns_left_out", text, len(extra)))
        extra = []
    elif extra:
        repeated = all(2 * len(set(columns.data[name])) <= len(columns) for name in extra)
        if not repeated or not _tell_apart(columns, plain + extra):
            raise InputError(
                f"{columns.source}: rows have the same codes, and it is not clear whether the columns of numbers "
                f"{listing(extra)} are classifications; {ADVICE}."
            )
    names = [name for name in columns.data if name in plain or name in extra]
    if not names:
        raise InputError(f"{columns.source}: no column holds codes; columns found: {listing(columns.data)}.")
    return names


def _tell_apart(columns: Columns, names: Sequence[str]) -> bool:
    if not names:
        return len(columns) == 1
    return len(set(zip(*(columns.data[name] for name in names), strict=True))) == len(columns)


def _variable(
    source: str,
    name: str,
    classifications: Mapping[str, Sequence[str]],
    values: Sequence[Fraction | None],
    notes: list[Note],
) -> dict[str, Any]:
    total, reason = find_total(source, name, classifications, values)
    codes = [code for code in dict.fromkeys(classifications[name]) if code != total]
    if total is None:
        notes.append(Note("assumed_no_total", f"{source}, column {quoted(name)}: is never added up ({reason})."))
        return {"codes": codes}
    text = f"{source}, column {quoted(name)}: the total is {quoted(total)} ({reason}); the other codes are its parts."
    notes.append(Note("assumed_total", text))
    return {"total": total, "codes": codes}
