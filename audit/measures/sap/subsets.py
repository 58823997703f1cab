"""Resolved SAP of a network exactly: over the sets of cells that a sample can exhaust.

In a network only the set E of exhausted cells decides (see `network`), so the polynomial of `unrecovered` is

    Q(w) = prod_T (1 - w^c) * sum over A of g(A) w^units(A),
    g(A) = sum over subsets E of A of (-1)^|A - E| [E recovers nothing],

T the tight cells (exhausting one always recovers a zero), A and E sets of other cells. Only sets of at most max(n)
units matter. g is the Moebius transform of the indicator.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.measures.sap.attack import Attack, Ints
from tableseal.audit.measures.sap.network import Network
from tableseal.audit.measures.sap.unrecovered import LONGEST, Polynomial, exhausting_none

MOST_SETS = 100_000
MOST_ARCS = 30_000_000
"""Residual arcs of all sets together."""


@dataclass(frozen=True)
class BySets:
    """Q(w), and bool (leaves): those whose zero the exhaustion of some set of other cells recovers."""

    q: Polynomial
    leaves: NDArray[np.bool_]


def recovery_polynomial(attack: Attack, net: Network, tight: list[int], upto: int) -> BySets | None:
    """Q(w) up to w^upto; None if there are too many sets, or sets of too many units.

    Parameters
    ----------
    tight: positions of the tight target leaves that a sample can exhaust.
    """
    from flint import fmpz_poly

    counts = attack.counts
    if 0 in counts[tight]:
        return BySets(fmpz_poly([0]), np.zeros(len(counts), np.bool_))
    if upto >= LONGEST:
        return None
    free = attack.sampled & (counts > 0) & (counts <= upto)
    free[tight] = False
    cells = np.flatnonzero(free)
    units = counts[cells].tolist()
    number = _number_of_sets(units, upto)
    if number > MOST_SETS or number * net.arcs > MOST_ARCS:
        return None
    sets = _sets(units, upto)
    exhausted = np.tile(counts == 0, (len(sets), 1))
    for row, members in enumerate(sets):
        exhausted[row, cells[list(members)]] = True
    recovered = net.recovered(exhausted)
    signed = _moebius(sets, np.asarray(~recovered.any(axis=1), dtype=np.int64))
    q = [0] * (upto + 1)
    for members, g in zip(sets, signed.tolist(), strict=True):
        q[sum(units[i] for i in members)] += g
    product = exhausting_none(counts[tight].tolist(), upto + 1).mul_low(fmpz_poly(q), upto + 1)
    return BySets(product, np.asarray(recovered.any(axis=0)))


def _number_of_sets(units: list[int], upto: int) -> int:
    """How many sets have at most `upto` units: coefficients of prod (1 + w^c)."""
    from flint import fmpz_poly

    product: Any = fmpz_poly([1])
    for c in units:
        product = product + product.left_shift(c).truncate(upto + 1)
        if int(sum(product.coeffs())) > MOST_SETS:
            return MOST_SETS + 1
    return int(sum(product.coeffs()))


def _sets(units: list[int], upto: int) -> list[tuple[int, ...]]:
    """All sets of positions with at most `upto` units."""
    found: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for i, c in enumerate(units):
        found += [((*members, i), total + c) for members, total in found if total + c <= upto]
    return [members for members, _ in found]


def _moebius(sets: list[tuple[int, ...]], values: Ints) -> Ints:
    """g(A) = sum over subsets E of A of (-1)^|A - E| values(E), for a family that holds all subsets of its members."""
    place = {members: row for row, members in enumerate(sets)}
    with_element: dict[int, tuple[list[int], list[int]]] = {}
    for row, members in enumerate(sets):
        for at, i in enumerate(members):
            rows, without = with_element.setdefault(i, ([], []))
            rows.append(row)
            without.append(place[members[:at] + members[at + 1 :]])
    result = values.copy()
    for rows, without in with_element.values():
        result[rows] -= result[without]
    return result
