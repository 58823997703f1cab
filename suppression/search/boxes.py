"""A safe pattern at once, where time is short: a box of cells around each sensitive one (see `kernels.boxing`).

It takes no program, only a look at the codes beside each cell: of 66,810 cells a tenth of a second. It costs more than
what searches find, and far less than everything. Where there is time boxes are chosen anew (see `kernels.rerouting`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.witnesses import FeasibleTable
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.boxing import Grid, boxed
from tableseal.suppression.search.kernels.rerouting import rerouted

MOST_PLACES = 50_000_000
"""Combinations of codes up to which cells are looked up in an array of all of them."""

ROOM = 64
"""Cells of a box, over all boxes: with fewer in the mean there is room for all."""

SLOT = 64
"""Cells of a box up to which it is chosen anew."""

GAIN = 0.001
"""Share of the cost that a round of choosing anew has to save for another one."""

AT_ONCE = 50
"""Cells that are given up before the clock is looked at (four-way tables: 10 ms each)."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pattern = NDArray[np.bool_]


@dataclass(frozen=True)
class Boxed:
    """pattern: bool (cells), with the boxes. shown: bool (requirements), those that boxes show to be met in it:
    whatever is withheld besides. tables: that show it."""

    pattern: Pattern
    shown: NDArray[np.bool_]
    tables: tuple[FeasibleTable, ...]


@dataclass(frozen=True)
class _Ends:
    """What boxes are for. cell: int64, what is to move; move: int64, by how much; known: cells that are in no box of
    each, because an attacker knows them."""

    cell: Ints
    move: Ints
    known: tuple[tuple[int, ...], ...]

    def of(self, which: Ints) -> "_Ends":
        """Some of them."""
        return _Ends(self.cell[which], self.move[which], tuple(self.known[k] for k in which.tolist()))

    @property
    def arrays(self) -> tuple[Ints, Floats, Floats]:
        """Cells, how far each is to fall, and to rise."""
        return self.cell, np.maximum(-self.move, 0).astype(np.float64), np.maximum(self.move, 0).astype(np.float64)

    @property
    def shut(self) -> tuple[Ints, Ints]:
        """Where the known cells of each begin, and these."""
        begins = np.cumsum([0, *map(len, self.known)]).astype(np.int64)
        return begins, np.array([c for own in self.known for c in own], np.int64)


