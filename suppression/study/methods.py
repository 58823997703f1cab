"""The methods of the study, on a whole hypercube before tabulation, or on a table after it.

Source: Shlomo, Antal & Elliot 2015, sections 3 and 5.1.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.protections.perturbation.chain import Counts, Row
from tableseal.suppression.protections.perturbation.draws import below, drawn, groups
from tableseal.suppression.protections.semi_controlled_rounding import systematic

Ints = NDArray[np.int64]
Random = np.random.Generator


def rounded(counts: Ints, strata: Ints, base: int, random: Random) -> Ints:
    """Semi-controlled random rounding: unbiased, and the total of each stratum is a rounding of itself.

    counts, strata: int64 (cells).
    """
    return systematic(counts, base, int(random.integers(base)), strata, random.permutation(len(counts)))


def perturbed(counts: Ints, strata: Ints, matrix: Counts, share: Fraction, random: Random) -> Ints:
    """Stochastic perturbation by a matrix, made invariant in each stratum, with quotas: totals of strata stay.

    Larger counts are states by their residual, as the rows of the matrix that repeat say, so that a stratum has as many
    states as the matrix has rows. A cell goes by the invariant matrix with probability `share`, else it stays, which is
    invariant, too (Shlomo & Young 2008).
    """
    first = len(matrix.rows) - matrix.cycle
    state = np.where(counts < first, counts, first + (counts - first) % matrix.cycle)
    become = state.copy()
    draw = below(random)
    for group in groups(state, strata, np.arange(len(state)), matrix, made_invariant=True):
        mixed = [_mixed(one, row, share) for one, row in zip(group.states, group.rows, strict=True)]
        become[group.units] = drawn(state, replace(group, rows=mixed), "quotas", draw)
    return counts + become - state


def _mixed(state: int, row: Row, share: Fraction) -> Row:
    found = {other: share * probability for other, probability in row.items()}
    return found | {state: found.get(state, Fraction(0)) + 1 - share}


def swapped(cube: Ints, axis: int, rate: float, random: Random) -> Ints:
    """Records of two regions exchange them at random: of each region a share `rate` of its persons is drawn, and every
    one of these is paired with a person of the other region, so that twice as many move.

    Raises
    ------
    ValueError: other than two regions.
    """
    if cube.shape[axis] != 2:
        raise ValueError(f"{cube.shape[axis]} regions, expected 2")
    one, other = np.moveaxis(cube, axis, 0)
    pairs = sum(round(rate * int(region.sum())) for region in (one, other))
    leave, come = (_sample(region.ravel(), pairs, random).reshape(one.shape) for region in (one, other))
    return np.stack([one - leave + come, other - come + leave], axis=axis)


def _sample(counts: Ints, number: int, random: Random) -> Ints:
    """How many of each cell are among so many persons that are drawn without replacement."""
    there = np.flatnonzero(counts)
    found = np.zeros(len(counts), np.int64)
    found[there] = random.multivariate_hypergeometric(counts[there], number, method="marginals")
    return found
