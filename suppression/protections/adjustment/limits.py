"""How far each cell of a release may move, and has to, so that what readers are told of it is true and wide enough.

Readers are told that a published x differs from its true value by at most m(x): a share s of x, or a fixed range D
where that is more. So a true v may be shown as anything from the smallest to the largest x with |x - v| <= m(x); a
sensitive v that must leave [v - below, v + above] possible is shown as x >= v + above or x <= v - below, near enough
for the interval of x to hold all of that.

Zeros stay, and a value is shown above half of itself. Readers know that, too: a 0 is a true 0, no other value is, and
behind x lies at most 2 x - 1, whatever the range (`known_upper`). So nothing here leaves 0 possible of a cell that is
not 0, or anything else of one that is.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.naming import decimal
from tableseal.audit.model import Amounts
from tableseal.audit.model.rounding import ceil_times, floor_times
from tableseal.audit.rules.sensitivity import Sensitivity
from tableseal.audit.said import InFile, Said
from tableseal.suppression.protections.adjustment.part import Ints, Moves
from tableseal.suppression.protections.subject import Subject

ENOUGH = Said(
    "say ",
    InFile("require", {"protection": False}),
    " in the policy if it is enough that such values do not come out exactly",
)
"""What to do where a rule asks that 0 stays possible."""


OTHERWISE = "withhold such cells, or round to a base (controlled-rounding)"
"""Methods that may leave 0 possible."""


def moves_of(subject: Subject, sensitivity: Sensitivity, share: Fraction, reach: Ints) -> Moves:
    """reach: int64 (cells), the range D in units.

    Raises
    ------
    InputError: a sensitive cell that cannot move as far as it has to.
    """
    value = subject.value
    fixed = subject.known_zero | (value == 0)
    sensitive = _concerned(subject, sensitivity) & ~fixed
    below, above = _levels(subject, sensitivity)
    wider, narrower = 1 / (1 - share), 1 / (1 + share)
    least = np.minimum(value - reach, ceil_times(value, narrower))
    least = np.maximum(least, (value + 2) // 2)  # above half, so that as much again below the true value is no zero
    least = np.minimum(least, value)
    most = np.maximum(value + reach, floor_times(value, wider))
    up_most = np.minimum(most, np.maximum(value - below + reach, floor_times(value - below, wider)))
    down_least = np.maximum(least, np.minimum(value + above - reach, ceil_times(value + above, narrower)))
    down_least = np.maximum(down_least, (value + above + 2) // 2)  # that value + above is at most twice it less one
    moves = Moves(
        least=np.where(fixed, 0, least - value),
        most=np.where(fixed, 0, most - value),
        sensitive=sensitive,
        up_least=np.maximum(above, 1),
        up_most=up_most - value,
        down_least=np.maximum(below, 1),
        down_most=value - down_least,
    )
    stuck = sensitive & ~moves.up & ~moves.down
    subject.refuse(stuck, _too_narrow(subject, below, above, stuck))
    return moves


def known_upper(shown: Ints, reach: Ints) -> Amounts:
    """Largest value that may stand behind each published one, where a range would leave more. reach: see `moves_of`."""
    return Amounts(np.maximum(2 * shown - 1, 0), reach >= np.maximum(shown, 1))


def refuse_zeros(subject: Subject, sensitivity: Sensitivity, *, protection: bool) -> None:
    """Cells of which more is asked than any share and any range leaves open. protection: intervals that rules require
    have to stay possible (else a sensitive value must not come out exactly, no more, as of marked cells).

    Raises
    ------
    InputError: there is one.
    """
    concerned, value = _concerned(subject, sensitivity), subject.value
    text = "is 0 and sensitive, and zeros stay in tabular adjustment: it would come out exactly"
    subject.refuse(concerned & (value == 0) & ~subject.known_zero, text, remedy=OTHERWISE)
    low = sensitivity.required_lower
    text = (
        "must leave 0 possible by its rule, and zeros stay in tabular adjustment: readers know of anything else that "
        "is shown that it is not 0, whatever share and range are"
    )
    asked = concerned & sensitivity.sensitive & low.known & (low.units <= 0) & (value > 0)
    subject.refuse(asked & protection, text, remedy=Said(ENOUGH, ", or ", OTHERWISE))


def _concerned(subject: Subject, sensitivity: Sensitivity) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (sensitivity.sensitive | subject.cells.sensitive_status) & ~subject.cells.consent
    return found


def _levels(subject: Subject, sensitivity: Sensitivity) -> tuple[Ints, Ints]:
    """How far below and above its true value each cell has to leave values possible, where something is required."""
    value, width = subject.value, sensitivity.required_width
    half = np.where(width.known, (width.units + 1) // 2, 0)
    low, high = sensitivity.required_lower, sensitivity.required_upper
    below = np.where(low.known, np.maximum(value - low.units, 0), 0)
    above = np.where(high.known, np.maximum(high.units - value, 0), 0)
    return np.minimum(np.maximum(below, half), value), np.maximum(above, half)


def _too_narrow(subject: Subject, below: Ints, above: Ints, stuck: NDArray[np.bool_]) -> str:
    text = "cannot move by what protects it: readers would have to be told of a larger share, or a larger range"
    if not stuck.any():
        return text
    value = subject.value
    down, up = value[stuck] - np.maximum(below[stuck], 1), value[stuck] + np.maximum(above[stuck], 1)
    needed = max(
        (1 - Fraction(int(low), int(high)) for low, high in zip(down, up, strict=True) if low > 0), default=Fraction(1)
    )
    percent = -(-needed.numerator * 100 // needed.denominator)
    if percent < 100:
        return f"{text} (a share of {decimal(1, Fraction(percent, 100))} is enough)"
    # With such a range each can go up by what protects it above, and what protects it below still fits its interval.
    wide = below + np.maximum(above, 1)
    return f"{text} (a range of {_range_enough(subject, stuck, wide)} is enough)"


def _range_enough(subject: Subject, stuck: NDArray[np.bool_], wide: Ints) -> int:
    """The least range (a whole number, of every measure) of so many units for these cells."""
    units = [measure.unit for measure in subject.release.measures.values()]
    cells = zip(subject.cells.measure[stuck].tolist(), wide[stuck].tolist(), strict=True)
    enough: list[int] = [math.ceil(Fraction(units[measure]) * units_wide) for measure, units_wide in cells]
    return max(enough)
