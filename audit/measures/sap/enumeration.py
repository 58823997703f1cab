"""Resolved SAP of any release exactly, sample by sample."""

from collections.abc import Iterator
from math import comb, prod
from typing import Any

import numpy as np

from tableseal.audit.measures.sap.attack import Attack, Ints
from tableseal.audit.measures.sap.solve import OPEN, RECOVERED, Checker
from tableseal.audit.measures.sap.unrecovered import LONGEST

MOST_SAMPLES = 5_000


def number_of_samples(attack: Attack, n: tuple[int, ...]) -> int:
    """How many different samples of these sizes there are (at most MOST_SAMPLES + 1 is told)."""
    from flint import fmpz_poly

    length = max(n) + 1
    if length > LONGEST:
        return MOST_SAMPLES + 1
    ways: Any = fmpz_poly([1])
    for c in attack.group_counts[attack.sampled_groups].tolist():
        if c:
            ways = ways.mul_low(fmpz_poly([1] * min(c + 1, length)), length)
            coefficients = ways.coeffs()
            # Further groups only add samples.
            if sum(int(coefficients[k]) for k in set(n) if k < len(coefficients)) > MOST_SAMPLES:
                return MOST_SAMPLES + 1
    coefficients = ways.coeffs()
    return sum(int(coefficients[k]) for k in set(n) if k < len(coefficients))


def unrecovered_by_enumeration(
    attack: Attack, checker: Checker, n: tuple[int, ...]
) -> tuple[dict[int, int], dict[int, int]]:
    """For each size the number of samples that recover nothing: (at least, at most); they differ where some stay
    open.
    """
    at = np.flatnonzero(attack.sampled_groups & (attack.group_counts > 0))
    sizes = attack.group_counts[at].tolist()
    at_least, at_most = {}, {}
    for size in sorted(set(n), reverse=True):  # what a sample does not recover, no part of it does
        at_least[size] = at_most[size] = 0
        for parts in _compositions(sizes, size):
            sample: Ints = np.zeros(len(attack.group_counts), np.int64)
            sample[at] = parts
            state = int(checker.states(sample[None, :])[0])
            if state != RECOVERED:
                weight = prod(comb(c, s) for c, s in zip(sizes, parts, strict=True))
                at_most[size] += weight
                at_least[size] += 0 if state == OPEN else weight
    return at_least, at_most


def _compositions(sizes: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """All ways to take `total` units, at most sizes[i] of kind i."""
    room = [0] * (len(sizes) + 1)
    for i in range(len(sizes) - 1, -1, -1):
        room[i] = room[i + 1] + sizes[i]

    def extend(i: int, left: int, taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if i == len(sizes):
            yield taken
            return
        for s in range(max(0, left - room[i + 1]), min(sizes[i], left) + 1):
            yield from extend(i + 1, left - s, (*taken, s))

    if total <= room[0]:
        yield from extend(0, total, ())
