"""All numbers of moves that quotas can come to, each with its probability: the rounding of `draws.quotas`, both ways at
every step. What different ways lead to is gone on with once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tableseal.suppression.protections.perturbation.chain import Row
from tableseal.suppression.protections.perturbation.draws import cycle, expected_parts, steps

Way = tuple[tuple[tuple[int, int], ...], ...]
"""Of each state (state that it becomes, how many units do), in an order."""


class Ways(NamedTuple):
    """chances: what `draws.quotas` can give, each with its probability. met: tables on the way to them."""

    chances: Mapping[Way, Fraction]
    met: int


def quota_ways(rows: Sequence[Row], number: Sequence[int], most: int) -> Ways | None:
    """All ways; None: more than so many tables are met.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> ways = quota_ways([{0: half, 1: half}, {0: half, 1: half}], [1, 1], 10)
    >>> sorted(ways.chances.items())
    [((((0, 1),), ((1, 1),)), Fraction(1, 2)), ((((1, 1),), ((0, 1),)), Fraction(1, 2))]
    """
    parts, whole = expected_parts(rows, number)
    first = tuple(tuple(sorted(row.items())) for row in parts)
    # By how many entries are no whole numbers yet: every step makes one of them whole at least.
    waiting: dict[int, dict[Way, Fraction]] = defaultdict(dict)
    waiting[_open(first, whole)][first] = Fraction(1)
    met = 1
    for left in range(_open(first, whole), 0, -1):
        for table, probability in waiting.pop(left, {}).items():
            rows_now = [dict(row) for row in table]
            entries = _cycle_of(rows_now, whole)
            up, down = steps(rows_now, entries, whole)
            for step, chance in ((up, Fraction(down, up + down)), (-down, Fraction(up, up + down))):
                moved = _moved(rows_now, entries, step)
                later = waiting[_open(moved, whole)]
                met += moved not in later
                later[moved] = later.get(moved, Fraction(0)) + probability * chance
            if met > most:
                return None
    chances = {
        tuple(tuple((k, x // whole) for k, x in row if x) for row in table): probability
        for table, probability in waiting[0].items()
    }
    return Ways(chances, met)


def _open(table: Way, whole: int) -> int:
    return sum(x % whole > 0 for row in table for _, x in row)


def _cycle_of(rows: Sequence[Mapping[int, int]], whole: int) -> list[tuple[int, int]]:
    open_rows = [{k for k, x in row.items() if x % whole} for row in rows]
    open_columns: dict[int, set[int]] = {}
    for r, row in enumerate(open_rows):
        for k in row:
            open_columns.setdefault(k, set()).add(r)
    return cycle(next(r for r, row in enumerate(open_rows) if row), open_rows, open_columns)


def _moved(rows: Sequence[Mapping[int, int]], entries: Sequence[tuple[int, int]], step: int) -> Way:
    result = [dict(row) for row in rows]
    for sign, (r, k) in zip([1, -1] * (len(entries) // 2), entries, strict=True):
        result[r][k] += sign * step
    return tuple(tuple(sorted(row.items())) for row in result)
