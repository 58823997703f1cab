"""Margins restored after a perturbation: proportional fitting, then whole numbers that add up.

Iterative proportional fitting (Deming & Stephan 1940) takes the perturbed inner cells to the true values of all other
cells. Of all tables of whole numbers with these margins in which no inner cell is beyond the counts that the
perturbation may make of it, the one nearest to the fit, rounded, is chosen; the true table is one of them.

What is published may itself have been drawn wherever the matrix takes the true table there in one step, each cell on
its own; and what is drawn with the true margins stays as it is. So without invariance and quotas every table with the
published margins whose cells the matrix may take to what is published can be the true one, and no other: that is
told, and no knowledge of the method says more. An invariant matrix depends on the counts that there are, quotas on how
many there are of each; then readers who try all tables find out more (`Rounding.wider`), and so does
`behind_restored`, of small tables.
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


class Restoring:
    """How inner cells are restored to the margins of a release, whatever was drawn.

    Attributes
    ----------
    margins: int64 csr (margins x inner cells). totals: int64 (margins), true values.
    """

    def __init__(self, subject: Subject, inner: InnerCells) -> None:
        assert inner.owner is not None
        self._subject, self._owner = subject, inner.owner
        self._margin = np.ones(len(subject.cells), np.bool_)
        self._margin[inner.owner] = False
        at = np.flatnonzero(self._margin)
        self.margins, self.totals = csr_array(inner.forms[at]), subject.value[at]

    def targets(self, drawn: Ints) -> Ints:
        """int64 (draws x inner cells): what was drawn, likewise, fitted to the margins and rounded."""
        fit = fitted(drawn.T.astype(np.float64), self.margins, self.totals.astype(np.float64))
        found: Ints = np.floor(fit.T + 0.5).astype(np.int64)
        return found

    def inner(self, shown: Ints) -> Ints:
        """int64 (inner cells). shown: int64 (cells)."""
        own: Ints = shown[self._owner]
        return own

    def nearest(self, target: Ints, within: tuple[Ints, Ints], limits: Limits) -> Ints:
        """int64 (cells): margins at their true values, inner cells nearest to the target.

        within: int64 (inner cells) each, smallest and largest count that may be shown of each.

        Raises
        ------
        LimitError: no table was found in time.
        """
        equations = self._subject.equations
        relations = np.flatnonzero(equations.lower == equations.upper)
        columns, n = equations.matrix.shape[1], len(self._subject.cells)
        wanted = np.zeros(columns, np.int64)
        wanted[:n] = self._subject.value
        wanted[self._owner] = target
        low, high = wanted.copy(), wanted.copy()
        low[self._owner], high[self._owner] = within
        stays = np.zeros(columns, np.bool_)
        stays[:n] = self._margin | self._subject.known_zero
        asked = Asked(
            matrix=equations.matrix[relations],
            right=equations.lower[relations],
            truth=equations.value,
            target=wanted,
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
    """Iterative proportional fitting: start (n x tables), scaled until margins @ x = totals as far as they can, each
    table on its own.

    margins: (m x n), 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> rows = csr_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]))
    >>> fitted(np.ones((4, 1)), rows, np.array([2.0, 4, 3, 3])).ravel().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    result = start.copy()
    groups = [(csr_array(margins[rows]), csr_array(margins[rows].T), totals[rows, None]) for rows in _disjoint(margins)]
    inside = [np.asarray(back.sum(axis=1))[:, None] > 0 for _, back, _ in groups]
    open_tables = np.arange(start.shape[1])
    for _ in range(SWEEPS):
        before = result[:, open_tables]
        fit, far = before, np.zeros(len(open_tables))
        for (matrix, back, wanted), there in zip(groups, inside, strict=True):
            sums = matrix @ fit
            far = np.maximum(far, np.abs(sums - wanted).max(axis=0, initial=0.0))
            factor = np.divide(np.broadcast_to(wanted, sums.shape), sums, out=np.ones_like(sums), where=sums > 0)
            fit = np.where(there, fit * (back @ factor), fit)
        result[:, open_tables] = fit
        open_tables = open_tables[(far >= NEAR) & (fit != before).any(axis=0)]
        if not len(open_tables):
            break
    return result


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
