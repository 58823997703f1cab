"""Counts that no table lists, as what published counts leave over: what two attacks share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.combinations import Combination, Combinations
from tableseal.audit.attacks.outcome import Outcome, nearest, nothing
from tableseal.audit.attacks.subject import Subject


def left_over(subject: Subject, *, beyond: bool) -> Outcome:
    """Each remainder of a whole and its parts (see `Combination.beyond`), by the intervals stated of single cells.

    A remainder that several combinations give counts once: their intervals are put together, and the one of the fewest
    cells is the guess.
    """
    combinations = Combinations(subject)
    wanted = [c for c in combinations.all if c.rest and c.beyond == beyond]
    found = [(c, combinations.occurring(c)) for c in sorted(wanted, key=lambda c: (c.variable, len(c.parts)))]
    found = [(c, at) for c, at in found if len(at)]
    if not found:
        return nothing("unlisted")
    kinds: dict[tuple[int, frozenset[int]], int] = {}
    ends = [_ends(subject, at, -1 if beyond else 1) for _, at in found]
    keys = np.concatenate(
        [_contexts(subject, c, at, kinds.setdefault((c.variable, c.rest), len(kinds))) for c, at in found]
    )
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    low, high, guess, truth = (np.concatenate(column) for column in zip(*ends, strict=True))
    lower, upper = np.full(len(first), -(2**62)), np.full(len(first), 2**62)
    np.maximum.at(lower, group.ravel(), low)
    np.minimum.at(upper, group.ravel(), high)
    start = np.cumsum([0, *(len(at) for _, at in found)])

    def explain(k: int) -> str:
        which = int(np.searchsorted(start, first[k], side="right")) - 1
        cells = found[which][1][int(first[k]) - int(start[which])].tolist()
        added, taken = (cells[1:], cells[:1]) if beyond else (cells[:1], cells[1:])
        names = spelled([subject.name(c) for c in added], [subject.name(c) for c in taken])
        numbers = spelled([number(subject.shown[c]) for c in added], [number(subject.shown[c]) for c in taken])
        value = number(sum(subject.shown[c] for c in added) - sum(subject.shown[c] for c in taken))
        return f"{names} = {numbers} = {value}; by the stated changes from {lower[k]} to {upper[k]}"

    return Outcome("unlisted", truth[first], lower, upper, np.clip(guess[first], lower, upper), explain)


def _ends(subject: Subject, at: NDArray[np.int64], sign: int) -> tuple[NDArray[np.int64], ...]:
    """Smallest, largest, guessed and true remainder of each row of cells."""
    whole, parts = at[:, 0], at[:, 1:]
    low = subject.lower[whole] - subject.upper[parts].sum(axis=1)
    high = subject.upper[whole] - subject.lower[parts].sum(axis=1)
    if sign < 0:
        low, high = -high, -low
    if subject.release.intruder.nonnegative:
        low = np.maximum(low, 0)
    guess = nearest(sign * (subject.shown[whole] - subject.shown[parts].sum(axis=1)))
    return low, high, guess, sign * (subject.truth[whole] - subject.truth[parts].sum(axis=1))


def _contexts(subject: Subject, combination: Combination, at: NDArray[np.int64], kind: int) -> NDArray[np.int64]:
    """What the remainder of each row is of: its kind, its measure and the other codes."""
    codes = subject.cells.codes[at[:, 0]].astype(np.int64)
    codes[:, combination.variable] = kind
    return np.column_stack([np.full(len(at), combination.variable), subject.cells.measure[at[:, 0]], codes])


SPELLED = 8
"""Terms of a sum that a text spells out."""


def spelled(added: Sequence[str], taken: Sequence[str] = ()) -> str:
    """`a + b - c`."""
    terms = [*(f" + {term}" for term in added), *(f" - {term}" for term in taken)]
    more = f" ... and {len(terms) - SPELLED} more" if len(terms) > SPELLED else ""
    return "".join(terms[:SPELLED]).removeprefix(" + ") + more


def number(value: float) -> str:
    """A shown value; means of several with two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
