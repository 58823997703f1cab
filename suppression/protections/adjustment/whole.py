"""Whole changes near those of a linear program: rounded, added up again, and mended where that breaks something.

Cells that no relation says to be a sum are rounded to the nearest whole number; sums follow from them, in tables of one
set of classifications all of them. What then is beyond its limits is put back to them, so that some relations are off,
and blocks of cells around these are chosen anew, in which what is off is dearer than any change (as `multiples_search`
mends).
"""

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.protocol import Floats
from tableseal.suppression.protections.adjustment.part import Ints, Moves, Part
from tableseal.suppression.protections.adjustment.program import solve
from tableseal.suppression.protections.neighbourhood import neighbourhood

BROKEN = 1000
"""Of a unit that a relation is off, in largest weights."""

SMALLEST, GROWTH, TRIES = 100, 1.3, 16
"""Cells of a block around a relation that is off, growth from try to try, and tries."""

NODES = 50
"""Of the search tree of a block."""


def whole(part: Part, moved: Floats, direction: Ints, limits: Limits) -> Ints | None:
    """int64 (cells), whole changes that the part allows; None: none were found.

    moved: float64 (cells), of the linear program. direction: int64 (cells), 1 or -1, of sensitive cells.
    """
    near = np.round(moved).astype(np.int64)
    if part.allows(near):
        return near
    least, most = part.moves.within(direction)
    starts = [np.clip(x, least, most) for x in (added_up(part, near), near)]
    off = [int(np.abs(part.relations @ x - part.right).sum()) for x in starts]
    found = _mended(part, starts[int(np.argmin(off))], limits)
    return found if part.allows(found) else None


def added_up(part: Part, moved: Ints) -> Ints:
    """The same with each cell that a relation says to be the sum of its others added up from these, once.

    A relation says so of a cell whose sign no other of its cells has.
    """
    relations = part.relations
    total: dict[int, tuple[Ints, Ints, int]] = {}
    for row in range(relations.shape[0]):
        here = slice(relations.indptr[row], relations.indptr[row + 1])
        cells, entry = relations.indices[here], relations.data[here]
        for sign in (-1, 1):
            alone = np.flatnonzero(entry == sign)
            if len(alone) == 1 and len(cells) > 2:
                total.setdefault(int(cells[alone[0]]), (cells, entry, sign))
                break
    found, state = moved.copy(), dict.fromkeys(total, 0)  # 0 to be added up, 1 being added up, 2 done
    for first in total:
        waiting = [first]
        while waiting:
            cell = waiting[-1]
            cells, entry, sign = total[cell]
            if state[cell] == 0:
                state[cell] = 1
                waiting += [c for c in cells.tolist() if state.get(c) == 0]
                continue
            waiting.pop()
            if state[cell] == 1:
                others = cells != cell
                found[cell] = -sign * int(entry[others] @ found[cells[others]])
                state[cell] = 2
    return found


def _mended(part: Part, moved: Ints, limits: Limits) -> Ints:
    across, random = csr_array(part.relations.T.tocsr()), np.random.default_rng(0)
    tried = np.zeros(part.relations.shape[0], np.int64)
    while limits.seconds_left() > 0:
        off = part.relations @ moved - part.right
        broken = np.flatnonzero((off != 0) & (tried < TRIES))
        if not len(broken):
            break
        broken = broken[tried[broken] == tried[broken].min()]
        for row in random.permutation(broken).tolist():
            off = part.relations @ moved - part.right
            if off[row] == 0:
                continue
            size = int(SMALLEST * GROWTH ** int(tried[row]))
            cells = neighbourhood(part.relations, across, row, size, random)
            block = _block(part, cells, moved, off, open_=bool(tried[row] % 2))
            tried[row] += 1
            found = solve(block, limits.seconds_left(), NODES).whole(block)
            if found is not None and block.change(found) < block.change(_start(block, moved[cells])):
                moved = moved.copy()
                moved[cells] = found[: len(cells)]
    return moved


def _block(part: Part, cells: Ints, moved: Ints, off: Ints, *, open_: bool) -> Part:
    """Some cells, and one more for each of their relations that is off: what it stays off.

    open_: directions of sensitive cells may be turned.
    """
    columns = csr_array(part.relations[:, cells])
    rows = np.flatnonzero(np.diff(columns.indptr) > 0)
    own, over = csr_array(columns[rows]), off[rows]
    slack = np.flatnonzero(over)
    k, none = len(slack), np.zeros(len(slack), np.int64)
    moves = part.moves.take(cells)
    if not open_:
        moves = moves.settled(np.sign(moved[cells]))
    further = Moves(
        np.minimum(over[slack], 0), np.maximum(over[slack], 0), np.zeros(k, np.bool_), none, none - 1, none, none - 1
    )
    out = csr_array(-eye_array(len(rows), dtype=np.int64).tocsc()[:, slack]) if k else csr_array((len(rows), 0))
    price = np.full(k, BROKEN * max(1, int(part.weights.max(initial=1))))
    return Part(
        csr_array(hstack([own, out])).astype(np.int64),
        own @ moved[cells] - over,
        moves.beside(further),
        np.concatenate([part.weights[cells], price]),
    )


def _start(block: Part, moved: Ints) -> Ints:
    """What a block is before it is chosen anew: what is off stays."""
    n = len(moved)
    own, out = csr_array(block.relations[:, :n]), csr_array(block.relations[:, n:])
    return np.concatenate([moved, out.T @ (block.right - own @ moved)])
