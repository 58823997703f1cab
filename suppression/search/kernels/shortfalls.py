"""Which cells of a small table cannot move as far as they have to while others are withheld in part, and the rows that
say so: each gives the move of a cell as a sum of moves of others."""

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import floats
from tableseal.suppression.search.kernels.moves import Moves, entered, farthest, seen_from, still

MARGIN = 1e-3
"""Share of a distance that may be missing."""

CLASS = 0.5
"""Ends whose distances are not shorter than so are asked with the same limits."""


@kernel
def shortfalls(
    m: Moves,
    share: Cells,
    down: Cells,
    up: Cells,
    cell: Cells,
    way: Cells,
    distance: Cells,
    besides: Cells,
    rows: Cells,
    of: Cells,
    end: Cells,
) -> int:
    """How many rows were found.

    share: float64 (cells), how far each is withheld; down, up: float64 (cells), how far each may move (inf: without
    end). cell, way, distance: int64, int64, float64 (ends, the widest first), what has to move: 1 down, else up.
    besides: int64, cells that have to be able to move as far as they are withheld, by parts of one unit.
    rows: float64 (room x cells), of: int64 (room), end: int64 (room), receive: move of cell `of` = row @ moves, the end
    it was asked for (-1: one of `besides`).
    """
    count, first = 0, 0
    lowest, highest = floats(len(share), 0.0), floats(len(share), 0.0)
    while first < len(cell) and count < len(of):
        widest, last = distance[first], first
        while last < len(cell) and distance[last] >= CLASS * widest:
            last += 1
        for v in range(len(share)):
            m.low[v] = -min(down[v], widest) / widest * share[v]
            m.high[v] = min(up[v], widest) / widest * share[v]
        _still(m, lowest, highest)
        for k in range(first, last):
            if count < len(of) and _short(m, lowest, highest, cell[k], way[k], distance[k] / widest):
                _row(m, cell[k], rows[count])
                of[count], end[count] = cell[k], k
                count += 1
        first = last
    for v in range(len(share)):
        m.low[v], m.high[v] = -share[v], share[v]
    _still(m, lowest, highest)
    for c in besides:
        # Limits are the same both ways, so it can fall as far as it can rise.
        seen = lowest[c] <= -share[c] * (1.0 - MARGIN)
        if not seen and count < len(of) and _short(m, lowest, highest, c, -1, share[c]):
            _row(m, c, rows[count])
            of[count], end[count] = c, -1
            count += 1
    return count


@kernel
def _still(m: Moves, lowest: Cells, highest: Cells) -> None:
    """Everything stands still, and nothing has been seen to move."""
    still(m)
    for v in range(len(lowest)):
        lowest[v], highest[v] = 0.0, 0.0


@kernel
def _short(m: Moves, lowest: Cells, highest: Cells, cell: int, way: int, goal: float) -> bool:
    """Whether a cell cannot move so far; notes where what was tried brings all others."""
    enough = goal * (1.0 - MARGIN)
    if (-lowest[cell] if way == 1 else highest[cell]) >= enough:
        return False
    if entered(m, cell) < 0:  # no relation holds it
        return False
    farthest(m, cell, -1.0 if way == 1 else 1.0, goal)
    seen_from(m, lowest, highest)
    reached = -lowest[cell] if way == 1 else highest[cell]
    return reached < enough and m.place[cell] >= 0


@kernel
def _row(m: Moves, cell: int, row: Cells) -> None:
    """The move of a cell that is in the dictionary, by those of others."""
    for v in range(len(row)):
        row[v] = 0.0
    own = m.T[m.place[cell]]
    for q in range(len(m.nonbasic)):
        row[m.nonbasic[q]] = own[q]
