"""With which probability post-randomised records show a small count, cell by cell, and how often it is the true one.

A cell shows as many records as were drawn into its categories. Drawn one by one, they come from each true category
independently: a sum of binomial numbers. With quotas the number of moves is itself drawn (all ways are gone through),
and who of a category moves is every choice alike: a sum of hypergeometric numbers.

Probabilities are decimals of 60 digits; only products and sums of what is not negative occur, so nothing cancels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.suppression.protections.believed import believed
from tableseal.suppression.protections.perturbation.draws import Draws, Group
from tableseal.suppression.protections.perturbation.quota_ways import quota_ways

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

DIGITS, KEPT = 60, 40
"""Of a probability, and of what is said in the end."""

MOST_TABLES = 10_000
"""That are met while quotas of a stratum are rounded, up to which all are gone through."""

MOST_STEPS = 3_000_000
"""Products of two probabilities, at most; beyond, nothing is said."""


@dataclass(frozen=True)
class _Stratum:
    """number: how many units have each of its states. ways: what it may come to, each with its probability, as chances
    of each state to become each other one (independent), or as numbers of units that do (quotas)."""

    states: Sequence[int]
    number: Sequence[int]
    ways: Sequence[tuple[Decimal, Sequence[Mapping[int, Fraction | int]]]]
    by_quotas: bool

    @staticmethod
    def of(group: Group, draws: Draws) -> "_Stratum | None":
        """None: there are too many ways."""
        if draws == "independent":
            return _Stratum(group.states, group.number, [(Decimal(1), group.rows)], by_quotas=False)
        found = quota_ways(group.rows, group.number, MOST_TABLES)
        if found is None:
            return None
        ways = [(_decimal(probability), [dict(row) for row in way]) for way, probability in found.chances.items()]
        return _Stratum(group.states, group.number, ways, by_quotas=True)

    def shown(self, inside: Mask, there: Mapping[int, int], below: int) -> list[Decimal]:
        """With which probability 0, 1, ..., below - 1 of some units are in certain states afterwards. inside: bool
        (states), which; there: state -> how many units have it."""
        result = [Decimal(0)] * below
        for probability, rows in self.ways:
            chances = [Decimal(1)] + [Decimal(0)] * (below - 1)
            for state, units, row in zip(self.states, self.number, rows, strict=True):
                if some := there.get(state, 0):
                    come = sum((Fraction(p) for k, p in row.items() if inside[k]), Fraction(0))
                    moves = partial(_hypergeometric, units, int(come)) if self.by_quotas else partial(_binomial, come)
                    chances = product(chances, moves(some, below))
            result = [x + probability * y for x, y in zip(result, chances, strict=True)]
        return result


def confidence_of_records(
    groups: Sequence[Group], draws: Draws, there: csr_array, inside: Mask, code: Ints, value: Ints, below: int
) -> Fraction | None:
    """The a-posteriori probability that a published count from 1 to `below` - 1 is the true one, to 40 decimals; None:
    none can be published, or to find out takes too long.

    there: int64 csr (cells x (strata, states)), true numbers of the records that agree with a cell in all but the
    variable. inside: bool (codes x states); code: int64 (cells), of the variable. value: int64 (cells), true counts.
    """
    strata = [_Stratum.of(group, draws) for group in groups]
    states = inside.shape[1]
    if _too_long(strata, there, below):
        return None
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[Decimal]] = {}
    chances: list[tuple[int, int, Mapping[int, Fraction]]] = []
    with localcontext() as context:
        context.prec = DIGITS
        for cell, (c, count) in enumerate(zip(code.tolist(), value.tolist(), strict=True)):
            at = slice(there.indptr[cell], there.indptr[cell + 1])
            columns, numbers = there.indices[at].tolist(), there.data[at].tolist()
            key = c, tuple(columns), tuple(numbers)
            if key not in known:
                shown = [Decimal(1)] + [Decimal(0)] * (below - 1)
                for s, stratum in enumerate(strata):
                    own = {k % states: n for k, n in zip(columns, numbers, strict=True) if k // states == s}
                    if own and stratum is not None:
                        shown = product(shown, stratum.shown(inside[c], own, below))
                known[key] = shown
            chances.append((count, 1, {k: Fraction(p) for k, p in enumerate(known[key]) if k and p}))
    return kept_digits(believed(chances, below))


def _too_long(strata: Sequence[_Stratum | None], there: csr_array, below: int) -> bool:
    if any(stratum is None for stratum in strata):
        return True
    ways = max((len(stratum.ways) for stratum in strata if stratum is not None), default=0)
    return bool(there.nnz * ways * below**2 > MOST_STEPS)


def kept_digits(confidence: Fraction | None) -> Fraction | None:
    """The same without what 60 digits leave open."""
    return None if confidence is None else Fraction(round(confidence * 10**KEPT), 10**KEPT)


def product(one: Sequence[Decimal], other: Sequence[Decimal]) -> list[Decimal]:
    """Probabilities of the sum of two numbers, as far as both are given."""
    return [sum((x * y for x, y in zip(one[: k + 1], other[k::-1], strict=True)), Decimal(0)) for k in range(len(one))]


def _binomial(chance: Fraction, units: int, below: int) -> list[Decimal]:
    yes, no = _decimal(chance), _decimal(1 - chance)
    return [comb(units, k) * _power(yes, k) * _power(no, units - k) if k <= units else Decimal(0) for k in range(below)]


def _hypergeometric(units: int, come: int, some: int, below: int) -> list[Decimal]:
    whole = comb(units, some)
    ways = [comb(come, k) * comb(units - come, some - k) if k <= some else 0 for k in range(below)]
    return [Decimal(number) / whole for number in ways]


def _power(base: Decimal, exponent: int) -> Decimal:
    return base**exponent if exponent else Decimal(1)


def _decimal(share: Fraction) -> Decimal:
    return Decimal(share.numerator) / share.denominator
