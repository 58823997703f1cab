"""Differences: what sets of codes with the target's code and without it tell of the target.

Nested: all codes, or some, and the same without the target's. Shifted: windows of codes, each a code further than the
last. Areas: a set of codes, and its other parts (5 + 4 + 4 + 4 - 16 = 1). Trackers: the target alone, again and again,
as another question for the same persons, and as what a population has besides a part of it. Every answer leaves an
interval for some sum; all of them together are bounded by linear programs.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.attacks.bounds import bounded
from tableseal.suppression.generator.attacks.user import Claim, Target, User, chosen, elsewhere, split

WINDOWS = 12
"""Different sets of codes of each variable, beside which a target's code is put."""

Random = np.random.Generator


def nested(user: User, targets: Sequence[Target], random: Random) -> list[Claim]:
    """Sets of codes with the target's code, and without it."""
    for target in targets:
        for v, code in enumerate(target):
            others = _others(user, v, code)
            for own in [others, *_some(others, random)]:
                _ask(user, target, v, [[*own, code]])
                _ask(user, target, v, [own])
    return bounded(user, targets)


def shifted(user: User, targets: Sequence[Target], random: Random) -> list[Claim]:
    """Windows of codes of every width, in every place."""
    for target in targets:
        for v in range(len(target)):
            leaves = len(user.variables[v].leaves)
            for width in range(1, leaves + 1):
                for first in range(leaves - width + 1):
                    _ask(user, target, v, [list(range(first, first + width))])
    return bounded(user, targets)


def areas(user: User, targets: Sequence[Target], random: Random) -> list[Claim]:
    """A set of codes, and its parts without the target's code, each in a table of its own."""
    for target in targets:
        for v, code in enumerate(target):
            for own in _some(_others(user, v, code), random):
                _ask(user, target, v, [[*own, code]])
                for piece in np.array_split(own, min(3, len(own))):
                    _ask(user, target, v, [piece.tolist()])
    return bounded(user, targets)


def trackers(user: User, targets: Sequence[Target], random: Random) -> list[Claim]:
    """The target alone, twice; beside sets of other codes in one table; and inside them in another."""
    for target in targets:
        for _ in range(2):
            for v, code in enumerate(target):
                _ask(user, target, v, [[code]])
                for own in _some(_others(user, v, code), random):
                    _ask(user, target, v, [own, [code]])
                    _ask(user, target, v, [[*own, code]])
    return bounded(user, targets)


def _others(user: User, v: int, code: int) -> list[int]:
    return [k for k in range(len(user.variables[v].leaves)) if k != code]


def _some(others: Sequence[int], random: Random) -> Iterator[list[int]]:
    for size in random.integers(1, len(others) + 1, WINDOWS).tolist() if others else ():
        yield sorted(random.choice(others, size, replace=False).tolist())


def _ask(user: User, target: Target, v: int, parts: Sequence[Sequence[int]]) -> None:
    """Groups of a variable's codes, for the target's codes of all others."""
    axis = split(user, v, parts) if len(parts) > 1 else chosen(user, v, parts[0])
    if all(parts):
        user.ask(Question((axis,), elsewhere(user, target, v)))
