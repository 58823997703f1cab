"""The loops that are compiled when there is much to do.

Each function is written once, in Python that numba compiles: small inputs run it as it stands, over lists, and never
wait for a compiler. Arrays (or lists) come in from outside, and a function that finds one full says how far it got.
"""

from collections.abc import Callable
from functools import cache
from sys import modules
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORTH_COMPILING = 10_000
"""Entries of a matrix above which importing numba (half a second once) pays."""

WORTH_LOADING = 2_000
"""The same where numba is imported already (3,095 entries: 22 ms as they stand, 2 ms compiled, once loaded)."""

Cells = Any
"""int64 array where compiled, list of int otherwise."""


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    from numba import njit

    try:
        result: Callable[..., Any] = njit(cache=True)(function)
    except RuntimeError:  # nowhere to keep it
        result = njit(function)
    loaded.add(function)
    return result


loaded: set[Callable[..., Any]] = set()
"""Kernels that are compiled in this process already: they are used for small inputs, too, where they are faster."""


class Runner:
    """Runs kernels compiled or as they stand, and makes the arrays they want."""

    def __init__(self, entries: int, *kernels: Callable[..., Any]) -> None:
        """`entries`: of the matrix; `kernels`: all that will be run."""
        worth = WORTH_LOADING if "numba" in modules else WORTH_COMPILING
        self.compiled = entries > worth or loaded.issuperset(kernels)

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The kernel's result."""
        return (_compiled(function) if self.compiled else function)(*arguments)

    def array(self, values: NDArray[Any]) -> Cells:
        """Values as the kernels want them (compiled: always the same kind of array, for another would be compiled
        again)."""
        return np.require(values, np.int64, ["C", "W"]) if self.compiled else values.tolist()

    def full(self, size: int, value: int) -> Cells:
        """A constant array."""
        return np.full(size, value, dtype=np.int64) if self.compiled else [value] * size

    def longer(self, cells: Cells, size: int) -> Cells:
        """The same array with room for `size` entries."""
        more = self.full(max(0, size - len(cells)), 0)
        return np.concatenate([cells, more]) if self.compiled else cells + more


def eliminate(
    indptr: Cells,
    indices: Cells,
    data: Cells,
    prime: int,
    first: int,
    rank: int,
    work: Cells,
    row_of: Cells,
    ptr: Cells,
    column: Cells,
    entry: Cells,
    source: Cells,
    scale: Cells,
    step_ptr: Cells,
    step_row: Cells,
    step_factor: Cells,
) -> tuple[int, int]:
    """Row echelon form modulo a prime, row after row from `first`; (rows done, rank so far).

    Echelon row k has entries column/entry[ptr[k]:ptr[k+1]], the first one its pivot with entry 1; it is scale[k] *
    (row source[k] - sum of step_factor * echelon row step_row over the steps of that row). row_of[c]: echelon row with
    its pivot in column c, -1 for none. A row that leaves nothing is the sum over its steps.
    work: zeros, a place for one row. Ends early, at a row that is not begun, when entries or steps are full.
    """
    columns = len(work)
    for r in range(first, len(indptr) - 1):
        low, high, pivot = columns, -1, -1
        for t in range(indptr[r], indptr[r + 1]):
            c = indices[t]
            work[c] = data[t] % prime
            low = min(low, c)
            high = max(high, c)
        step = step_ptr[r]
        full = False
        i = low
        while i <= high:
            a = work[i]
            if a != 0:
                k = row_of[i]
                if k < 0:
                    pivot = i
                    break
                if step >= len(step_row):
                    full = True
                    break
                step_row[step] = k
                step_factor[step] = a
                step += 1
                for t in range(ptr[k], ptr[k + 1]):
                    c = column[t]
                    work[c] = (work[c] - a * entry[t]) % prime
                high = max(high, column[ptr[k + 1] - 1])
            i += 1
        if full or (pivot >= 0 and ptr[rank] + high - pivot + 1 > len(column)):
            for c in range(low, high + 1):
                work[c] = 0
            return r, rank
        step_ptr[r + 1] = step
        if pivot < 0:
            continue
        inverse, power, exponent = 1, work[pivot], prime - 2
        while exponent:
            if exponent & 1:
                inverse = inverse * power % prime
            power = power * power % prime
            exponent >>= 1
        top = ptr[rank]
        for c in range(pivot, high + 1):
            if work[c] != 0:
                column[top] = c
                entry[top] = work[c] * inverse % prime
                work[c] = 0
                top += 1
        row_of[pivot] = rank
        ptr[rank + 1] = top
        source[rank] = r
        scale[rank] = inverse
        rank += 1
    return len(indptr) - 1, rank


def null_vector(prime: int, row_of: Cells, ptr: Cells, column: Cells, entry: Cells, x: Cells) -> None:
    """Fill in the pivots of a solution of the homogeneous equations; x holds its values at the other columns."""
    for c in range(len(row_of) - 1, -1, -1):
        k = row_of[c]
        if k >= 0:
            total = 0
            for t in range(ptr[k] + 1, ptr[k + 1]):
                total = (total + entry[t] * x[column[t]]) % prime
            x[c] = (prime - total) % prime


