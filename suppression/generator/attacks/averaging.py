"""The two attacks of Asghar & Kaafar (PETS 2020) on a table builder: find the range of changes, then average.

A count is asked for as the sum of two parts, for many splits into parts by groups of one's own. Changes of different
parts are independent. First: sums of one count lie within four times the range of each other, and their ends tell it.
Then: the mean of k sums has a variance of 2 V / k, however wide changes are; a count is claimed once twice the standard
error is below a half. A small count is the difference of two such means, with its code and without it. Where nobody is
in some codes, different splits are the same parts, with the same changes: sums of parts that are shown alike are one.
"""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np

from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.attacks.user import Claim, Target, User, elsewhere, split

SPLITS = 160
"""Splits of one count, at most."""


def averaging(user: User, targets: Sequence[Target], random: np.random.Generator) -> list[Claim]:
    """Means of sums of parts, by the variable with most codes."""
    v = int(np.argmax([len(variable.leaves) for variable in user.variables]))
    found = []
    for target in targets:
        others = [k for k in range(len(user.variables[v].leaves)) if k != target[v]]
        more, fewer = (_sums(user, target, v, leaves, random) for leaves in ([*others, target[v]], others))
        if more and fewer:
            error = sqrt(2 * user.protection.variance * (1 / len(more) + 1 / len(fewer)))
            if 2 * error < 0.5:
                found.append(Claim(target, max(0, round(float(np.mean(more) - np.mean(fewer))))))
    return found


def found_range(user: User, target: Target, random: np.random.Generator) -> int:
    """The first attack: no count changes by more than some range that is at least this."""
    v = int(np.argmax([len(variable.leaves) for variable in user.variables]))
    sums = _sums(user, target, v, range(len(user.variables[v].leaves)), random)
    return ceil((max(sums) - min(sums)) / 4) if sums else 0


def _sums(user: User, target: Target, v: int, leaves: Sequence[int], random: np.random.Generator) -> list[int]:
    """What the count of some codes, for the target's codes of all other variables, is by both parts of each split."""
    found, seen = dict[tuple[int, ...], int](), set[tuple[bool, ...]]()
    for _ in range(SPLITS):
        side = random.random(len(leaves)) < 0.5
        side ^= side[0]  # the same two parts the other way round are the same split
        key = tuple(side.tolist())
        if key in seen or not side.any():
            continue
        seen.add(key)
        parts = [[leaf for leaf, s in zip(leaves, key, strict=True) if s == which] for which in (False, True)]
        shown = user.ask(Question((split(user, v, parts),), elsewhere(user, target, v)))
        if shown is not None:
            found[tuple(shown.tolist())] = int(shown.sum())
    return list(found.values())
