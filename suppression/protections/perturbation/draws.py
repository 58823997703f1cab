"""How units are drawn by a matrix: one by one, or by quotas.

With quotas as many units go from one state to another as is expected, rounded down or up. What is expected of an
invariant matrix is a table whose margins are the numbers of units in each state; it is rounded at random so that it
keeps its margins, and every entry its expectation (Cox 1987). Units of one state are then shared out at random. So
every unit becomes what the matrix says with the probability that it says, and exactly as many units are in each state
afterwards as before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.protections.perturbation.chain import Matrix, Row, invariant

Ints = NDArray[np.int64]

Draws = Literal["quotas", "independent"]

Below = Callable[[int], int]
"""A whole number from 0 to below another one, each as likely."""

Chance = Callable[[int, int], bool]
"""Yes with the probability of one whole number by another."""


def below(random: np.random.Generator) -> Below:
    """Exact for numbers of any size."""

    def drawn(bound: int) -> int:
        if bound < 2**62:
            return int(random.integers(bound))
        bits = bound.bit_length()
        while True:
            number = int.from_bytes(random.bytes(-(-bits // 8)), "big") >> -bits % 8
            if number < bound:
                return number

    return drawn


@dataclass(frozen=True)
class Group:
    """A stratum that is drawn together. stratum: its number; units: int64, in the order in which is drawn. states: of
    which there are some; number of units and row of the matrix that is drawn by, of each."""

    stratum: int
    units: Ints
    states: Sequence[int]
    number: Sequence[int]
    rows: Sequence[Row]


def groups(state: Ints, strata: Ints, order: Ints, matrix: Matrix, *, made_invariant: bool) -> Iterator[Group]:
    """Strata in the order of their first unit.

    state, strata: int64 (units). order: int64, units in the order in which is drawn; others are in no group.
    """
    _, first = np.unique(strata[order], return_index=True)
    for stratum in strata[order[np.sort(first)]].tolist():
        own = order[strata[order] == stratum]
        states, number = (part.tolist() for part in np.unique(state[own], return_counts=True))
        rows = [matrix.row(one) for one in states]
        yield Group(stratum, own, states, number, invariant(rows, states, number) if made_invariant else rows)


def drawn(state: Ints, group: Group, draws: Draws, draw: Below) -> Ints:
    """int64 (units of the group): what they become. state: int64 (all units)."""
    given = quotas(group.rows, group.number, lambda part, of: draw(of) < part) if draws == "quotas" else None
    own = state[group.units]
    result = own.copy()
    for s, (one, units) in enumerate(zip(group.states, group.number, strict=True)):
        result[own == one] = independent(group.rows[s], units, draw) if given is None else shared_out(given[s], draw)
    return result


def independent(row: Row, units: int, draw: Below) -> list[int]:
    """What each of some units of one state becomes, each on its own."""
    whole = lcm(*(p.denominator for p in row.values()))
    states, ends = list(row), np.cumsum(np.array([int(p * whole) for p in row.values()], object))
    return [states[int(np.searchsorted(ends, draw(whole), side="right"))] for _ in range(units)]


def quotas(rows: Sequence[Row], number: Sequence[int], chance: Chance) -> list[Mapping[int, int]]:
    """How many units of each state become what.

    rows: of an invariant matrix, for each state. number: units in each state.
    """
    parts, whole = expected_parts(rows, number)
    _round(parts, whole, chance)
    return [{k: x // whole for k, x in row.items() if x} for row in parts]


def expected_parts(rows: Sequence[Row], number: Sequence[int]) -> tuple[list[dict[int, int]], int]:
    """How many units of each state are expected to become what, in whole parts of one; and how many parts one is."""
    expected = [{k: n * p for k, p in row.items()} for n, row in zip(number, rows, strict=True)]
    whole = lcm(*(x.denominator for row in expected for x in row.values()))
    return [{k: int(x * whole) for k, x in row.items()} for row in expected], whole


def shared_out(given: Mapping[int, int], draw: Below) -> list[int]:
    """The same numbers of each state in an order by chance, every order as likely."""
    result = [k for k, n in given.items() for _ in range(n)]
    for last in range(len(result) - 1, 0, -1):
        other = draw(last + 1)
        result[last], result[other] = result[other], result[last]
    return result


def _round(parts: list[dict[int, int]], whole: int, chance: Chance) -> None:
    """Round entries (in parts of `whole`) in place: along a cycle of entries that are no whole numbers, alternately
    more and less, until one of them is, with probabilities that keep every expectation."""
    open_rows = [{k for k, x in row.items() if x % whole} for row in parts]
    open_columns: dict[int, set[int]] = {}
    for r, row in enumerate(open_rows):
        for k in row:
            open_columns.setdefault(k, set()).add(r)
    for start in range(len(parts)):
        while open_rows[start]:
            entries = cycle(start, open_rows, open_columns)
            up, down = steps(parts, entries, whole)
            step = up if chance(down, up + down) else -down
            for sign, (r, k) in zip([1, -1] * (len(entries) // 2), entries, strict=True):
                parts[r][k] += sign * step
                if parts[r][k] % whole == 0:
                    open_rows[r].discard(k)
                    open_columns[k].discard(r)


def steps(parts: Sequence[Mapping[int, int]], entries: Sequence[tuple[int, int]], whole: int) -> tuple[int, int]:
    """How far entries of a cycle, alternately, can go more and less, then less and more."""
    values = [parts[r][k] % whole for r, k in entries]
    up = min(*(whole - x for x in values[::2]), *values[1::2])
    return up, min(*values[::2], *(whole - x for x in values[1::2]))


def cycle(start: int, open_rows: Sequence[set[int]], open_columns: Mapping[int, set[int]]) -> list[tuple[int, int]]:
    """Entries (row, column) of a cycle: two in each of its rows and of its columns, one after the other. Every row and
    column with an open entry has a second one, because it sums to a whole number."""
    path: list[tuple[int, int]] = []
    rows, columns = {start: 0}, dict[int, int]()
    row, column = start, None
    while True:
        column = min(k for k in open_rows[row] if k != column)
        path.append((row, column))
        if column in columns:
            return path[columns[column] :]
        columns[column] = len(path)
        row = min(r for r in open_columns[column] if r != row)
        path.append((row, column))
        if row in rows:
            return path[rows[row] :]
        rows[row] = len(path)
