"""From a release to the relations between its cells."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.records import recorded
from tableseal.audit.decision.refusals import contradicting, refuse_unequal, refuse_unknown
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.difference import difference_rows, short_equations
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.nesting import CellCodes, nestings
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.system import LinearSystem, build_system, known_bounds
from tableseal.audit.model import Amounts, Release, Status
from tableseal.audit.sparse import row_of_entries


def build_equations(release: Release, cells: Cells, method: Method) -> Equations:
    """The relations between all cells of a release; those that are `missing` are never published.

    method: finds a table for base cells and for rounded and missing cells whose values nobody gives.

    Raises
    ------
    InputError: a withheld cell has no true value; true values do not add up.
    """
    known = cells.exact | cells.truth.known
    refuse_unknown(release, cells, known)
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
        if not len(whole.broken):
            return whole
    given = np.concatenate([known, np.zeros(len(unknown_base), np.bool_)])
    completed = _completed(release, cells, equations, given, method)
    refuse_unequal(release, cells, completed)
    return completed


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
            raise contradicting(release, cells, equations, columns) from None
        if not answer.tables:
            raise LimitError("No table was found that fits all true values; audit the release to see whether one does.")
        value[columns] = answer.tables[0]
    return replace(equations, value=value)
