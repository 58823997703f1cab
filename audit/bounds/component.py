"""What a bounds method is given and what it answers: the seam between the pipeline and the engines."""

from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


@dataclass(frozen=True)
class Component:
    """One connected part of the reduced system.

    Attributes
    ----------
    matrix, lower, upper: int64 rows over the component's columns; NO_LOWER / NO_UPPER for no bound.
    column_lower, column_upper: int64 bounds that hold for every real solution (proved by propagation).
    targets: int64 csr (targets x columns), the forms whose minimum and maximum are asked.
    """

    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    column_lower: NDArray[np.int64]
    column_upper: NDArray[np.int64]
    targets: csr_array


@dataclass(frozen=True)
class End:
    """One end (minimum or maximum) of one target.

    lp: the exact linear programming value; None where there is no limit or it was not reached (see `outer`).
    outer: proved: no integer solution lies beyond (None: no limit is proved).
    attained: an integer solution in hand has this value (None: none found yet, or `unlimited`).
    continuous: value of a real solution in hand, where it goes beyond `attained`.
    unlimited: a direction in hand goes on for ever.
    """

    lp: Fraction | None
    outer: int | None
    attained: int | None
    continuous: Fraction | None
    unlimited: bool = False


@dataclass(frozen=True)
class TargetBounds:
    """Both ends of one target.

    convex: every integer between attained ends is known to be possible.
    seen: number of different values of integer solutions in hand (for convex targets only the ends count).
    """

    lower: End
    upper: End
    convex: bool
    seen: int

    @property
    def at_least(self) -> int | None:
        """How many values are proved possible; None: no limit."""
        if self.lower.unlimited or self.upper.unlimited:
            return None
        if self.lower.attained is None or self.upper.attained is None:
            return 0
        return self.upper.attained - self.lower.attained + 1 if self.convex else self.seen

    @property
    def at_most(self) -> int | None:
        """How many values are not proved impossible; None: no limit."""
        if self.lower.outer is None or self.upper.outer is None:
            return None
        return self.upper.outer - self.lower.outer + 1


@dataclass(frozen=True)
class Limits:
    """When to stop."""

    deadline: float | None = None
    integer: bool = True
    """Also close the gap between linear and integer bounds."""

    def out_of_time(self) -> bool:
        """True once the deadline has passed."""
        return self.deadline is not None and monotonic() >= self.deadline

    def seconds_left(self) -> float:
        """Seconds that one step may take; infinite without a deadline."""
        return float("inf") if self.deadline is None else max(0.0, self.deadline - monotonic())


class Method(Protocol):
    """An engine for one component."""

    name: str

    def bounds(self, component: Component, limits: Limits) -> list[TargetBounds]:
        """Both ends of every target, in order.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: the component has no solution.
        """
        ...
