"""Do the answers agree? Intervals are compared with independent linear programs, with each other and with the truth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.competitors.protocol import Answer, Relation

TOLERANCE = 1e-6
"""Relative; what floating point linear programming is trusted to. Ends below one are compared absolutely."""


@dataclass(frozen=True)
class Agreement:
    """compared: ends that stand beside an independent one. wrong: ends in conflict with it, with each other or with
    the true value. worst: largest relative difference among ends that should be equal."""

    compared: int
    wrong: int
    worst: float


def reference(answers: Sequence[Answer]) -> NDArray[np.float64] | None:
    """Ends of several linear programs, the first that has one; None without programs."""
    merged = None
    for answer in answers:
        merged = answer.linear if merged is None else np.where(np.isnan(merged), answer.linear, merged)
    return merged


def compare(
    answer: Answer, relation: Relation, truth: NDArray[np.int64], ends: NDArray[np.float64] | None
) -> Agreement:
    """Compare an answer with independent ends of linear programming.

    relation: `equal`: linear ends must be the same; `inside`: they may be narrower. Proved ends of whole numbers must
    lie within the independent ones rounded inward, attained ends within the proved ones, and the true values within all
    of them.

    truth: int64 (withheld cells). ends: float64 (2 x withheld cells), NaN where there is none.
    """
    sign = np.array([[1.0], [-1.0]])  # both ends as lower bounds
    linear, true = sign * answer.linear, sign * truth.astype(np.float64)
    wrong = _beyond(linear, true)
    compared, worst = 0, 0.0
    if answer.outer is not None:
        outer = sign * answer.outer
        wrong |= _beyond(outer, true) | _beyond(linear, outer)
        if answer.attained is not None:
            wrong |= _beyond(outer, sign * answer.attained)
    if ends is not None:
        other = sign * ends
        beside = ~np.isnan(other) & ~np.isnan(linear if answer.outer is None else outer)
        compared = int(beside.sum())
        wrong |= _beyond(other, linear)
        if relation == "equal":
            wrong |= _beyond(linear, other)
            finite = np.isfinite(linear) & np.isfinite(other)
            worst = float((np.abs(linear[finite] - other[finite]) / _scale(other[finite])).max(initial=0.0))
        if answer.outer is not None:
            whole = np.where(np.isfinite(other), np.ceil(other - TOLERANCE * _scale(other)), other)
            wrong |= _beyond(whole, outer)
    return Agreement(compared, int(wrong.sum()), worst)


def _beyond(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where `low` is above `high` by more than the tolerance; never where one is not known."""
    result: NDArray[np.bool_] = low > high + TOLERANCE * _scale(high)
    return result


def _scale(values: NDArray[np.float64]) -> NDArray[np.float64]:
    size: NDArray[np.float64] = np.maximum(1.0, np.where(np.isfinite(values), np.abs(values), 1.0))
    return size
