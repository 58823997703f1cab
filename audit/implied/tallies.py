"""How many contribute to a combination: what the same equations say of the agency's frequency columns."""

from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.pieces import known_part
from audit.linear.eliminate import Elimination
from audit.linear.integers import product
from audit.linear.marks import marks
from audit.linear.reduce import Reduced
from audit.model import Amounts
from audit.prepare import Prepared
from audit.sparse import rows_at

MARK = 2**30
"""Statements without a frequency get random numbers below this: a combination of statements that uses one of them is
told by a sum that is not 0."""


def tallies(prepared: Prepared, reduced: Reduced, forms: csr_array) -> Amounts:
    """Numbers of contributors of forms (forms x columns) that the equations alone give, as far as every released cell
    that the equations use has a frequency."""
    system, cells = prepared.system, prepared.cells
    of_cell = system.cell >= 0
    frequency = np.zeros(len(system.cell), np.int64)
    frequency[of_cell] = cells.frequency.units[system.cell[of_cell]]
    unknown = system.link >= 0
    unknown[of_cell] = ~cells.frequency.known[system.cell[of_cell]]
    told = np.where(unknown, 0, frequency)
    untold = np.where(unknown, marks(20260103, len(unknown), low=1, high=MARK), 0)
    known, number = _values(prepared, reduced, forms, told)
    _, other = _values(prepared, reduced, forms, untold)
    known &= (other == 0) & (number >= 0)
    return Amounts(np.where(known, number, 0), known)


def _values(
    prepared: Prepared, reduced: Reduced, forms: csr_array, stated: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """What the equations give for forms if the statements had these values; known only where it is a whole number."""
    differenced = prepared.differenced
    right = product(differenced.transform, stated)
    column = _singletons(reduced, differenced.matrix, right)
    value, rest = known_part(forms, reduced.by_singleton, column)
    known = np.diff(rest.indptr) == 0
    left = np.flatnonzero(~known)
    if reduced.equations is not None and len(left):
        rows = rows_at(differenced.matrix, reduced.equation_row)
        told = right[reduced.equation_row] - known_part(rows, reduced.by_singleton, column)[0]
        equations: Elimination = copy(reduced.equations)
        equations.value = told
        found = equations.values(rows_at(rest, left))
        below = found.denominator.astype(object)
        whole = (found.numerator % below == 0).astype(np.bool_)
        known[left] = found.known & whole
        value[left] += np.where(known[left], found.numerator // below, 0).astype(np.int64)
    return known, value


def _singletons(reduced: Reduced, matrix: csr_array, right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Values of the columns that single equations give, if these had the right hand sides `right`."""
    singletons = reduced.singletons
    value = np.zeros(matrix.shape[1], np.int64)
    done = np.zeros(matrix.shape[1], np.bool_)
    left = np.arange(len(singletons))
    while len(left):
        rows = rows_at(matrix, singletons.row[left])
        others = csr_array((np.ones(rows.nnz, np.int64), rows.indices, rows.indptr), shape=rows.shape)
        waiting = others @ (reduced.by_singleton & ~done).astype(np.int64)
        ready = waiting == 1
        own = left[ready]
        rest = right[singletons.row[own]] - product(rows_at(rows, np.flatnonzero(ready)), value)
        value[singletons.column[own]] = rest // singletons.entry[own]
        done[singletons.column[own]] = True
        left = left[~ready]
    return value
