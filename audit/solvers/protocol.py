"""What the bounds need of a linear programming engine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]

MOST_NODES = 20_000
"""Nodes of one integer program: a limit that does not depend on the speed of the machine."""


@dataclass(frozen=True)
class Problem:
    """lower <= matrix @ x <= upper, column_lower <= x <= column_upper; +-inf where there is no bound."""

    matrix: csr_array
    lower: Floats
    upper: Floats
    column_lower: Floats
    column_upper: Floats


@dataclass(frozen=True)
class Basis:
    """An optimal basis.

    basic: bool (columns), basic columns; at_upper: bool (columns), nonbasic columns at their upper bound.
    tight: int8 (rows), +1 where the upper bound of the row is tight, -1 the lower one, 0 neither (basic slack).
    """

    basic: NDArray[np.bool_]
    at_upper: NDArray[np.bool_]
    tight: NDArray[np.int8]


@dataclass(frozen=True)
class Outcome:
    """What the engine claims. Nothing here is believed before exact arithmetic has checked it.

    status: `optimal`; `infeasible`; `unbounded`; `stopped` at a limit or for numerical reasons.
    x: (columns) point, or None; row_dual: (rows) multipliers, or None.
    basis: reads the optimal basis, which is only there until the engine runs again; None if there is none.
    bound: of an integer program, nothing is below.
    """

    status: Literal["optimal", "infeasible", "unbounded", "stopped"]
    x: Floats | None = None
    row_dual: Floats | None = None
    basis: Callable[[], Basis] | None = None
    bound: float = float("-inf")


class WarmSolver(Protocol):
    """One linear program kept warm while objectives or right sides change."""

    def minimise(self, cost: Floats, seconds: float = float("inf")) -> Outcome:
        """Minimise cost @ x from the last basis, within so many seconds."""
        ...

    def set_rows(self, value: Floats) -> None:
        """Make every row an equation with the given right side; the next run starts with dual simplex."""
        ...

    def set_columns(self, lower: Floats, upper: Floats) -> None:
        """Change the bounds of all columns; the next run starts with dual simplex."""
        ...

    def forget(self) -> None:
        """Start the next run from nothing, with dual simplex."""
        ...

    def add_rows(self, matrix: csr_array, lower: Floats, upper: Floats) -> None:
        """Add rows; the next run starts with dual simplex."""
        ...

    def drop_rows(self, dropped: NDArray[np.bool_]) -> None:
        """Take out some rows (bool, rows); the others keep their order."""
        ...


class InteriorSolver(Protocol):
    """One linear program solved afresh by an interior point method, without going on to a vertex."""

    def minimise(self, cost: Floats, column_lower: Floats, column_upper: Floats, seconds: float) -> Outcome:
        """A point in the middle of the optimal face of cost @ x, within other column bounds."""
        ...


class Solver(Protocol):
    """An engine: makes warm linear programs and solves integer programs."""

    def interior(self, problem: Problem) -> InteriorSolver:
        """A linear program for an interior point method."""
        ...

    def warm(self, problem: Problem) -> WarmSolver:
        """A warm linear program."""
        ...

    def minimise_integer(
        self,
        problem: Problem,
        cost: Floats,
        seconds: float,
        *,
        nodes: int = MOST_NODES,
        integral: NDArray[np.bool_] | None = None,
    ) -> Outcome:
        """Minimise cost @ x over integer x; the point of a stopped run, if any, is in x.

        integral: bool (columns), those that have to be whole; None: all.
        Stops after so many nodes of the search tree, wherever it runs, or at the user's own limit of seconds.
        """
        ...

    def first_order(self, problem: Problem, cost: Floats, seconds: float) -> Outcome:
        """Minimise cost @ x over real x by a first-order method, for programs too large for all others.

        x and row_dual are near an optimum, no more: whoever needs a bound makes one of the multipliers.
        """
        ...
