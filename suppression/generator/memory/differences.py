"""Pairs of sums whose difference is a small set of units."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.cells import Cells
from tableseal.suppression.generator.memory.ground import Ground, Marks
from tableseal.suppression.generator.memory.kernels import nestings
from tableseal.suppression.generator.memory.views import Sums, Views

SIEVE_BITS = 20


@dataclass(frozen=True, repr=False)
class Nested:
    """Pairs of one cell of a new and one of an earlier answer, the larger one with a small set besides.

    larger, smaller: uint64, marks; their difference is the mark of the small set. differ: bool, they are shown
    differently.
    """

    larger: Marks
    smaller: Marks
    differ: NDArray[np.bool_]


def nested(ground: Ground, answered: Cells, new: Reading, run: Runner) -> Nested:
    """Of a new answer and all earlier ones."""
    out = np.empty((len(new.count) * (len(answered.starts) - 1) + answered.starts[-1], 3), np.int64)
    mine = new.cells, new.order, new.first, new.bases, new.count
    number = run(nestings, *mine, answered.held, ground.threshold, out)
    own, other, is_larger = out[:number].T
    marks, theirs = new.marks[own], answered.marks.array[other]
    larger, smaller = np.where(is_larger == 1, marks, theirs), np.where(is_larger == 1, theirs, marks)
    return Nested(larger, smaller, new.answer.shown[own] != answered.shown.array[other])


def occupied(ground: Ground, pairs: Nested) -> NDArray[np.bool_]:
    """bool (base cells): those that are known not to be empty: two cells differ in them alone, and are shown
    differently."""
    marks, whose = ground.marks_of_small
    found = np.zeros(len(ground.base), np.bool_)
    found[whose[np.isin(marks, (pairs.larger - pairs.smaller)[pairs.differ])]] = True
    return found


def viewed(ground: Ground, views: Views, new: Reading, pairs: Nested, answered: Cells) -> Views:
    """The views with those that a new answer adds. answered: by all answers, the new one last."""
    sums = Sums.of(new)
    views, fresh = views.telling(sums, len(answered.starts) - 2, ground.threshold)
    larger, smaller = _near(ground, views, fresh, answered)
    larger, smaller = np.concatenate([pairs.larger, larger]), np.concatenate([pairs.smaller, smaller])
    return views.pairing(larger, smaller, larger - smaller)


def _near(ground: Ground, views: Views, fresh: Sums, answered: Cells) -> tuple[Marks, Marks]:
    """Pairs that differ in a small base cell, or in a small set that was told of."""
    larger, smaller = views.near(fresh, ground.threshold)
    marks = views.marks.array
    target = marks[larger] - marks[smaller]
    sieve = np.zeros(2**SIEVE_BITS, np.bool_)
    single, whose = ground.marks_of_small
    for some in (single, marks):
        sieve[some >> np.uint64(64 - SIEVE_BITS)] = True
    kept = np.flatnonzero(sieve[target >> np.uint64(64 - SIEVE_BITS)])
    larger, smaller, target = larger[kept], smaller[kept], target[kept]
    at = np.minimum(np.searchsorted(single, target), len(single) - 1)
    is_single = single[at] == target if len(single) else np.zeros(len(target), np.bool_)
    known = is_single | (views.by_mark.find(target) >= 0)
    # A sum that has the small set as one of its own cells tells nothing of it by what is left.
    source = views.source[larger]
    own = is_single & (source >= 0)
    base, answer = whose[at[own]], source[own]
    cell = answered.cells.array[base, answer]
    starts = np.array(answered.starts, np.int64)
    part = answered.marks.array[starts[answer] + cell] == target[own]
    known[np.flatnonzero(own)[part]] = False
    return marks[larger[known]], marks[smaller[known]]
