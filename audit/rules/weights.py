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
