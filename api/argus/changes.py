"""A-priori files applied to a table."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from tableseal.audit.errors import InputError
from tableseal.audit.io.argus.apriori import Change, read_changes
from tableseal.audit.io.argus.classification import Classification
from tableseal.audit.io.argus.commands import Apriori
from tableseal.audit.io.argus.table import ArgusTable, Row
from tableseal.audit.io.files import Folder
from tableseal.audit.model import Note, Status

_STATUS = {"S": Status.CONSENT, "U": Status.PRIMARY, "P": Status.MUST_PUBLISH, "M": Status.SECONDARY}
"""Change -> status: what is safe by hand is judged by no rule."""


def changed(table: ArgusTable, command: Apriori, folder: Folder, name: str) -> tuple[ArgusTable, list[tuple[str, ...]]]:
    """The table with what an a-priori file says, and the cells that it withholds for others (M).

    Raises
    ------
    InputError: a line that cannot be used, unless the command passes those over; see also `read_changes`.
    """
    text = folder.text(name, command.at)
    changes = read_changes(text, command.separator, len(table.variables), name)
    rows = {row.codes: row for row in table.rows}
    kept: list[tuple[str, ...]] = []
    passed: list[Change] = []
    bounds = 0
    for change in changes:
        cells = _cells(table, change, trivial=command.trivial)
        there = [cell for cell in cells if cell in rows]
        if change.kind == "AB":
            bounds += 1
        elif not there:
            if not command.lenient:
                why = "the table has no such row" if cells else "one of the codes is unknown"
                raise InputError(f"{why}: {', '.join(change.codes)}.", at=change.at)
            passed.append(change)
        for cell in there:
            rows[cell] = _applied(rows[cell], change)
            kept += [cell] * (change.kind == "M")
    if passed:
        text = f"{name}: lines that name no cell of the table are passed over, the first is line {passed[0].at.line}."
        folder.notes.append(Note("argus_apriori", text, len(passed)))
    if bounds:
        text = f"{name}: bounds (AB) are read and used for nothing, as in tau-ARGUS."
        folder.notes.append(Note("argus_apriori_bounds", text, bounds))
    return replace(table, rows=tuple(rows.values())), kept


def _applied(row: Row, change: Change) -> Row:
    if change.kind in _STATUS:
        return replace(row, status=_STATUS[change.kind].word)
    if change.kind == "C":
        return replace(row, cost=change.numbers[0])
    return replace(row, lower=change.numbers[0], upper=change.numbers[1]) if change.kind == "PL" else row


def _cells(table: ArgusTable, change: Change, *, trivial: bool) -> list[tuple[str, ...]]:
    """The cell that a line names, with those that are the same in all but name; none: a code is unknown."""
    found: list[Sequence[str]] = []
    for own, text in zip(table.variables.values(), change.codes, strict=True):
        code = own.code(text)
        if code is None:
            return []
        found.append(_chain(own, code) if trivial else [code])
    return list(product(*found))


def _chain(own: Classification, code: str) -> list[str]:
    """A code with the codes above and below it that hold the same: the only one below another."""
    below: dict[str | None, list[str]] = {}
    for parent, child in own.edges:
        below.setdefault(parent, []).append(child)
    found = [code]
    at: str | None = code
    while at is not None and at != own.total and len(below[own.parents[at]]) == 1:
        at = own.parents[at]
        found.append(own.total if at is None else at)
    at = None if code == own.total else code
    while len(below.get(at, ())) == 1:
        at = below[at][0]
        found.append(at)
    return found