def combine(
    indptr: Cells,
    indices: Cells,
    data: Cells,
    prime: int,
    first: int,
    work: Cells,
    factor: Cells,
    row_of: Cells,
    ptr: Cells,
    column: Cells,
    entry: Cells,
    source: Cells,
    scale: Cells,
    step_ptr: Cells,
    step_row: Cells,
    step_factor: Cells,
    inside: Cells,
    out_ptr: Cells,
    out_row: Cells,
    out_value: Cells,
) -> int:
    """Write forms as combinations of the rows that gave pivots, modulo the prime; forms done.

    Form f is the sum of out_value * row out_row over out_ptr[f]:out_ptr[f+1]; inside[f] is 0 if it is none.
    work: zeros (columns); factor: zeros (rank). Ends early, before a form, when the output is full.
    """
    columns = len(work)
    for f in range(first, len(indptr) - 1):
        low, high, lowest, highest = columns, -1, len(factor), -1
        for t in range(indptr[f], indptr[f + 1]):
            c = indices[t]
            work[c] = data[t] % prime
            low = min(low, c)
            high = max(high, c)
        found = 1
        i = low
        while i <= high:
            a = work[i]
            if a != 0:
                k = row_of[i]
                if k < 0:
                    found = 0
                    break
                factor[k] = a
                lowest = min(lowest, k)
                highest = max(highest, k)
                for t in range(ptr[k], ptr[k + 1]):
                    c = column[t]
                    work[c] = (work[c] - a * entry[t]) % prime
                high = max(high, column[ptr[k + 1] - 1])
            i += 1
        top = out_ptr[f]
        if found == 0:
            for c in range(low, high + 1):
                work[c] = 0
            for k in range(lowest, highest + 1):
                factor[k] = 0
        k = highest
        while found and k >= lowest:
            a = factor[k]
            if a != 0:
                factor[k] = 0
                a = a * scale[k] % prime
                if top >= len(out_row):
                    for j in range(lowest, k):
                        factor[j] = 0
                    return f
                r = source[k]
                out_row[top] = r
                out_value[top] = a
                top += 1
                for t in range(step_ptr[r], step_ptr[r + 1]):
                    j = step_row[t]
                    factor[j] = (factor[j] - a * step_factor[t]) % prime
                    lowest = min(lowest, j)
            k -= 1
        inside[f] = found
        out_ptr[f + 1] = top
    return len(indptr) - 1


def expand(
    codes: Cells, width: int, place: Cells, indptr: Cells, moves: Cells, offset: int, column: NDArray[np.int32]
) -> None:
    """List the base cells of many cells, one cell after another.

    codes: of `width` variables for each cell. place: where in `indptr` each variable begins; that says by code where
    in `moves` its atoms stand. column: filled.
    """
    first = 0
    for i in range(len(codes) // width):
        total = 1
        for v in range(width):
            at = place[v] + codes[i * width + v]
            total *= indptr[at + 1] - indptr[at]
        if total == 0:
            continue
        column[first] = offset
        count = 1
        for v in range(width):
            at = place[v] + codes[i * width + v]
            many = indptr[at + 1] - indptr[at]
            # From the back, so that no base cell is overwritten before it is crossed with the atoms.
            for k in range(count - 1, -1, -1):
                c = column[first + k]
                for t in range(many - 1, -1, -1):
                    column[first + k * many + t] = c + moves[indptr[at] + t]
            count *= many
        first += total


def tighten(
    indptr: Cells,
    indices: Cells,
    data: Cells,
    lower: Cells,
    upper: Cells,
    low: Cells,
    high: Cells,
    new_low: Cells,
    new_high: Cells,
    integer: bool,
    none: int,
    most: float,
) -> None:
    """One round of propagation: what every row says of its columns, given the bounds low and high of the others.

    new_low, new_high: copies of low and high that are tightened. none: no bound (negative: below); most: row sums from
    here on are not trusted to fit.
    """
    for r in range(len(indptr) - 1):
        least, greatest, least_gaps, greatest_gaps = 0, 0, 0, 0
        least_size, greatest_size = 0.0, 0.0
        for t in range(indptr[r], indptr[r + 1]):
            e = data[t]
            a, b = low[indices[t]], high[indices[t]]
            if e < 0:
                a, b = b, a
            if -none < a < none:
                least_size += abs(float(e)) * abs(float(a))
            if -none < b < none:
                greatest_size += abs(float(e)) * abs(float(b))
        for t in range(indptr[r], indptr[r + 1]):
            e = data[t]
            a, b = low[indices[t]], high[indices[t]]
            if e < 0:
                a, b = b, a
            if -none < a < none and least_size < most:
                least += e * a
            else:
                least_gaps += 1
            if -none < b < none and greatest_size < most:
                greatest += e * b
            else:
                greatest_gaps += 1
        for t in range(indptr[r], indptr[r + 1]):
            c, e = indices[t], data[t]
            a, b = low[c], high[c]
            if e < 0:
                a, b = b, a
            size = abs(e)
            # size * (+-x) <= upper - (least of the others), size * (+-x) >= lower - (greatest of the others)
            own = -none < a < none and least_size < most
            if upper[r] != none and (least_gaps == 0 or (least_gaps == 1 and not own)):
                room = upper[r] - least + (e * a if own else 0)
                value = room // size if integer else -((-room) // size)
                if e > 0 and value < new_high[c]:
                    new_high[c] = value
                if e < 0 and -value > new_low[c]:
                    new_low[c] = -value
            own = -none < b < none and greatest_size < most
            if lower[r] != -none and (greatest_gaps == 0 or (greatest_gaps == 1 and not own)):
                need = lower[r] - greatest + (e * b if own else 0)
                value = -((-need) // size) if integer else need // size
                if e > 0 and value > new_low[c]:
                    new_low[c] = value
                if e < 0 and -value < new_high[c]:
                    new_high[c] = -value
