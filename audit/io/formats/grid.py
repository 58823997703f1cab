"""The cells of a cube, the last variable running fastest: how PC-Axis and JSON-stat order figures."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io.column import Column
from tableseal.audit.io.derived import without_rows
from tableseal.audit.io.numbers import decimals_of
from tableseal.audit.model import Hierarchy, Release, Status, Table

MOST_CELLS = 20_000_000
"""Cells of a cube, at most."""


def codes_of_cells(codes: Mapping[str, Sequence[str]]) -> dict[str, Column]:
    """Variable -> its code in each cell."""
    sizes = [len(each) for each in codes.values()]
    after, before = prod(sizes), 1
    found: dict[str, Column] = {}
    for (variable, each), size in zip(codes.items(), sizes, strict=True):
        after //= size
        number = np.tile(np.repeat(np.arange(size, dtype=np.int32), after), before)
        found[variable] = Column(tuple(each), number)
        before *= size
    return found


def free(name: str, taken: Collection[str]) -> str:
    """A column name that no variable has."""
    while name in taken:
        name += "_"
    return name


@dataclass(frozen=True)
class Cube:
    """All cells that the codes of a table make, as they are written.

    codes: variable -> codes that some row has (or that may be more than nothing without one), in the order of the
    classification. The other arrays have an entry for
    each cell: status (int8); value and truth as text, None where there is none; listed (bool): some row says it, or it
    follows from what the table says of rows that are not there. What is not listed has the status missing.
    """

    codes: Mapping[str, Sequence[str]]
    status: NDArray[np.int8]
    value: Sequence[str | None]
    truth: Sequence[str | None]
    listed: NDArray[np.bool_]


def cube_of(release: Release, table: Table) -> Cube:
    """The cube of a table; a cell that has no row is zero, a sum or missing, as the table says (`absent`).

    Raises
    ------
    InputError: two rows that say different things of one cell. LimitError: too many cells.
    """
    used = [
        (at, name)
        for at, name in enumerate(release.variables)
        if name in table.named or (len(table.codes) and int(table.codes[0, at]) != release.variables[name].total_index)
    ]
    positions = {name: _positions(table, release.variables[name], at) for at, name in used}
    sizes = [len(each) for each in positions.values()]
    cells = prod(sizes)
    if cells > MOST_CELLS:
        raise LimitError(f"the codes of its rows make {cells:,} cells, more than {MOST_CELLS:,}.", at=table.where)
    codes = {name: [release.variables[name].codes[p] for p in each.tolist()] for name, each in positions.items()}
    axes = [np.searchsorted(positions[name], table.codes[:, at]) for at, name in used]
    place = np.ravel_multi_index(axes, sizes) if axes else np.zeros(0, np.int64)
    unit = release.measures[table.measure].unit
    status = np.full(cells, Status.MISSING, np.int8)
    listed = np.zeros(cells, np.bool_)
    value: list[str | None] = [None] * cells
    truth: list[str | None] = [None] * cells
    own = ~table.value.known if table.rounding is None else np.ones(len(table.codes), np.bool_)
    rows = zip(
        place.tolist(),
        table.status.tolist(),
        decimals_of(table.value, unit),
        decimals_of(table.truth, unit),
        own.tolist(),
        strict=True,
    )
    for row, (cell, found, shown, true, secret) in enumerate(rows):
        said = (None if shown is None else str(shown), None if true is None or not secret else str(true))
        if listed[cell] and (status[cell], value[cell], truth[cell]) != (found, *said):
            raise InputError("says something else of this cell than a row before it.", at=table.place(row))
        listed[cell], status[cell] = True, found
        value[cell], truth[cell] = said
    _spell_out(release, table, [name for _, name in used], codes, status, value, listed)
    return Cube(codes, status, value, truth, listed)


def _positions(table: Table, hierarchy: Hierarchy, at: int) -> NDArray[np.integer]:
    """Codes that some row has; and all leaves where a code without a row is no zero, so that no sum lacks a part."""
    listed = table.codes[:, at]
    if table.absent.leaves == "zero" or hierarchy.name not in table.named:
        return np.unique(listed)
    return np.union1d(listed, hierarchy.leaves)


def _spell_out(
    release: Release,
    table: Table,
    names: Sequence[str],
    codes: Mapping[str, Sequence[str]],
    status: NDArray[np.int8],
    value: list[str | None],
    listed: NDArray[np.bool_],
) -> None:
    """Put in what follows of cells that no row lists: zeros and sums."""
    if listed.all():
        return
    follows = without_rows(table, release)
    index = {name: {code: at for at, code in enumerate(each)} for name, each in codes.items()}
    sizes = [len(each) for each in codes.values()]
    if "zeros" in follows:
        axes = [[index[name][code] for code in follows["zeros"][name] if code in index[name]] for name in names]
        cells = np.ravel_multi_index(np.ix_(*axes), sizes).ravel() if all(axes) else np.zeros(0, np.int64)
        for cell in cells[~listed[cells]].tolist():
            value[cell], status[cell], listed[cell] = "0", Status.PUBLISHED, True
    for *found, total in follows.get("totals", ()):
        named = dict(zip(release.variables, found, strict=True))
        if all(named[name] in index[name] for name in names):
            cell = int(np.ravel_multi_index([index[name][named[name]] for name in names], sizes))
            if not listed[cell] and total is not None:
                value[cell], status[cell], listed[cell] = str(total), Status.PUBLISHED, True


def pairs_of(hierarchy: Hierarchy, codes: Collection[str]) -> list[tuple[str, str]]:
    """(parent, child) of all groupings, those under the total first; a code that is not among `codes` is passed over,
    and what is below it hangs on what is above it."""
    kept = set(codes)
    found: dict[tuple[str, str], None] = {}
    for grouping in range(len(hierarchy.parents)):
        parent_of = {child: parent for parent, child in hierarchy.edges(grouping)}
        for child, parent in parent_of.items():
            while parent is not None and parent not in kept:
                parent = parent_of.get(parent)
            # What another grouping leaves out hangs on its total, which the first one has said already.
            if child in kept and parent is not None and not (grouping and parent == hierarchy.total):
                found[(parent, child)] = None
    return list(found)
