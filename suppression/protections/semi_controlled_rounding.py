"""Semi-controlled random rounding: unbiased, and the total is a rounding of the total.

Cells are put in an order, by residual and at random among equal residuals, and chosen systematically: with S_k the sum
of the first k residuals and a start u of 0, ..., base - 1, all equally likely, cell k goes up if a multiple of the base
lies in (S_(k-1) + u, S_k + u]. So each goes up with probability residual / base, which leaves it without bias; of
cells with one residual as many go up as their expectation says, rounded down or up (quotas); and any run of cells in
the order adds up to a rounding of its own sum. With one start for all levels of a measure, every level adds up to the
same total.

Source: Shlomo, Antal & Elliot 2015, section 3.2, whose quotas are the nearest integers of n_j * j / base; these are
biased, and miss the total for base 5. Systematic choice: Madow 1949.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import Hierarchy
from tableseal.audit.wording import listing, suggestion
from tableseal.suppression.protections.bases import RoundingSettings
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.random_rounding import drawn_one_by_one
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SemiControlledRounding(RoundingSettings):
    """by: a variable; cells of each of its codes have quotas of their own, so that its margin adds up, too."""

    by: str | None = None


def round_semi_controlled(subject: Subject, settings: SemiControlledRounding, tools: Tools) -> Changed:
    """Each level of a measure (cells at the same depth of every classification) is drawn on its own, from one start.

    Raises
    ------
    InputError: no such variable.
    """
    units, random = settings.units(subject.release), tools.random
    level, strata = _levels(subject), _strata(subject, settings.by)
    shown = subject.value.copy()
    order = subject.order
    for m, base in enumerate(units.values()):
        start = int(random.integers(base))
        own = order[subject.cells.measure[order] == m]
        for one in np.unique(level[own]).tolist():
            cells = own[level[own] == one]
            chance = random.permutation(len(cells))
            shown[cells] = systematic(subject.value[cells], base, start, strata[cells], chance)
    return drawn_one_by_one(subject, shown, units, tools)


def systematic(values: Ints, base: int, start: int, strata: Ints, chance: Ints) -> Ints:
    """Values rounded to neighbouring multiples of the base.

    Parameters
    ----------
    values: int64 (n). start: 0, ..., base - 1. strata: int64 (n), cells are ordered by it first. chance: int64 (n), a
        permutation, by which cells of one stratum and one residual are ordered.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(3, np.int64)
    >>> [systematic(np.array([1, 1, 5]), 3, start, none, np.arange(3)).tolist() for start in range(3)]
    [[0, 0, 6], [0, 3, 6], [3, 0, 6]]
    """
    residual = values % base
    order = np.lexsort((chance, residual, strata))
    upto = np.cumsum(residual[order]) + start
    up = upto // base > (upto - residual[order]) // base
    result = values - residual
    result[order] += base * up
    return result


def _levels(subject: Subject) -> Ints:
    """int64 (cells): equal for cells at the same depth of every classification. Leaves are deepest, wherever they
    hang."""
    depths = []
    for v, hierarchy in enumerate(subject.release.variables.values()):
        depth = np.array([len(path) for path in _paths(hierarchy)])
        depth[hierarchy.leaves] = depth.max(initial=0)
        depths.append(depth[subject.cells.codes[:, v]])
    _, level = np.unique(np.stack(depths, axis=1), axis=0, return_inverse=True)
    return level.ravel().astype(np.int64)


def _strata(subject: Subject, by: str | None) -> Ints:
    """int64 (cells): position of the code of a variable in an order in which parts of a group follow each other."""
    if by is None:
        return np.zeros(len(subject.cells), np.int64)
    variables = subject.release.variables
    if by not in variables:
        text = f"there is no such variable{suggestion(by, variables)}; variables are {listing(variables)}."
        raise InputError(text, at=OptionName("by", by))
    paths = _paths(variables[by])
    rank = np.empty(len(paths), np.int64)
    rank[sorted(range(len(paths)), key=lambda code: paths[code])] = np.arange(len(paths))
    at: Ints = rank[subject.cells.codes[:, list(variables).index(by)]]
    return at


def _paths(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """Each code with those above it in the first grouping, the broadest first; the total alone has none."""
    parents = hierarchy.parents[0] if hierarchy.parents else np.full(len(hierarchy.codes), -1)
    found = []
    for code in range(len(hierarchy.codes)):
        path, at = [], code
        while at >= 0 and at != hierarchy.total_index:
            path.append(hierarchy.codes[at])
            at = int(parents[at])
        found.append(tuple(reversed(path)))
    return found
