"""The polynomial that counts samples which recover nothing.

Whether a sample recovers a zero depends on which groups of units it exhausts. Let Q(w) = sum q_k w^k be the signed
count (inclusion-exclusion) of sets of groups by their number of units k; a set of k units lies in a sample of n of N
with probability (n)_k / (N)_k (falling factorials). So

    SAP(n) = 1 - sum_k q_k (n)_k / (N)_k = 1 - [z^n] sum_k q_k z^k (1+z)^(N-k) / C(N, n).

For the static definition (Smith & Elliot 2007, 2.3.1) with tight cells T, Q = prod_T (1 - w^c), which turns the second
form into their inclusion-exclusion sum, [z^n] prod_T ((1+z)^c - z^c) (1+z)^(N - sum_T c) / C(N, n).
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from math import comb
from typing import Any

from tableseal.audit.errors import LimitError

Polynomial = Any
"""flint.fmpz_poly: python-flint has no type information."""

LONGEST = 2 * 10**7
"""Coefficients of a polynomial that is written out: beyond, memory is short before time is."""

SHORT = 32
"""Below this many coefficients a sum is written out."""


def exhausting_none(tight: Iterable[int], length: int) -> Polynomial:
    """prod (1 - w^c) over the counts c of tight cells, first `length` coefficients.

    A tight cell with count 0 makes it 0: its zero is recovered by every sample. Cells with `length` units or more do
    not matter.

    Raises
    ------
    LimitError: more than 20 million coefficients.
    """
    from flint import fmpz_poly

    factors = []
    cells = sorted(Counter(tight).items())
    degree = sum(count * number for count, number in cells if count < length)
    if min(degree + 1, length) > LONGEST:
        raise LimitError(f"SAP: samples of more than {LONGEST:,} units can exhaust cells here; ask for smaller n.")
    for count, number in cells:
        if count == 0:
            return fmpz_poly([0])
        coefficients = [0] * min(length, count * number + 1)
        term = 1
        for j in range((len(coefficients) - 1) // count + 1):
            coefficients[j * count] = term
            term = -term * (number - j) // (j + 1)
        factors.append(fmpz_poly(coefficients))
    while len(factors) > 1:  # neighbours in pairs: factors of like size, a product tree
        factors.sort(key=len)
        pairs = [a.mul_low(b, length) for a, b in zip(factors[::2], factors[1::2], strict=False)]
        factors = pairs + factors[len(factors) - len(factors) % 2 :]
    return factors[0] if factors else fmpz_poly([1])


def sample_counts(q: Polynomial, total: int, upto: int) -> list[int]:
    """How many samples of each size 0..upto recover nothing: [z^n] sum_k q_k z^k (1+z)^(total-k), exact.

    By divide and conquer with fast products; q: coefficients up to at most `total`.
    """
    from flint import fmpz_poly

    length = upto + 1
    coefficients = q.coeffs()[:length]
    if not coefficients:
        return [0] * length

    @cache
    def binomial(power: int) -> Polynomial:
        """(1+z)^power."""
        return _binomial(power, length)

    def homogeneous(start: int, end: int) -> Polynomial:
        """sum over start <= k < end of q_k z^(k-start) (1+z)^(end-1-k)."""
        if end - start <= SHORT:
            result = fmpz_poly([0])
            for k in range(start, end):
                result = result * fmpz_poly([1, 1]) + fmpz_poly([0] * (k - start) + [coefficients[k]])
            return result.truncate(length)
        middle = (start + end) // 2
        left = homogeneous(start, middle).mul_low(binomial(end - middle), length)
        return left + homogeneous(middle, end).left_shift(middle - start).truncate(length)

    whole = homogeneous(0, len(coefficients)).mul_low(binomial(total - len(coefficients) + 1), length)
    found = [int(c) for c in whole.coeffs()]
    return found + [0] * (length - len(found))


def sample_counts_of_tight(tight: Iterable[int], total: int, upto: int) -> list[int]:
    """`sample_counts` of `exhausting_none`, exact; a few sizes without loading flint (0.03 s)."""
    if upto >= SHORT:
        return sample_counts(exhausting_none(tight, upto + 1), total, upto)
    q = [1] + [0] * upto
    for count, number in Counter(tight).items():
        if count == 0:
            return [0] * (upto + 1)
        q = [
            sum((-1) ** j * comb(number, j) * q[k - j * count] for j in range(k // count + 1)) for k in range(upto + 1)
        ]
    return [sum(q[k] * comb(total - k, n - k) for k in range(n + 1)) for n in range(upto + 1)]


def _binomial(power: int, length: int) -> Polynomial:
    """(1+z)^power, first `length` coefficients."""
    from flint import fmpz, fmpz_poly

    if power < length:
        return fmpz_poly([1, 1]) ** power
    coefficients, term = [], fmpz(1)
    for k in range(length):
        coefficients.append(term)
        term = term * (power - k) // (k + 1)
    return fmpz_poly(coefficients)
