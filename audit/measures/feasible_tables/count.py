"""Counting every feasible table of a component exactly, by a transfer matrix over its columns.

Columns are taken one after another. What the columns taken so far leave to the others is the partial sum of each row
that both have entries in; all partial tables with the same sums are one state, and numbers of tables are added up in
whole numbers of any size. On a two-way component the states are the classical transfer matrix (what is left of the
columns' totals, row by row); on a component that hangs together loosely they are few; in the worst case this lists
tables, with every partial one dropped whose rows can no longer be met.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.sparse import csr, rows_at, stacked, transposed

Ints = NDArray[np.int64]
Numbers = NDArray[Any]
"""Numbers of tables (int64, or Python integers where these might not do) or weights (float64)."""
LogWeight = Callable[[Ints, Ints], NDArray[np.float64]]
"""(columns of the component, their values; one column, or one for each last place of the values) -> natural logarithm
of what each value contributes to a table's weight."""


WIDEST = 1 << 20
"""Values between the smallest and the largest one of a form that are worth a list."""


@dataclass(frozen=True)
class Masses:
    """Of one form: total weight (uniform: number) of the tables in which it has the value first + i, for every i.

    Numbers of tables are exact (Python integers); weights are floats, as sums of positive terms good to about 1e-12.
    """

    first: int
    mass: tuple[int | float, ...]


@dataclass(frozen=True)
class Counted:
    """tables: how many there are; masses: of every target."""

    tables: int
    masses: tuple[Masses, ...]


@dataclass(frozen=True)
class _Layer:
    """One column taken: transition i goes from state source[i] to state target[i] with the column at low + value[i]."""

    column: int
    low: int
    value: Ints
    source: Ints
    target: Ints
    states: int


class TooManyError(Exception):
    """More transitions than allowed."""


def count_tables(component: Component, most: int, log_weight: LogWeight | None = None) -> tuple[Counted | None, int]:
    """(number of feasible tables and distribution of every target over them, transitions used); None if that takes more
    than `most` transitions.

    Parameters
    ----------
    component: column bounds finite, and tight for whole numbers where propagation finds that.
    most: transitions allowed in all.
    log_weight: prior weight of a table as a product over columns; None: every table weighs the same.
    """
    left = most
    targets = component.targets
    size = np.diff(targets.indptr)
    single = (size == 1) & (np.abs(targets.data[np.minimum(targets.indptr[:-1], targets.nnz - 1)]) == 1)
    try:
        layers, _ = _layers(component, left, _order(component.matrix))
        left -= _cost(layers)
        forward, backward = _forward(layers, None), _backward(layers, None)
        tables = int(forward[-1].sum())
        if log_weight is not None:
            forward, backward = _forward(layers, log_weight), _backward(layers, log_weight)
        at = {layer.column: k for k, layer in enumerate(layers)}
        masses: list[Masses] = []
        for t in range(targets.shape[0]):
            columns = targets.indices[targets.indptr[t] : targets.indptr[t + 1]]
            weights = targets.data[targets.indptr[t] : targets.indptr[t + 1]]
            shift = int(weights @ component.column_lower[columns])
            if single[t]:
                k = at[int(columns[0])]
                found = _of_column(layers[k], forward[k], backward[k + 1], log_weight)
                masses.append(_signed(found, shift, int(weights[0])))
            else:
                own, sums = _layers(component, left, (k.column for k in layers), rows_at(targets, np.array([t])))
                left -= _cost(own)
                masses.append(_signed(_masses(sums[:, 0], _forward(own, log_weight)[-1]), shift, 1))
    except TooManyError:
        return None, most - left
    return Counted(tables, tuple(masses)), most - left


def _cost(layers: list[_Layer]) -> int:
    return sum(len(layer.value) for layer in layers)


def _signed(found: Masses, shift: int, sign: int) -> Masses:
    """Of plus or minus the column, whose lower bound times the sign is `shift`."""
    if sign > 0:
        return Masses(found.first + shift, found.mass)
    return Masses(shift - found.first - len(found.mass) + 1, found.mass[::-1])


