"""Means (percentages, rates) beside counts: only some counts give a published mean of whole numbers."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tableseal.audit.attacks.outcome import Outcome, nearest, nothing
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.model import Denominator, Statistic

WIDEST = 100_000
"""Values of one interval up to which each is tried."""


@dataclass(frozen=True)
class _Ends:
    """What is stated of a cell alone: smallest and largest value, in whole units of its measure."""

    low: int
    high: int
    unit: Fraction


def means(subject: Subject) -> Outcome:
    """Each changed count behind a published statistic: which values give it, with some value of the other cell.

    A count behind several statistics must satisfy each of them.
    """
    at = {
        (int(m), tuple(c)): k
        for k, (m, c) in enumerate(zip(subject.cells.measure, subject.cells.codes.tolist(), strict=True))
    }
    names = list(subject.release.measures)
    possible: dict[int, set[int]] = {}
    said: dict[int, str] = {}
    for statistic in subject.release.statistics:
        for row in range(len(statistic.table.codes)):
            value = statistic.table.value.get(row)
            if value is None:
                continue
            cells = [at.get((names.index(measure), codes)) for measure, codes in statistic.cells(row)]
            for which, cell in enumerate(cells):
                if cell is None or not subject.changed[cell] or subject.upper[cell] - subject.lower[cell] > WIDEST:
                    continue
                other = None if len(cells) == 1 else _ends(subject, cells[1 - which], statistic, 1 - which)
                fits = _fitting(statistic, row, value, _ends(subject, cell, statistic, which), other, which)
                possible[cell] = possible.get(cell, fits) & fits
                words = f"{statistic.table.name} {float(value * statistic.unit):g}"
                said[cell] = f"{said[cell]}, {words}" if cell in said else f"{subject.name(cell)}: {words}"
    targets = np.array(sorted(cell for cell, values in possible.items() if values), np.int64)
    if len(targets) == 0:
        return nothing("published")
    values = [sorted(possible[cell]) for cell in targets.tolist()]
    lower, upper = (np.array([each[end] for each in values], np.int64) for end in (0, -1))
    shown = nearest(subject.shown[targets])
    guess = np.array([_nearest_of(each, near) for each, near in zip(values, shown.tolist(), strict=True)], np.int64)

    def explain(k: int) -> str:
        cell = int(targets[k])
        text = ", ".join(map(str, values[k][:8])) + (", ..." if len(values[k]) > 8 else "")
        return f"{said[cell]}; of {subject.lower[cell]} to {subject.upper[cell]} only {text} can give that"

    return Outcome("published", subject.truth[targets], lower, upper, guess, explain)


def _nearest_of(values: list[int], shown: int) -> int:
    return min(values, key=lambda value: (abs(value - shown), value))


def _ends(subject: Subject, cell: int | None, statistic: Statistic, which: int) -> _Ends:
    """Of the numerator (which = 0) or the denominator of a statistic."""
    unit = subject.release.measures[statistic.measure].unit
    if which == 1 and isinstance(statistic.of, Denominator):
        unit = statistic.of.unit
    least = 0 if subject.release.intruder.nonnegative else NO_LOWER
    if cell is None:
        return _Ends(least, NO_UPPER, unit)
    return _Ends(max(int(subject.lower[cell]), least), int(subject.upper[cell]), unit)


def _fitting(statistic: Statistic, row: int, value: int, own: _Ends, other: _Ends | None, which: int) -> set[int]:
    """Values of a numerator (which = 0) or denominator, in units, with which the statistic can be what is published."""
    half = Fraction(1, 2)
    low, high = ((value + side) * statistic.unit / statistic.per for side in (-half, half))
    values = range(own.low, own.high + 1)
    if which == 1:
        assert other is not None
        return {n for n in values if (_meets(low * n * own.unit, high * n * own.unit, other) if n else value == 0)}
    if other is None:
        of = statistic.stated(row)
        return {n for n in values if low * of <= n * own.unit <= high * of}
    fits = set[int]()
    for n in values:
        x = n * own.unit
        first = x / high if high > 0 else None
        last = x / low if low > 0 else None
        if high >= 0 and _of_some(first, last, x, other, zero=value == 0):
            fits.add(n)
    return fits


def _meets(low: Fraction, high: Fraction, ends: _Ends) -> bool:
    """Some whole number of units lies in both intervals."""
    least = max(-((-low) // ends.unit), ends.low)
    return least <= min(high // ends.unit, ends.high)


def _of_some(first: Fraction | None, last: Fraction | None, x: Fraction, ends: _Ends, *, zero: bool) -> bool:
    """Some denominator from first to last (None: no such limit) is possible; 0 only of a statistic shown as 0."""
    if zero and ends.low <= 0 and x == 0:
        return True
    least = max(1, ends.low, 0 if first is None else -((-first) // ends.unit))
    return least <= min(ends.high, ends.high if last is None else last // ends.unit)
