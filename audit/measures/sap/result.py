"""SAP for a list of sample sizes, and how sure it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from tableseal.audit.codec.at import At
from tableseal.audit.codec.declared import INLINE, SPARSE, Key
from tableseal.audit.codec.kinds import Also, Count, Kind, like

Definition = Literal["static", "resolved"]


Probability = Annotated[float, Also({"minimum": 0, "maximum": 1})]
FractionText = Annotated[
    Fraction,
    Kind(
        lambda value: fraction_text(value),
        lambda at: Fraction(at.text()),
        like({"type": "string", "pattern": "^[0-9]+(/[0-9]+)?$"}),
    ),
]
NumberOrZero = Annotated[float, Kind(lambda value: value or 0, At.floating, like({"type": "number", "minimum": 0}))]


def fraction_text(value: Fraction) -> str:
    """`1/13`; of any length (Python itself refuses to write numbers of more than 4,300 digits)."""
    from flint import fmpz

    if value.denominator == 1:
        return str(value.numerator)
    return f"{fmpz(value.numerator)}/{fmpz(value.denominator)}"


@dataclass(frozen=True)
class Sampling:
    """A Monte-Carlo estimate."""

    confidence: Annotated[float, "Of each interval.", Also({"exclusiveMinimum": 0, "exclusiveMaximum": 1})]
    replicates: Annotated[int, "Random orders of the units.", Also({"minimum": 1})]
    seed: Count


@dataclass(frozen=True)
class Sap:
    """SAP(n) for each sample size."""

    definition: Annotated[
        Definition,
        "static: a sample recovers a zero if it exhausts a cell whose count is its upper bound. resolved: the intruder "
        "subtracts the sample from all that is released and solves again.",
    ]
    method: Annotated[str, "How it was computed, in words."]
    total: Annotated[int, "Units that can be known.", Also({"minimum": 1}), Key("N")]
    n: Annotated[tuple[Count, ...], "Sample sizes."]
    exact: Annotated[
        tuple[FractionText, ...] | None, "SAP(n) as fractions; null where it was not computed exactly.", Key("sap")
    ]
    value: Annotated[tuple[Probability, ...], "SAP(n) as numbers."]
    error: Annotated[
        NumberOrZero, "Largest difference between value and SAP(n): proved, or with the confidence of an estimate."
    ]
    interval: Annotated[
        tuple[tuple[Probability, Probability], ...] | None,
        "Smallest and largest possible value for each n, where more is known than value and error: proved bounds, or "
        "confidence intervals.",
        SPARSE,
    ] = None
    sampling: Annotated[Sampling | None, INLINE] = None

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
