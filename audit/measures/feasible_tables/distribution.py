"""Distributions of whole numbers and their entropy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, log2

import numpy as np
from numpy.typing import NDArray

WIDEST = 1 << 20
"""Values of a sum of pieces that are worth a convolution."""


@dataclass(frozen=True)
class Distribution:
    """The value first + step * i has probability p[i]; with step > 1, spread evenly over the step values from there."""

    first: int
    p: NDArray[np.float64]
    step: int = 1

    @property
    def most_bits(self) -> float:
        """Entropy if all values between the smallest and the largest possible one were equally likely."""
        inside = np.flatnonzero(self.p)
        return log2(int(inside[-1] - inside[0] + 1) * self.step)

    def bits(self) -> float:
        """Shannon entropy in bits."""
        return max(0.0, fsum(-x * log2(x) for x in self.p.tolist() if x > 0)) + log2(self.step)


def normalised(first: int, mass: Sequence[int | float]) -> Distribution:
    """The distribution with these masses; whole numbers of any size are divided before they become floats."""
    total = sum(mass) if all(isinstance(m, int) for m in mass) else fsum(mass)
    return Distribution(first, np.array([m / total for m in mass]))


def added(parts: Sequence[Distribution]) -> Distribution | None:
    """Distribution of a sum of independent numbers; None if it has too many values, or if several of them vary and one
    is only known in steps."""
    varying = [d for d in parts if len(d.p) > 1 or d.step > 1]
    if len(varying) <= 1:
        fixed = sum(d.first for d in parts if len(d.p) == 1 and d.step == 1)
        one = varying[0] if varying else Distribution(0, np.ones(1))
        return replace(one, first=one.first + fixed)
    if any(d.step != 1 for d in parts) or sum(len(d.p) for d in parts) > WIDEST:
        return None
    first, p = 0, np.ones(1)
    for d in parts:
        first, p = first + d.first, np.convolve(p, d.p)
    return Distribution(first, p)


def jackknife(whole: float, without: Sequence[float], most: float) -> tuple[float, tuple[float, float]]:
    """(estimate freed of its first-order bias, 95% confidence interval).

    An entropy of estimated frequencies is too small by a term of the order of one over the sample; leaving out one of
    B independent batches at a time shows how large it is, and how much the estimate varies.

    Parameters
    ----------
    whole: the estimate from all batches; without: the estimates without each of them, at least two; most: no entropy is
        greater.

    Source: Efron and Stein 1981; the interval is Student's with B - 1 degrees of freedom.
    """
    from scipy.special import stdtrit  # late: 0.1 s

    batches = len(without)
    mean = fsum(without) / batches
    estimate = batches * whole - (batches - 1) * mean
    spread = ((batches - 1) / batches * fsum((w - mean) ** 2 for w in without)) ** 0.5
    reach = float(stdtrit(batches - 1, 0.975)) * spread
    low, middle, high = (min(max(0.0, x), most) for x in (estimate - reach, estimate, estimate + reach))
    return middle, (low, high)
