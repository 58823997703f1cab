"""How far classes of cells of a small table can move while others are withheld in part, and the rows that say so where
it is not far enough: each gives the move of a class as a sum of moves of others."""

from tableseal.audit.compiling import Cells, kernel
from tableseal.suppression.search.kernels.moves import Moves, entered, farthest, seen_from, still

MARGIN = 1e-3
"""Share of a distance that may be missing."""


@kernel
def shortfalls(
    m: Moves, lowest: Cells, highest: Cells, asked: Cells, way: Cells, goal: Cells, reached: Cells, rows: Cells
) -> None:
    """Ask for one class after another how far it can move.

    m: limits of classes are set. lowest, highest: float64 (classes), how far each was seen to move, changed in place.
    asked, way: int64, a class that some relation holds, and where it has to move: 1 down, else up; goal: float64, how
    far. reached: float64 (asked), receives how far it can, at most the goal; where that is short of it, rows: float64
    (asked x classes) receives: move of the class = row @ moves.
    """
    still(m)
    for k in range(len(asked)):
        c, enough = asked[k], goal[k] * (1.0 - MARGIN)
        reached[k] = goal[k]
        if (-lowest[c] if way[k] == 1 else highest[c]) >= enough:
            continue
        entered(m, c)
        farthest(m, c, -1.0 if way[k] == 1 else 1.0, goal[k])
        seen_from(m, lowest, highest)
        found = -lowest[c] if way[k] == 1 else highest[c]
        if found >= enough or m.place[c] < 0:
            continue
        reached[k] = found
        own, row = m.T[m.place[c]], rows[k]
        for q in range(len(m.nonbasic)):
            row[m.nonbasic[q]] = own[q]