def _layers(
    component: Component, most: int, order: Iterable[int], tracked: csr_array | None = None
) -> tuple[list[_Layer], Ints]:
    """The transitions of every column, in the given order, and the sums in the last states.

    Sums are measured from the columns' lower bounds. tracked: (1 x columns), a form whose sum the last states tell
    apart, ascending.

    Raises
    ------
    TooManyError
    """
    matrix, low = component.matrix, component.column_lower
    room = component.column_upper - low
    moved = product(matrix, low)
    least = np.where(component.lower == NO_LOWER, NO_LOWER, component.lower - moved)
    greatest = np.where(component.upper == NO_UPPER, NO_UPPER, component.upper - moved)
    if tracked is not None:
        matrix = stacked([matrix, tracked])
        least, greatest = np.append(least, NO_LOWER), np.append(greatest, NO_UPPER)
    by_column = transposed(matrix)
    sizes = csr(np.abs(matrix.data), matrix.indices, matrix.indptr, matrix.shape)
    spread = product(sizes, room)  # a LimitError if a partial sum could leave 64 bits
    rest_low = -product(csr(np.maximum(-matrix.data, 0), matrix.indices, matrix.indptr, matrix.shape), room)
    rest_high = spread + rest_low
    left = np.diff(matrix.indptr).copy()
    kept = matrix.shape[0] - 1 if tracked is not None else -1
    active: list[int] = []
    sums = np.zeros((1, 0), np.int64)
    layers: list[_Layer] = []
    for column in order:
        rows = by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]
        entries = by_column.data[by_column.indptr[column] : by_column.indptr[column + 1]]
        opened = [r for r in rows.tolist() if r not in active]
        active += opened
        if opened:
            sums = np.concatenate([sums, np.zeros((len(sums), len(opened)), np.int64)], axis=1)
        from_value = np.zeros(len(sums), np.int64)
        to_value = np.full(len(sums), room[column])
        for r, entry in zip(rows.tolist(), entries.tolist(), strict=True):
            rest_low[r] -= min(entry, 0) * room[column]
            rest_high[r] -= max(entry, 0) * room[column]
            left[r] -= 1
            now = sums[:, active.index(r)]
            # entry * value lies between what is needed and what is still allowed, whatever the others do.
            need = NO_LOWER if least[r] == NO_LOWER else least[r] - rest_high[r] - now
            allow = NO_UPPER if greatest[r] == NO_UPPER else greatest[r] - rest_low[r] - now
            bottom, top = (need, allow) if entry > 0 else (-allow, -need)
            from_value = np.maximum(from_value, -(-bottom // abs(entry)))
            to_value = np.minimum(to_value, top // abs(entry))
        values = np.maximum(to_value - from_value + 1, 0)
        most -= int(values.sum())
        if most < 0:
            raise TooManyError
        source = np.repeat(np.arange(len(sums)), values)
        value = np.arange(len(source)) - np.repeat(np.cumsum(values) - values - from_value, values)
        wide = sums[source]
        for r, entry in zip(rows.tolist(), entries.tolist(), strict=True):
            now = wide[:, active.index(r)]
            now += entry * value
            if least[r] < greatest[r] and r != kept:
                # A row that holds whatever the others do: which sum it has makes no difference any more.
                sure = (now + rest_low[r] >= least[r]) & (now + rest_high[r] <= greatest[r])
                now[sure] = least[r] - rest_low[r] if least[r] != NO_LOWER else greatest[r] - rest_high[r]
        open_still = [p for p, r in enumerate(active) if left[r] or r == kept]
        wide = wide[:, open_still]
        active = [active[p] for p in open_still]
        sums, target = _distinct(wide)
        layers.append(_Layer(column, int(low[column]), value, source, target, len(sums)))
    return layers, sums


def _order(matrix: csr_array) -> Iterator[int]:
    """All columns, row by row, so that few rows are open: next the row whose remaining columns open the fewest others.

    One by one, because counting a large component is given up after the first few.
    """
    by_column = transposed(matrix)
    row_columns = [set(matrix.indices[a:b].tolist()) for a, b in pairwise(matrix.indptr)]
    column_rows = [by_column.indices[a:b].tolist() for a, b in pairwise(by_column.indptr)]
    opened: set[int] = set()

    def cost(row: int) -> tuple[int, int, int]:
        touched = {s for c in row_columns[row] for s in column_rows[c]}
        return len(touched - opened - {row}), len(row_columns[row]), row

    pending = {r for r, columns in enumerate(row_columns) if columns}
    while pending:
        row = min(pending, key=cost)
        for column in sorted(row_columns[row], key=lambda c: (len(set(column_rows[c]) - opened), c)):
            yield column
            opened.update(column_rows[column])
            for s in column_rows[column]:
                row_columns[s].discard(column)
        pending = {r for r in pending if row_columns[r]}
    yield from (c for c, rows in enumerate(column_rows) if not rows)


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """(the different rows in ascending order, which of them each row is)."""
    if rows.shape[1] == 0 or len(rows) == 0:
        return rows[:1], np.zeros(len(rows), np.int64)
    low = rows.min(axis=0)
    span = rows.max(axis=0) - low + 1
    if np.log2(span.astype(np.float64)).sum() < 62:
        key = np.zeros(len(rows), np.int64)
        for j in range(rows.shape[1]):
            key = key * span[j] + (rows[:, j] - low[j])
        _, first, kind = np.unique(key, return_index=True, return_inverse=True)
        return rows[first], kind.ravel()
    different, kind = np.unique(rows, axis=0, return_inverse=True)
    return different, kind.ravel()


def _weights(layer: _Layer, log_weight: LogWeight | None) -> NDArray[np.float64] | None:
    """Weight of each transition, the largest of the column scaled to 1."""
    if log_weight is None:
        return None
    log = log_weight(np.array(layer.column), layer.low + layer.value)
    largest = log.max(initial=-np.inf)
    return np.asarray(np.exp(log - (largest if largest > -np.inf else 0.0)))


def _numbers(layers: list[_Layer]) -> type:
    """Whole numbers of 64 bits where no number of tables can leave them, else of any size."""
    return np.int64 if sum(log2(int(layer.value.max(initial=0)) + 1) for layer in layers) < 62 else object


def _grouped(number: Numbers, group: Ints, groups: int) -> Numbers:
    """Sum of numbers by group, in their own arithmetic."""
    result = np.zeros(groups, number.dtype)
    np.add.at(result, group, number)
    return result


def _forward(layers: list[_Layer], log_weight: LogWeight | None) -> list[Numbers]:
    """Before each layer and at the end: number (or scaled weight) of the partial tables in each state."""
    result: list[Numbers] = [np.ones(1, np.float64 if log_weight else _numbers(layers))]
    for layer in layers:
        number, weight = result[-1][layer.source], _weights(layer, log_weight)
        found = _grouped(number if weight is None else number * weight, layer.target, layer.states)
        result.append(found if weight is None else _scaled(found))
    return result


def _backward(layers: list[_Layer], log_weight: LogWeight | None) -> list[Numbers]:
    """Before each layer and at the end: number (or scaled weight) of ways to complete each state."""
    result: list[Numbers] = [
        np.ones(layers[-1].states if layers else 1, np.float64 if log_weight else _numbers(layers))
    ]
    for k in range(len(layers) - 1, -1, -1):
        layer, before = layers[k], layers[k - 1].states if k else 1
        number, weight = result[-1][layer.target], _weights(layer, log_weight)
        found = _grouped(number if weight is None else number * weight, layer.source, before)
        result.append(found if weight is None else _scaled(found))
    return result[::-1]


def _scaled(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = weight.max(initial=0.0)
    return weight / largest if largest > 0 else weight


def _of_column(
    layer: _Layer,
    forward: Numbers,
    backward: Numbers,
    log_weight: LogWeight | None,
) -> Masses:
    number, weight = forward[layer.source] * backward[layer.target], _weights(layer, log_weight)
    return _masses(layer.value, number if weight is None else number * weight)


def _masses(value: Ints, number: Numbers) -> Masses:
    """Numbers of tables (or weights) by value."""
    if len(value) == 0:
        return Masses(0, ())
    first = int(value.min())
    span = int(value.max()) - first + 1
    if span > WIDEST:
        raise TooManyError
    return Masses(first, tuple(_grouped(number, value - first, span).tolist()))
