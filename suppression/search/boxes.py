"""A safe pattern at once, where time is short: a box of cells around each sensitive one (see `kernels.boxing`).

It takes no program, only a look at the codes beside each cell: of 66,810 cells a tenth of a second. It costs more than
what searches find, and far less than everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.witnesses import FeasibleTable
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.boxing import Grid, boxed

MOST_PLACES = 50_000_000
"""Combinations of codes up to which cells are looked up in an array of all of them."""

ROOM = 64
"""Cells of a box, over all boxes: with fewer in the mean there is room for all."""


@dataclass(frozen=True)
class Boxed:
    """pattern: bool (cells), with the boxes. shown: bool (requirements), those that boxes show to be met in it:
    whatever is withheld besides. tables: that show it."""

    pattern: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    tables: tuple[FeasibleTable, ...]


def with_boxes(problem: Problem, pattern: NDArray[np.bool_], needs: Sequence[Requirement]) -> Boxed:
    """A pattern, widened by a box for each of some requirements, as far as there is one.

    The box of a requirement in the eyes of somebody who knows cells has none of these in it.
    """
    shown = np.zeros(len(needs), np.bool_)
    wider, tables = pattern.copy(), list[FeasibleTable]()
    of_need = problem.cells.measure[[need.cell for need in needs]]
    for measure in np.unique(of_need).tolist():
        own = np.flatnonzero(of_need == measure)
        found = _of_measure(problem, wider, [needs[q] for q in own.tolist()], measure)
        if found is not None:
            wider |= found.pattern
            shown[own] = found.shown
            tables += found.tables
    return Boxed(wider, shown, tuple(tables))


def _of_measure(
    problem: Problem, pattern: NDArray[np.bool_], needs: Sequence[Requirement], measure: int
) -> Boxed | None:
    """Boxes for requirements about cells of one measure; None: there are too many combinations of codes."""
    grid = _grid(problem, measure)
    if grid is None:
        return None
    far = np.array([_far(need, int(problem.equations.value[need.cell])) for need in needs], np.int64).reshape(-1, 2)
    first = _boxes(problem, grid, pattern, needs, far, near=True)
    left = np.flatnonzero(~first.shown)
    second = _boxes(problem, grid, first.pattern, [needs[q] for q in left.tolist()], far[left], near=False)
    shown = first.shown.copy()
    shown[left] = second.shown
    return Boxed(second.pattern, shown, first.tables + second.tables)


def _boxes(
    problem: Problem,
    grid: Grid,
    pattern: NDArray[np.bool_],
    needs: Sequence[Requirement],
    far: NDArray[np.int64],
    *,
    near: bool,
) -> Boxed:
    """A pattern with a box for each of some requirements, as far as one shows that their cells can move so far.

    far: int64 (requirements x 2), down and up. near: with codes beside their own ones, where there are some.
    """
    cells = np.array([need.cell for need in needs], np.int64)
    order = np.argsort(-far.max(axis=1, initial=0), kind="stable")
    price = np.where(problem.may, problem.cost.astype(np.float64), np.inf)
    price[pattern | problem.equations.always_open[: len(price)]] = 0.0
    start, room = np.zeros(len(cells) + 1, np.int64), ROOM * len(cells)
    cell, sign = np.zeros(room, np.int64), np.zeros(room, np.int64)
    known = [needs[q].attacker.known for q in order.tolist()]
    shut = np.concatenate([np.array(own, np.int64) for own in known] or [np.empty(0, np.int64)])
    first = np.concatenate([[0], np.cumsum([len(own) for own in known], dtype=np.int64)])
    run = Runner(worth_compiling(len(price), boxed))
    down, up = (np.ascontiguousarray(side, np.float64) for side in far[order].T)
    done = run(boxed, run.arrays(grid), cells[order], down, up, first, shut, price, start, cell, sign, room, near)
    start[done + 1 :] = start[done]
    box = np.repeat(np.arange(len(cells)), np.diff(start))
    cell, sign = cell[: len(box)], sign[: len(box)]
    kept = (np.diff(start) > 0) & _are_tables(problem.equations, cell, sign, box, far[order])
    wider = pattern.copy()
    wider[cell[kept[box]]] = True
    wider &= pattern | problem.may  # what is never published need not be withheld
    shown = np.zeros(len(cells), np.bool_)
    shown[order] = kept | (far[order] == 0).all(axis=1)
    tables = [
        FeasibleTable(cell[start[b] : start[b + 1]], way * int(distance) * sign[start[b] : start[b + 1]])
        for b in np.flatnonzero(kept).tolist()
        for way, distance in zip((-1, 1), far[order[b]], strict=True)
        if distance
    ]
    return Boxed(wider, shown, tuple(tables))


def _are_tables(
    equations: Equations,
    cell: NDArray[np.int64],
    sign: NDArray[np.int64],
    box: NDArray[np.int64],
    far: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """bool (boxes): whether cells can move so far in both directions, and every relation holds; in whole numbers.

    cell, sign, box: int64, cells by their boxes; far: int64 (boxes x 2).
    """
    moves = csr_array((sign, (cell, box)), shape=(equations.matrix.shape[1], len(far)))
    touched = np.asarray(abs(csr_array(equations.matrix @ moves)).sum(axis=0)).ravel()
    falls, rises = np.where(sign > 0, far[box].T, far[box].T[::-1])
    value, least, most = equations.value[cell], equations.column_lower[cell], equations.column_upper[cell]
    fits = (least == NO_LOWER) | (falls <= value - least)
    fits &= (most == NO_UPPER) | (rises <= most - value)
    misfits = np.bincount(box[~fits], minlength=len(far))
    tables: NDArray[np.bool_] = (touched == 0) & (misfits == 0)
    return tables


def _far(need: Requirement, value: int) -> tuple[int, int]:
    """How far a cell must be able to move down and up for a requirement to be met."""
    low, high = need.ends(value)
    return value - low, max(high - value, need.width - (value - low))


def _grid(problem: Problem, measure: int) -> Grid | None:
    """The cells of a measure by their codes."""
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
