"""Margins restored after a perturbation: proportional fitting, then whole numbers that add up.

Iterative proportional fitting (Deming & Stephan 1940) takes the perturbed inner cells to the true values of all other
cells. Of all tables of whole numbers with these margins in which no inner cell is beyond the counts that the
perturbation may make of it, the one nearest to the fit, rounded, is chosen; the true table is one of them.

What is published may itself have been drawn wherever the matrix takes the true table there in one step, each cell on
its own; and what is drawn with the true margins stays as it is. So without invariance and quotas every table with the
published margins whose cells the matrix may take to what is published can be the true one, and no other: that is
told, and no knowledge of the method says more. An invariant matrix depends on the counts that there are, quotas on how
many there are of each; then readers who try all tables find out more (`Rounding.wider`).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.suppression.protections.cell_keys.additive import Asked, nearest_additive
from tableseal.suppression.protections.inner_cells import InnerCells
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SWEEPS = 500
"""Of fitting, at most; what is left is for the integer program."""

NEAR = 1e-6


def restored(subject: Subject, inner: InnerCells, drawn: Ints, within: tuple[Ints, Ints], limits: Limits) -> Ints:
    """int64 (cells): margins at their true values, inner cells fitted to them.

    drawn: int64 (inner cells). within: int64 (inner cells) each, smallest and largest count that may be shown of each.

    Raises
    ------
    LimitError: no table was found in time.
    """
    assert inner.owner is not None
    margin = np.ones(len(subject.cells), np.bool_)
    margin[inner.owner] = False
    at = np.flatnonzero(margin)
    fit = fitted(drawn.astype(np.float64), csr_array(inner.forms[at]), subject.value[at].astype(np.float64))
    equations = subject.equations
    relations = np.flatnonzero(equations.lower == equations.upper)
    columns, n = equations.matrix.shape[1], len(subject.cells)
    target = np.zeros(columns, np.int64)
    target[:n] = subject.value
    target[inner.owner] = np.floor(fit + 0.5)
    low, high = target.copy(), target.copy()
    low[inner.owner], high[inner.owner] = within
    stays = np.zeros(columns, np.bool_)
    stays[:n] = margin | subject.known_zero
    asked = Asked(
        matrix=equations.matrix[relations],
        right=equations.lower[relations],
        truth=equations.value,
        target=target,
        published=np.arange(columns) < n,
        stays=stays,
        range=0,
        zeros_stay=False,
        within=(low, high),
    )
    found = nearest_additive(asked, limits)
    if found is None:  # the true table is one
        raise LimitError("no table with the true margins was found; the solver failed.")
    return found.shown[:n]


def fitted(start: Floats, margins: csr_array, totals: Floats) -> Floats:
    """Iterative proportional fitting: start (n), scaled until margins @ x = totals as far as they can.

    margins: (m x n), 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> rows = csr_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]))
    >>> fitted(np.array([1.0, 1, 1, 1]), rows, np.array([2.0, 4, 3, 3])).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    fit = start.copy()
    groups = [(csr_array(margins[rows]), totals[rows]) for rows in _disjoint(margins)]
    for _ in range(SWEEPS):
        far = 0.0
        for matrix, wanted in groups:
            sums = matrix @ fit
            far = max(far, float(np.abs(sums - wanted).max(initial=0.0)))
            factor = np.divide(wanted, sums, out=np.ones_like(sums), where=sums > 0)
            inside = matrix.T @ np.ones(len(wanted)) > 0
            fit = np.where(inside, fit * (matrix.T @ factor), fit)
        if far < NEAR:
            break
    return fit


def _disjoint(margins: csr_array) -> list[Ints]:
    """Rows in groups without a common column: each to the first group that has room."""
    groups: list[list[int]] = []
    taken: list[NDArray[np.bool_]] = []
    for row in range(margins.shape[0]):
        columns = margins.indices[margins.indptr[row] : margins.indptr[row + 1]]
        place = next((g for g, used in enumerate(taken) if not used[columns].any()), len(groups))
        if place == len(groups):
            groups.append([])
            taken.append(np.zeros(margins.shape[1], np.bool_))
        groups[place].append(row)
        taken[place][columns] = True
    return [np.array(group, np.int64) for group in groups]
