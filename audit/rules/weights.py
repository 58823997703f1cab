"""Sampling weights as whole numbers: sums of weights are exact, in whatever order they are added."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.exact import Whole

_SAFE = 2**62


@dataclass(frozen=True)
class Weights:
    """weight = parts / scale, per record, contributor or cell."""

    parts: Whole
    scale: int

    def below(self, count: int) -> NDArray[np.bool_]:
        """Which are less than a number."""
        result: NDArray[np.bool_] = (self.parts < count * self.scale).astype(np.bool_)
        return result

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which are above 0."""
        result: NDArray[np.bool_] = (self.parts > 0).astype(np.bool_)
        return result


def exact_weights(weights: NDArray[np.float64]) -> Weights:
    """The weights as they were written: a double stands for the shortest decimal that reads back to it.

    Examples
    --------
    >>> import numpy as np
    >>> exact_weights(np.array([0.1, 0.2, 2.0]))
    Weights(parts=array([ 1,  2, 20]), scale=10)
    """
    distinct, which = np.unique(weights, return_inverse=True)
    fractions = [Fraction(repr(w)) for w in distinct.tolist()]
    scale = lcm(*(f.denominator for f in fractions))
    parts = [int(f * scale) for f in fractions]
    kind: type = np.int64 if max(parts, default=0) < _SAFE and scale < _SAFE else object
    return Weights(np.array(parts, kind)[which.ravel()], scale)


@dataclass(frozen=True)
class Ranked:
    """The weights of records as digits, so that sums of any length are exact in int64.

    rank: int64 (records), the place of a weight among the different ones in ascending order. digits: int64 (different
    weights x digits), of their parts, the lowest digit first, so short that sums over all records fit.
    """

    rank: NDArray[np.int64]
    digits: NDArray[np.int64]
    scale: int

    @staticmethod
    def of(weights: Weights) -> "Ranked":
        """One digit where the sum of all parts fits, else some of 31 bits."""
        distinct, which = np.unique(weights.parts, return_inverse=True)
        exact = distinct.astype(object)
        bits = 62 if (np.bincount(which) * exact).sum() < _SAFE else 31
        digits = [exact & ((1 << bits) - 1)]
        while (exact := exact >> bits).any():
            digits.append(exact & ((1 << bits) - 1))
        return Ranked(which.ravel().astype(np.int64), np.array(digits, np.int64).T, weights.scale)

    def weights(self, sums: NDArray[np.int64]) -> Weights:
        """What sums of digits (cells x digits) stand for."""
        if sums.shape[1] == 1:
            return Weights(sums[:, 0], self.scale)
        return Weights(sum(column.astype(object) << 31 * at for at, column in enumerate(sums.T)), self.scale)


def weighted_sum(amount: NDArray[np.int64], weights: Weights, group: NDArray[np.int64], size: int) -> Weights:
    """Sum of amount * weight by group, exactly."""
    most = [max(int(np.abs(a).max(initial=0)), 1) for a in (amount, weights.parts)]
    kind: type = np.int64 if most[0] * most[1] * max(len(amount), 1) < _SAFE else object
    total: Whole = np.zeros(size, kind)
    np.add.at(total, group, amount.astype(kind) * weights.parts.astype(kind))
    return Weights(total, weights.scale)


def rounded_half_up(sums: Weights) -> Whole:
    """To whole numbers."""
    scale = sums.scale
    parts = (
        sums.parts.astype(object)
        if scale >= _SAFE // 4 or np.abs(sums.parts).max(initial=0) >= _SAFE // 4
        else sums.parts
    )
    result: Whole = (2 * parts + scale) // (2 * scale)
    return result
