"""Float points in the middle of a face as exact rational tables.

Everything that is not at a bound has room to move there: round all columns to multiples of 1 / D, then mend the
equations with a basis of determinant one, which needs no further denominator.
"""

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from tableseal.audit.bounds.certify import Rational
from tableseal.audit.bounds.dense.unimodular import unit_basis
from tableseal.audit.bounds.programs.float_problem import as_floats
from tableseal.audit.solvers.protocol import Floats

Ints = NDArray[np.int64]

PRECISION = 30
"""Tables are multiples of 2^-30 at best, coarser where values are large."""

COARSEST = 12
"""Below multiples of 2^-12 rounding would need more room than tables leave."""

TOUCH = 1e-5
"""Distance from a bound, in units, at which a float point counts as being there. The points are in the middle of
faces: other columns are 1e-3 or more away (3d20, 3d40)."""

THRESHOLD = 0.1
"""Share of the largest entry of a column from which a pivot is taken as it comes. The basis comes in a good order, with
units as pivots: 0.007 s for 4,441 rows, in an order of the library's own 0.18 s."""


@dataclass(frozen=True)
class ExactPoints:
    """Equations: matrix @ (shift + z) = matrix @ shift + right."""

    matrix: csr_array
    right: Ints
    shift: Ints

    def exact(self, point: Floats, low: Ints, high: Ints) -> Rational | None:
        """shift + point, moved by very little onto the equations; columns at a bound stay exactly there. None where
        values are too large; nothing says yet that the result keeps its bounds."""
        at_low, at_high = self.at_bounds(point, low, high)
        rows, columns, determinant = unit_basis(self.matrix, ~(at_low | at_high))
        scale = self._scale(point, determinant)
        if scale is None:
            return None
        z = np.rint(point * scale).astype(np.int64)
        z[at_low] = low[at_low] * scale
        z[at_high] = high[at_high] * scale
        lacking = (self.right * scale - self.matrix @ z) * determinant
        z *= determinant
        if len(rows):
            from scipy.sparse.linalg import splu  # late: 0.1 s

            basis = csc_array(self.matrix[rows][:, columns].astype(np.float64))
            factors = splu(basis, permc_spec="NATURAL", diag_pivot_thresh=THRESHOLD)
            z[columns] += np.rint(factors.solve(lacking[rows].astype(np.float64))).astype(np.int64)
        return Rational(z + self.shift * (scale * determinant), scale * determinant)

    def at_bounds(self, point: Floats, low: Ints, high: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Columns at their low bounds, and at their high ones."""
        return point - as_floats(low) < TOUCH, as_floats(high) - point < TOUCH

    def _scale(self, point: Floats, determinant: int) -> int | None:
        """Multiples that columns are rounded to, as fine as 64 bits allow; None if that is too coarse."""
        size = np.abs(point) + np.abs(self.shift.astype(np.float64)) + 1.0
        most = max(float((abs(self.matrix) @ size).max(initial=1.0)), float(size.max()))
        power = min(PRECISION, 60 - ceil(log2(most) + log2(determinant)))
        return 2**power if power >= COARSEST else None
