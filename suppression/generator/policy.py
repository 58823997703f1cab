"""What an agency allows a table generator to answer: a policy as plain data."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from tableseal.audit.measures.risk.split_risk import WEIGHTS
from tableseal.audit.model import Ptable
from tableseal.audit.rules.largest import OfLargest

Scope = Literal["user", "group", "public"]
"""Whose answers are remembered together, because they may pool them: of each user; of a group of users; of all."""

Blocked = Literal["left_out", "refused"]
"""Areas that a rule blocks are left out of the table, or the whole table is refused."""


@dataclass(frozen=True)
class Limit:
    """A limit on what a table holds. table: for the whole of it; area: for each of its areas; None: there is none."""

    table: Fraction | None = None
    area: Fraction | None = None


@dataclass(frozen=True)
class Rules:
    """Preliminary rules.

    Attributes
    ----------
    variables: that span a table, at most. filters: variables that choose its population, at most. codes: groups of one
        variable, at most. cells: of a table, at most. None: there is no limit.
    custom_groups: users may make groups of their own; else groups are codes of one level of their variable.
    population: units, at least. mean_cell: units a cell, at least. small: share of cells with a small count, at most.
        zeros: share of empty cells, at most.
    blocked: what becomes of areas that these four block.
    """

    variables: int | None = None
    filters: int | None = None
    codes: int | None = None
    cells: int | None = None
    custom_groups: bool = True
    population: Limit = Limit()
    mean_cell: Limit = Limit()
    small: Limit = Limit()
    zeros: Limit = Limit()
    blocked: Blocked = "left_out"


@dataclass(frozen=True)
class RiskLimit:
    """Limits on the risk of a whole table, by the entropy of small and of large counts (S15).

    most: after protection. most_before: of the true table. weights: of zeros, small counts, large counts and size.
    """

    most: Fraction | None = None
    most_before: Fraction | None = None
    weights: tuple[float, ...] = WEIGHTS


@dataclass(frozen=True)
class ByCellKey:
    """Counts are changed by their cell's key and a perturbation table: of maximum entropy, or the agency's own."""

    range: int | None = None
    variance: Fraction | None = None
    never: int | None = None
    unchanged: Fraction | None = None
    ptable: Ptable | None = None


@dataclass(frozen=True)
class ByRounding:
    """Counts are rounded to a neighbouring multiple of the base, up with probability residual / base, drawn by their
    cell's key."""

    base: int


Method = ByCellKey | ByRounding


@dataclass(frozen=True)
class MeasureRule:
    """Which sums of measures are given, how they are changed, and what of a contribution stays out of reach.

    Attributes
    ----------
    share: of the largest contribution to a sum, which is a unit of change. range, variance: of the change, in units of
        change, before it is spread between steps.
    rules: by which a sum is not given because few contributors make it up. respondents: contributors of a cell that is
        not empty, at least.
    error: what a protected contributor gives to any total is known with no smaller standard error, as a share of it;
        None: no limit. width: values of it that stay possible with all answers span so much, as a share of it.
    """

    share: Fraction
    range: int
    variance: Fraction
    rules: tuple[OfLargest, ...] = ()
    respondents: int = 3
    error: Fraction | None = Fraction(1, 10)
    width: Fraction = Fraction(1, 10)


@dataclass(frozen=True)
class MemoryRule:
    """What is kept out of reach of somebody who holds all earlier answers.

    Attributes
    ----------
    scope: whose answers are taken together.
    width: of every set of cells with a small count so many further counts stay possible, at least.
    error: no small set is known with a standard error below it, in units, by means of changed counts; None: no limit.
    """

    scope: Scope = "user"
    width: int = 1
    error: Fraction | None = Fraction(7, 10)


@dataclass(frozen=True)
class GeneratorPolicy:
    """A policy of a table generator.

    Attributes
    ----------
    threshold: counts from 1 to below it are small, and are what is protected.
    memory: None: nothing is remembered, and every table is judged by itself.
    measures: None: counts alone are given.
    sha256: of the file.
    """

    protection: Method
    threshold: int = 3
    rules: Rules = field(default_factory=Rules)
    risk: RiskLimit = field(default_factory=RiskLimit)
    memory: MemoryRule | None = field(default_factory=MemoryRule)
    measures: MeasureRule | None = None
    sha256: str | None = None
