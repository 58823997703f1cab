"""Perturbation tables of maximum entropy.

Of all distributions of the change of a count with mean 0, a given variance, range and share unchanged, by which nothing
is published from 1 to `never` or below zero, the one of maximum entropy: it says least about what is changed. It is
p(v) proportional to exp(b v + c v^2) on the changes v that are possible, with the share of 0 given or not; b and c are
the minimum of a convex function of two variables (the dual), which Newton's method finds.

Source: Marley & Leaver 2011; Giessing 2016 (constraints). Multipliers: Jaynes 1957.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.suppression.protections.cell_keys.ptable import PTable, table_of
from tableseal.suppression.protections.cell_keys.whole_keys import allocated

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Wanted:
    """range: largest change of a count, up or down (D). variance: of the change (V). never: no count from 1 to this is
    published (js). unchanged: share of counts that stay (of those that may); None: what maximum entropy gives."""

    range: int
    variance: float
    never: int = 0
    unchanged: float | None = None

    @property
    def rows(self) -> int:
        """Counts 0, 1, ... with a row of their own; the last row is that of all larger counts."""
        return self.range + (self.never + 1 if self.never else 0) + 1

    def changes(self, count: int) -> NDArray[np.int64]:
        """By how much a count may change."""
        shown = np.arange(max(0, count - self.range), count + self.range + 1)
        changes: NDArray[np.int64] = shown[(shown == 0) | (shown > self.never)] - count
        return changes


def distributions(wanted: Wanted) -> list[tuple[NDArray[np.int64], Floats]]:
    """(changes, their probabilities) of counts 0, 1, ...; the last one is that of all larger counts. Zeros stay, as
    whatever is unbiased and never negative leaves them.

    Raises
    ------
    InputError: settings out of range; a count for which no distribution is as wanted (which variances are possible).
    """
    _refuse(wanted)
    found = [(np.zeros(1, np.int64), np.ones(1))]
    for count in range(1, wanted.rows):
        changes = wanted.changes(count)
        found.append((changes, _row(changes, wanted.variance, wanted.unchanged, f"count {count}")))
    return found


def magnitude_table(
    range: int, variance: float, modulus: int, *, levels: Sequence[int] = (0, 1), parts: int = 2
) -> PTable:
    """The perturbation table of maximum entropy for magnitudes: rows for 0, each of the levels and the range (whose row
    is that of all beyond it), with changes in steps of 1 / parts, never below minus the value.

    Raises
    ------
    InputError: as `table_of_maximum_entropy`.
    """
    rows = []
    for level in sorted({0, *levels, range}):
        changes = np.arange(-min(level, range) * parts, range * parts + 1) if level else np.zeros(1, np.int64)
        p = _row(changes, variance * parts**2, None, f"value {level}", parts) if level else np.ones(1)
        rows.append((level * parts, _segments(changes, p, modulus, f"value {level}")))
    return table_of(rows, modulus, 1, Fraction(1, parts))


def _refuse(wanted: Wanted) -> None:
    if not 1 <= wanted.range <= 1000:
        raise InputError(at=OptionName("range"), found=str(wanted.range), expected="a whole number from 1 to 1000")
    if not 0 <= wanted.never <= wanted.range:
        text = f"a whole number from 0 to the range, {wanted.range}"
        raise InputError(at=OptionName("never"), found=str(wanted.never), expected=text)
    if not 0 < wanted.variance <= wanted.range**2:
        text = f"more than 0 and at most the range squared, {wanted.range**2}"
        raise InputError(at=OptionName("variance"), found=f"{wanted.variance:g}", expected=text)
    if wanted.unchanged is not None and not 0 <= wanted.unchanged < 1:
        raise InputError(at=OptionName("unchanged"), found=f"{wanted.unchanged:g}", expected="from 0 to below 1")


def _row(changes: NDArray[np.int64], variance: float, unchanged: float | None, what: str, parts: int = 1) -> Floats:
    """Probabilities of the changes of a value. changes, variance: in steps of 1 / parts, which no message speaks of."""
    stays = np.flatnonzero(changes == 0)
    share = unchanged if len(stays) else None
    free = np.delete(changes, stays) if share is not None else changes
    mass = 1.0 - (share or 0.0)
    least, most = possible_variances(free, mass)
    if not least - 1e-9 <= variance <= most + 1e-9:
        asked, least, most = (each / parts**2 for each in (variance, least, most))
        text = f"{what}: no unbiased change has variance {asked:g}; {least:.6g} to {most:.6g} can be."
        raise InputError(text, at=OptionName("variance"))
    values = free.astype(np.float64)
    found = mass * _maximum_entropy(values, variance / mass)
    return found if share is None else np.insert(found, stays, share)


def possible_variances(values: NDArray[np.int64], mass: float = 1.0) -> tuple[float, float]:
    """Smallest and largest variance of a distribution of so much mass with mean 0 on the values: it has at most two of
    them, those next to zero or those at the ends."""
    below, above = values[values < 0], values[values > 0]
    if not len(below) or not len(above):
        return 0.0, 0.0
    least = 0.0 if (values == 0).any() else float(-below.max() * above.min())
    return mass * least, mass * float(-below.min() * above.max())


def _maximum_entropy(values: Floats, variance: float) -> Floats:
    """The distribution of maximum entropy with mean 0 and a variance, which is possible.

    Minimises log sum exp(b v + c (v^2 - variance)): convex, its gradient is what moments lack.
    """
    if len(values) <= 3:
        powers = np.vstack([np.ones_like(values), values, values**2])
        exact: Floats = np.linalg.lstsq(powers, np.array([1.0, 0.0, variance]))[0]
        return np.clip(exact, 0.0, 1.0)
    scale = float(np.abs(values).max())
    features = np.vstack([values / scale, (values**2 - variance) / scale**2])
    at = np.zeros(2)
    for _ in range(200):
        level, p = _dual(features, at)
        gradient = features @ p
        spread = (features * p) @ features.T - np.outer(gradient, gradient)
        step = np.linalg.lstsq(spread, gradient)[0]
        size, slope, norm = 1.0, float(gradient @ step), float(np.abs(gradient).max())
        while size > SMALLEST_STEP:
            lower, q = _dual(features, at - size * step)
            # Next to the minimum differences of the function are lost in its digits; the gradient still tells.
            if lower < level - 1e-4 * size * slope or np.abs(features @ q).max() < norm:
                break
            size /= 2
        else:
            break
        at = at - size * step
    return _dual(features, at)[1]


SMALLEST_STEP = 1e-9


def _dual(features: Floats, at: Floats) -> tuple[float, Floats]:
    exponent = at @ features
    top = float(exponent.max())
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    return top + float(np.log(total)), weight / total


def table_of_maximum_entropy(wanted: Wanted, modulus: int) -> PTable:
    """The perturbation table for keys below a modulus: whole numbers of keys nearest to the probabilities with which
    changes are exactly 0 in the mean.

    Raises
    ------
    InputError: as `distributions`; a modulus with which a row cannot be unbiased.
    """
    found = enumerate(distributions(wanted))
    rows = [(count, _segments(changes, p, modulus, f"count {count}")) for count, (changes, p) in found]
    return table_of(rows, modulus)


def _segments(changes: NDArray[np.int64], p: Floats, modulus: int, what: str) -> list[tuple[int, int]]:
    """(last key, change) of each change that gets keys."""
    numbers = allocated(changes, p, modulus)
    if numbers is None:
        text = f"{what} cannot be changed without bias by {modulus} keys; use a larger modulus."
        raise InputError(text, at=OptionName("modulus"))
    ends = np.cumsum(numbers) - 1
    return [(int(e), int(v)) for e, v, n in zip(ends, changes, numbers, strict=True) if n]
