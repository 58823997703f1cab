"""What the bounds need of a linear programming engine."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """lower <= matrix @ x <= upper, column_lower <= x <= column_upper; +-inf where there is no bound."""

    matrix: csr_array
    lower: Floats
    upper: Floats
    column_lower: Floats
    column_upper: Floats


@dataclass(frozen=True)
class Outcome:
    """What the engine claims. Nothing here is believed before exact arithmetic has checked it.

    status: `optimal`; `infeasible` (row_dual is a ray of a Farkas proof if one was found); `unbounded` (x is a ray
    direction if one was found); `stopped` at a limit or for numerical reasons.
    x: (columns) point or ray, or None; row_dual: (rows) multipliers or ray, or None.
    basic_columns, tight_rows: the optimal basis: columns that are basic, and rows whose bound is tight: +1 upper,
    -1 lower, 0 not tight (basic slack); at_upper: nonbasic columns at their upper bound.
    """

    status: Literal["optimal", "infeasible", "unbounded", "stopped"]
    x: Floats | None = None
    row_dual: Floats | None = None
    basic_columns: NDArray[np.bool_] | None = None
    at_upper: NDArray[np.bool_] | None = None
    tight_rows: NDArray[np.int8] | None = None


class WarmSolver(Protocol):
    """One linear program kept warm while objectives or right sides change."""

    def minimise(self, cost: Floats) -> Outcome:
        """Minimise cost @ x from the last basis."""
        ...

    def set_rows(self, value: Floats) -> None:
        """Make every row an equation with the given right side; the next run starts with dual simplex."""
        ...


class Solver(Protocol):
    """An engine: makes warm linear programs and solves integer programs."""

    def warm(self, problem: Problem) -> WarmSolver:
        """A warm linear program."""
        ...

    def minimise_integer(self, problem: Problem, cost: Floats, seconds: float) -> Outcome:
        """Minimise cost @ x over integer x; the point of a stopped run, if any, is in x."""
        ...
