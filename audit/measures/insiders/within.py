"""Estimates within one cell: contributors subtract what they gave from the interval that outsiders are left with."""

from fractions import Fraction

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
        group = _next_largest(data, cell, min(together, count - 1))
        if len(group) > 1:
            seen = [None if e is None else largest_seen_by_group(*e, group, count) for e in (proved, shown)]
            asked.append((f"{len(group)} next largest of {name} together", first, seen))
        for who, target, (outer, attained) in asked:
            assert outer is not None
            if too_close(*outer, target, p):
                gathered.too_close(k, Insider(who, *outer))
            elif attained is None or too_close(*attained, target, p):
                gathered.open.add(k)


def _next_largest(data: Data, cell: int, most: int) -> list[int]:
    """The contributions after the largest one, as far as they are known, at most so many."""
    found = []
    for rank in range(1, most + 1):
        amount = data.contribution(rank, cell)
        if amount is None:
            break
        found.append(amount)
    return found
