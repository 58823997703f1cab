"""How far readers may believe small counts of a release whose counts were changed.

Intervals say what is possible, however unlikely. Where a method leaves nearly every count as it is, all intervals are
wide, and who takes a small count as it stands is right all the same. The confidence is the a-posteriori probability
that a published small count is the true one: of those published, the share that is.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tableseal.audit.attacks.outcome import nearest
from tableseal.audit.attacks.subject import shown_values
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import BELIEVABLE, RULE_IDLE, UNSTATED, Note, Policy, Release

USUAL_THRESHOLD = 3
"""Counts below this are small where no threshold rule of the policy says otherwise."""

USUAL_LIMIT = Fraction(9, 10)
"""Confidence above which a release is only safe as listed, where the policy sets no limit of its own."""

ENOUGH = 20
"""Small counts from which on their share is held against a release without such a limit: of fewer, chance may leave
all."""

WITHIN, ABOVE, OPEN = "confidence", "confidence_above", "confidence_open"
"""Codes of the note on the policy's limit: not above it; above it; not known."""

CONFIDENCE_CODES = (WITHIN, ABOVE, OPEN)
"""The headline repeats these notes."""


def small_below(policy: Policy | None) -> int:
    """Counts from 1 to below this are small: the threshold of the policy."""
    rules = () if policy is None else policy.primary
    return next((rule.count for rule in rules if rule.key == "threshold"), USUAL_THRESHOLD)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class ConfidenceFinding:
    """shown: published changed counts from 1 to below the threshold. right: of these, the true ones. unknown: of these,
    without a true count. limit: the policy's; None: it sets none. changed: any count of the release was. unstated: it
    was not computed how probable it is that they are."""

    threshold: int
    limit: Fraction | None
    shown: int
    right: int
    unknown: int
    changed: bool
    unstated: bool = False

    @property
    def above(self) -> bool | None:
        """More are the true ones than the policy allows; None: it is not known."""
        if self.limit is None or self.shown == 0:
            return False
        if self.right > self.limit * self.shown:
            return True
        return None if self.unstated or self.right + self.unknown > self.limit * self.shown else False

    def note(self) -> Note | None:
        """The finding in words; None: nothing has to be said."""
        small = f"published counts from 1 to {self.threshold - 1}"
        if self.limit is None:
            many = self.shown >= ENOUGH and self.right > USUAL_LIMIT * self.shown
            text = f"{self.right} of {self.shown} {small} are the true ones, so that readers may believe them."
            return Note(BELIEVABLE, text, self.right) if many else None
        if not self.changed:
            return Note(RULE_IDLE, "require.confidence judged nothing here: it is for counts that were changed.", 1)
        limit = f"the policy's {float(self.limit):.6g}"
        if self.above is None:
            if self.unknown:
                text = f"Of {self.unknown} {small} it is not known whether they are the true ones."
                return Note(OPEN, text, self.unknown)
            text = f"{self.right} of {self.shown} {small} are the true ones, and the method may make more so."
            return Note(OPEN, text, self.shown)
        share = f"{self.right} of {self.shown} {small} are the true ones" if self.shown else f"There are no {small}"
        return Note(ABOVE if self.above else WITHIN, f"{share}, {'above' if self.above else 'not above'} {limit}.")


def judge_confidence(release: Release, cells: Cells, policy: Policy) -> ConfidenceFinding:
    """Judge the small counts of a release that were changed, by its true counts."""
    threshold = small_below(policy)
    counts = np.array([measure.kind == "count" for measure in release.measures.values()], np.bool_)[cells.measure]
    changed = counts & cells.rounded
    shown = nearest(shown_values(release, cells))
    small = changed & (shown >= 1) & (shown < threshold)
    known = small & cells.truth.known
    return ConfidenceFinding(
        threshold,
        policy.require.confidence,
        shown=int(small.sum()),
        right=int((known & (cells.truth.units == shown)).sum()),
        unknown=int((small & ~known).sum()),
        changed=bool(changed.any()),
        unstated=any(note.code == UNSTATED for note in release.notes),
    )
