"""A first release document from a bare data file: what can be inferred safely, and every assumption as a note."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.advice import IN_A_FILE, Advice
from tableseal.audit.io.archive import ArchiveFolder
from tableseal.audit.io.column import NOTHING, Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.contributor_columns import Contributing, check_contributors, named_like_contributors
from tableseal.audit.io.document import TableDocument
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.format import Format
from tableseal.audit.io.formats.registry import format_in
from tableseal.audit.io.formats.said import letters_meaning
from tableseal.audit.io.hints import NO_HINTS, Hints
from tableseal.audit.io.labels import without_labels
from tableseal.audit.io.layout import across
from tableseal.audit.io.levels import groups_of, looks_nested, mixed_levels, nested_columns
from tableseal.audit.io.numbers import looks_like_number
from tableseal.audit.io.periods import are_periods
from tableseal.audit.io.records import if_records, refuse_records, refuse_repeated
from tableseal.audit.io.separators import Signs
from tableseal.audit.io.sources import CROSS, read_columns
from tableseal.audit.io.statuses.column import StatusSource, are_words, read_statuses, seems_to_withhold, status_word
from tableseal.audit.io.statuses.flags import are_yes_or_no, looks_like_flags, named_like_flags
from tableseal.audit.io.statuses.marks import ZERO
from tableseal.audit.io.tables import number_columns_of, status_sources
from tableseal.audit.io.totals import NAMES, Rows, find_total
from tableseal.audit.io.trees import tree_edges
from tableseal.audit.io.value_column import is_numeric, may_hold_values, read_value_column, value_column
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.model import COLUMNS_LEFT_OUT, SUMS_UNCHECKED, Note, Policy, Status
from tableseal.audit.model.status import WORDS
from tableseal.audit.said import InFile, Said
from tableseal.audit.wording import listing, quoted

_ROUNDED = 15
"""So many values other than 0 are multiples of 3 by chance in one of 14 million tables."""
_REASON = "reason"
"""Column of protected files that says why a cell is withheld."""


def infer_document(
    data: PurePath,
    root: ArchiveFolder | None = None,
    *,
    policy: Policy | None = None,
    status_map: Mapping[str, str] | None = None,
    advice: Advice = IN_A_FILE,
) -> tuple[dict[str, Any], list[Note]]:
    """A release document for one table in a data file (of a folder of an archive, if given), and what was assumed: see
    `describe`. policy: by which it is to be judged; advice: see `describe`."""
    folder = Folder(Path(data.parent) if root is None else root)
    found = format_in(folder, data.name)
    if found is not None:
        return _of_format(found, folder, data.name, status_map or {})
    hints = NO_HINTS.under(policy)
    columns = read_columns(folder, data.name, Place(data.name))
    entry = {"name": data.stem, "file": data.name}
    crossed = across(columns, folder.notes)
    document, notes = describe(crossed or columns, entry, data.stem, hints, status_map=status_map, advice=advice)
    if crossed is not None:
        document["tables"][0]["file"] += CROSS
    return document, [*folder.notes, *notes]


def _is_part(found: Format, folder: Folder, name: str, letters: Mapping[str, str]) -> bool:
    """Whether a table of a file is read under a name of its own."""
    try:
        found.dataset(folder, name, letters)
    except InputError:
        return False
    return True


def _of_format(
    found: Format, folder: Folder, name: str, letters: Mapping[str, str]
) -> tuple[dict[str, Any], list[Note]]:
    """What a file says itself, as a release document that names the file for its data."""
    document = found.read(folder, name, letters)
    tables: list[dict[str, Any]] = document["tables"]
    if len(tables) > 1 or not found.columns:
        text = (
            f"holds {len(tables)} tables in a format of its own" if len(tables) > 1 else f"is a file of {found.title}"
        )
        remedy = f"`tableseal convert {name} NAME.json` writes it as one release file"
        if found.parts and _is_part(found, folder, f"{name}#{tables[0]['name']}", letters):
            remedy += f"; or name one of them, as in `{name}#{tables[0]['name']}`"
        raise InputError(text, at=name, remedy=remedy)
    entry = {key: value for key, value in tables[0].items() if key != "cells"}
    document["tables"] = [{"name": entry.pop("name"), "file": name, **entry}]
    return document, folder.notes


def describe(
    columns: Columns,
    entry: Mapping[str, Any],
    title: str,
    hints: Hints = NO_HINTS,
    *,
    status_map: Mapping[str, str] | None = None,
    advice: Advice = IN_A_FILE,
) -> tuple[dict[str, Any], list[Note]]:
    """A release document for one table, and what was assumed of what is not said.

    The column of values is the only column of numbers (and usual marks), or the only one with a usual name (value, n,
    count, freq, turnover, ...). A column of status words is the status. All other columns are classifications; a code
    is taken as the total if its name says so or if its rows are the sums of the others.

    Parameters
    ----------
    entry: name and data of the table, as they stand in `tables`.
    hints: what is said. status_map: flag -> status word, for flags in the status column.

    Raises
    ------
    InputError: the data cannot be used, or more than one reading is possible; the message says what to write.
    """
    source = columns.source
    given = validate(TableDocument, {"name": "t", "file": "t", **hints.table}, source)
    refuse_records(columns, advice)
    said = letters_meaning(status_map or {})
    explained = {flag: status_word(word, OptionName("status_map", flag)) for flag, word in said.items() if word != ZERO}
    status = None
    if "status" not in hints.table:
        status = _status_column(columns, explained, advice)
    sources = [StatusSource(status)] if status else status_sources(given, source)
    sources += [StatusSource(hints.primary)] if hints.primary else []
    statuses = [each.column for each in sources]
    withheld = read_statuses(columns, sources, explained, source, advice.flag) > Status.FROZEN
    roles = [*statuses, *(name for name in number_columns_of(given) if name != given.value), given.reason]
    limits = [name for name in ("lower", "upper") if is_numeric(columns.data.get(name, NOTHING))]
    # A column of yes or no under such a name holds no values, so that it does not stand in the way of those that do.
    marking = [name for name, e in columns.data.items() if named_like_flags(name) and are_yes_or_no(e)]
    rest = _without(columns, [*roles, *limits])
    numeric = [name for name, entries in rest.data.items() if is_numeric(entries)]
    contributing = named_like_contributors(rest, hints.table)
    aside = [*marking, *(contributing.names if contributing.contributions else ())]
    if not any(may_hold_values(entries) for entries in _without(rest, aside).data.values()):
        aside = marking
    numbers_only = [name for name in numeric if name not in aside]

    def fits(name: str, numbers: Sequence[str]) -> bool:
        try:
            return bool(_classifications(rest, name, numbers, [], advice))
        except InputError:
            return False

    notes: list[Note] = []
    if "value" in hints.table:
        columns.column(given.value, "the values")
        value = given.value
    else:
        value = value_column(_without(rest, aside), numbers_only, withheld, fits, advice)
        notes.append(Note("assumed_value", f"{source}: the values are in column {quoted(value)}."))
    if status is not None:
        notes.append(Note("assumed_status", f"{source}: the status is in column {quoted(status)}, in words."))
    elif "status" not in hints.table and hints.primary is None:
        notes.append(Note("assumed_status", f"{source}: no column holds a status; a row without value is withheld."))
    hints = _with_marks(hints, said, columns.data[value])
    given = validate(TableDocument, {"name": "t", "file": "t", **hints.table}, source)
    contributing = named_like_contributors(_without(rest, [value, *(hints.variables or ())]), hints.table)
    hints = _with_contributors(hints, contributing, columns, value)
    values = read_value_column(columns, value, withheld, given, hints, advice)
    # What is withheld takes no part in the arithmetic, so that no message can tell it; what is rounded does not add up.
    exact = given.rounding is None
    published = [None if hidden or not exact else n for hidden, n in zip(withheld, values.numbers, strict=True)]
    # Beside published values they are something else, such as limits of confidence.
    bounds = [
        name
        for name in limits
        if name not in roles
        and not any(
            e and e.strip() and known is not None for e, known in zip(columns.data[name], published, strict=True)
        )
    ]
    if bounds:
        text = f"{source}: everybody knows the bounds in {listing(bounds)}, which stand where no value is published."
        notes.append(Note("assumed_bounds", text))
    roles += contributing.names
    numeric = [name for name in numeric if name not in roles]
    numeric += [name for name in limits if name not in bounds and name not in roles]
    reason = _REASON if status and _are_reasons(columns.data.get(_REASON, NOTHING), withheld) else None
    rest = _without(columns, [*roles, reason, *bounds])
    if hints.variables is None:
        names = _classifications(rest, value, [name for name in numeric if name != value], notes, advice)
        names = without_labels(columns, names, hints, notes)
    else:
        names = _said(columns, hints.variables, [value, *roles])
    if "status" not in hints.table:
        _refuse_flags(_without(rest, [value]), names, explained, advice)
    elif hints.variables is None:
        _refuse_marking(_without(rest, [value]), names, advice)
    refuse_repeated(columns, names, published, advice)
    notes += values.notes
    if exact:
        notes += _likely_rounded(source, published)
    rows = Rows.of({name: columns.data[name].rewritten(lambda code: code or "") for name in names}, published, value)
    totals, trees = hints.totals_of(columns, names), hints.trees_of(columns, names)
    own = {"status": status, "reason": reason, **values.said, **{name: name for name in bounds}, **contributing.said()}
    table: dict[str, Any] = {**entry, "value": value}
    table |= {key: said for key, said in own.items() if said is not None} | dict(hints.table)
    if hints.primary is not None:
        known = table.get("status", [])
        table["status"] = [*(known if isinstance(known, list) else [known]), hints.primary]
    try:
        variables = {
            name: _nested(source, name, rows, trees[name], totals)
            if name in trees
            else _variable(source, name, rows, totals, notes, advice)
            for name in names
        }
    except InputError as error:
        others = [] if "value" in hints.table else [name for name in numbers_only if name != value]
        if others and error.remedy:
            error.remedy += f"; if the values are in another column, {advice.value(columns, others)}"
        raise
    found = {name: variable.get("total") for name, variable in variables.items() if name not in trees}
    notes += nested_columns(columns, names, found)
    signs = Signs(table.get("decimal"), table.get("thousands"))
    check_contributors(columns, contributing, published, found, signs, advice)
    notes += contributing.notes(source)
    return {"tableseal": 1, "title": title, **values.scale, "variables": variables, "tables": [table]}, notes


def _with_marks(hints: Hints, said: Mapping[str, str], values: Column) -> Hints:
    """Hints, with what flags mean that stand among the values. What the table says of its marks goes before."""
    there = {entry.strip() for entry in values.texts if entry and not looks_like_number(entry)}
    marks = {flag: word for flag, word in said.items() if flag in there and word}
    if not marks:
        return hints
    known = hints.table.get("marks")
    whole: dict[str, Document] = {**marks, **(known if isinstance(known, Mapping) else {})}
    return replace(hints, table={**hints.table, "marks": whole})


def _with_contributors(hints: Hints, found: Contributing, columns: Columns, value: str) -> Hints:
    """Hints, with what columns about contributors say of the values: these are sums of what each gives."""
    beside = found.contributions or any(columns.data[name] != columns.data[value] for name in found.counting)
    if hints.table.get("contributors"):
        return replace(hints, magnitude="as their largest contributions are given")
    return replace(hints, magnitude="as those who contribute stand beside them") if beside else hints


def _likely_rounded(source: Place, published: Sequence[Fraction | None]) -> list[Note]:
    """A note if all published values are multiples of 3, as hardly any counts are by chance."""
    shown = [value for value in published if value]
    if len(shown) < _ROUNDED or any(value % 3 for value in shown):
        return []
    said = InFile("rounding", {"base": "3", "method": "conventional"}, keyword="rounded")
    text = Said(
        f"{source}: all values are multiples of 3. If they are rounded, say so: ", said, "; else they are exact."
    )
    return [Note("likely_rounded", text)]


def _said(columns: Columns, names: Sequence[str], taken: Sequence[str | None]) -> list[str]:
    """The columns of codes that are said."""
    for name in names:
        columns.column(name, "codes")
        if name in taken:
            text = f"the column {quoted(name)} cannot hold codes: it holds something else."
            raise InputError(text, at=columns.source)
    if not names:
        raise InputError(f"no column of codes is named; columns found: {listing(columns.data)}.", at=columns.source)
    return list(dict.fromkeys(names))


def _status_column(columns: Columns, explained: Mapping[str, Status], advice: Advice) -> str | None:
    """The column of status words, or of flags that are explained under a name that says so."""
    words = [name for name, entries in columns.data.items() if are_words(entries)]
    if len(words) > 1:
        text = f"several columns hold status words ({listing(words)})"
        raise InputError(text, at=columns.source, remedy=advice.status(words))
    if words:
        return words[0]
    named = [name for name, entries in columns.data.items() if named_like_flags(name) and _clear(entries, explained)]
    used = [name for name in named if any(entry and entry.strip() for entry in columns.data[name].texts)]
    if len(used) > 1:
        text = f"several columns hold statuses ({listing(used)})"
        raise InputError(text, at=columns.source, remedy=advice.status(used))
    return next(iter(used or named), None)  # an empty one says that everything is published


def _are_reasons(entries: Column, withheld: NDArray[np.bool_]) -> bool:
    """Whether a column of letters says nothing but why cells are withheld whose status says that they are."""
    return bool(entries) and all(not e or e.isspace() or hidden for e, hidden in zip(entries, withheld, strict=False))


def _clear(entries: Column, explained: Mapping[str, Status]) -> bool:
    flags = {(entry or "").strip() for entry in entries.texts}
    return all(flag in explained or flag.lower() in WORDS for flag in flags)


def _refuse_flags(columns: Columns, names: Sequence[str], explained: Mapping[str, Status], advice: Advice) -> None:
    """Refuse what may say which cells are withheld and is no classification that rows are told apart by.

    Parameters
    ----------
    columns: all that hold neither values nor statuses. names: those that are taken for classifications.

    Raises
    ------
    InputError: says what to write.
    """
    for name in _marking(columns, names):
        remedy = advice.flags(columns, name, explained)
        raise InputError(seems_to_withhold(columns, name), at=columns.source, remedy=remedy)


def _refuse_marking(columns: Columns, names: Sequence[str], advice: Advice) -> None:
    """Refuse the same beside a status that is said: it may be a classification, or nothing that goes out.

    Raises
    ------
    InputError: says what to write.
    """
    for name in _marking(columns, names):
        text = f"the column {quoted(name)} seems to hold flags"
        raise InputError(text, at=columns.source, remedy=advice.codes([name]))


def _marking(columns: Columns, names: Sequence[str]) -> list[str]:
    """Columns that mark some rows, but for classifications that rows are told apart by."""
    return [
        name
        for name, entries in columns.data.items()
        if looks_like_flags(name, entries) and not (name in names and _is_crossed(columns, name, names))
    ]


def _is_crossed(columns: Columns, name: str, names: Sequence[str]) -> bool:
    """Whether the other classifications do not tell rows apart without this one; most rows, if its name is of flags."""
    others = [columns.data[other] for other in names if other != name]
    rows = Counter(zip(*others, strict=True)) if others else {(): len(columns)}
    repeated = sum(count > 1 for count in rows.values())
    return 2 * repeated >= len(rows) if named_like_flags(name) else repeated > 0


def _without(columns: Columns, names: Sequence[str | None]) -> Columns:
    return replace(columns, data={name: entries for name, entries in columns.data.items() if name not in names})


def _classifications(
    columns: Columns, value: str, numeric: Sequence[str], notes: list[Note], advice: Advice
) -> list[str]:
    """Columns of codes; columns of other numbers are among them only if they are needed to tell rows apart."""
    plain = [name for name in columns.data if name not in (value, *numeric)]
    extra = [name for name in numeric if name != value]
    if extra and _tell_apart(columns, plain):
        text = (
            f"{columns.source}: the columns of numbers {listing(extra)} are left out: nobody looked at what they say. "
            f"{advice.left_out()}"
        )
        notes.append(Note(COLUMNS_LEFT_OUT, text, len(extra)))
        extra = []
    elif extra:
        repeated = all(2 * len(columns.data[name].texts) <= len(columns) for name in extra)
        if not repeated or not _tell_apart(columns, plain + extra):
            text = f"rows have the same codes, and it is not clear whether the columns of numbers {listing(extra)} are "
            remedy = f"{advice.codes(extra)}; {if_records(columns, advice)}"
            raise InputError(text, "classifications", at=columns.source, remedy=remedy)
    names = [name for name in columns.data if name in plain or name in extra]
    if not names:
        raise InputError(f"no column holds codes; columns found: {listing(columns.data)}.", at=columns.source)
    return names


def _tell_apart(columns: Columns, names: Sequence[str]) -> bool:
    if not names:
        return len(columns) == 1
    return len(set(zip(*(columns.data[name] for name in names), strict=True))) == len(columns)


def _variable(
    source: Place, name: str, rows: Rows, totals: Mapping[str, str | None], notes: list[Note], advice: Advice
) -> dict[str, Any]:
    """A classification whose codes are the parts of its total, which is inferred where none is said."""
    where = replace(source, column=name)
    if name in totals:
        total, others = totals[name], [code for code in rows.codes[name] if code != totals[name]]
        if total is not None and len(others) > 1:
            failure = rows.failure(name, list(rows.codes[name]).index(total))
            if failure:
                text = f"the total {quoted(total)} is not the sum of the other codes ({failure})"
                raise InputError(text, at=where, remedy=advice.nested(name))
        return _codes(total, others)
    called = [code for code in rows.codes[name] if code.strip().casefold() in NAMES]
    if len(called) == 1 and (levels := mixed_levels(name, called[0], rows)) is not None:
        if levels.shown:
            notes.append(levels.note(where, called[0], advice.unchecked(name)))
            return {"total": called[0], "tree": levels.tree}
        if looks_nested(levels):
            text = f"codes seem to be of several levels ({groups_of(levels.tree)}), and no sum bears that out"
            remedy = f"{advice.nested(name)}; if all are parts of the total, one that names them (`codes:`)"
            raise InputError(text, at=where, remedy=remedy)
    found = find_total(source, name, rows, advice)
    codes = [code for code in rows.codes[name] if code != found.total]
    if found.total is None:
        text = f"{where}: is never added up ({found.reason})."
    else:
        text = f"{where}: the total is {quoted(found.total)} ({found.reason}); the other codes are its parts."
    if found.checked or len(codes) == 1 or are_periods(rows.codes[name]):
        notes.append(Note("assumed_total" if found.total is not None else "assumed_no_total", text))
    else:
        unchecked = f"Nothing bears that out: {advice.unchecked(name)}"
        notes.append(Note(SUMS_UNCHECKED, f"{text} {unchecked}."))
    return _codes(found.total, codes)


def _codes(total: str | None, codes: Sequence[str]) -> dict[str, Any]:
    return {"codes": list(codes)} if total is None else {"total": total, "codes": list(codes)}


def _nested(source: Place, name: str, rows: Rows, tree: Document, totals: Mapping[str, str | None]) -> dict[str, Any]:
    """A classification whose tree is said. Its total, if none is said, is the code outside the tree that is called one.

    Raises
    ------
    InputError: codes of the table that are neither in the tree nor the total.
    """
    where = replace(source, column=name)
    inside = {code for edge in tree_edges(tree, where) for code in edge if code is not None}
    outside = [code for code in rows.codes[name] if code not in inside]
    called = [code for code in outside if code.strip().casefold() in NAMES]
    total = totals[name] if name in totals else called[0] if len(called) == 1 else None
    left = [code for code in outside if code != total]
    if left:
        raise InputError(
            f"the codes {listing(left)} are not in the hierarchy, and it is not clear whether one of them is the total",
            at=where,
            remedy="mend the hierarchy, or say the total",
        )
    return {"tree": tree} if total is None else {"total": total, "tree": tree}
