"""A hypercube of counts that is made up: proportional fitting to margins, then whole numbers with a given distribution.

Source: Shlomo, Antal & Elliot 2015, section 5.1 (cell proportions from published tables, cross-classified by iterative
proportional fitting, times the size of the population).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.measures.risk.log_linear import proportional

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FITTED = 1e-7
"""Largest difference of a margin, in shares of the population, at which the fit is done."""


@dataclass(frozen=True)
class Class:
    """So many cells have a count from `least` to `most` (None: no limit)."""

    least: int
    most: int | None
    cells: int


@dataclass(frozen=True)
class Total:
    """How many persons have a code of a variable (positions)."""

    axis: int
    code: int
    persons: int


def hypercube(
    shape: tuple[int, ...], margins: Mapping[tuple[int, ...], Ints], classes: Sequence[Class], totals: Sequence[Total]
) -> Ints:
    """int64 (shape): counts that follow the margins, with a given distribution.

    Proportional fitting ranks the cells, and empty cells of margins are structural zeros. By rank the classes are
    filled; cells of the last one share out, by their size, what others leave of the population. Then persons are moved
    between them, so that totals are met.

    Parameters
    ----------
    margins: axes, ascending -> counts over them, all of one population. classes: ascending; all other cells are 0.
    totals: are met exactly, each by moving persons between its code and the next one.

    Raises
    ------
    InputError: more cells are asked for than are no structural zeros; totals that the largest cells cannot meet.
    """
    population = int(next(iter(margins.values())).sum())
    wanted = {axes: counts / population for axes, counts in margins.items()}
    fitted = proportional(shape, wanted, tolerance=FITTED).probabilities
    counts = _by_rank(fitted.ravel(), classes, population).reshape(shape)
    for total in totals:
        _move(counts, total, classes[-1].least)
    return counts


def _by_rank(fitted: Floats, classes: Sequence[Class], population: int) -> Ints:
    asked, there = sum(one.cells for one in classes), int((fitted > 0).sum())
    if asked > there:
        raise InputError(f"{asked:,} cells are to have a count, and {there:,} are no structural zeros.")
    order = np.argsort(-fitted, kind="stable")[:asked][::-1]  # the smallest first
    counts = np.zeros(len(fitted), np.int64)
    begin = 0
    for one in classes[:-1]:
        assert one.most is not None
        steps = np.arange(one.cells) * (one.most - one.least + 1) // max(one.cells, 1)
        counts[order[begin : begin + one.cells]] = one.least + steps
        begin += one.cells
    large, least = order[begin:], classes[-1].least
    left = population - int(counts.sum()) - least * len(large)
    if left < 0:
        raise InputError(f"a population of {population:,} is too small for these counts.")
    # What is above the least count of each, so that none falls below it.
    share = fitted[large] - fitted[large].min()
    counts[large] = least + _shared_out(left, share)
    return counts


def _move(counts: Ints, total: Total, least: int) -> None:
    """In place: persons of a code become persons of the next one, or these of it, where both cells have at least
    `least`, and stay so."""
    own = np.moveaxis(counts, total.axis, 0)
    code, other = total.code, (total.code + 1) % len(own)
    lacking = total.persons - int(own[code].sum())
    giver, taker = (other, code) if lacking > 0 else (code, other)
    both = (own[giver] >= least) & (own[taker] >= least)
    can = np.where(both, own[giver] - least, 0)
    if can.sum() < abs(lacking):
        raise InputError(f"{abs(lacking):,} persons are to be moved, and {int(can.sum()):,} can be.")
    moved = _shared_out(abs(lacking), can.ravel().astype(np.float64)).reshape(can.shape)
    own[giver] -= moved
    own[taker] += moved


def _shared_out(number: int, weight: Floats) -> Ints:
    """Whole numbers that sum to `number`, each its share rounded down or up."""
    upto = np.floor(np.cumsum(weight) / weight.sum() * number + 0.5).astype(np.int64)
    upto[-1] = number
    parts: Ints = np.diff(upto, prepend=0)
    return parts
