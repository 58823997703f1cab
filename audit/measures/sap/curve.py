"""From the polynomial of a release (see `unrecovered`) to SAP at sample sizes: exact where affordable, else
enclosed.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, lgamma, log

from tableseal.audit.errors import LimitError
from tableseal.audit.measures.sap.enclosure import enclose, enclose_terms, terms_of
from tableseal.audit.measures.sap.result import Definition, Sap
from tableseal.audit.measures.sap.unrecovered import Polynomial, sample_counts, sample_counts_of_tight

CHEAP = 2 * 10**7
"""Bits of all numerators together that are computed exactly without being asked: well below a second."""

AFFORDABLE = 4 * 10**9
"""The same where exact fractions are asked for."""

EXACT, ENCLOSED = "polynomial", "series"


def curve(q: Polynomial, total: int, n: tuple[int, ...], definition: Definition, *, exact: bool = False) -> Sap:
    """SAP from a polynomial with few terms.

    Parameters
    ----------
    exact: fractions even where they are long.

    Raises
    ------
    LimitError: exact fractions that are too long, or too many bits.
    """
    if _is_affordable(total, n, exact=exact):
        return exact_curve(sample_counts(q, total, max(n)), total, n, definition, EXACT)
    return _enclosed(enclose_terms(terms_of(q), total, n), total, n, definition)


def curve_of_tight(
    tight: Sequence[int], total: int, n: tuple[int, ...], definition: Definition, *, exact: bool = False
) -> Sap:
    """SAP where exactly the samples that exhaust one of these cells recover a zero; tight: their counts.

    Raises
    ------
    LimitError: exact fractions that are too long, or too many bits.
    """
    if _is_affordable(total, n, exact=exact):
        return exact_curve(sample_counts_of_tight(tight, total, max(n)), total, n, definition, EXACT)
    return _enclosed(enclose(tight, total, n), total, n, definition)


def _is_affordable(total: int, n: tuple[int, ...], *, exact: bool) -> bool:
    """Whether fractions are computed; exact: they were asked for."""
    bits = _bits(total, max(n))
    if exact and bits > AFFORDABLE:
        raise LimitError(
            f"Exact fractions for samples of up to {max(n):,} of {total:,} units would have {bits / 3.3e9:.1f} billion "
            "digits; ask for smaller n, or for values with a proved error."
        )
    return exact or bits <= CHEAP


def _enclosed(balls: list[tuple[float, float]], total: int, n: tuple[int, ...], definition: Definition) -> Sap:
    """SAP from (value, proved error) at each size."""
    values, error = tuple(value for value, _ in balls), max(error for _, error in balls)
    return Sap(definition, ENCLOSED, total, n, None, values, error)


def exact_curve(
    unrecovered: Mapping[int, int] | Sequence[int], total: int, n: tuple[int, ...], definition: Definition, method: str
) -> Sap:
    """SAP from the number of samples of each size (by size) that recover nothing."""
    fractions = []
    for size in n:
        samples = comb(total, size)
        fractions.append(Fraction(samples - unrecovered[size], samples))
    return Sap(definition, method, total, n, tuple(fractions), tuple(float(f) for f in fractions), 0.0)


def _bits(total: int, upto: int) -> float:
    """Bits of all numbers C(total, k), k <= upto, roughly: (upto + 1) times the largest."""
    k = min(upto, total // 2)
    # lgamma of very large numbers has no digits left after the decimal point
    exact = lgamma(total + 1) - lgamma(k + 1) - lgamma(total - k + 1) if total < 10**12 else float("inf")
    largest = min(exact, k * log(total))
    return (upto + 1) * (largest / log(2) + 1)
