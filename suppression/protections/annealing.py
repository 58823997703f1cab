"""Multiples near a table by simulated annealing: a start for what integer programs then mend.

Each base cell takes its lower or its upper neighbour. A move changes one of them, or two of one sum in opposite
directions. The energy of a row is its distance from the true value and, beyond its two neighbours, a price per step.
"""

from typing import NamedTuple

import numpy as np

from tableseal.audit.compiling import Cells, kernel

ROUNDS = 200
"""In which it cools down."""

MASK = (1 << 48) - 1

EXPONENTIAL = np.round(-np.log((np.arange(1024) + 0.5) / 1024) * 1024).astype(np.int64)
"""Quantiles of the exponential distribution, in 1/1024: whole numbers, so that every machine accepts the same moves."""


class Rows(NamedTuple):
    """What is to be near. start, row: of each column, the rows in which it stands. first, column: of each row, the
    columns that can move. value: true value; low, high: neighbours; counts: 1 where distance counts, else 0; price: of
    a step beyond."""

    start: Cells
    row: Cells
    first: Cells
    column: Cells
    value: Cells
    low: Cells
    high: Cells
    counts: Cells
    price: Cells


@kernel
def energy(rows: Rows, base: int, r: int, s: int) -> int:
    """Of a row at a number of steps."""
    found = rows.counts[r] * abs(base * s - rows.value[r])
    if s < rows.low[r]:
        found += rows.price[r] * (rows.low[r] - s)
    elif s > rows.high[r]:
        found += rows.price[r] * (s - rows.high[r])
    return found  # type: ignore[no-any-return]


@kernel
def difference(rows: Rows, base: int, sums: Cells, column: int, step: int) -> int:
    """What a step of a column does to the energy."""
    found = 0
    for k in range(rows.start[column], rows.start[column + 1]):
        r = rows.row[k]
        found += energy(rows, base, r, sums[r] + step) - energy(rows, base, r, sums[r])
    return found


@kernel
def go(rows: Rows, sums: Cells, column: int, step: int) -> None:
    """Make the step."""
    for k in range(rows.start[column], rows.start[column + 1]):
        sums[rows.row[k]] += step


@kernel
def anneal(
    rows: Rows, base: int, free: Cells, up: Cells, sums: Cells, quantiles: Cells, heat: int, moves: int, state: int
) -> int:
    """So many moves at one temperature (heat, in units / 1024). up: 1 where a column is at its upper neighbour; it and
    `sums` are changed. Returns the state of the generator."""
    for _ in range(moves):
        state = (state * 25214903917 + 11) & MASK
        one = free[(state >> 17) % len(free)]
        step = 1 - 2 * up[one]
        found = difference(rows, base, sums, one, step)
        state = (state * 25214903917 + 11) & MASK
        most = (heat * quantiles[(state >> 17) & 1023]) >> 20
        if found <= most:
            go(rows, sums, one, step)
            up[one] = 1 - up[one]
            continue
        state = (state * 25214903917 + 11) & MASK
        r = rows.row[rows.start[one] + (state >> 17) % (rows.start[one + 1] - rows.start[one])]
        other = one
        for _ in range(4):
            state = (state * 25214903917 + 11) & MASK
            other = rows.column[rows.first[r] + (state >> 17) % (rows.first[r + 1] - rows.first[r])]
            if up[other] != up[one]:
                break
        if up[other] == up[one]:
            continue
        go(rows, sums, one, step)
        if found + difference(rows, base, sums, other, -step) <= most:
            go(rows, sums, other, -step)
            up[one], up[other] = up[other], up[one]
        else:
            go(rows, sums, one, -step)
    return state
