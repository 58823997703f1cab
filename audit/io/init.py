"""A first release document from a bare data file: what can be inferred safely, and every assumption as a note."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.archive import ArchiveFolder
from tableseal.audit.io.column import NOTHING, Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.periods import are_periods
from tableseal.audit.io.records import refuse_records, refuse_repeated
from tableseal.audit.io.sources import read_columns
from tableseal.audit.io.statuses.column import (
    NONE,
    StatusSource,
    are_words,
    how_to_name,
    read_statuses,
    seems_to_withhold,
    status_word,
)
from tableseal.audit.io.statuses.flags import are_yes_or_no, looks_like_flags, meanings, named_like_flags
from tableseal.audit.io.totals import Rows, find_total
from tableseal.audit.io.value_column import ADVICE, is_numeric, read_value_column, value_column
from tableseal.audit.model import COLUMNS_LEFT_OUT, SUMS_UNCHECKED, Note, Status
from tableseal.audit.model.status import WORDS
from tableseal.audit.wording import listing, quoted

_REASON = "reason"
"""Column of protected files that says why a cell is withheld."""


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
    columns = read_columns(folder, data.name, Place(data.name))
    source = columns.source
    refuse_records(columns)
    explained = {flag: status_word(word, OptionName("status_map", flag)) for flag, word in (status_map or {}).items()}
    status = _status_column(columns, explained)
    sources = [StatusSource(status)] if status else []
    withheld = read_statuses(columns, sources, explained, source) > Status.FROZEN
    limits = [name for name in ("lower", "upper") if is_numeric(columns.data.get(name, NOTHING))]
    # A column of yes or no under such a name holds no values, so that it does not stand in the way of those that do.
    marking = [name for name, e in columns.data.items() if named_like_flags(name) and are_yes_or_no(e)]
    rest = _without(columns, [status, *limits])
    numeric = [name for name, entries in rest.data.items() if is_numeric(entries)]
    numbers_only = [name for name in numeric if name not in marking]

    def fits(name: str, numbers: Sequence[str]) -> bool:
        try:
            return bool(_classifications(rest, name, numbers, []))
        except InputError:
            return False

    value = value_column(_without(rest, marking), numbers_only, withheld, fits)
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
    reason = _REASON if status and _are_reasons(columns.data.get(_REASON, NOTHING), withheld) else None
    names = _classifications(_without(columns, [status, reason, *bounds]), value, numeric, notes)
    _refuse_flags(_without(columns, [status, reason, value, *bounds]), names, explained)
    refuse_repeated(columns, names, published)
    notes += values.notes
    rows = Rows.of({name: columns.data[name].rewritten(lambda code: code or "") for name in names}, published)
    roles = {"status": status, "reason": reason, **values.said, **{name: name for name in bounds}}
    table: dict[str, Any] = {"name": data.stem, "file": data.name, "value": value}
    table |= {key: said for key, said in roles.items() if said is not None}
    document = {
        "tableseal": 1,
        "title": data.stem,
        **values.scale,
        "variables": {name: _variable(source, name, rows, notes) for name in names},
        "tables": [table],
    }
    return document, notes


def _status_column(columns: Columns, explained: Mapping[str, Status]) -> str | None:
    """The column of status words, or of flags that are explained under a name that says so."""
    words = [name for name, entries in columns.data.items() if are_words(entries)]
    if len(words) > 1:
        raise InputError(f"several columns hold status words ({listing(words)})", at=columns.source, remedy=ADVICE)
    if words:
        return words[0]
    named = [name for name, entries in columns.data.items() if named_like_flags(name) and _clear(entries, explained)]
    used = [name for name in named if any(entry and entry.strip() for entry in columns.data[name].texts)]
    if len(used) > 1:
        raise InputError(f"several columns hold statuses ({listing(used)})", at=columns.source, remedy=ADVICE)
    return next(iter(used or named), None)  # an empty one says that everything is published


def _are_reasons(entries: Column, withheld: NDArray[np.bool_]) -> bool:
    """Whether a column of letters says nothing but why cells are withheld whose status says that they are."""
    return bool(entries) and all(not e or e.isspace() or hidden for e, hidden in zip(entries, withheld, strict=False))


def _clear(entries: Column, explained: Mapping[str, Status]) -> bool:
    flags = {(entry or "").strip() for entry in entries.texts}
    return all(flag in explained or flag.lower() in WORDS for flag in flags)


def _refuse_flags(columns: Columns, names: Sequence[str], explained: Mapping[str, Status]) -> None:
    """Refuse what may say which cells are withheld and is no classification that rows are told apart by.

    Parameters
    ----------
    columns: all that hold neither values nor statuses. names: those that are taken for classifications.

    Raises
    ------
    InputError: says what to write.
    """
    for name, entries in columns.data.items():
        if looks_like_flags(name, entries) and not (name in names and _is_crossed(columns, name, names)):
            shown = {flag: word for flag, word in meanings(name, entries).items() if flag not in explained}
            said = [f"{flag}={'withheld' if word == '...' else word}" for flag, word in shown.items()]
            quick = "".join(f" --status-map {shlex.quote(pair)}" for pair in said)
            remedy = f"write a release file whose table says {how_to_name(columns, name)}, or `status: {NONE}` if no "
            remedy += "column does"
            if quick and named_like_flags(name):
                remedy += f"; for a quick look, `tableseal audit` takes `{quick.strip()}`"
            raise InputError(seems_to_withhold(columns, name), at=columns.source, remedy=remedy)


def _is_crossed(columns: Columns, name: str, names: Sequence[str]) -> bool:
    """Whether the other classifications do not tell rows apart without this one; most rows, if its name is of flags."""
    others = [columns.data[other] for other in names if other != name]
    rows = Counter(zip(*others, strict=True)) if others else {(): len(columns)}
    repeated = sum(count > 1 for count in rows.values())
    return 2 * repeated >= len(rows) if named_like_flags(name) else repeated > 0


def _without(columns: Columns, names: Sequence[str | None]) -> Columns:
    return replace(columns, data={name: entries for name, entries in columns.data.items() if name not in names})


def _classifications(columns: Columns, value: str, numeric: Sequence[str], notes: list[Note]) -> list[str]:
    """Columns of codes; columns of other numbers are among them only if they are needed to tell rows apart."""
    plain = [name for name in columns.data if name not in (value, *numeric)]
    extra = [name for name in numeric if name != value]
    if extra and _tell_apart(columns, plain):
        text = (
            f"{columns.source}: the columns of numbers {listing(extra)} are left out: nobody looked at what they say. "
            "If they go out as well, write a release file in which they are tables or statistics, too."
        )
        notes.append(Note(COLUMNS_LEFT_OUT, text, len(extra)))
        extra = []
    elif extra:
        repeated = all(2 * len(columns.data[name].texts) <= len(columns) for name in extra)
        if not repeated or not _tell_apart(columns, plain + extra):
            text = f"rows have the same codes, and it is not clear whether the columns of numbers {listing(extra)} are "
            raise InputError(text, "classifications", at=columns.source, remedy=ADVICE)
    names = [name for name in columns.data if name in plain or name in extra]
    if not names:
        raise InputError(f"no column holds codes; columns found: {listing(columns.data)}.", at=columns.source)
    return names


def _tell_apart(columns: Columns, names: Sequence[str]) -> bool:
    if not names:
        return len(columns) == 1
    return len(set(zip(*(columns.data[name] for name in names), strict=True))) == len(columns)


def _variable(source: Place, name: str, rows: Rows, notes: list[Note]) -> dict[str, Any]:
    found = find_total(source, name, rows)
    codes = [code for code in rows.codes[name] if code != found.total]
    where = replace(source, column=name)
    if found.total is None:
        text = f"{where}: is never added up ({found.reason})."
        said: dict[str, Any] = {"codes": codes}
    else:
        text = f"{where}: the total is {quoted(found.total)} ({found.reason}); the other codes are its parts."
        said = {"total": found.total, "codes": codes}
    if found.checked or len(codes) == 1 or are_periods(rows.codes[name]):
        notes.append(Note("assumed_total" if found.total is not None else "assumed_no_total", text))
    else:
        advice = f"if a code is the sum of others, write a release file whose variable {name} says so"
        notes.append(Note(SUMS_UNCHECKED, f"{text} Nothing bears that out: {advice} (`total:`, `tree:`)."))
    return said
