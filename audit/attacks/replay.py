"""Replay attacks on a release with changed counts, and measure what comes back."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.confidence import small_below
from tableseal.audit.attacks.outcome import Outcome, nearest
from tableseal.audit.attacks.redraw import draws_of, redrawn, rounded_by
from tableseal.audit.attacks.registry import ATTACKS
from tableseal.audit.attacks.result import AttackReport, Curve, Point, Replayed, Tallies, Tally
from tableseal.audit.attacks.subject import Subject, subject_of
from tableseal.audit.clock import now
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.canonical import release_digest
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.model import Release, Rounding
from tableseal.audit.progress import Progress, silent
from tableseal.audit.wording import listing, quoted, suggestion


@dataclass(frozen=True)
class AttackSettings:
    """How attacks are replayed and measured.

    attacks: names; empty: all.
    curve: also ask how wide the range would have to be, up to `widest`, with so many draws for each, for at most the
    tolerated share to come back. time_limit: seconds after which bounds stay as they are and curves end.
    """

    attacks: tuple[str, ...] = ()
    tolerated: Fraction = Fraction(0)
    curve: bool = True
    widest: int = 24
    draws: int = 5
    seed: int = 0
    time_limit: float | None = None


def replay(release: Release, settings: AttackSettings, *, progress: Progress = silent) -> AttackReport:
    """Replay attacks on a release with true values.

    Raises
    ------
    InputError: an unknown attack, a release without changed counts or without their true values.
    ContradictionError: no table fits what is published with the changes that are stated.
    LimitError: the release is too large.
    """
    names = chosen(settings.attacks)
    deadline = None if settings.time_limit is None else now() + settings.time_limit
    subject = replace(subject_of(release), deadline=deadline)
    threshold = small_below(release.policy)
    uniform = draws_of(subject, settings.seed, settings.draws) if settings.curve else []
    found = []
    for done, name in enumerate(names):
        progress("attacks", done, len(names))
        outcome = ATTACKS[name].run(subject)
        curve = None
        if uniform and len(outcome.truth):
            curve = _curve(_Redraws(subject, outcome, name, tuple(uniform), threshold), settings)
        found.append(_replayed(name, outcome, threshold, curve))
    progress("attacks", len(names), len(names))
    at = np.flatnonzero(subject.changed)
    change = float(np.abs(subject.shown - subject.truth)[at].max())
    shown = _tallies(subject.truth[at], np.abs(nearest(subject.shown[at]) - subject.truth[at]), threshold)
    stated = tuple(f"{t.name}: {_said(t.rounding)}" for t in release.tables if t.rounding is not None)
    return AttackReport(
        release.title,
        release_digest(release),
        threshold,
        float(settings.tolerated),
        settings.seed,
        settings.draws,
        stated,
        change,
        shown,
        tuple(found),
        "time" if _late(subject) else None,
    )


def _late(subject: Subject) -> bool:
    return subject.deadline is not None and now() > subject.deadline


def chosen(asked: tuple[str, ...]) -> tuple[str, ...]:
    """The attacks that are asked for, all if none is.

    Raises
    ------
    InputError: an unknown one.
    """
    for name in asked:
        if name not in ATTACKS:
            expected = f"one of {listing(ATTACKS)}{suggestion(name, list(ATTACKS))}"
            raise InputError(found=quoted(name), expected=expected, at=OptionName("attacks", name))
    return tuple(name for name in ATTACKS if not asked or name in asked)


def _said(rounding: Rounding) -> str:
    if rounding.method == "cell_key":
        share = f", share {decimal_text(rounding.share)}" if rounding.share else ""
        return f"cell_key, range {rounding.range}{share}"
    return f"{rounding.method}, base {rounding.base}" if rounding.base > 1 else rounding.method


def _replayed(name: str, outcome: Outcome, threshold: int, curve: Curve | None) -> Replayed:
    proved = None
    if outcome.lower is not None and outcome.upper is not None:
        # Whoever guesses the middle of three values is wrong by 1 at most.
        proved = _tallies(outcome.truth, (outcome.upper - outcome.lower + 1) // 2, threshold)
    guessed = _tallies(outcome.truth, np.abs(outcome.guess - outcome.truth), threshold)
    best = _best(outcome)
    example = None if best is None else outcome.explain(best)
    return Replayed(name, outcome.targets, proved, guessed, example, outcome.range_at_least, curve)


def _best(outcome: Outcome) -> int | None:
    """The smallest count that comes back and is not zero, a proved one if there is one; else a zero."""
    for right in (outcome.proved, outcome.hit):
        at = np.flatnonzero(right)
        if len(at):
            truth = outcome.truth[at]
            return int(at[np.lexsort((at, truth, truth == 0))[0]])
    return None


def _tallies(truth: NDArray[np.int64], away: NDArray[np.int64], threshold: int) -> Tallies:
    """away: from the true counts, at most."""

    def tally(which: NDArray[np.bool_]) -> Tally:
        return Tally(int(which.sum()), int((which & (away == 0)).sum()), int((which & (away <= 1)).sum()))

    return Tallies(tally(truth == truth), tally(truth == 0), tally((truth > 0) & (truth < threshold)))


@dataclass(frozen=True)
class _Redraws:
    """An attack on the same counts with noise of any range. What it brought on the release itself counts as one more
    draw of the range that the release states."""

    subject: Subject
    outcome: Outcome
    attack: str
    uniform: tuple[NDArray[np.float64], ...]
    threshold: int

    def point(self, widest: int) -> Point:
        """What comes back: proved, or guessed by an attack that proves nothing."""
        counts = exact = small = unaided = 0
        drawn = [redrawn(self.subject, widest, uniform) for uniform in self.uniform]
        outcomes = [(subject, ATTACKS[self.attack].run(subject)) for subject in drawn]
        own = {t.rounding for t in self.subject.release.tables if t.rounding is not None}
        if all(rounding == _stated(self.subject, widest) for rounding in own):
            outcomes.append((self.subject, self.outcome))
        for subject, outcome in outcomes:
            right = outcome.proved
            if outcome.lower is None:
                right = outcome.hit
                unaided += int((subject.shown == subject.truth)[subject.changed].sum())
            counts += len(right)
            exact += int(right.sum())
            small += int((right & (outcome.truth > 0) & (outcome.truth < self.threshold)).sum())
        return Point(widest, counts, exact, small, unaided)


def _stated(subject: Subject, wide: int) -> Rounding:
    method = rounded_by(subject.release)
    return Rounding(1, "cell_key", range=wide) if method is None else Rounding(wide, method)


def _curve(redraws: _Redraws, settings: AttackSettings) -> Curve:
    """Points at growing ranges until one is enough, then between that and the last that was not."""
    points: dict[int, Point] = {}

    def enough(widest: int) -> bool:
        points[widest] = redraws.point(widest)
        return points[widest].share <= settings.tolerated

    by_base = rounded_by(redraws.subject.release) is not None
    growing = _growing(2 if by_base else 1, settings.widest)
    tried = takewhile(lambda _: not points or not _late(redraws.subject), growing)
    least = next(filter(enough, tried), None)
    if least is not None:
        below = max((r for r in points if r < least), default=1 if by_base else 0)
        least = _between(below, least, enough)
    return Curve("base" if by_base else "range", tuple(points[r] for r in sorted(points)), least)


def _between(below: int, enough_at: int, enough: Callable[[int], bool]) -> int:
    while enough_at - below > 1:
        middle = (below + enough_at) // 2
        if enough(middle):
            enough_at = middle
        else:
            below = middle
    return enough_at


def _growing(first: int, widest: int) -> Iterator[int]:
    """From the first on (1), 2, 3, 4, 6, 9, ... and the widest, which is none below the first."""
    at = first
    while at < widest:
        yield at
        at = max(at + 1, at * 3 // 2)
    yield max(first, widest)
