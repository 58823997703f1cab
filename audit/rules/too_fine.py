"""Rounding that can never meet a threshold, whatever is rounded: said before anything is computed."""

import numpy as np

from tableseal.audit.model import Note, Policy, Release, Rounding
from tableseal.audit.model.rounding import is_possible, rounding_interval
from tableseal.audit.rules.threshold import Threshold

CODE = "rounding_too_fine"
"""The note's code."""

LARGEST = 100_000
"""Bases and thresholds that are looked at; larger ones do not occur."""


def too_fine(release: Release, policy: Policy) -> tuple[Note, ...]:
    """A note for each rounded table of counts whose scheme leaves no count below a threshold the interval that the
    threshold requires ([0, threshold], or from 1 where withheld cells are known to be non-empty), however it falls.

    Thresholds with a protection percentage of their own require less of small counts, and are not looked at.
    """
    thresholds = [rule.count for rule in policy.primary if isinstance(rule, Threshold) and not rule.protection_percent]
    if not thresholds or not policy.require.protection:
        return ()
    count, least = max(thresholds), int(release.intruder.nonempty)
    notes = []
    for table in release.tables:
        measure = release.measures[table.measure]
        if table.rounding is None or measure.kind != "count" or measure.unit != 1:
            continue
        left = _widest(table.rounding, least, count, nonnegative=release.intruder.nonnegative)
        if left is None or left[0] == left[1] or (left[0] <= least and left[1] >= count):
            continue  # counts that are shown as they are (top-coding) are not rounded
        notes.append(
            Note(
                CODE,
                f'Rounding of table "{table.name}" can never meet threshold {count}: of a count below {count} it '
                f"leaves [{left[0]}, {left[1]}] at best, and [{least}, {count}] is required. Leave such counts out, "
                "round more coarsely, or say that not being exact is enough (require: {protection: false})",
            )
        )
    return tuple(notes)


def _widest(rounding: Rounding, least: int, count: int, *, nonnegative: bool) -> tuple[int, int] | None:
    """The interval that covers most of [least, count] among those that the scheme gives values from 1 to count - 1;
    None where nothing can be said."""
    if max(rounding.base, rounding.range, count) > LARGEST or count < 2:
        return None
    reach = count * (2 + int(rounding.share)) if rounding.share else count  # what a true value may be shown as
    shown = np.arange(reach + rounding.base + rounding.range + 1, dtype=np.int64)
    if rounding.method == "ranges":
        shown = np.array([value for value, _, _ in rounding.ranges], np.int64)
    shown = shown[is_possible(shown, rounding)]
    low, high = rounding_interval(shown, rounding, nonnegative)
    small = (low < count) & (high >= 1)
    if not small.any():
        return None
    covered = np.minimum(high, count) - np.maximum(low, least)
    best = int(np.flatnonzero(small)[np.argmax(covered[small])])
    return int(low[best]), int(high[best])
