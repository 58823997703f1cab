"""The relations between the cells of a release, whoever is withheld: what every pattern of suppression has in common.

Where the audit has one row for each released cell, here every cell is a column, and a row is a relation that holds
between cells: a total and its parts, two tables that share a margin, a link. Withholding a cell only frees its column.
Base cells that are no cells of the release themselves are further columns, free in every pattern.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.records import recorded
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.difference import difference_rows, short_equations
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.naming import cell_name, place_of, places_of, plural
from tableseal.audit.linear.nesting import CellCodes, nestings
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.system import LinearSystem, build_system, known_bounds
from tableseal.audit.model import Amounts, Release, Status
from tableseal.audit.sparse import csr, row_of_entries


@dataclass(frozen=True)
class Equations:
    """lower <= matrix @ x <= upper for the values x of all columns: first the cells, then further base cells.

    Attributes
    ----------
    matrix: int64 csr (relations x columns); by_column: the same, transposed.
    lower, upper: int64 (relations); equal but for links with two different bounds.
    column_lower, column_upper: int64 (columns), what an intruder knows of a column whose value is not published.
    value: int64 (columns), a table that satisfies everything: the true one wherever the agency has given it.
    always_open: bool (columns), never published exactly: rounded cells, cells without a value, base cells.
    cells: number of cells. further: int64, the base cells of the linear system that all columns behind these are.
    short: int64 csr (short relations x columns), every "whole = its parts" that holds, in all directions: more than
        `matrix` needs, each of them equal to zero, and none with an open column among it.
    """

    matrix: csr_array
    by_column: csr_array
    short: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    column_lower: NDArray[np.int64]
    column_upper: NDArray[np.int64]
    value: NDArray[np.int64]
    always_open: NDArray[np.bool_]
    cells: int
    further: NDArray[np.int64]

    def seen_by(self, attacker: Attacker) -> "Equations":
        """As somebody sees them who gave something to cells: they hold at least that, because no value is negative."""
        if not attacker.shares:
            return self
        cells, units = np.array(attacker.shares, np.int64).T
        lower = self.column_lower.copy()
        lower[cells] = np.maximum(lower[cells], units)
        return replace(self, column_lower=lower)

    def component(self, columns: NDArray[np.int64], targets: csr_array) -> Component:
        """The columns as a component, all others published at their value.

        targets: int64 csr over the given columns.
        """
        rows = np.unique(self.by_column[columns].indices)
        local = csr_array(self.matrix[rows])
        inside = csr_array(local[:, columns])
        # What the other columns add up to, from the whole and the inside: both are sparse products over few rows.
        rest = product(local, self.value) - product(inside, self.value[columns])
        return Component(
            inside,
            np.where(self.lower[rows] == NO_LOWER, NO_LOWER, self.lower[rows] - rest),
            np.where(self.upper[rows] == NO_UPPER, NO_UPPER, self.upper[rows] - rest),
            self.column_lower[columns],
            self.column_upper[columns],
            targets,
        )

    def allow(self, columns: NDArray[np.int64], moves: NDArray[np.int64], denominator: int = 1) -> bool:
        """Whether the relations still hold if the columns (int64) move by so much from their values, all others not.

        moves: int64, in 1 / denominator; of fractions it is only said that they are allowed where no link moves.
        """
        which, row, coefficient = stored(self.by_column, columns)
        if np.abs(moves.astype(np.float64)[which] * coefficient).sum() >= NO_UPPER:
            return False
        touched, position = np.unique(row, return_inverse=True)
        moved = np.zeros(len(touched), np.int64)
        np.add.at(moved, position, coefficient * moves[which])
        touched, moved = touched[moved != 0], moved[moved != 0]
        if len(touched) == 0:
            return True
        if (self.lower[touched] == self.upper[touched]).any() or (denominator > 1 and len(touched)):
            return False
        held = product(csr_array(self.matrix[touched]), self.value) + moved
        return bool(((held >= self.lower[touched]) & (held <= self.upper[touched])).all())

    def opened(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (columns): those that are open where a pattern (bool, cells) withholds cells."""
        columns = self.always_open.copy()
        columns[: self.cells] |= pattern
        return columns

    def components(
        self, label: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Component]]:
        """Of each group (see `groups`) that holds some of these cells: (which of them, its columns, the group as a
        component with these cells as targets). Published cells are in none."""
        of_cell = label[cells]
        for group in np.unique(of_cell[of_cell >= 0]).tolist():
            asked, columns = np.flatnonzero(of_cell == group), np.flatnonzero(label == group)
            at, indptr = np.searchsorted(columns, cells[asked]), np.arange(len(asked) + 1)
            targets = csr(np.ones(len(asked), np.int64), at, indptr, (len(asked), len(columns)))
            yield asked, columns, self.component(columns, targets)

    def groups(self, open_columns: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Label of the connected group of each open column, -1 elsewhere; in the order of their first columns."""
        if (self.always_open & ~open_columns).any():
            more, column, row = open_columns, *_joined(self.by_column, np.zeros(len(open_columns), np.bool_))
        else:
            more, (column, row) = open_columns & ~self.always_open, self._always_joined
        at = np.flatnonzero(more)
        which, touched, _ = stored(self.by_column, at)
        nodes = 1 + int(max(row.max(initial=-1), column.max(initial=-1)))
        column = column.copy()
        column[at] = nodes + np.arange(len(at))
        label = _connected(nodes + len(at), column[at][which], row[touched])
        open_ones = np.flatnonzero(open_columns)
        _, first, group = np.unique(label[column[open_ones]], return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        result = np.full(len(open_columns), -1, dtype=np.int64)
        result[open_ones] = rank[group.ravel()]
        return result

    @cached_property
    def _always_joined(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `_joined`: what hangs together in every pattern. A search asks for groups at every step, and where cells
        that no row lists are protected these are nearly all columns."""
        return _joined(self.by_column, self.always_open)


def _joined(by_column: csr_array, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(part of each chosen column, part of each row) where rows hang together through the chosen columns; -1: a column
    that is not chosen."""
    at = np.flatnonzero(chosen)
    which, row, _ = stored(by_column, at)
    label = _connected(len(at) + by_column.shape[1], which, len(at) + row)
    column = np.full(len(chosen), -1, np.int64)
    column[at] = label[: len(at)]
    return column, label[len(at) :]


def _connected(nodes: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which part of a graph each node is in; its edges are pairs of nodes."""
    from scipy.sparse.csgraph import connected_components  # late: 0.1 s

    graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(nodes, nodes))
    label: NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return label


def stored(
    matrix: csr_array, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(position among `rows`, column, value) of what some rows of a matrix hold; as slicing gives, but faster."""
    start, length = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows].astype(np.int64)
    which = np.repeat(np.arange(len(rows)), length)
    at = np.arange(len(which)) + np.repeat(start - np.cumsum(length) + length, length)
    return which, matrix.indices[at].astype(np.int64), matrix.data[at]


def build_equations(release: Release, cells: Cells, method: Method) -> Equations:
    """The relations between all cells of a release; those that are `missing` are never published.

    method: finds a table for base cells and for rounded and missing cells whose values nobody gives.

    Raises
    ------
    InputError: a withheld cell has no true value; true values do not add up.
    """
    known = cells.exact | cells.truth.known
    _refuse_unknown(release, cells, known)
    value = np.where(cells.exact, cells.lower.units, cells.truth.units)
    never = (cells.status == Status.MISSING) & ~cells.exact
    stated = known | never  # a row for each: it is their sums that matter, the values come later
    value = np.where(known, value, cells.known_lower.units)
    shown = replace(
        cells,
        lower=Amounts(np.where(stated, value, cells.lower.units), stated | cells.lower.known),
        upper=Amounts(np.where(stated, value, cells.upper.units), stated | cells.upper.known),
        exact=stated,
    )
    said_lower, said_upper = known_bounds(release, shown, prior=False)
    system = build_system(release, shown, said_lower, said_upper)
    exact = np.flatnonzero(said_lower == said_upper)
    codes = CellCodes(cells.measure[exact], cells.codes[exact])
    differenced, directions = difference_rows(release, system, exact, codes, list(nestings(release, codes)))
    variants = short_equations(system.matrix.shape[0], directions)
    own = csr_array(differenced.transform), csr_array(differenced.matrix)
    all_ways = csr_array(variants), csr_array(variants @ system.matrix)
    owner = _owners(system, *own, len(cells))
    matrix = _relations(system, *own, owner, len(cells))
    lower, upper = _when_withheld(release, cells)
    unknown_base = np.flatnonzero(owner < 0)
    always_open = np.concatenate([~known | cells.rounded | never, np.ones(len(unknown_base), np.bool_)])
    base_lower = 0 if system.nonnegative else NO_LOWER
    rows = np.flatnonzero(np.diff(matrix.indptr) > 0)
    link = system.link >= 0
    equations = Equations(
        matrix=csr_array(matrix[rows]),
        short=_short(_relations(system, *all_ways, owner, len(cells)), always_open),
        by_column=csr_array(matrix[rows].T.tocsr()),
        lower=np.where(link, differenced.lower, 0)[rows],
        upper=np.where(link, differenced.upper, 0)[rows],
        column_lower=np.concatenate([lower, np.full(len(unknown_base), base_lower)]),
        column_upper=np.concatenate([upper, np.full(len(unknown_base), NO_UPPER)]),
        value=np.concatenate([np.where(known, value, 0), np.zeros(len(unknown_base), np.int64)]),
        always_open=always_open,
        cells=len(cells),
        further=unknown_base,
    )
    of_records = recorded(release, system.base) if known.all() else None
    if of_records is not None:
        whole = replace(equations, value=np.append(equations.value[: len(cells)], of_records[unknown_base]))
        if not len(_broken(whole)):
            return whole
    given = np.concatenate([known, np.zeros(len(unknown_base), np.bool_)])
    completed = _completed(release, cells, equations, given, method)
    _refuse_unequal(release, cells, completed)
    return completed


def _refuse_unknown(release: Release, cells: Cells, known: NDArray[np.bool_]) -> None:
    lacking = np.flatnonzero((cells.status >= Status.SECONDARY) & ~known)
    if len(lacking):
        unused = any(note.code == "impossible_value_beside_withheld" for note in release.notes)
        why = " (one that is negative counts only with `intruder: {nonnegative: false}`)" if unused else ""
        raise InputError(
            "withheld; without its true value it cannot be found out which cells have to be withheld with it "
            f"({plural(len(lacking), 'such cell')}); add a truth column{why}",
            at=place_of(release, cells, int(lacking[0])),
        )


def _when_withheld(release: Release, cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What an intruder knows of each cell if it is not published; of rounded cells, what their rounding says, and of
    those that a table says are zero by having no row, that."""
    withheld = replace(
        cells,
        status=np.where(cells.exact | (cells.status >= Status.SECONDARY), np.int8(Status.SECONDARY), cells.status),
        lower=_said(cells, cells.lower, cells.known_lower),
        upper=_said(cells, cells.upper, cells.known_upper),
    )
    lower, upper = known_bounds(release, withheld)
    if release.intruder.nonnegative:
        lower = np.maximum(lower, 0)
    return lower, upper


def _said(cells: Cells, said: Amounts, known: Amounts) -> Amounts:
    keep = cells.rounded | cells.absent_zero
    return Amounts(np.where(keep, said.units, known.units), np.where(keep, said.known, known.known))


def _stated(system: LinearSystem, transform: csr_array, cells: int) -> csr_array:
    """What each combination of rows says of cells: transform @ (values of the cells that the rows state)."""
    of_cells = np.flatnonzero(system.cell >= 0)
    entries = (np.ones(len(of_cells), np.int64), (of_cells, system.cell[of_cells]))
    return csr_array(transform @ csr_array(coo_array(entries, shape=(len(system.cell), cells))))


def _owners(system: LinearSystem, transform: csr_array, base: csr_array, cells: int) -> NDArray[np.int64]:
    """The cell that each base cell is; -1 for base cells that are no cells of the release."""
    stated = _stated(system, transform, cells)
    owner = np.full(base.shape[1], -1, dtype=np.int64)
    alone = np.flatnonzero((np.diff(base.indptr) == 1) & (np.diff(stated.indptr) == 1))
    column, cell = base.indices[base.indptr[alone]], stated.indices[stated.indptr[alone]]
    same = (base.data[base.indptr[alone]] == 1) & (stated.data[stated.indptr[alone]] == 1)
    owner[column[same][::-1]] = cell[same][::-1]
    return owner


def _relations(
    system: LinearSystem, transform: csr_array, base: csr_array, owner: NDArray[np.int64], cells: int
) -> csr_array:
    """matrix @ base cells - transform @ (values of stated cells) over cells and the base cells that are none."""
    stated = _stated(system, transform, cells)
    further = int((owner < 0).sum())
    place = owner.copy()
    place[owner < 0] = cells + np.arange(further)
    row = row_of_entries(base)
    shape = (base.shape[0], cells + further)
    moved = csr_array(coo_array((base.data, (row, place[base.indices])), shape=shape))
    relations = csr_array(moved - csr_array((stated.data, stated.indices, stated.indptr), shape=shape))
    relations.eliminate_zeros()
    return relations


def _short(relations: csr_array, always_open: NDArray[np.bool_]) -> csr_array:
    """Relations between cells alone, each once."""
    filled = np.flatnonzero(np.diff(relations.indptr) > 0)
    rows = csr_array(relations[filled])
    row = np.repeat(np.arange(len(filled)), np.diff(rows.indptr))
    pure = np.ones(len(filled), np.bool_)
    pure[row[always_open[rows.indices]]] = False
    return csr_array(rows[np.flatnonzero(pure)])


def _completed(
    release: Release, cells: Cells, equations: Equations, known: NDArray[np.bool_], method: Method
) -> Equations:
    """The same with a value for every column that nobody has given one.

    Raises
    ------
    InputError: there is none beside the true values that are given.
    """
    value = equations.value.copy()
    label = equations.groups(~known)
    for group in range(label.max(initial=-1) + 1):
        columns = np.flatnonzero(label == group)
        first = csr_array(([1], [0], [0, 1]), shape=(1, len(columns)), dtype=np.int64)
        try:
            answer = method.bounds(equations.component(columns, first), Limits(prove=True))
        except InfeasibleError:
            rows = np.unique(equations.by_column[columns].indices)
            near = np.unique(equations.matrix[rows].indices)
            listed = [c for c in near.tolist() if c < len(cells)]
            raise InputError(
                "true values contradict each other, or what everybody knows of sums that no table shows "
                f"({plural(len(listed), 'cell')}); audit the release to see where",
                at=place_of(release, cells, listed[0]),
                places=places_of(release, cells, listed),
            ) from None
        if not answer.tables:
            raise LimitError("No table was found that fits all true values; audit the release to see whether one does.")
        value[columns] = answer.tables[0]
    return replace(equations, value=value)


def _broken(equations: Equations) -> NDArray[np.int64]:
    """int64: relations that the values do not keep."""
    held = product(equations.matrix, equations.value)
    return np.flatnonzero((held < equations.lower) | (held > equations.upper))


def _refuse_unequal(release: Release, cells: Cells, equations: Equations) -> None:
    """Name the cells of a relation that true values do not keep; they may be confidential and are not shown."""
    broken = _broken(equations)
    if not len(broken):
        return
    _, columns, factors = stored(equations.matrix, broken[:1])
    if int((factors > 0).sum()) == 1:
        factors = -factors
    sides = [columns[factors < 0].tolist(), columns[factors > 0].tolist()]
    words = [
        [cell_name(release, cells, c) if c < len(cells) else "(a sum that no table shows)" for c in s] for s in sides
    ]
    listed = [c for c in columns.tolist() if c < len(cells)]
    more = f" ({plural(len(broken) - 1, 'further equation')} fails, too)" if len(broken) > 1 else ""
    if equations.lower[broken[0]] == equations.upper[broken[0]] == 0:
        equation = " = ".join(" + ".join(side) or "0" for side in words)
    else:
        equation = f"a link of {', '.join([*words[0], *words[1]])}"
    raise InputError(
        f"true values do not add up, with those of withheld cells: {equation}{more}; mend them, or the unit to which "
        "they are rounded",
        at=place_of(release, cells, listed[0]),
        places=places_of(release, cells, listed),
    )
