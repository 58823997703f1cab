"""Blocks of a large table: what moves in one while everything else stands still is a table of the whole.

A large block has one code in each variable and all codes below it; a small grid has the cell in question and what is
cheap around it.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.equations import stored
from tableseal.audit.model import Hierarchy
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.boxing import Grid

Ints = NDArray[np.int64]

MOST = 1_900
"""Cells of a small grid, if that is possible (four variables: 27,000 at the first width, where nothing is near)."""

WIDTHS = ((8, 2, 4), (5, 2, 3), (4, 2, 2), (3, 1, 1))
"""The widest that has no more than MOST cells: codes of a small grid beside a cell's own one, beside each one above it,
and below each (34,440 cells, cost and seconds: 4, 2, 2: 85,274, 12; 4, 4, 4: 64,219, 19; 8, 2, 4 whatever the cells:
48,364, 19; blocks of all codes below one in their place 54,310, 10)."""

UP = 3
"""Codes above a cell that a small grid around it reaches up to."""


def blocks(problem: Problem) -> list[Ints]:
    """Cells (int64, ascending) of each block of the finest codes: in each variable one code and those directly below
    it, which are not broken down further."""
    cells, release = problem.cells, problem.release
    usable = (problem.may | problem.primary) & ~problem.equations.always_open[: len(cells)]
    found: list[Ints] = []
    for table in release.tables:
        measure = usable & (cells.measure == list(release.measures).index(table.measure))
        axes = [
            _groups(hierarchy, np.unique(table.codes[:, v])) for v, hierarchy in enumerate(release.variables.values())
        ]
        for choice in product(*axes):
            inside = measure.copy()
            for v, codes in enumerate(choice):
                inside &= np.isin(cells.codes[:, v], codes)
            found.append(np.flatnonzero(inside))
    return found


def _groups(hierarchy: Hierarchy, codes: NDArray[np.int32]) -> list[list[int]]:
    """A code with those directly below it, for each code of which a table has nothing but the finest below, in any
    grouping; the one code alone where it breaks down none."""
    if len(codes) == 1:
        return [codes.tolist()]
    found: list[list[int]] = []
    for parent in hierarchy.parents:
        below: dict[int, list[int]] = {}
        for code in codes.tolist():
            if parent[code] >= 0:
                below.setdefault(int(parent[code]), []).append(code)
        groups = [[above, *under] for above, under in sorted(below.items()) if not set(below) & set(under)]
        found += [group for group in groups if group not in found]
    return found


def around(grid: Grid, cell: int, price: NDArray[np.float64], up: int) -> Ints:
    """Cells (int64, ascending) of a small grid around one: the widest that is small enough (see `_around`)."""
    for width in WIDTHS:
        cells = _around(grid, cell, price, up, width)
        if len(cells) <= MOST:
            break
    return cells


def _around(grid: Grid, cell: int, price: NDArray[np.float64], up: int, width: tuple[int, int, int]) -> Ints:
    """Cells (int64, ascending) of a small grid around one: in each variable its code and the cheapest ones beside it
    and below these, and the same of so many codes above.

    price: float64 (cells), of withholding; infinite where that cannot be.
    """
    beside, further, below = width
    axes = []
    own = grid.codes[cell]
    place = int(own @ grid.stride)
    for code, stride, offset in zip(own.tolist(), grid.stride.tolist(), grid.offset.tolist(), strict=True):
        fixed = place - stride * code

        def dear(other: int, fixed: int = fixed, stride: int = stride) -> float:
            at = int(grid.place[fixed + stride * other])
            return float(price[at]) if at >= 0 else np.inf

        def cheapest(above: int, most: int, left_out: int, offset: int = offset) -> list[int]:
            codes = grid.child[grid.first[offset + above] : grid.first[offset + above + 1]].tolist()
            return sorted((c for c in codes if c != left_out), key=lambda c: (dear(c), c))[:most]

        chosen, top = [code], code
        for step in range(up + 1):
            above = int(grid.parent[offset + top])
            if above < 0:
                break
            chosen += cheapest(above, beside if step == 0 else further, top)
            if step < up:
                chosen.append(above)
                top = above
        waiting = list(chosen)
        while waiting:
            lower = cheapest(waiting.pop(), below, -1)
            chosen += lower
            waiting += lower
        axes.append(np.unique(np.array(chosen, np.int64)) * stride)
    places = axes[0]
    for axis in axes[1:]:
        places = np.add.outer(places, axis).ravel()
    cells = grid.place[places]
    cells = cells[cells >= 0]
    return np.sort(cells[np.isfinite(price[cells])])


class Relations:
    """Which cells stand in which short relations."""

    def __init__(self, problem: Problem) -> None:
        short = csr_array(abs(problem.equations.short[:, : len(problem.cost)].sign()))
        self._of_cell = csr_array(short.T.tocsr())

    def movable(self, cells: Ints) -> Ints:
        """Those of some cells that no relation holds still, while everything else stands still."""
        while len(cells):
            which, row, _ = stored(self._of_cell, cells)
            _, place, count = np.unique(row, return_inverse=True, return_counts=True)
            held = np.zeros(len(cells), np.bool_)
            held[which[count[place] == 1]] = True
            if not held.any():
                break
            cells = cells[~held]
        return cells
