"""SAP for a list of sample sizes, and how sure it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Definition = Literal["static", "resolved"]


@dataclass(frozen=True)
class Sampling:
    """A Monte-Carlo estimate: number of random orders of the units, seed, and confidence of each interval."""

    replicates: int
    seed: int
    confidence: float


@dataclass(frozen=True)
class Sap:
    """SAP(n) for each sample size.

    Attributes
    ----------
    definition: `static` (a sample recovers a zero if it exhausts a cell whose count is its upper bound) or `resolved`
        (the intruder subtracts the sample from all that is released and solves again).
    method: how it was computed, in words.
    total: number of units samples are drawn from, N.
    n: sample sizes.
    exact: the probabilities as fractions; None where they were not computed exactly.
    value: the same as floats.
    error: 0 if exact; else |value - SAP| is at most this: proved, or with the confidence of `sampling`.
    interval: smallest and largest possible value for each n, where value and error are not all that is known: proved
        bounds, or confidence intervals; each in [0, 1].
    sampling: for estimates.
    """

    definition: Definition
    method: str
    total: int
    n: tuple[int, ...]
    exact: tuple[Fraction, ...] | None
    value: tuple[float, ...]
    error: float
    interval: tuple[tuple[float, float], ...] | None = None
    sampling: Sampling | None = None

    def bounds(self, position: int) -> tuple[Fraction, Fraction]:
        """Smallest and largest value that SAP(n[position]) may have (with the confidence of an estimate)."""
        if self.exact is not None:
            return self.exact[position], self.exact[position]
        if self.interval is not None:
            low, high = self.interval[position]
            return Fraction(low), Fraction(high)
        value, error = Fraction(self.value[position]), Fraction(self.error)
        return max(value - error, Fraction(0)), min(value + error, Fraction(1))


def from_bounds(
    definition: Definition,
    method: str,
    total: int,
    n: tuple[int, ...],
    bounds: list[tuple[float, float]],
    sampling: Sampling | None = None,
) -> Sap:
    """What is only known to lie between bounds: the middle, with half the widest interval as error."""
    middle = tuple((low + high) / 2 for low, high in bounds)
    error = max((high - low) / 2 for low, high in bounds) + 2.0**-52
    return Sap(definition, method, total, n, None, middle, error, tuple(bounds), sampling)


@dataclass(frozen=True)
class Curve:
    """SAP of one table. key: the codes (variable -> code) of a conditional one; scheme: how it was rounded."""

    sap: Sap
    key: Mapping[str, str] | None = None
    scheme: str | None = None


@dataclass(frozen=True)
class SapResult:
    """SAP of a table: one curve, or one for each of its conditional tables, or of the rounding schemes compared."""

    definition: Definition
    curves: tuple[Curve, ...]
