"""Loops of directions: what answers see of one, how that changes with its entries, and steps downward. Compiled or not,
arrays are numpy arrays."""

from typing import Any

from tableseal.audit.compiling import kernel

Array = Any

WELL, FAIR = 0.6, 0.95
"""Parts of the limit. At the first a direction is good: further answers will see some of it. Below the second it is
good enough once a step lowers this by less than SLOW."""

SLOW = 0.05


@kernel
def seen_of_each(ends: Array, members: Array, entries: Array, row: Array, first: int, sums: Array, out: Array) -> None:
    """Add to `out` what an answer adds to |A d|^2 of each direction. sums: 0 (rows of the answer, behind one for none),
    and so again."""
    for d in range(len(out)):
        for i in range(ends[d], ends[d + 1]):
            sums[max(row[members[i]] - first + 1, 0)] += entries[i]
        sums[0] = 0.0
        if ends[d + 1] - ends[d] > len(sums):
            for c in range(len(sums)):
                out[d] += sums[c] ** 2
                sums[c] = 0.0
        else:
            for i in range(ends[d], ends[d + 1]):
                c = max(row[members[i]] - first + 1, 0)
                out[d] += sums[c] ** 2
                sums[c] = 0.0


@kernel
def add_up(members: Array, entries: Array, rows: Array, answers: int, sums: Array) -> None:
    """Add to `sums` (rows of A) what entries add up to in each."""
    for i in range(len(members)):
        own = rows[members[i]]
        for a in range(answers):
            sums[own[a]] += entries[i]
    sums[0] = 0.0


@kernel
def slopes(members: Array, sums: Array, rows: Array, answers: int, out: Array) -> None:
    """Half of how |A d|^2 changes with the entry of each base cell. sums: A d.

    Four sums at a time, so that a machine need not wait for each.
    """
    by_four = answers - answers % 4
    for i in range(len(members)):
        own = rows[members[i]]
        one = two = three = four = 0.0
        for a in range(0, by_four, 4):
            one += sums[own[a]]
            two += sums[own[a + 1]]
            three += sums[own[a + 2]]
            four += sums[own[a + 3]]
        for a in range(by_four, answers):
            one += sums[own[a]]
        out[i] = (one + two) + (three + four)


@kernel
def descend(
    members: Array,
    entries: Array,
    sums: Array,
    rows: Array,
    answers: int,
    steps: int,
    target: float,
    room: Array,
    along: Array,
) -> float:
    """Lower |A d|^2 by conjugate gradients over the entries of some base cells, and return it.

    Source: Hestenes & Stiefel 1952.

    sums: A d, is changed with the entries. room: (3 x members), along: (rows).
    """
    number, slope, way = len(members), room[0], room[1]
    slopes(members, sums, rows, answers, slope)
    steep = value = 0.0
    for i in range(number):
        way[i] = -slope[i]
        steep += slope[i] * slope[i]
    for r in range(len(sums)):
        value += sums[r] * sums[r]
    for _ in range(steps):
        if value <= target or steep <= 1e-9:
            break
        along[:] = 0.0
        add_up(members, way, rows, answers, along)
        bend = 0.0
        for r in range(len(sums)):
            bend += along[r] * along[r]
        if bend <= 0.0:
            break
        by, last, value = steep / bend, value, 0.0
        for r in range(len(sums)):
            sums[r] += by * along[r]
            value += sums[r] * sums[r]
        for i in range(number):
            entries[i] += by * way[i]
        if value <= FAIR / WELL * target and last - value < SLOW * value:
            break
        slopes(members, sums, rows, answers, slope)
        before, steep = steep, 0.0
        for i in range(number):
            steep += slope[i] * slope[i]
        for i in range(number):
            way[i] = -slope[i] + steep / before * way[i]
    return value
