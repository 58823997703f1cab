"""Parts too large for one program: directions by balance, repaired by linear programs, then part of it chosen anew.

1. Directions under which the least changes of sensitive cells cancel in the sums as far as they can (`balance`).
2. A linear program with these. If few sensitive cells fall short of their least change, step 3 mends them; where it
   does not, they are turned, and it is solved again.
3. Whole changes (`whole`).
4. Blocks of cells chosen anew (`blocks`).
"""

import numpy as np
from scipy.sparse import csr_array, diags_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.adjustment.blocks import improve
from tableseal.suppression.protections.adjustment.least import Least
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.program import settle
from tableseal.suppression.protections.adjustment.whole import whole
from tableseal.suppression.protections.balance import balanced

TURNS = 20
"""Linear programs in which sensitive cells are turned before it is given up."""

SHORT = 1e-3
"""Of a unit, from which a cell falls short."""

FEW = 100
"""Cells that fall short in a linear program, up to which they are put to their least change, and what that breaks is
mended (turnover of 3,276 and 9,920 cells: of three to five that fell short none was left, where turning left more)."""


def search(part: Part, proof: Least, limits: Limits, tell: Progress) -> Ints | None:
    """int64 (cells), whole changes that the part allows; None: none were found."""
    moved = begin(part, limits)
    return None if moved is None else improve(part, moved, proof, limits, tell)


def begin(part: Part, limits: Limits) -> Ints | None:
    """Steps 1 to 3.

    Where turning all cells that fall short makes it no better, some of the sensitive cells in their relations are
    turned, from the best directions so far, and fewer from try to try.
    """
    random, share = np.random.default_rng(0), 1.0
    best, least, lacking = _directions(part), np.inf, np.zeros(0, np.int64)
    direction = best
    for _ in range(TURNS):
        found = settle(part, direction, limits.seconds_left())
        if found is None:
            return None
        moved, short = found
        if (short >= SHORT).sum() <= FEW:
            done = whole(part, moved, direction, limits.share(0.5))
            if done is not None:
                return done
        if short.sum() < least:
            best, least, share = direction, short.sum(), 1.0
            lacking = np.flatnonzero((short >= SHORT) & part.moves.open)
        else:
            share /= 2
        if not len(lacking):
            return None
        pool = lacking if share == 1.0 else _beside(part, lacking)
        turned = pool[random.random(len(pool)) < share]
        turned = turned if len(turned) else random.choice(pool, 1)
        direction = best.copy()
        direction[turned] *= -1
    return None


def _beside(part: Part, cells: Ints) -> Ints:
    """Cells that can go either way in the relations of some, with these."""
    along = abs(part.relations)
    near = along.T @ (along[:, cells].sum(axis=1) > 0).astype(np.int64) > 0
    return np.flatnonzero(near & part.moves.open)


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
