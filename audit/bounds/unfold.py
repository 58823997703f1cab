"""Exact multipliers of rows: added up, checked, and taken back to the rows that the release states.

Columns that a single equation gave are replaced by that equation, the latest first; what is left are multipliers on
short rows, which are combinations of stated rows.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import chain
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.linear_values import as_fraction
from tableseal.audit.execution.executor import in_batches
from tableseal.audit.linear.difference import Differenced
from tableseal.audit.linear.integers import NO_UPPER, largest
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.linear.system import LinearSystem
from tableseal.audit.sparse import csr, multiplied, row_of_entries, rows_at, without_zeros

AT_ONCE = 2_000_000
"""Entries of rows that are combined at the same time."""

Multipliers = dict[int, Fraction]
"""Row -> multiplier."""

Weights = dict[int, Fraction | int]
"""Multipliers, or the weights of a form, while they are added up: whole numbers stay integers, which are quicker."""


def entries_of(matrix: csr_array, row: int) -> Iterator[tuple[int, int]]:
    """(column, entry) pairs of one row."""
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True)


def _plain(factor: Fraction | int) -> Fraction | int:
    return factor.numerator if factor.denominator == 1 else factor


def add_row(target: Weights, matrix: csr_array, row: int, factor: Fraction | int) -> None:
    """target += factor * row."""
    factor = _plain(factor)
    for column, entry in entries_of(matrix, row):
        target[column] = target.get(column, 0) + factor * entry


def nonzero(weights: Mapping[int, Fraction | int], below: int = 1) -> Multipliers:
    """Those that are not 0, as fractions; all divided by `below`."""
    if below != 1:
        return {k: Fraction(v, below) for k, v in weights.items() if v}
    return {k: as_fraction(v) if isinstance(v, int) else v for k, v in weights.items() if v}


def left_over(matrix: csr_array, form: csr_array, y: Mapping[int, Fraction]) -> Multipliers:
    """form - y @ matrix, exactly: column -> what is not 0. form: (1 x columns); y: row -> multiplier."""
    found = _left_over_64(matrix, form, y)
    if found is not None:
        return found
    rest: Weights = dict(entries_of(form, 0))
    for row, factor in y.items():
        add_row(rest, matrix, row, -_plain(factor))
    return nonzero(rest)


def _left_over_64(matrix: csr_array, form: csr_array, y: Mapping[int, Fraction]) -> Multipliers | None:
    """The same in 64 bits, where these are enough: rows of totals are long."""
    below = lcm(*(factor.denominator for factor in y.values()))
    above = [factor.numerator * (below // factor.denominator) for factor in y.values()]
    rows = rows_at(matrix, np.fromiter(y, np.int64, len(y)))
    entry = int(np.abs(np.append(rows.data, form.data)).max(initial=0))
    if (below + sum(map(abs, above))) * entry >= NO_UPPER:
        return None
    factor = np.repeat(np.array(above, dtype=np.int64), np.diff(rows.indptr))
    column = np.concatenate([form.indices, rows.indices])
    weight = np.concatenate([below * form.data, -factor * rows.data])
    order = np.argsort(column, kind="stable")
    first = np.flatnonzero(np.diff(column[order], prepend=-1))
    total = np.add.reduceat(weight[order], first) if len(first) else weight
    left = np.flatnonzero(total)
    columns = column[order][first[left]].tolist()
    return {c: Fraction(v, below) for c, v in zip(columns, total[left].tolist(), strict=True)}


def is_combined(
    matrix: csr_array, forms: csr_array, multipliers: Sequence[Mapping[int, Fraction]]
) -> NDArray[np.bool_]:
    """bool (forms): which of them are exactly y @ matrix; y: row -> multiplier, one for each form."""
    length = np.diff(matrix.indptr)
    work = [int(length[list(y)].sum()) for y in multipliers]
    result = np.zeros(len(multipliers), np.bool_)
    for first, last in in_batches(work, batch=AT_ONCE):
        part = rows_at(forms, np.arange(first, last))
        result[first:last] = _is_combined(matrix, part, multipliers[first:last])
    return result


def _is_combined(
    matrix: csr_array, forms: csr_array, multipliers: Sequence[Mapping[int, Fraction]]
) -> NDArray[np.bool_]:
    below = [lcm(*(factor.denominator for factor in y.values())) for y in multipliers]
    above = [[f.numerator * (d // f.denominator) for f in y.values()] for y, d in zip(multipliers, below, strict=True)]
    entry = int(max(largest(matrix.data), largest(forms.data)))
    if max((d + sum(map(abs, a))) * entry for d, a in zip(below, above, strict=True)) >= NO_UPPER:
        each = (left_over(matrix, rows_at(forms, np.array([f])), y) for f, y in enumerate(multipliers))
        return np.array([not left for left in each], np.bool_)
    rows = csr(
        np.array(list(chain.from_iterable(above)), np.int64),
        np.array(list(chain.from_iterable(multipliers)), np.int64),
        np.cumsum([0, *map(len, above)]),
        (len(above), matrix.shape[0]),
    )
    weights = forms.data * np.array(below, np.int64)[row_of_entries(forms)]
    left = csr_array(multiplied(rows, matrix) - csr(weights, forms.indices, forms.indptr, forms.shape))
    return np.asarray(np.diff(without_zeros(left).indptr) == 0)


def proved_bound(system: LinearSystem, form: csr_array, y: Mapping[int, Fraction]) -> Fraction | None:
    """The lower bound on the form that multipliers on stated rows prove, together with base cells >= 0 where they are;
    None if they prove nothing."""
    rest = left_over(system.matrix, form, y)
    if rest and (not system.nonnegative or any(v < 0 for v in rest.values())):
        return None
    return proved_value(system, y)


def proved_value(system: LinearSystem, y: Mapping[int, Fraction]) -> Fraction | None:
    """The lower bound that multipliers on stated rows prove for y @ matrix; None: one uses a bound that is none."""
    rows = np.fromiter(y, np.int64, len(y))
    below, total = lcm(*(factor.denominator for factor in y.values())), 0
    for factor, low, high in zip(y.values(), system.lower[rows].tolist(), system.upper[rows].tolist(), strict=True):
        above = factor.numerator
        bound = low if above > 0 else high
        if above and abs(bound) >= NO_UPPER:
            return None
        total += above * (below // factor.denominator) * bound
    return Fraction(total, below)


def singleton_places(reduced: Reduced) -> "array[int]":
    """Column -> its place among the singletons, -1 for all others: eight bytes each, where a dict has a hundred."""
    columns = reduced.singletons.column
    places = np.full(len(reduced.value), -1, np.int64)
    places[columns] = np.arange(len(columns))
    return array("q", places.tobytes())


def through_singletons(reduced: Reduced, differenced: Differenced, rest: Weights, order: "array[int]") -> Weights:
    """Multipliers on differenced rows that take away what a form has on columns that singletons gave.

    rest: column -> weight of such columns (emptied); order: see `singleton_places`.
    """
    found: Weights = {}
    singletons = reduced.singletons
    # Latest first: a column's equation holds only columns that were known before it.
    queue = [-order[c] for c in rest]
    heapify(queue)
    while queue:
        k = -heappop(queue)
        column, row = int(singletons.column[k]), int(singletons.row[k])
        weight, divisor = rest.pop(column), int(singletons.entry[k])
        if not weight:
            continue
        factor = weight * divisor if abs(divisor) == 1 else Fraction(weight) / divisor
        for other, entry in entries_of(differenced.matrix, row):
            if other != column:
                if other not in rest:
                    heappush(queue, -order[other])
                rest[other] = rest.get(other, 0) - factor * entry
        found[row] = found.get(row, 0) + factor
    return found
