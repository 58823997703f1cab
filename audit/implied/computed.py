"""Which combinations the equations (and bounds that close single base cells) leave one value."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.split_forms import known_part
from tableseal.audit.implied.grids import Grid
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import rows_at

AT_ONCE = 20_000_000
"""Coefficients of combinations whose values are computed together."""


@dataclass(frozen=True)
class Equations:
    """What is left of the equations once all columns of one value are put in.

    Attributes
    ----------
    fixed, value: bool, int64 (columns): columns with one value, and that value.
    elimination: of the equations over the others.
    null: int64 (columns), a random solution of the homogeneous equations modulo `prime`: a sum that does not vanish
        there has more than one value.
    """

    fixed: NDArray[np.bool_]
    value: NDArray[np.int64]
    elimination: Elimination
    null: NDArray[np.int64]
    prime: int

    @staticmethod
    def of(reduced: Reduced) -> "Equations":
        """Of a reduced system; eliminated anew only where bounds closed columns that the equations had left open."""
        elimination = reduced.equations
        if elimination is None or (reduced.fixed & ~reduced.by_equations).any():
            exact = np.flatnonzero(reduced.lower == reduced.upper)
            elimination = Elimination(rows_at(reduced.matrix, exact), reduced.lower[exact])
        null, prime = elimination.null
        return Equations(reduced.fixed, reduced.value, elimination, np.where(reduced.fixed, 0, null), prime)

    def values(self, forms: csr_array) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """(forms with one value, that value), exactly."""
        value, rest = known_part(forms, self.fixed, self.value)
        known = np.diff(rest.indptr) == 0
        left = np.flatnonzero(~known)
        if len(left):
            found = self.elimination.values(rows_at(rest, left))
            known[left] = found.known
            value[left] += found.whole()
        return known, value


@dataclass(frozen=True)
class Computed:
    """Combinations with one value: int64 positions in the grid, ascending, and the values."""

    at: NDArray[np.int64]
    value: NDArray[np.int64]


def computed(grid: Grid, equations: Equations) -> Computed:
    """The combinations that no row lists and that have one value."""
    candidate = grid.sums(equations.null, equations.prime) == 0
    at, size = grid.unlisted[candidate], grid.sizes()[candidate]
    known, value = np.zeros(len(at), np.bool_), np.zeros(len(at), np.int64)
    every = grid.sums(np.where(equations.fixed, 0, 1))[candidate] == 0
    known[every], value[every] = True, grid.sums(np.where(equations.fixed, equations.value, 0))[candidate][every]
    left = np.flatnonzero(~every)
    batch = np.cumsum(size[left]) // AT_ONCE
    for b in np.unique(batch):
        some = left[batch == b]
        known[some], value[some] = equations.values(grid.forms(at[some]))
    return Computed(at[known], value[known])
