"""How a generator changes sums of measures: by a share of the largest contribution, drawn by the cell's key.

As cell keys for magnitudes do (see `protections/cell_keys/magnitudes`), with one contribution, a constant share, and
the row of a perturbation table of maximum entropy that is for large values. What differs: between its steps a change is
spread evenly. With steps alone few values would be possible, and two sums that differ in contributors who give nothing
would leave only one of them.

Changes never go beyond the largest contribution, so that no sum of contributions that are not negative becomes
negative, and they do not depend on the sum itself: sums of contributions of both signs are as safe.
"""

from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import sqrt

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.hypercube.contributions import Contributions
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.rules.largest import Largest
from tableseal.suppression.generator.policy import MeasureRule
from tableseal.suppression.generator.protection import mixed
from tableseal.suppression.protections.cell_keys.entropy import magnitude_table
from tableseal.suppression.protections.cell_keys.ptable import PTable

_MODULUS = 2**32
_LOW = 11
"""Bits of a number that a float of 53 bits has no room for."""


@dataclass(frozen=True)
class Change:
    """What is known of changes of sums. deviation: standard deviation of one; reach: none goes beyond it; both as
    shares of the largest contribution."""

    deviation: float
    reach: float


@dataclass(frozen=True, repr=False)
class Sums:
    """What is done to sums."""

    share: float
    table: PTable
    secret: int
    change: Change

    @staticmethod
    def of(rule: MeasureRule, secret: int) -> "Sums":
        """As a policy says. secret: see `protection_of`.

        Raises
        ------
        InputError: a variance that no change within the range has.
        """
        table = magnitude_table(rule.range, float(rule.variance), _MODULUS)
        step, share = float(table.step), float(rule.share)
        variance = float(table.moment(len(table.levels) - 1, 2)) + step**2 / 12
        return Sums(share, table, secret, Change(share * sqrt(variance), share * (table.widest + 0.5) * step))

    def shown(self, measure: str, total: Ints, largest: Ints, keys: Ints) -> Ints:
        """int64 (cells): what is published of each sum, in units of the measure.

        total: int64 (cells), sums. largest: int64 (cells), the largest absolute contribution to each. keys: of cells.
        """
        words = f"{self.secret} {measure}".encode()
        numbers = [
            int.from_bytes(blake2b(words, digest_size=8, person=person).digest()) for person in (b"step", b"between")
        ]
        position = (mixed(keys, numbers[0]) % np.uint64(_MODULUS)).astype(np.int64)
        row = np.full(len(keys), len(self.table.levels) - 1)
        between = (mixed(keys, numbers[1]) >> np.uint64(_LOW)).astype(np.float64) * 2.0**-53 - 0.5
        change = (self.table.change_at(row, position) + between) * float(self.table.step)
        found: Ints = total + np.rint(largest * self.share * change).astype(np.int64)
        return found


def refuse_measures(rule: MeasureRule, at: Place) -> None:
    """Refuse settings of sums that do not go together.

    Raises
    ------
    InputError
    """
    if not 0 < rule.share <= 1:
        raise InputError(found=str(float(rule.share)), expected="above 0 and at most 1", at=at / "share")
    made = Sums.of(rule, 0)
    if made.change.reach > 1:
        most = Fraction(1) / (rule.range + Fraction(1, 4))
        text = f"with this range changes go up to {made.change.reach:.3g} largest contributions; expected a share of "
        raise InputError(f"{text}at most {float(most):.4f}, so that no sum falls below 0.", at=at / "share")


def sensitive_sums(found: Contributions, measure: str, rule: MeasureRule) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """bool (cells): those that few contributors make up, by the rules."""
    respondents = found.respondents
    sensitive = (respondents > 0) & (respondents < rule.respondents)
    shares = shares_of(found.largest(measure), found.size(measure))
    for one in rule.rules:
        sensitive |= (one.beyond(shares) > 0).astype(np.bool_)
    return sensitive


def shares_of(largest: Ints, size: Ints) -> Largest:
    """Contributions as the rules take them. largest: int64 (cells x ranks). size: int64 (cells)."""
    return Largest(tuple(largest.T), size, np.ones(len(size), np.bool_))
