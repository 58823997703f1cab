"""SAP of large populations as floats with a proved error bound.

The sum 1 - sum_k q_k (n)_k / (N)_k alternates. It is evaluated in ball arithmetic (flint's arb), whose radii are
proved, with as many bits as the cancellation needs. Two facts keep that cheap for N of a million; let w = n/N and let a
table have tight cells with counts c:

* **Few terms.** (n)_k/(N)_k <= w^k and |q_k| is at most the coefficient of prod (1 + w^c). So for any x > w the terms
  beyond K add at most prod (1 + x^c) (w/x)^(K+1); x and K are chosen so that this is below 2^-70, and the bound,
  computed in balls, joins the error.
* **Little cancellation.** The terms add up to at most exp(sum w^c) in absolute value. Where that exponent is large, SAP
  is close to 1: it never falls as n grows (a larger sample exhausts more), so SAP(n) is in [SAP(m), 1] for m < n, and
  such n take that interval from the largest m whose exponent is moderate.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil, inf, log, log1p, log2
from typing import Any

from tableseal.audit.errors import LimitError
from tableseal.audit.measures.sap.unrecovered import LONGEST, exhausting_none

MODERATE = 40.0
"""Largest exponent sum w^c that is evaluated: 1 - SAP is about exp(-40) there, below the last digit of a float."""

FEW = 4_096
"""Terms of a polynomial that are written out one by one where its degree is high."""

TAIL_BITS = 70
"""Left-out terms add at most 2^-70."""

ENOUGH = 2.0**-60
"""Radius that is asked of the arithmetic; beyond, more bits are used."""

MOST_BITS = 1 << 16

Ball = Any
"""flint.arb."""


def enclose(tight: Sequence[int], total: int, sizes: Sequence[int]) -> list[tuple[float, float]]:
    """(value, error) of the static SAP for each size: |SAP(n) - value| <= error, proved.

    Parameters
    ----------
    tight: counts of the tight cells; total: number of units N.

    Raises
    ------
    LimitError: a table for which more than 65,536 bits would be needed.
    """
    if 0 in tight:
        return [(1.0, 0.0)] * len(sizes)
    cells = sorted(Counter(tight).items())
    limit = _largest_moderate(cells, total)
    found: dict[int, tuple[float, float]] = {}
    asked = sorted({n for n in sizes if n <= limit} | ({limit} if max(sizes) > limit else set()))
    for _, block in groupby(asked, key=lambda n: (n.bit_length(), (total - n).bit_length())):
        found |= _block(cells, total, list(block))
    if max(sizes) > limit:
        value, error = found[limit]
        below = 1.0 - value + error + 2.0**-52  # SAP(n) is at least 1 - below
        found |= {n: (1.0, below) for n in sizes if n > limit}
    return [found[n] for n in sizes]


def _exponent(cells: Sequence[tuple[int, int]], w: float) -> float:
    return sum(m * w**c for c, m in cells)


def _largest_moderate(cells: Sequence[tuple[int, int]], total: int) -> int:
    """Largest n with sum (n/N)^c <= MODERATE; N if all are."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        if _exponent(cells, middle / total) <= MODERATE:
            low = middle
        else:
            high = middle - 1
    return low


def _block(cells: list[tuple[int, int]], total: int, sizes: list[int]) -> dict[int, tuple[float, float]]:
    """Sizes of like magnitude (counted from 0 and from N) share their terms."""
    top = sizes[-1]
    relevant = [(c, m) for c, m in cells if c <= top]
    degree = sum(c * m for c, m in relevant)
    last, x = _terms(relevant, top / total, min(degree, top))
    few = _few_terms(relevant, top) if last >= LONGEST else None
    if few is not None:
        return dict(zip(sizes, enclose_terms(few, total, sizes), strict=True))
    q = exhausting_none([c for c, m in relevant for _ in range(m)], last + 1)
    bits = 128 + ceil(log2(last + 2)) + ceil(1.45 * _exponent(relevant, top / total))
    return _balls(terms_of(q), total, sizes, bits, lambda: _tail(relevant, top, total, last, x))


