"""How many contribute to a combination, and what they weigh: the agency's columns add up like values."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.linear.graph import connected
from tableseal.audit.model import Amounts, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.sparse import rows_at, stacked

LARGEST = 5_000_000
"""Coefficients of cells up to which this is asked."""


def tallies(prepared: Prepared, forms: csr_array, stated: Amounts) -> Amounts:
    """Numbers of contributors (or sums of their weights) of forms (forms x columns) that follow from those stated of
    the cells, withheld ones among them. Zeros that everyone knows have none. Where they contradict each other, nothing
    follows from what hangs together with them."""
    system, cells = prepared.system, prepared.cells
    zero = (cells.status == Status.STRUCTURAL_ZERO) | ((cells.row < 0) & cells.exact & (cells.truth.units == 0))
    known = stated.known | zero
    number = np.where(stated.known, stated.units, 0)
    of_cell = system.cell >= 0  # other rows that are no links make base tables agree
    counted = np.where(of_cell, known[system.cell], system.link < 0)
    of_row = np.where(counted & of_cell, number[system.cell], 0)
    open_ = np.flatnonzero(known[system.open_cells])
    of_open = number[system.open_cells[open_]]
    # Rows that were made short, where everything in them is counted, say the same in fewer coefficients.
    transform = prepared.differenced.transform
    short = counted & (transform.astype(np.bool_) @ (~counted).astype(np.int64) == 0)
    as_stated = np.flatnonzero(counted & ~short)
    parts = [
        rows_at(prepared.differenced.matrix, np.flatnonzero(short)),
        rows_at(system.matrix, as_stated),
        rows_at(system.forms, open_),
    ]
    nothing = Amounts.none(forms.shape[0])
    if sum(part.nnz for part in parts) > LARGEST or not forms.shape[0]:
        return nothing
    equations = Elimination(stacked(parts), np.concatenate([(transform @ of_row)[short], of_row[as_stated], of_open]))
    if not equations.consistent:
        at = np.flatnonzero(counted)  # as they are: made short, contradictions no longer hang together with their cells
        rows = stacked([rows_at(system.matrix, at), rows_at(system.forms, open_)])
        if rows.nnz > LARGEST:
            return nothing
        equations = _agreeing(rows, np.concatenate([of_row[at], of_open]))
    found = equations.values(forms)
    below = found.denominator.astype(object)
    told = found.known & (found.numerator % below == 0).astype(np.bool_) & (found.numerator >= 0).astype(np.bool_)
    return Amounts(np.where(told, found.numerator // below, 0).astype(np.int64), told)


def _agreeing(matrix: csr_array, value: NDArray[np.int64]) -> Elimination:
    """The equations without the components that contradict themselves."""
    label, _ = connected(matrix)
    good = np.zeros(len(value), np.bool_)
    for component in range(int(label.max()) + 1):
        rows = np.flatnonzero(label == component)
        good[rows] = Elimination(rows_at(matrix, rows), value[rows]).consistent
    return Elimination(rows_at(matrix, np.flatnonzero(good)), value[good])
