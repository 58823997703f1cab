"""Estimates within one cell: contributors subtract what they gave from the interval that outsiders are left with."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil, floor

from tableseal.audit.attackers.contributors import Data
from tableseal.audit.attackers.findings import Gathered, Insider, Whose
from tableseal.audit.attackers.formulas import (
    End,
    largest_seen_by_group,
    largest_seen_by_second,
    second_seen_by_largest,
    too_close,
)
from tableseal.audit.attackers.intervals import attained_ends, outer_ends
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.linear.naming import cell_name


def within(
    data: Data, found: CellBounds, p: Fraction, kinds: tuple[str, ...], together: int, gathered: Gathered
) -> None:
    """The largest, the second largest, and up to `together` of the next largest contributors of magnitudes: what ranks
    alone say (with nothing known of the cell) whatever is withheld, and what the interval says besides."""
    for k in data.targets.tolist():
        cell = int(data.open_cells[k])
        count = int(data.contributors[cell])
        first, second = data.contribution(0, cell), data.contribution(1, cell)
        if data.is_count[cell] or count < 2 or first is None or second is None:
            continue
        name = cell_name(data.release, data.cells, cell)
        proved, shown = outer_ends(found.bounds[k]), attained_ends(found.bounds[k])
        asked: list[tuple[str, Whose, int, Callable[[End, End], tuple[End, End]]]] = []
        if "largest" in kinds:
            asked.append((f"largest of {name}", "second_largest", second, partial(_second, own=first, count=count)))
        if "second" in kinds:
            asked.append((f"second largest of {name}", "largest", first, partial(_first, own=second, count=count)))
        group = next_largest(data, cell, min(together, count - 1))
        if len(group) > 1:
            who = f"{len(group)} next largest of {name} together"
            asked.append((who, "largest", first, partial(_first_by_group, own=group, count=count)))
        for who, whose, target, estimate in asked:
            insider = Insider(who, whose, *estimate(*proved))
            if too_close(*estimate(None, None), target, p):
                gathered.ranks.setdefault(k, []).append(insider)
            elif too_close(insider.lower, insider.upper, target, p):
                gathered.too_close(k, insider)
            elif shown is None or too_close(*estimate(*shown), target, p):
                gathered.open.add(k)


def _second(lo: End, hi: End, *, own: int, count: int) -> tuple[End, End]:
    return second_seen_by_largest(lo, hi, own, count)


def _first(lo: End, hi: End, *, own: int, count: int) -> tuple[End, End]:
    return largest_seen_by_second(lo, hi, own, count)


def _first_by_group(lo: End, hi: End, *, own: list[int], count: int) -> tuple[End, End]:
    return largest_seen_by_group(lo, hi, own, count)


def next_largest(data: Data, cell: int, most: int) -> list[int]:
    """The contributions after the largest one, as far as they are known, at most so many."""
    found = []
    for rank in range(1, most + 1):
        amount = data.contribution(rank, cell)
        if amount is None:
            break
        found.append(amount)
    return found


def needed_within(
    data: Data, cell: int, p: Fraction, kinds: tuple[str, ...], together: int
) -> tuple[tuple[int, int] | None, bool]:
    """(values that a magnitude must be able to fall and rise to, so that none of its own contributors is too close;
    whether one is too close whatever is withheld, because of what ranks alone say).

    None: no contributor is asked about. The ends are those at which the estimates of `within` stop being too close.
    """
    count = int(data.contributors[cell])
    first, second = data.contribution(0, cell), data.contribution(1, cell)
    if data.is_count[cell] or count < 2 or first is None or second is None:
        return None, False
    ends: list[tuple[int, int]] = []
    hopeless = False

    def ask(own: int, others: int, target: int, most: int | None, least: int) -> None:
        """An insider with `own`: the target is at most `most` (None: nothing is known), at least `least`; each of
        `others` shares the rest."""
        nonlocal hopeless
        distance = p * abs(target) / 100
        if (most is not None and most < target + distance) or least > target - distance:
            hopeless = True
            return
        ends.append((others + floor(target - distance), own + ceil(target + distance)))

    if "largest" in kinds:
        # Of the n - 1 others the second gives at least an equal share.
        share = floor(second - p * abs(second) / 100)
        ask(first, first + (count - 2) * share, second, first, 0)
    if "second" in kinds:
        ask(second, (count - 1) * second, first, None, second)
    group = next_largest(data, cell, min(together, count - 1))
    if len(group) > 1:
        ask(sum(group), sum(group) + (count - len(group) - 1) * group[-1], first, None, group[0])
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None, hopeless
