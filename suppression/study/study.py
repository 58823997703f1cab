"""The study: requests of a hypercube by several methods, with risk and utility of every table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import Place
from tableseal.audit.measures.risk import split_risk
from tableseal.audit.measures.risk.assess_risk import RiskFormula, assess
from tableseal.audit.measures.risk.distribution import PRINTED, cells_by_class
from tableseal.audit.measures.risk.transition import GivenMatrix, MatrixTransition, SwappingTransition, Transition
from tableseal.audit.model.count_table import Axis, CountTable
from tableseal.suppression.protections.perturbation.chain import Counts
from tableseal.suppression.study.methods import perturbed, rounded, swapped
from tableseal.suppression.study.requests import Request

Ints = NDArray[np.int64]

MethodName = Literal["RS", "RR", "SP", "RRP"]
"""As in the paper's figure 2. RS: record swapping. RR: semi-controlled random rounding of the hypercube. SP: stochastic
perturbation. RRP: semi-controlled random rounding of the table that is asked for."""

METHODS: tuple[MethodName, ...] = get_args(MethodName)

CAP = 10
"""Protected counts above it stand for themselves in the measure: the paper's matrices go up to it."""


@dataclass(frozen=True)
class StudySettings:
    """What the methods need.

    Attributes
    ----------
    region: the variable that is swapped, and whose codes have totals of their own. base: of roundings. swapped: share
        of the persons of each region that is drawn; twice as many move. given: probabilities of perturbation, the last
        `cycle` rows by residual, as measures take them; matrix: the same in exact numbers; moving: share of the cells
        that go by it, once it is invariant. seed, draws: everything is
        drawn so many times, and figures are means.
    """

    region: str
    base: int
    swapped: float
    given: GivenMatrix
    matrix: Counts
    moving: Fraction
    seed: int = 0
    draws: int = 1


@dataclass(frozen=True)
class Asked:
    """A table as it was asked for: persons, cells, and how many cells have counts of 0, 1, ... 5, and 6 and over."""

    name: str
    persons: int
    cells: int
    classes: tuple[int, ...]
    risk: float


@dataclass(frozen=True)
class Answered:
    """A table by one method. changed: share of its ones and twos that are shown otherwise. Means over draws."""

    name: str
    method: MethodName
    risk: float
    hellinger: float
    utility: float
    changed: float


@dataclass(frozen=True)
class Study:
    """What came out. changed: share of the ones and twos of the hypercube that are changed, by method."""

    classes: tuple[int, ...]
    changed: Mapping[MethodName, float]
    asked: tuple[Asked, ...]
    answered: tuple[Answered, ...]

    def answer(self, name: str, method: str) -> Answered:
        """One table by one method.

        Raises
        ------
        StopIteration: there is none.
        """
        return next(a for a in self.answered if (a.name, a.method) == (name, method))

    def ranked(self, name: str, by: Literal["risk", "utility"]) -> tuple[MethodName, ...]:
        """The methods on one table, the least risk or the most utility first."""
        own = [a for a in self.answered if a.name == name]
        return tuple(a.method for a in sorted(own, key=lambda a: a.risk if by == "risk" else -a.utility))


def run_study(cube: Ints, variables: Sequence[str], requests: Sequence[Request], settings: StudySettings) -> Study:
    """Protect the hypercube and tabulate, tabulate and protect, and measure.

    cube: int64, an axis for each variable.
    """
    tables = [request.tabulated(cube, variables) for request in requests]
    figures: dict[tuple[int, MethodName], list[Figures]] = {}
    changed: dict[MethodName, list[float]] = {}
    for draw in range(settings.draws):
        before = _before_tabulation(cube, list(variables).index(settings.region), settings, draw)
        for method, after in before.items():
            changed.setdefault(method, []).append(_changed(cube.ravel(), after.ravel()))
        for k, (request, table) in enumerate(zip(requests, tables, strict=True)):
            shown = {method: request.tabulated(after, variables) for method, after in before.items()}
            random = np.random.default_rng([settings.seed, draw, len(before) + k])
            shown["RRP"] = rounded(table, np.zeros_like(table), settings.base, random)
            for method in METHODS:
                figures.setdefault((k, method), []).append(_figures(method, table, shown[method], settings))
    return Study(
        cells_by_class(cube.ravel(), PRINTED["hypercube"]),
        {method: float(np.mean(shares)) for method, shares in changed.items()},
        tuple(_asked(request.name, table) for request, table in zip(requests, tables, strict=True)),
        tuple(
            Answered(requests[k].name, method, *np.mean(drawn, axis=0).tolist())
            for (k, method), drawn in figures.items()
        ),
    )


def _before_tabulation(cube: Ints, axis: int, settings: StudySettings, draw: int) -> dict[MethodName, Ints]:
    """The hypercube by each method, drawn from a generator for each, so that none depends on what others draw."""
    codes = np.arange(cube.shape[axis]).reshape([-1 if k == axis else 1 for k in range(cube.ndim)])
    strata = np.broadcast_to(codes, cube.shape).ravel()
    first, second, third = (np.random.default_rng([settings.seed, draw, k]) for k in range(3))
    return {
        "RS": swapped(cube, axis, settings.swapped, first),
        "RR": rounded(cube.ravel(), strata, settings.base, second).reshape(cube.shape),
        "SP": perturbed(cube.ravel(), strata, settings.matrix, settings.moving, third).reshape(cube.shape),
    }


Figures = tuple[float, float, float, float]
"""Risk, Hellinger distance, utility, share of ones and twos that is changed."""


def _figures(method: MethodName, table: Ints, shown: Ints, settings: StudySettings) -> Figures:
    transition = _transition(method, table, settings)
    formula = RiskFormula("s15-split", split_risk.WEIGHTS, transition=transition, cap=CAP)
    (whole,) = assess(_count_table(table), formula, [shown[None]], slices=False)
    assert whole.after is not None
    after = whole.after
    return after.risk.mean, after.distance.mean, after.utility.mean, _changed(table, shown)


def _transition(method: MethodName, table: Ints, settings: StudySettings) -> Transition:
    """How counts of a table change, as the measure takes it: by the matrix of the method, whether tables or the
    hypercube were changed."""
    if method == "RS":
        return SwappingTransition(2 * settings.swapped, int(table.max()))
    if method == "SP":
        return MatrixTransition.of(settings.given, settings.matrix.cycle)
    return MatrixTransition.rounding(settings.base)


def _asked(name: str, table: Ints) -> Asked:
    (whole,) = assess(_count_table(table), RiskFormula("s15-split", split_risk.WEIGHTS), slices=False)
    assert whole.risk is not None
    return Asked(name, int(table.sum()), len(table), cells_by_class(table, PRINTED["tables"]), whole.risk)


def _count_table(table: Ints) -> CountTable:
    codes = tuple(map(str, range(len(table))))
    return CountTable(Place("table"), (Axis("cell", codes),), np.arange(len(table)), table)


def _changed(before: Ints, after: Ints) -> float:
    """Of ones and twos; 0 where there are none."""
    small = (before == 1) | (before == 2)
    return float((before != after)[small].mean()) if small.any() else 0.0
