"""SAP of one table under several rounding schemes (Smith & Elliot 2007, 2.4)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Literal, get_args

from tableseal.audit.errors import InputError
from tableseal.audit.measures.sap.attack import Ints, attack
from tableseal.audit.measures.sap.definitions import resolved_sap, static_sap
from tableseal.audit.measures.sap.matrix_attack import of_rounded
from tableseal.audit.measures.sap.result import Definition, Sap
from tableseal.audit.measures.sap.unrecovered import sample_counts
from tableseal.audit.model import Rounding

Method = Literal["conventional", "up", "down", "random"]


@dataclass(frozen=True)
class Scheme:
    """A way to round every cell on its own, and perhaps the total too.

    `random` is unbiased: a count with remainder r goes up with probability r/base. Its SAP is the mean over all
    outcomes.
    """

    method: Method
    base: int
    total: bool = False

    def __str__(self) -> str:
        return f"{self.method}:{self.base}{'+total' if self.total else ''}"


def parse_scheme(text: str) -> Scheme:
    """`conventional:3`, `up:5+total`, `random:3`.

    Raises
    ------
    InputError: another form, a base below 2, or a random scheme with a total, which is not offered.
    """
    match = re.fullmatch(r"(\w+):(\d{1,15})(\+total)?", text.strip())
    methods = get_args(Method)
    if match is None or match[1] not in methods or int(match[2]) < 2:
        raise InputError(
            f'rounding scheme "{text.strip()}": expected METHOD:BASE or METHOD:BASE+total with a method of '
            f"{', '.join(methods)} and a base of at least 2, such as conventional:3."
        )
    if match[1] == "random" and match[3]:
        raise InputError(f'rounding scheme "{text.strip()}": random rounding is compared without total only.')
    return Scheme(match[1], int(match[2]), bool(match[3]))  # type: ignore[arg-type]  # one of the methods


def compare_schemes(
    counts: Ints, schemes: Sequence[Scheme], n: tuple[int, ...], definition: Definition = "resolved"
) -> list[tuple[Scheme, Sap]]:
    """SAP(n) of a table of counts (int64, cells) under each scheme.

    Raises
    ------
    InputError: an empty table, sizes that are not possible.
    """
    n = attack(counts).sizes(n)
    return [(scheme, _sap(counts, scheme, n, definition)) for scheme in schemes]


def _sap(counts: Ints, scheme: Scheme, n: tuple[int, ...], definition: Definition) -> Sap:
    if scheme.method == "random":
        return _mean_over_random(counts, scheme.base, n, definition)
    released = of_rounded(counts, Rounding(scheme.base, scheme.method), total=scheme.total)
    return resolved_sap(released, n) if definition == "resolved" else static_sap(released, n)


def _mean_over_random(counts: Ints, base: int, n: tuple[int, ...], definition: Definition) -> Sap:
    """Mean SAP of unbiased random rounding, exact.

    A count is at its upper bound only if its remainder is base - 1 and it is rounded down, which has probability
    1/base, independently of the others: Q = prod (1 - w^c / base) over those cells. base^k Q has whole coefficients.
    """
    from flint import fmpz_poly

    risky = [c for c in counts.tolist() if c % base == base - 1 and c <= max(n)]
    scaled = fmpz_poly([1])
    for c in risky:
        scaled = (base * scaled - scaled.left_shift(c)).truncate(max(n) + 1)
    total, scale = int(counts.sum()), base ** len(risky)
    unrecovered = sample_counts(scaled, total, max(n))
    exact = tuple(1 - Fraction(unrecovered[size], scale * comb(total, size)) for size in n)
    return Sap(definition, "mean over random roundings", total, n, exact, tuple(map(float, exact)), 0.0)
