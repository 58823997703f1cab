"""Tables drawn anew for each seed, in the shapes of those shipped: counts, and turnover with its contributors.

Single tables mislead about searches, so their rows are medians over seeds. Counts of 1 and 2 are primaries; turnover is
by the p% rule. What a cell costs is what it shows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.families import LETTERS, Family, counts, dimension
from cases.benchmarks.instance import Dimension, Instance

SEEDS = range(1, 6)

PERCENT = 10
"""p of the p% rule."""

MOST_CONTRIBUTORS, EMPTY = 50, 0.1
"""Of one inner cell; share of inner cells without any."""

LOCATION, SCALE = 6.0, 1.2
"""Of the logarithm of a contribution."""


@dataclass(frozen=True)
class Survey:
    """What is drawn. branches, mean, zeros, spread: see `Family`. turnover: magnitudes, not counts."""

    branches: tuple[tuple[int, ...], ...]
    turnover: bool
    mean: float = 12.0
    zeros: float = 0.0
    spread: float = 1.3

    @property
    def family(self) -> Family:
        """Of its counts."""
        return Family(self.branches, self.mean, primary=2, zeros=self.zeros, spread=self.spread)


_SMALL, _MIDDLE, _BIG = ((3, 3), (3, 3), (3,)), ((5, 4), (4, 4), (5,)), ((5, 5, 4), (4, 4, 4), (5,))

SURVEYS = {
    f"{kind}_{size}": Survey(branches, kind == "turnover")
    for size, branches in (("676", _SMALL), ("3276", _MIDDLE), ("11135", _BIG[:2]))
    for kind in ("counts", "turnover")
}
"""By the number of their cells."""

LARGE = {"counts_66810": Survey(_BIG, turnover=False), "turnover_66810": Survey(_BIG, turnover=True)}
"""Too large for all programs and seeds: for limits."""


@dataclass(frozen=True)
class Drawn:
    """A table of which the primaries alone are withheld.

    cost: float64 (cells). given: what is known of contributors, `freq`, `x1`, `x2` (float64, cells; see `folder`).
    """

    instance: Instance
    cost: NDArray[np.float64]
    given: dict[str, NDArray[np.float64]]


REGIONS = (11, 5, 4)
"""Branches of 287 codes on three levels."""


def farms(branches: tuple[tuple[int, ...], ...], *, turnover: bool) -> Survey:
    """A survey of farms: most of them in few of the cells, a quarter of the inner cells empty."""
    return Survey(branches, turnover, mean=40.0, zeros=0.25, spread=2.2)


_FARMS: dict[str, tuple[tuple[int, ...], ...]] = {
    "34440": ((9,), (11,)),
    "241080": ((9,), (11,), (6,)),
    "275520": ((7,), (2,), (3,), (9,)),
    "792120": ((9,), (11,), (22,)),
}
"""287 x 10 x 12 and so on."""

FARMS = {
    f"farms_{kind}_{size}": farms((REGIONS, *further), turnover=kind == "turnover")
    for size, further in _FARMS.items()
    for kind in ("counts", "turnover")
}
"""By the number of their cells: too large for all seeds, too."""

ALL = SURVEYS | LARGE | FARMS


def draw(name: str) -> Drawn:
    """The table of `FAMILY/SEED`; always the same one."""
    family, _, seed = name.partition("/")
    return drawn(name, ALL[family], int(seed))


def drawn(name: str, survey: Survey, seed: int) -> Drawn:
    """The table of a survey and a seed."""
    if survey.turnover:
        return _turnover(name, survey, seed)
    dimensions, values = counts(survey.family, seed)
    primary = (values >= 1) & (values <= survey.family.primary)
    level = primary.astype(np.int64)
    instance = Instance(name, False, dimensions, values, primary, primary, level, level)
    return Drawn(instance, values.astype(np.float64), {})


def _turnover(name: str, survey: Survey, seed: int) -> Drawn:
    dimensions = tuple(dimension(letter, b) for letter, b in zip(LETTERS, survey.branches, strict=False))
    inner = np.ix_(*(_leaves(d) for d in dimensions))
    shape = tuple(len(d.codes) for d in dimensions)
    rng = np.random.default_rng(seed)
    least = 0 if survey.zeros else 1
    number = np.clip(counts(survey.family, seed)[1].reshape(shape)[inner], least, MOST_CONTRIBUTORS)
    number[rng.random(number.shape) < EMPTY] = 0
    cell = np.repeat(np.arange(number.size), number.ravel())
    paid = np.maximum(1, np.rint(rng.lognormal(LOCATION, SCALE, len(cell)))).astype(np.int64)
    largest = np.zeros((number.size, 2), np.int64)
    order = np.lexsort((-paid, cell))
    start = np.searchsorted(cell, np.arange(number.size))
    for rank in range(2):
        there = number.ravel() > rank
        largest[there, rank] = paid[order][start[there] + rank]
    total = np.bincount(cell, paid, number.size).astype(np.int64)
    freq: NDArray[np.int64] = number
    values: NDArray[np.int64] = total.reshape(number.shape)
    two = largest.reshape(*number.shape, 2)
    for axis, d in enumerate(dimensions):
        freq, values = _sums(freq, d, axis), _sums(values, d, axis)
        two = _two_largest(two, d, axis)
    freq, values, x1, x2 = freq.ravel(), values.ravel(), two[..., 0].ravel(), two[..., 1].ravel()
    others = values - x1 - x2
    primary = (freq > 0) & (100 * others < PERCENT * x1)
    level = np.where(primary, -(-(PERCENT * x1 - 100 * others) // 100), 0)
    given = {n: a.astype(np.float64) for n, a in (("freq", freq), ("x1", x1), ("x2", x2))}
    instance = Instance(name, True, dimensions, values, primary, primary, level, level)
    return Drawn(instance, values.astype(np.float64), given)


def _leaves(d: Dimension) -> list[int]:
    return [k for k in range(len(d.codes)) if k not in d.children]


def _below(d: Dimension) -> list[list[int]]:
    """For each code the positions, among the leaves, of those below it."""
    leaf = {k: [place] for place, k in enumerate(_leaves(d))}
    result = [leaf.get(k, []) for k in range(len(d.codes))]
    for child in range(len(d.codes) - 1, 0, -1):
        result[d.parents[child]] = result[d.parents[child]] + result[child]
    return result


def _sums(values: NDArray[np.int64], d: Dimension, axis: int) -> NDArray[np.int64]:
    """int64: leaves along an axis made codes, each the sum of those below it."""
    parts = [values.take(below, axis=axis).sum(axis=axis) for below in _below(d)]
    return np.stack(parts, axis=axis)


def _two_largest(two: NDArray[np.int64], d: Dimension, axis: int) -> NDArray[np.int64]:
    """int64 (..., 2): the same of the two largest contributions, the larger one first."""
    parts = []
    for below in _below(d):
        along = np.moveaxis(two.take(below, axis=axis), axis, -2)
        parts.append(np.sort(along.reshape(*along.shape[:-2], -1), axis=-1)[..., :-3:-1])
    return np.stack(parts, axis=axis)
