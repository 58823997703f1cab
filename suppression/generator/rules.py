"""Preliminary rules: may a table be made at all? Pure functions over what was asked, and over its counts.

What a table holds is judged as a whole and for each area: for each code of a variable whose codes are places. A table
without such a variable is one area.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Annotated, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.declared import PUBLIC, SPARSE
from tableseal.audit.hypercube.model import Ints, Variable
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.policy import GeneratorPolicy, Limit, Rules
from tableseal.suppression.generator.table import is_level

T = TypeVar("T", bound=np.generic)

AskedRule = Literal["variables", "filters", "codes", "cells", "custom_groups"]
HeldRule = Literal["population", "mean_cell", "small", "zeros", "contributions"]


@dataclass(frozen=True)
class TooMuch:
    """What was asked goes beyond a rule."""

    rule: Annotated[AskedRule, PUBLIC]
    variable: Annotated[str | None, "Of which variable; null: of the whole table.", PUBLIC]
    found: Annotated[int, "As it was asked.", PUBLIC]
    allowed: Annotated[int, "At most.", PUBLIC]


@dataclass(frozen=True)
class Blocked:
    """What a table holds breaks a rule."""

    rule: Annotated[HeldRule, PUBLIC]
    area: Annotated[tuple[str, ...], "Codes of the area; empty: the whole table.", PUBLIC]
    found: Annotated[float | None, "Made of true counts, so that users are not told.", SPARSE]
    allowed: Annotated[float, PUBLIC]


def judge_asked(question: Question, variables: Sequence[Variable], rules: Rules) -> tuple[TooMuch, ...]:
    """Rules that need no counts, all that are broken."""
    found = [
        *_above("variables", None, len(question.axes), rules.variables),
        *_above("filters", None, len(question.where), rules.filters),
        *_above("cells", None, question.size, rules.cells),
    ]
    for axis in question.axes:
        found += _above("codes", variables[axis.variable].name, len(axis.codes), rules.codes)
    if not rules.custom_groups:
        for grouping in question.axes + question.where:
            variable = variables[grouping.variable]
            own = 0 if is_level(grouping, variable) else len(grouping.codes)
            found += _above("custom_groups", variable.name, own, 0)
    return tuple(found)


def _above(rule: AskedRule, variable: str | None, found: int, allowed: int | None) -> list[TooMuch]:
    return [] if allowed is None or found <= allowed else [TooMuch(rule, variable, found, allowed)]


@dataclass(frozen=True, repr=False)
class Areas:
    """The areas of a table. axes: positions of its axes whose codes are places. counts: int64 (areas x cells).
    sensitive: bool (areas x cells), of sums: few contributors make them up."""

    question: Question
    axes: tuple[int, ...]
    counts: Ints
    sensitive: NDArray[np.bool_] | None = None

    def codes(self, area: int) -> tuple[str, ...]:
        """Of one of them."""
        shape = [len(self.question.axes[axis].codes) for axis in self.axes]
        at = np.unravel_index(area, shape) if shape else ()
        return tuple(self.question.axes[axis].codes[int(k)] for axis, k in zip(self.axes, at, strict=True))


def areas_of(
    question: Question, counts: Ints, variables: Sequence[Variable], sensitive: NDArray[np.bool_] | None = None
) -> Areas:
    """counts: int64, sensitive: bool (cells), row by row."""
    axes = tuple(k for k, axis in enumerate(question.axes) if variables[axis.variable].areas)
    number = int(np.prod([len(question.axes[axis].codes) for axis in axes], dtype=np.int64))

    def ordered(values: NDArray[T]) -> NDArray[T]:
        if axes != tuple(range(len(axes))):  # most often the places come first, and nothing has to be moved
            values = np.moveaxis(values.reshape(question.shape), axes, range(len(axes)))
        return values.reshape(number, -1)

    return Areas(question, axes, ordered(counts), None if sensitive is None else ordered(sensitive))


@dataclass(frozen=True, repr=False)
class Held:
    """What parts of a table hold. cells: of each part. Arrays (parts): units, cells with a small count, empty cells,
    sums that few contributors make up."""

    cells: int
    population: Ints
    small: Ints
    zeros: Ints
    contributions: Ints

    @staticmethod
    def of(areas: Areas, threshold: int) -> "Held":
        """Of each area."""
        counts = areas.counts
        zeros = (counts == 0).sum(axis=1)
        sensitive = np.zeros(len(counts), np.int64) if areas.sensitive is None else areas.sensitive.sum(axis=1)
        return Held(counts.shape[1], counts.sum(axis=1), (counts < threshold).sum(axis=1) - zeros, zeros, sensitive)

    def together(self) -> "Held":
        """All parts as one."""
        return Held(self.cells * len(self.population), *(np.array([part.sum()]) for part in self._parts))

    def some(self, which: NDArray[np.bool_]) -> "Held":
        """Some of the parts."""
        return Held(self.cells, *(part[which] for part in self._parts))

    @property
    def _parts(self) -> tuple[Ints, ...]:
        return self.population, self.small, self.zeros, self.contributions

    def blocked(self, rule: str, limit: Fraction) -> NDArray[np.bool_]:
        """bool (parts): whether a rule blocks each, in whole numbers: all parts have as many cells."""
        found: NDArray[np.bool_]
        match rule:
            case "population":
                found = self.population < ceil(limit)
            case "mean_cell":
                found = self.population < ceil(limit * self.cells)
            case _:
                found = getattr(self, rule) > floor(limit * self.cells)
        return found

    def found(self, rule: str, part: int) -> float:
        """What a rule looks at, of one part."""
        if rule == "population":
            return float(self.population[part])
        value = self.population if rule == "mean_cell" else getattr(self, rule)
        return float(value[part]) / self.cells


@dataclass(frozen=True, repr=False)
class Judged:
    """What the rules say of the counts of a table.

    Attributes
    ----------
    blocked_areas: bool (areas), those that some rule blocks. areas: why, of the first ones. whole: why the whole table
    without these areas may not be made; empty: it may.
    """

    blocked_areas: NDArray[np.bool_]
    areas: tuple[Blocked, ...]
    whole: tuple[Blocked, ...]


TOLD = 100
"""Blocked areas that are told, at most."""


def judge_held(areas: Areas, policy: GeneratorPolicy) -> Judged:
    """The rules on what a table holds: each area by itself, then what is left as a whole."""
    held = Held.of(areas, policy.threshold)
    blocked = np.zeros(len(held.population), np.bool_)
    told: list[Blocked] = []
    for rule, limit in _limits(policy.rules):
        if limit.area is not None:
            own = held.blocked(rule, limit.area)
            blocked |= own
            first = np.flatnonzero(own)[: TOLD - len(told)].tolist()
            told += [Blocked(rule, areas.codes(a), held.found(rule, a), float(limit.area)) for a in first]
    left = held.some(~blocked).together()
    whole = [
        Blocked(rule, (), left.found(rule, 0), float(limit.table))
        for rule, limit in _limits(policy.rules)
        if left.cells and limit.table is not None and left.blocked(rule, limit.table)[0]
    ]
    return Judged(blocked, tuple(told), tuple(whole))


def _limits(rules: Rules) -> list[tuple[HeldRule, Limit]]:
    return [
        ("population", rules.population),
        ("mean_cell", rules.mean_cell),
        ("small", rules.small),
        ("zeros", rules.zeros),
        ("contributions", Limit(Fraction(0), Fraction(0))),
    ]
