"""Small-count rounding: only published counts below the base disappear.

Inner cells with a count from 1 to base - 1 stay, or become 0 or the base; all published cells are added up again from
inner cells. No published count is left from 1 to base - 1. Of all ways the one with the smallest sum of absolute
changes of published cells, and of these one with a small largest change.

Source of the notion: Langsrud & Heldal 2018, "An algorithm for small count rounding of tabular data".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.protections.bases import RoundingSettings
from tableseal.suppression.protections.inner_cells import inner_cells
from tableseal.suppression.protections.method import Changed, Optimised, Tools
from tableseal.suppression.protections.ranges import within
from tableseal.suppression.protections.small_counts import Counts, nearest
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SmallCountRounding(RoundingSettings):
    """Counts below the base are small."""


def round_small_counts(subject: Subject, settings: SmallCountRounding, tools: Tools) -> Changed:
    """Nothing is drawn.

    Raises
    ------
    InputError: a measure that is no count, a negative value, unknown inner cells.
    """
    kinds = np.array([m.kind != "count" for m in subject.release.measures.values()])
    subject.refuse(kinds[subject.cells.measure], "is no count; small counts are rounded")
    subject.refuse(subject.value < 0, "is negative; small counts are rounded")
    units = settings.units(subject.release)
    base = next(iter(units.values()))
    inner = inner_cells(subject)
    found = nearest(Counts(inner.forms, inner.value, base), tools.limits, tools.progress)
    shown = np.asarray(inner.forms @ found.inner)
    lower, upper = possible(shown, base, _combinations(subject))
    if inner.owner is not None:  # what is listed of the parts says more of a sum
        lower = np.maximum(lower, inner.forms @ lower[inner.owner])
        upper = np.minimum(upper, inner.forms @ upper[inner.owner])
    best = Optimised("optimal" if found.proved else "feasible", int(np.abs(shown - subject.value).sum()), found.bound)
    return within(subject, shown, lower, upper, optimised=best)


def possible(shown: Ints, base: int, combinations: Ints) -> tuple[Ints, Ints]:
    """What a published value may stand for, for somebody who knows the base and the method (int64, int64).

    Of n combinations, k at most were raised to the base, each from 1 or more: k = min(n, value // base), and one less
    where all n together would make another value. All were 0 to base - 1 that were made 0, which are n, or n - 1 of a
    value above 0.

    combinations: int64, how many combinations of leaves each cell has.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = possible(np.array([0, 5, 8, 8]), 5, np.array([1, 1, 1, 2]))
    >>> low.tolist(), high.tolist()
    ([0, 1, 8, 4], [4, 5, 8, 12])
    """
    raised = np.minimum(combinations, shown // base)
    raised = raised - ((raised == combinations) & (shown != combinations * base))
    removed = combinations - (shown > 0)
    return shown - raised * (base - 1), shown + removed * (base - 1)


def _combinations(subject: Subject) -> Ints:
    """int64 (cells): how many combinations of leaves each has."""
    found = np.ones(len(subject.cells), np.float64)
    for v, hierarchy in enumerate(subject.release.variables.values()):
        found = found * np.diff(hierarchy.members.indptr)[subject.cells.codes[:, v]]
    return np.minimum(found, 2**40).astype(np.int64)
