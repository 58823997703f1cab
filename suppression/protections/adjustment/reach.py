"""What relations leave of the changes that cells may make, by whole numbers: the reason where a cell cannot move.

In a relation sum of c x = r, the others of a cell leave it between what they make at the least and at the most. Taken
over all relations, again and again, that narrows how far every cell can move; where a sensitive cell can neither rise
nor fall by as much as it has to, no table is within the limits.
"""

from dataclasses import dataclass

import numpy as np

from tableseal.suppression.protections.adjustment.part import Ints, Mask, Part

PASSES = 10
"""Over all relations, at most."""


@dataclass(frozen=True)
class Reach:
    """low, high: int64 (cells), changes that relations leave. stuck: bool (cells), that can move by nothing allowed."""

    low: Ints
    high: Ints
    stuck: Mask


def reach(part: Part) -> Reach:
    """Of all cells of a part; ends with the first that are stuck."""
    moves, relations = part.moves, part.relations
    row = np.repeat(np.arange(relations.shape[0]), np.diff(relations.indptr))
    cell, entry = relations.indices, relations.data
    low = np.where(moves.sensitive, np.where(moves.down, -moves.down_most, moves.up_least), moves.least)
    high = np.where(moves.sensitive, np.where(moves.up, moves.up_most, -moves.down_least), moves.most)
    stuck = low > high
    for _ in range(PASSES):
        ends = entry * low[cell], entry * high[cell]
        least, most = np.minimum(*ends), np.maximum(*ends)
        bottom, top = np.zeros(relations.shape[0], np.int64), np.zeros(relations.shape[0], np.int64)
        np.add.at(bottom, row, least)
        np.add.at(top, row, most)
        # What the others of its relation leave of entry times the change.
        left = part.right[row] - (top[row] - most), part.right[row] - (bottom[row] - least)
        ends = np.where(entry > 0, left[0], -left[1]), np.where(entry > 0, left[1], -left[0])
        size = np.abs(entry)
        new_low, new_high = low.copy(), high.copy()
        np.maximum.at(new_low, cell, -(-ends[0] // size))
        np.minimum.at(new_high, cell, ends[1] // size)
        up, down = moves.up & (new_high >= moves.up_least), moves.down & (new_low <= -moves.down_least)
        stuck = (new_low > new_high) | (moves.sensitive & ~up & ~down)
        new_low = np.where(moves.sensitive & ~down, np.maximum(new_low, moves.up_least), new_low)
        new_high = np.where(moves.sensitive & ~up, np.minimum(new_high, -moves.down_least), new_high)
        if stuck.any() or ((new_low == low).all() and (new_high == high).all()):
            break
        low, high = new_low, new_high
    return Reach(low, high, stuck)
