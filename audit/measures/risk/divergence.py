"""f-divergences of the distribution of a table from that of its protected version.

Source: Antal, Shlomo & Elliot 2014, (3.3): D_f(P||Q) = sum_i q_i f(p_i / q_i) with f convex and f(1) = 0; natural
logarithms. P is the original, Q the protected table, both as shares.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

import numpy as np

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.measures.risk.information import Counts, Floats, shares

DivergenceName = Literal["kl", "reverse-kl", "chi-squared", "total-variation", "hellinger-squared"]
"""kl: relative entropy D(P||Q). reverse-kl: D(Q||P). chi-squared: sum (p - q)^2 / q. total-variation: half the sum of
|p - q|. hellinger-squared: the square of the Hellinger distance of shares."""

NAMES: tuple[DivergenceName, ...] = get_args(DivergenceName)


@dataclass(frozen=True)
class _Convex:
    """f, with f(0) and the limit of f(x) / x for large x: what a cell adds that is 0 before, or after, per share."""

    f: Callable[[Floats], Floats]
    at_zero: float
    at_infinity: float


_FAMILY: Mapping[DivergenceName, _Convex] = {
    "kl": _Convex(lambda x: x * np.log(x), 0.0, inf),
    "reverse-kl": _Convex(lambda x: -np.log(x), inf, 0.0),
    "chi-squared": _Convex(lambda x: (x - 1) ** 2, 1.0, inf),
    "total-variation": _Convex(lambda x: np.abs(x - 1) / 2, 0.5, 0.5),
    "hellinger-squared": _Convex(lambda x: 1 - np.sqrt(x), 1.0, 0.0),
}


def divergence(name: DivergenceName, original: Counts, protected: Counts) -> Floats:
    """D_f(P||Q) of tables (..., m); infinite where the one has units in a cell that is 0 in the other, if f says so.

    An empty protected table has nothing in common with the original: the largest value that the divergence can take.

    Examples
    --------
    >>> float(divergence("total-variation", np.array([1, 1, 2]), np.array([2, 1, 1])))
    0.25
    >>> float(divergence("kl", np.array([1, 1]), np.array([2, 0])))
    inf
    """
    convex = _FAMILY[name]
    p, q = np.broadcast_arrays(shares(original), shares(protected))
    both = (p > 0) & (q > 0)
    ratio = np.divide(p, q, out=np.ones_like(p), where=both)
    inside = np.where(both, q * convex.f(ratio), 0.0).sum(axis=-1)
    gone, new = np.where(both, 0.0, p).sum(axis=-1), np.where(both, 0.0, q).sum(axis=-1)
    found = inside + _times(gone, convex.at_infinity) + _times(new, convex.at_zero)
    result: Floats = np.where(q.any(axis=-1), np.maximum(found, 0.0), convex.at_infinity + convex.at_zero)
    return result


def parse_divergences(text: str) -> tuple[DivergenceName, ...]:
    """`kl,chi-squared`.

    Raises
    ------
    InputError: a name that is none, or no name.
    """
    named = [part.strip() for part in text.split(",")]
    found = tuple(name for name in NAMES if name in named)
    if len(found) != len(named):
        raise InputError(expected=f"some of {', '.join(NAMES)}, each once", at=OptionName("divergence", text))
    return found


def _times(share: Floats, factor: float) -> Floats:
    """Their product, where nothing of what is infinite is nothing."""
    result: Floats = np.where(share > 0, factor, 0.0) * np.where(share > 0, share, 1.0)
    return result