@dataclass(frozen=True)
class _Boxes:
    """size: int64 (boxes), cells of each, 0 where there is none; cell, sign: int64, these cells, and by how much each
    moves."""

    size: Ints
    cell: Ints
    sign: Ints

    @property
    def box(self) -> Ints:
        """int64: the box of each cell."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @property
    def start(self) -> Ints:
        """int64 (boxes): where the cells of each begin."""
        return np.cumsum(self.size) - self.size


def with_boxes(problem: Problem, pattern: Pattern, needs: Sequence[Requirement], limits: Limits | None = None) -> Boxed:
    """A pattern, widened by boxes for each of some requirements, as far as there are.

    Boxes of a requirement in the eyes of somebody who knows cells have none of these in them. limits: until which boxes
    are replaced by cheaper ones; None: not at all.
    """
    shown = np.zeros(len(needs), np.bool_)
    wider, tables = pattern.copy(), list[FeasibleTable]()
    of_need = problem.cells.measure[[need.cell for need in needs]]
    for measure in np.unique(of_need).tolist():
        own = np.flatnonzero(of_need == measure)
        found = _of_measure(problem, wider, [needs[q] for q in own.tolist()], measure, limits)
        if found is not None:
            wider |= found.pattern
            shown[own] = found.shown
            tables += found.tables
    return Boxed(wider, shown, tuple(tables))


def _of_measure(
    problem: Problem, pattern: Pattern, needs: Sequence[Requirement], measure: int, limits: Limits | None
) -> Boxed | None:
    """Boxes for requirements about cells of one measure; None: there are too many combinations of codes."""
    grid = grid_of(problem, measure)
    if grid is None:
        return None
    far = np.array([_far(need, int(problem.equations.value[need.cell])) for need in needs], np.int64).reshape(-1, 2)
    # An end down and one up: what is zero can rise.
    which, side = np.nonzero(far)
    order = np.argsort(-far[which, side], kind="stable")
    which, side = which[order], side[order]
    cells = np.array([need.cell for need in needs], np.int64)[which]
    known = tuple(needs[q].attacker.known for q in which.tolist())
    ends = _Ends(cells, np.where(side == 0, -1, 1) * far[which, side], known)
    boxes = _chosen(problem, grid, pattern, ends, limits)
    kept = (boxes.size > 0) & _are_tables(problem.equations, boxes, ends.move)
    wider = pattern.copy()
    wider[boxes.cell[kept[boxes.box]]] = True
    wider &= pattern | problem.may  # what is never published need not be withheld
    start, size = boxes.start[kept].tolist(), boxes.size[kept].tolist()
    tables = [
        FeasibleTable(boxes.cell[at : at + count], boxes.sign[at : at + count])
        for at, count in zip(start, size, strict=True)
    ]
    return Boxed(wider, np.bincount(which[~kept], minlength=len(needs)) == 0, tuple(tables))


def _chosen(problem: Problem, grid: Grid, pattern: Pattern, ends: _Ends, limits: Limits | None) -> _Boxes:
    """Boxes for ends, as far as there are: one after another, then some anew beside all others."""
    cost = np.where(problem.may, problem.cost.astype(np.float64), np.inf)
    held = pattern | problem.equations.always_open[: len(cost)]
    run = Runner(worth_compiling(len(cost), boxed))
    price, places = np.where(held, 0.0, cost), run.arrays(grid)
    near = _one_by_one(run, places, ends, price, near=True)
    left = np.flatnonzero(near.size == 0)
    boxes = _with(near, left, _one_by_one(run, places, ends.of(left), price, near=False))
    if limits is None:
        return boxes
    return _replaced(run, places, ends, boxes, np.where(held, 0.0, cost), held, limits)


def _one_by_one(run: Runner, places: Grid, ends: _Ends, price: Floats, *, near: bool) -> _Boxes:
    """A box for each end, as far as there is one. price: float64 (cells), 0 for what is withheld; kept up."""
    room = ROOM * len(ends.cell)
    start, cell, sign = np.zeros(len(ends.cell) + 1, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64)
    done = run(boxed, places, *ends.arrays, *ends.shut, price, start, cell, sign, room, near)
    start[done + 1 :] = start[done]
    size = np.diff(start)
    return _Boxes(size, cell[: start[-1]], sign[: start[-1]] * np.repeat(ends.move, size))


def _with(boxes: _Boxes, which: Ints, others: _Boxes) -> _Boxes:
    """Boxes with others in place of some (int64, ascending)."""
    box = np.concatenate([boxes.box, which[others.box]])
    fresh = np.concatenate([np.zeros(len(boxes.cell), np.bool_), np.ones(len(others.cell), np.bool_)])
    valid = fresh | ~np.isin(box, which)
    order = np.argsort(box[valid], kind="stable")
    cell, sign = np.concatenate([boxes.cell, others.cell]), np.concatenate([boxes.sign, others.sign])
    size = boxes.size.copy()
    size[which] = others.size
    return _Boxes(size, cell[valid][order], sign[valid][order])


def _replaced(
    run: Runner, places: Grid, ends: _Ends, boxes: _Boxes, cost: Floats, held: Pattern, limits: Limits
) -> _Boxes:
    """Cheaper boxes in place of some, those with known cells left as they are. cost: float64 (cells), 0 where withheld
    anyhow (held)."""
    some = (boxes.size <= SLOT) & ~np.array([bool(own) for own in ends.known], np.bool_)
    small = np.flatnonzero(some)
    size = boxes.size[small]
    slots = np.zeros((2, len(small), SLOT), np.int64)
    inside = some[boxes.box]
    filled = np.arange(SLOT) < size[:, None]
    slots[0, filled], slots[1, filled] = boxes.cell[inside], boxes.sign[inside]
    cell, sign = slots.reshape(2, -1)
    used = held + np.bincount(boxes.cell, minlength=len(held))
    price, arrays, saved = np.where(used > 0, 0.0, cost), ends.of(small).arrays, np.inf
    while saved > GAIN * cost[used > 0].sum() and not limits.out_of_time():
        saved = 0.0
        for order, first, users in _by_cell(cell, size, cost):
            if limits.out_of_time():
                break
            state = cost, used, price, SLOT, size, cell, sign
            saved += run(rerouted, places, *arrays, *state, order, first, users)
    filled = (np.arange(SLOT) < size[:, None]).ravel()
    return _with(boxes, small, _Boxes(size, cell[filled], sign[filled]))


def _by_cell(cell: Ints, size: Ints, cost: Floats) -> Iterator[tuple[Ints, Ints, Ints]]:
    """(cells of boxes that cost something, the dearest first; where the boxes of each begin; these), some at a time.

    cell, size: int64 (boxes x SLOT; boxes).
    """
    slots = np.flatnonzero((np.arange(SLOT) < size[:, None]).ravel())
    slots = slots[cost[cell[slots]] > 0]
    slots = slots[np.lexsort((slots, cell[slots], -cost[cell[slots]]))]
    first = np.append(np.flatnonzero(np.diff(cell[slots], prepend=-1)), len(slots))
    cells, users = cell[slots[first[:-1]]], slots // SLOT
    for at in range(0, len(cells), AT_ONCE):
        some = first[at : at + AT_ONCE + 1]
        yield cells[at : at + AT_ONCE], some - some[0], users[some[0] : some[-1]]


def _are_tables(equations: Equations, boxes: _Boxes, move: Ints) -> NDArray[np.bool_]:
    """bool (boxes): whether cells can move so far, and every relation holds; in whole numbers.

    move: int64 (boxes), of the cell asked about.
    """
    cell, box = boxes.cell, boxes.box
    moves = csr_array((boxes.sign, (cell, box)), shape=(equations.matrix.shape[1], len(move)))
    touched = np.asarray(abs(csr_array(equations.matrix @ moves)).sum(axis=0)).ravel()
    far = boxes.sign
    value, least, most = equations.value[cell], equations.column_lower[cell], equations.column_upper[cell]
    fits = (least == NO_LOWER) | (-far <= value - least)
    fits &= (most == NO_UPPER) | (far <= most - value)
    misfits = np.bincount(box[~fits], minlength=len(move))
    tables: NDArray[np.bool_] = (touched == 0) & (misfits == 0)
    return tables


def _far(need: Requirement, value: int) -> tuple[int, int]:
    """How far a cell must be able to move down and up for a requirement to be met."""
    low, high = need.ends(value)
    return value - low, max(high - value, need.width - (value - low))


def grids_of(problem: Problem) -> dict[int, Grid | None]:
    """The grid of each measure, see `grid_of`."""
    return {measure: grid_of(problem, measure) for measure in np.unique(problem.cells.measure).tolist()}


def grid_of(problem: Problem, measure: int) -> Grid | None:
    """The cells of a measure by their codes; None: there are too many combinations."""
    variables, cells = list(problem.release.variables.values()), problem.cells
    sizes = [len(variable.codes) for variable in variables]
    stride = np.concatenate([np.cumprod(np.array(sizes[:0:-1], np.int64))[::-1], np.ones(1, np.int64)]).astype(np.int64)
    if float(np.prod(np.array(sizes, np.float64))) > MOST_PLACES:
        return None
    codes = cells.codes.astype(np.int64)
    own = np.flatnonzero(cells.measure == measure)
    place = np.full(int(np.prod(sizes)), -1, np.int64)
    place[codes[own] @ stride] = own
    parents = [variable.parents[0].astype(np.int64) for variable in variables]
    offset = np.cumsum([0, *sizes])[:-1].astype(np.int64)
    used = [np.isin(np.arange(size), codes[own][:, v]) for v, size in enumerate(sizes)]
    above = np.concatenate([np.where(u & (p >= 0) & u[p], p, -1) for p, u in zip(parents, used, strict=True)])
    of = np.repeat(np.arange(len(sizes)), sizes)
    below = np.flatnonzero(above >= 0)
    owner = offset[of[below]] + above[below]
    order = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[order], np.arange(len(above) + 1)).astype(np.int64)
    child = (below - offset[of[below]])[order]
    equations = problem.equations
    value = equations.value[: len(cells)]
    least, most = equations.column_lower[: len(cells)], equations.column_upper[: len(cells)]
    down = np.where(least == NO_LOWER, np.inf, (value - least).astype(np.float64))
    up = np.where(most == NO_UPPER, np.inf, (most - value).astype(np.float64))
    return Grid(place, stride, offset, above, first, child, codes, down, up)
