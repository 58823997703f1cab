"""The loops over sparse rows: elimination modulo a prime, base cells of cells, and propagation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

MOST = float(2**61)
"""Row sums of this size might not fit 64 bits: the bounds of such a row are dropped rather than trusted."""


class Rows(NamedTuple):
    """A sparse matrix, row after row (csr)."""

    indptr: Cells
    indices: Cells
    data: Cells


class Echelon(NamedTuple):
    """Row echelon form of a matrix modulo a prime, as far as it is made.

    Row k has entries column/entry[ptr[k]:ptr[k+1]], the first one its pivot with entry 1; it is scale[k] * (row
    source[k] of the matrix - sum of step_factor * echelon row step_row over the steps of that row, which are
    step_ptr[source[k]]:step_ptr[source[k]+1]). row_of[c]: echelon row with its pivot in column c, -1 for none.
    work (columns), factor (rows): zeros, room to work in.
    """

    prime: int
    row_of: Cells
    ptr: Cells
    column: Cells
    entry: Cells
    source: Cells
    scale: Cells
    step_ptr: Cells
    step_row: Cells
    step_factor: Cells
    work: Cells
    factor: Cells


class Combinations(NamedTuple):
    """Forms as sums of rows: form f is the sum of value * row over ptr[f]:ptr[f+1]; inside[f] is 0 if it is none."""

    inside: Cells
    ptr: Cells
    row: Cells
    value: Cells


class Atoms(NamedTuple):
    """indptr[place[v] + c]:indptr[place[v] + c + 1] are the moves to the atoms of code c of variable v."""

    place: Cells
    indptr: Cells
    moves: Cells


class Bounds(NamedTuple):
    """Lower and upper bounds; NO_LOWER, NO_UPPER: none."""

    lower: Cells
    upper: Cells


@kernel
def eliminate(matrix: Rows, echelon: Echelon, first: int, rank: int) -> tuple[int, int]:
    """Row echelon form modulo a prime, row after row from `first`; (rows done, rank so far).

    A row that leaves nothing is the sum over its steps. Ends early, at a row that is not begun, when entries or steps
    are full.
    """
    indptr, indices, data, prime, work = matrix.indptr, matrix.indices, matrix.data, echelon.prime, echelon.work
    row_of, ptr, column, entry = echelon.row_of, echelon.ptr, echelon.column, echelon.entry
    step_ptr, step_row, step_factor = echelon.step_ptr, echelon.step_row, echelon.step_factor
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
        echelon.source[rank] = r
        echelon.scale[rank] = inverse
        rank += 1
    return len(indptr) - 1, rank


@kernel
def null_vector(echelon: Echelon, x: Cells) -> None:
    """Fill in the pivots of a solution of the homogeneous equations; x holds its values at the other columns."""
    prime, row_of, ptr, column, entry = echelon.prime, echelon.row_of, echelon.ptr, echelon.column, echelon.entry
    for c in range(len(row_of) - 1, -1, -1):
        k = row_of[c]
        if k >= 0:
            total = 0
            for t in range(ptr[k] + 1, ptr[k + 1]):
                total = (total + entry[t] * x[column[t]]) % prime
            x[c] = (prime - total) % prime


@kernel
def combine(forms: Rows, echelon: Echelon, found: Combinations, first: int) -> int:
    """Write forms as combinations of the rows that gave pivots, modulo the prime; forms done.

    Ends early, before a form, when there is no more room in `found`.
    """
    indptr, indices, data, prime = forms.indptr, forms.indices, forms.data, echelon.prime
    work, factor, row_of, ptr = echelon.work, echelon.factor, echelon.row_of, echelon.ptr
    column, entry, step_ptr = echelon.column, echelon.entry, echelon.step_ptr
    columns = len(work)
    for f in range(first, len(indptr) - 1):
        low, high, lowest, highest = columns, -1, len(factor), -1
        for t in range(indptr[f], indptr[f + 1]):
            c = indices[t]
            work[c] = data[t] % prime
            low = min(low, c)
            high = max(high, c)
        inside = 1
        i = low
        while i <= high:
            a = work[i]
            if a != 0:
                k = row_of[i]
                if k < 0:
                    inside = 0
                    break
                factor[k] = a
                lowest = min(lowest, k)
                highest = max(highest, k)
                for t in range(ptr[k], ptr[k + 1]):
                    c = column[t]
                    work[c] = (work[c] - a * entry[t]) % prime
                high = max(high, column[ptr[k + 1] - 1])
            i += 1
        top = found.ptr[f]
        if inside == 0:
            for c in range(low, high + 1):
                work[c] = 0
            for k in range(lowest, highest + 1):
                factor[k] = 0
        k = highest
        while inside and k >= lowest:
            a = factor[k]
            if a != 0:
                factor[k] = 0
                a = a * echelon.scale[k] % prime
                if top >= len(found.row):
                    for j in range(lowest, k):
                        factor[j] = 0
                    return f
                r = echelon.source[k]
                found.row[top] = r
                found.value[top] = a
                top += 1
                for t in range(step_ptr[r], step_ptr[r + 1]):
                    j = echelon.step_row[t]
                    factor[j] = (factor[j] - a * echelon.step_factor[t]) % prime
                    lowest = min(lowest, j)
            k -= 1
        found.inside[f] = inside
        found.ptr[f + 1] = top
    return len(indptr) - 1


@kernel
def expand(codes: Cells, width: int, atoms: Atoms, offset: int, column: NDArray[np.int32]) -> None:
    """List the base cells of many cells, one cell after another.

    codes: of `width` variables for each cell. column: filled.
    """
    place, indptr, moves = atoms.place, atoms.indptr, atoms.moves
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


@kernel
def tighten(matrix: Rows, row: Bounds, now: Bounds, new: Bounds, integer: bool) -> None:
    """One round of propagation: what every row says of its columns, given the bounds of the others now.

    new: a copy of them that is tightened. Sums of a row that might not fit are not trusted.
    """
    indptr, indices, data, low, high = matrix.indptr, matrix.indices, matrix.data, now.lower, now.upper
    new_low, new_high = new.lower, new.upper
    for r in range(len(indptr) - 1):
        least, greatest, least_gaps, greatest_gaps = 0, 0, 0, 0
        least_size, greatest_size = 0.0, 0.0
        for t in range(indptr[r], indptr[r + 1]):
            e = data[t]
            a, b = low[indices[t]], high[indices[t]]
            if e < 0:
                a, b = b, a
            if NO_LOWER < a < NO_UPPER:
                least_size += abs(float(e)) * abs(float(a))
            if NO_LOWER < b < NO_UPPER:
                greatest_size += abs(float(e)) * abs(float(b))
        for t in range(indptr[r], indptr[r + 1]):
            e = data[t]
            a, b = low[indices[t]], high[indices[t]]
            if e < 0:
                a, b = b, a
            if NO_LOWER < a < NO_UPPER and least_size < MOST:
                least += e * a
            else:
                least_gaps += 1
            if NO_LOWER < b < NO_UPPER and greatest_size < MOST:
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
            own = NO_LOWER < a < NO_UPPER and least_size < MOST
            if row.upper[r] != NO_UPPER and (least_gaps == 0 or (least_gaps == 1 and not own)):
                room = row.upper[r] - least + (e * a if own else 0)
                value = room // size if integer else -((-room) // size)
                if e > 0 and value < new_high[c]:
                    new_high[c] = value
                if e < 0 and -value > new_low[c]:
                    new_low[c] = -value
            own = NO_LOWER < b < NO_UPPER and greatest_size < MOST
            if row.lower[r] != NO_LOWER and (greatest_gaps == 0 or (greatest_gaps == 1 and not own)):
                need = row.lower[r] - greatest + (e * b if own else 0)
                value = -((-need) // size) if integer else need // size
                if e > 0 and value > new_low[c]:
                    new_low[c] = value
                if e < 0 and -value < new_high[c]:
                    new_high[c] = -value
