"""Estimates within one cell: contributors subtract what they gave from the interval that outsiders are left with."""

from fractions import Fraction
from math import ceil, floor

from audit.bounds.engine import CellBounds
from audit.linear.naming import cell_name
from audit.measures.insiders.data import Data
from audit.measures.insiders.findings import Gathered, Insider
from audit.measures.insiders.formulas import (
    End,
    largest_seen_by_group,
    largest_seen_by_second,
    second_seen_by_largest,
    too_close,
)
from audit.measures.insiders.intervals import attained_ends, outer_ends


def within(
    data: Data, found: CellBounds, p: Fraction, kinds: tuple[str, ...], together: int, gathered: Gathered
) -> None:
    """The largest, the second largest, and up to `together` of the next largest contributors of magnitudes."""
    for k in data.targets.tolist():
        cell = int(data.open_cells[k])
        count = int(data.contributors[cell])
        first, second = data.contribution(0, cell), data.contribution(1, cell)
        if data.is_count[cell] or count < 2 or first is None or second is None:
            continue
        name = cell_name(data.release, data.cells, cell)
        proved, shown = outer_ends(found.bounds[k]), attained_ends(found.bounds[k])
        asked: list[tuple[str, int, list[tuple[End, End] | None]]] = []
        if "largest" in kinds:
            seen = [None if e is None else second_seen_by_largest(*e, first, count) for e in (proved, shown)]
            asked.append((f"largest of {name}", second, seen))
        if "second" in kinds:
            seen = [None if e is None else largest_seen_by_second(*e, second, count) for e in (proved, shown)]
            asked.append((f"second largest of {name}", first, seen))
        group = next_largest(data, cell, min(together, count - 1))
        if len(group) > 1:
            seen = [None if e is None else largest_seen_by_group(*e, group, count) for e in (proved, shown)]
            asked.append((f"{len(group)} next largest of {name} together", first, seen))
        for who, target, (outer, attained) in asked:
            assert outer is not None
            if too_close(*outer, target, p):
                gathered.too_close(k, Insider(who, *outer))
            elif attained is None or too_close(*attained, target, p):
                gathered.open.add(k)


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