def _few_terms(cells: Sequence[tuple[int, int]], top: int) -> list[tuple[int, int]] | None:
    """(k, q_k) of prod (1 - w^c)^m up to w^top, of which a few large cells leave most out; None if there are more than
    `FEW`."""
    q = {0: 1}
    for c in (c for c, m in cells for _ in range(m)):
        for k, q_k in [(k + c, q_k) for k, q_k in q.items() if k + c <= top]:
            q[k] = q.get(k, 0) - q_k
        if len(q) > FEW:
            return None
    return sorted((k, q_k) for k, q_k in q.items() if q_k)


def enclose_terms(terms: Sequence[tuple[int, Any]], total: int, sizes: Sequence[int]) -> list[tuple[float, float]]:
    """(value, error) of 1 - sum q_k (n)_k / (N)_k for each size, from (k, q_k) in ascending order.

    Raises
    ------
    LimitError: more than 65,536 bits would be needed.
    """
    found = _balls(terms, total, sizes, 128 + sum(abs(int(q)) for _, q in terms).bit_length(), lambda: 0)
    return [found[n] for n in sizes]


def terms_of(q: Any) -> list[tuple[int, Any]]:
    """(k, q_k) of the coefficients of a polynomial that are not 0."""
    return [(k, q_k) for k, q_k in enumerate(q.coeffs()) if q_k != 0]


def _balls(
    terms: Sequence[tuple[int, Any]], total: int, sizes: Sequence[int], bits: int, tail: Callable[[], Ball]
) -> dict[int, tuple[float, float]]:
    """Evaluate with as many bits as it takes; `tail`: a ball around 0, for what is left out."""
    from flint import ctx

    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            rest = tail()
            balls = {n: 1 - _sum(terms, n, total) for n in sizes}
            if all(float(b.rad()) < ENOUGH for b in balls.values()):
                return {n: _as_floats(ball + rest) for n, ball in balls.items()}
        bits *= 2
    raise LimitError("SAP: this many cells need more than 65,536 bits; ask for smaller n.")


def _terms(cells: Sequence[tuple[int, int]], w: float, degree: int) -> tuple[int, float | None]:
    """(K, x): terms up to K are enough, shown with x; x is None where nothing is left out."""
    if degree <= 256:
        return degree, None
    best, best_x = inf, None
    for step in range(1, 60):
        x = w * (1 + 1e-5 * 1.35**step)
        try:
            size = sum(m * log1p(x**c) for c, m in cells)
        except OverflowError:
            break
        terms = (size + (TAIL_BITS + 2) * log(2)) / log(x / w)
        if terms < best:
            best, best_x = terms, x
    return (degree, None) if best >= degree else (ceil(best), best_x)


def _tail(cells: Sequence[tuple[int, int]], n: int, total: int, last: int, x: float | None) -> Ball:
    """Bound of what is left out, as a ball around 0."""
    from flint import arb

    if x is None:
        return arb(0)
    size = arb(1)
    for c, m in cells:
        size *= (1 + arb(x) ** c) ** m
    return arb(0, (size * (arb(n) / total / arb(x)) ** (last + 1)).upper())


def _sum(terms: Sequence[tuple[int, Any]], n: int, total: int) -> Ball:
    """sum q_k (n)_k / (N)_k."""
    from flint import arb

    ratio, result, at = arb(1), arb(0), 0
    for k, q_k in terms:
        if k > n:
            break
        gap = k - at
        if gap == 1:
            ratio = ratio * (n - at) / (total - at)
        elif gap:
            ratio = ratio * arb(n - k + 1).rising(arb(gap)) / arb(total - k + 1).rising(arb(gap))
        at = k
        result += ratio * q_k
    return result


def _as_floats(whole: Ball) -> tuple[float, float]:
    """Middle as a float in [0, 1] and a proved error."""
    from flint import arb

    middle = min(max(float(whole.mid()), 0.0), 1.0)
    error = abs(whole - arb(middle)).upper()
    return middle, float(error) * (1 + 2.0**-50)
