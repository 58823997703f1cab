"""What was done to a release, for the record; a public copy says what everybody may know of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from tableseal.audit.codec.declared import PUBLIC
from tableseal.audit.codec.exact_json import significant
from tableseal.audit.codec.kinds import Count, Rounded
from tableseal.audit.linear.naming import decimal
from tableseal.suppression.protections.method import Combined, Optimised
from tableseal.suppression.protections.method import Status as Solved


@dataclass(frozen=True)
class Optimum:
    """Of methods that optimise: how near the choice is to the true values, and what is proved of that."""

    status: Annotated[Solved, "optimal: proved, no other choice is nearer. feasible: with a gap."]
    distortion: Annotated[
        Count, "Sum of the absolute changes of all distinct cells, in units of their measures; of redesign: the loss."
    ]
    bound: Annotated[Rounded, "No choice has a smaller sum; proved."]
    gap: Annotated[Rounded, "(distortion - bound) / distortion."]
    proved: Annotated[str, "What else is proved, in words; empty: nothing."]
    what: Annotated[str, "What the sum is, in words."]

    @staticmethod
    def of(found: Optimised) -> "Optimum":
        """As it is written."""
        bound, gap = significant(float(found.bound)), significant(found.gap)
        return Optimum(found.status, found.distortion, bound, gap, found.proved, found.what)


@dataclass(frozen=True)
class Statement:
    """What was done: method, settings and seed. Who knows the seed can undo what was drawn, and figures of a single
    release (how many cells changed, how far) narrow down true values: neither is in a public copy."""

    method: Annotated[str, "Name of the method.", PUBLIC]
    words: Annotated[str, "What it does, in words.", PUBLIC]
    settings: Annotated[Mapping[str, str], "Its settings, by the names of their options.", PUBLIC]
    cells: Annotated[Count, "Distinct cells.", PUBLIC]
    additive: Annotated[bool, "Published tables add up.", PUBLIC]
    seed: Annotated[int | None, "Of what was drawn; null: nothing was, or a public copy."] = None
    details: Annotated[tuple[str, ...], "What else was done, in words; empty in a public copy."] = ()
    confidence: Annotated[
        Rounded | None,
        "A-posteriori probability that a published count from 1 to below the threshold is the true one, by what the "
        "method does to counts and how many there are of each; null: the method does not say it, or a public copy.",
    ] = None
    optimum: Annotated[Optimum | None, "null: nothing was optimised, or a public copy."] = None
    combined: Annotated[tuple[Combined, ...], "Categories that are published only together (redesign).", PUBLIC] = ()


def written(value: object) -> str:
    """The value of a setting as messages and statements show it.

    Examples
    --------
    >>> written((Fraction(1, 2), True, 3))
    '0.5; yes; 3'
    """
    if isinstance(value, tuple | list):
        return "; ".join(map(written, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return decimal(1, value) if isinstance(value, Fraction) else str(value)
