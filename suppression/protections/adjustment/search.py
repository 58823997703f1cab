"""Parts too large for one program: directions by balance, repaired by linear programs, then part of it chosen anew.

1. Directions under which the least changes of sensitive cells cancel in the sums as far as they can (`balance`).
2. A linear program with these; sensitive cells that it cannot take that way are turned, and it is solved again.
3. Whole changes: what is not whole is rounded by a program in which the rest moves as little as possible.
4. Again and again some relations near a sensitive cell: the cells where they meet, some hundred, are chosen anew by an
   integer program, while all others stay (block coordinate descent: Gonzalez and Castro 2011).
"""

import numpy as np
from scipy.sparse import csr_array, diags_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.protocol import Floats
from tableseal.suppression.protections.adjustment.part import Ints, Mask, Part
from tableseal.suppression.protections.adjustment.program import settle, solve
from tableseal.suppression.protections.balance import balanced

TURNS = 12
"""Linear programs in which sensitive cells are turned before it is given up."""

SMALLEST, LARGEST = 100, 400
"""Cells that are chosen anew together, at first and at last."""

NODES = 100
"""Of the program of a block."""

TRIES = 20
"""Blocks of a size that may fail to help, one after another, before they grow by half."""

MOST_BLOCKS = 400
"""Blocks of one search, where no time limit ends it: the same on every machine."""


def search(part: Part, limits: Limits, tell: Progress) -> Ints | None:
    """int64 (cells), whole changes that the part allows; None: none were found."""
    moved = begin(part, limits)
    return None if moved is None else improve(part, moved, limits, tell)


def begin(part: Part, limits: Limits) -> Ints | None:
    """Steps 1 to 3."""
    direction = _directions(part)
    for _ in range(TURNS):
        found = settle(part, direction, limits.seconds_left())
        if found is None:
            return None
        moved, short = found
        if short.max(initial=0.0) < 1e-6:
            return _whole(part, moved, direction, limits)
        turned = (short >= 1e-6) & part.moves.open
        if not turned.any():
            return None
        direction = np.where(turned, -direction, direction)
    return None


def _directions(part: Part) -> Ints:
    """1 or -1 of every sensitive cell."""
    moves = part.moves
    direction = np.where(moves.up, 1, -1)
    which, settled = np.flatnonzero(moves.open), np.flatnonzero(moves.sensitive & ~moves.open)
    size = np.maximum(moves.up_least, moves.down_least).astype(np.float64)
    across = csr_array(part.relations.T.tocsr()).astype(np.float64)
    start = across[settled].T @ (direction * size)[settled] if len(settled) else np.zeros(across.shape[1])
    own = csr_array(diags_array(size[which]) @ across[which])
    direction[which] = balanced(own, np.ones(len(which), np.int64), start)
    return direction


def _whole(part: Part, moved: Floats, direction: Ints, limits: Limits) -> Ints | None:
    """Whole changes near those of a linear program."""
    near = np.round(moved).astype(np.int64)
    if part.allows(near):
        return near
    uneven = np.abs(moved - near) > 1e-6
    along = abs(part.relations)
    for _ in range(3):  # those that are not whole; then all that meet them; then what meets these
        for reach in (0, 1):
            freedom = np.where(uneven, reach, 0)
            close = part.near(np.where(uneven, moved, near), direction, freedom)
            found = solve(close, limits.seconds_left(), 2_000).whole(close)
            if found is not None and part.allows(found):
                return found
        uneven = (along.T @ (along @ uneven.astype(np.int64) > 0).astype(np.int64)) > 0
    everything = part.near(moved, direction, np.full(len(part), 3))
    found = solve(everything, limits.seconds_left(), 2_000).whole(everything)
    return found if found is not None and part.allows(found) else None


def improve(part: Part, moved: Ints, limits: Limits, tell: Progress) -> Ints:
    """Step 4."""
    random = np.random.default_rng(0)
    across = csr_array(part.relations.T.tocsr())
    sensitive = np.flatnonzero(part.moves.sensitive)
    movable = (part.moves.least < part.moves.most) | part.moves.sensitive
    best, tries, size = part.change(moved), 0, SMALLEST
    timed = np.isfinite(limits.seconds_left())
    for _ in range(10**9 if timed else MOST_BLOCKS):
        if tries == TRIES:
            tries, size = 0, size + size // 2
        if size > LARGEST or not len(sensitive):
            break
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            break
        cells = _block(part, across, movable, int(random.choice(sensitive)), size, random)
        own = part.around(cells, moved)
        found = solve(own, limits.seconds_left(), NODES, whole=False).whole(own)
        if found is None:  # directions are whole, and changes are not: no network
            found = solve(own, limits.seconds_left(), NODES).whole(own)
        tries += 1
        if found is not None and own.change(found) < own.change(moved[cells]):
            moved = moved.copy()
            moved[cells] = found
            best, tries = part.change(moved), 0
        tell("sum of changes", best, 0)
    return moved


def _block(part: Part, across: csr_array, movable: Mask, first: int, size: int, random: np.random.Generator) -> Ints:
    """Cells where relations near a sensitive cell meet."""
    relations, met = part.relations, np.zeros(len(part), np.int64)
    taken: set[int] = set()
    waiting = _entries(across, first)
    found = np.array([first], np.int64)
    for _ in range(size):
        left = [row for row in waiting if row not in taken]
        if not left:
            break
        row = left[int(random.integers(len(left)))]
        taken.add(row)
        inside = relations.indices[relations.indptr[row] : relations.indptr[row + 1]]
        met[inside] += 1
        several = np.flatnonzero((met >= 2) & movable)
        if len(several) > size:
            break
        found = np.union1d(several, [first])
        some = random.choice(inside, min(3, len(inside)), replace=False).tolist()
        waiting = [*left, *(r for cell in some for r in _entries(across, int(cell)))]
    return found.astype(np.int64)


def _entries(matrix: csr_array, row: int) -> list[int]:
    found: list[int] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()
    return found
