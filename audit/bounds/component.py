"""What a bounds method is given and what it answers: the seam between the pipeline and the engines."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.clock import now


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
class Multipliers:
    """A proof of a lower bound on a form c by weak duality over a component's rows and column bounds.

    With y = numerator / denominator on `rows` and 0 elsewhere: c x >= what y makes of the row bounds plus what
    c - A' y makes of the column bounds (see audit.bounds.certify). Nothing on any row: the column bounds alone do.

    rows: int64, positions in the component; numerator: int64, as many.
    empty: instead of bounding c they show, taken with c = 0, that the box they belong to holds nothing.
    """

    rows: NDArray[np.int64]
    numerator: NDArray[np.int64]
    denominator: int = 1
    empty: bool = False


@dataclass(frozen=True)
class Split:
    """A proof in two cases: column <= at, column >= at + 1; each with the component's bounds and the splits above."""

    column: int
    at: int
    low: "Multipliers | Split"
    high: "Multipliers | Split"


Proof = Multipliers | Split


class End(NamedTuple):
    """One end (minimum or maximum) of one target. (Tuples: there are two for every withheld cell, and these are made
    five times as fast.)

    lp: the exact linear programming value; None where there is no limit or it was not reached (see `outer`).
    outer: proved: no integer solution lies beyond (None: no limit is proved).
    attained: an integer solution in hand has this value (None: none found yet, or `unlimited`).
    continuous: value of a real solution in hand, where it goes beyond `attained`.
    unlimited: a direction in hand goes on for ever.
    proof: of `outer`, as the minimum of the target or of its negative (kept where Limits.prove asks for it).
    table: position in the answer's tables of the one that attains `attained`, likewise.
    point: (numerators, denominator) of the real solution that has the value `continuous`, likewise.
    """

    lp: Fraction | None
    outer: int | None
    attained: int | None
    continuous: Fraction | None
    unlimited: bool = False
    proof: Proof | None = None
    table: int | None = None
    point: tuple[NDArray[np.int64], int] | None = None

    def plus(self, constant: int) -> "End":
        """The same end of the target plus a constant, without proof and table."""
        return End(
            None if self.lp is None else self.lp + constant,
            None if self.outer is None else self.outer + constant,
            None if self.attained is None else self.attained + constant,
            None if self.continuous is None else self.continuous + constant,
            self.unlimited,
        )


class TargetBounds(NamedTuple):
    """Both ends of one target.

    convex: every integer between attained ends is known to be possible.
    seen: number of different values of integer solutions in hand (for convex targets only the ends count).
    """

    lower: End
    upper: End
    convex: bool
    seen: int

    def plus(self, constant: int) -> "TargetBounds":
        """The bounds of the target plus a constant, without proofs and tables."""
        return self._replace(lower=self.lower.plus(constant), upper=self.upper.plus(constant))

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
class Use:
    """What one step did for one component: how many ends it was asked and how many of them it closed."""

    step: str
    columns: int
    targets: int
    asked: int
    closed: int
    seconds: float


@dataclass(frozen=True)
class Answer:
    """Both ends of every target of a component, in order.

    tables: integer solutions (int64, one value per column) that ends refer to; kept where Limits.prove asks for it.
    uses: cost of each step.
    complete: no limit has cut the work short; more time would not give more.
    """

    targets: tuple[TargetBounds, ...]
    tables: tuple[NDArray[np.int64], ...]
    uses: tuple[Use, ...]
    complete: bool = True


@dataclass(frozen=True)
class Limits:
    """When to stop, and what to find and keep."""

    deadline: float | None = None
    integer: bool = True
    """Also close the gap between linear and integer bounds."""
    prove: bool = False
    """Keep the proof of every outer end and the table of every attained end."""
    values: bool = True
    """Also count the values that are possible, and look for those between the ends of narrow targets."""
    reached: set[str] = field(default_factory=set, compare=False, repr=False)
    """`time` once anybody in this process was told that none is left, of the whole or of a share of it."""

    def __getstate__(self) -> dict[str, object]:
        """What travels to another process or machine, whose clock differs: the seconds left, and until when.

        Work may wait for its turn after it was sent; only the time of day knows how long.
        """
        left = None if self.deadline is None else (self.seconds_left(), time())
        return {"deadline": left, "integer": self.integer, "prove": self.prove, "values": self.values}

    def __setstate__(self, state: dict[str, object]) -> None:
        sent = state["deadline"]
        deadline = None
        if isinstance(sent, tuple):
            left, at = sent
            # Never more than was left, should the clocks of two machines disagree.
            deadline = now() + left - max(0.0, time() - at)
        for name, value in (state | {"deadline": deadline, "reached": set()}).items():
            object.__setattr__(self, name, value)

    def out_of_time(self) -> bool:
        """True once the deadline has passed."""
        if self.deadline is None or now() < self.deadline:
            return False
        self.reached.add("time")
        return True

    def seconds_left(self) -> float:
        """Seconds that one step may take; infinite without a deadline."""
        return float("inf") if self.deadline is None else max(0.0, self.deadline - now())

    def share(self, part: float) -> "Limits":
        """The same with a part of the time that is left."""
        return self if self.deadline is None else self.anew(part * self.seconds_left())

    def anew(self, seconds: float) -> "Limits":
        """The same with so many seconds from now on."""
        return replace(self, deadline=now() + seconds)
