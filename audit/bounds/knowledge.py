"""What is known so far of the ends of one component's targets: the state that the steps of a method improve in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational
from tableseal.audit.bounds.component import Answer, Component, End, Limits, Multipliers, Proof, TargetBounds
from tableseal.audit.bounds.linear_values import LinearValues
from tableseal.audit.bounds.networks.matrix import Network, network_of
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import form_bounds
from tableseal.audit.sparse import row_of_entries

MOST_VALUES = 2**23
"""Values of targets that are remembered of one component."""

MOST_BETWEEN = 64
"""Points between two solutions that are worth a look; targets in narrow intervals do not move on longer ways."""

_SAFE = float(NO_UPPER)

_TOO_LARGE = (
    "A withheld sum could be more than 2^62 units, which this program cannot count; choose a larger unit for the "
    "measure."
)

NOTHING = NO_UPPER
"""`attained` where no table is in hand yet."""

FROM_COLUMNS = Multipliers(np.empty(0, np.int64), np.empty(0, np.int64))
"""The proof of a bound that the column bounds alone give."""


@dataclass
class Knowledge:
    """Running knowledge of the minimum of every form: targets, then their negatives, so that maxima are minima too.

    Attributes
    ----------
    asked: int64 csr (targets x columns).
    proved: int64, no integer solution lies below; NO_LOWER where nothing is proved.
    attained: int64, an integer solution in hand has this value; NOTHING where there is none.
    real: int64, no real solution lies below (what the column bounds give); NO_LOWER where that is nothing.
    lp: exact linear programming value where it is proved.
    continuous: least value of a real solution in hand below `attained`.
    nearest: float64, the same as far as `witness_real` was told; infinite where it was told nothing.
    met: bool, a real solution in hand reaches `proved` (in decision mode: goes as far as asked).
    unlimited: bool, a direction in hand goes down for ever.
    enough: int64, an end that some table brings to this value or below need not be closed (decision mode);
    NO_LOWER: it is to be closed.
    network: the component as a network; None if it is none.
    convex: every whole value between attained ends is possible.
    values: values of the targets in integer solutions (arrays of solutions x targets), kept only where they are to be
    counted and not every one in between is known to be possible.
    heaviest: largest sum of the absolute coefficients of a target.
    in_hand: some integer solution was found.
    feasible: some real solution was found.
    keep: proofs and tables are kept.
    faces: narrower column bounds (low, high) within which a real solution reaches many ends at once and has room.
    near: int64, the whole numbers below some real solutions that reach many ends at once, the first that were found.
    """

    asked: csr_array
    proved: NDArray[np.int64]
    attained: NDArray[np.int64]
    real: NDArray[np.int64]
    lp: LinearValues
    continuous: list[Fraction | None]
    nearest: NDArray[np.float64]
    met: NDArray[np.bool_]
    unlimited: NDArray[np.bool_]
    enough: NDArray[np.int64]
    network: Network | None
    convex: bool
    values: list[NDArray[np.int64]] | None
    keep: bool
    heaviest: float
    in_hand: bool = False
    feasible: bool = False
    proofs: list[Proof | None] = field(default_factory=list)
    tables: list[NDArray[np.int64]] = field(default_factory=list)
    points: dict[int, tuple[NDArray[np.int64], int]] = field(default_factory=dict)
    table_of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    faces: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=list)
    near: list[NDArray[np.int64]] = field(default_factory=list)

    @property
    def targets(self) -> int:
        """Number of targets (half the forms)."""
        return len(self.proved) // 2

    def cost(self, k: int) -> NDArray[np.int64]:
        """Form k as a dense row."""
        target, sign = (k, 1) if k < self.targets else (k - self.targets, -1)
        row = np.zeros(self.asked.shape[1], np.int64)
        span = slice(self.asked.indptr[target], self.asked.indptr[target + 1])
        row[self.asked.indices[span]] = sign * self.asked.data[span]
        return row

    def witness(self, x: NDArray[np.int64]) -> None:
        """An integer solution in hand (the caller has checked it): it bounds every minimum from above."""
        self.witnesses(x.reshape(1, -1))

    def witnesses(self, x: NDArray[np.int64]) -> None:
        """Integer solutions in hand, one in each row."""
        if len(x) == 0:
            return
        if not self._fits(x):
            raise LimitError(_TOO_LARGE)
        self.in_hand = self.feasible = True
        value = self.asked @ x.T
        least = np.concatenate([value.min(axis=1), -value.max(axis=1)])
        if self.keep and not self.tables:
            self.tables.append(x[0].copy())  # some table, though it may attain nothing that is asked
        if self.keep and (least < self.attained).any():
            which = np.concatenate([value.argmin(axis=1), value.argmax(axis=1)])
            better = least < self.attained
            used, position = np.unique(which[better], return_inverse=True)
            self.table_of[better] = len(self.tables) + position
            self.tables += list(x[used])
        np.minimum(self.attained, least, out=self.attained)
        if self.values is not None and sum(block.size for block in self.values) < MOST_VALUES:
            self.values += [value.T, _between(x, value.T)]

    def _fits(self, x: NDArray[np.int64]) -> bool:
        """True if 64 bits hold the value of every target in some tables (floats look from afar)."""
        largest = max(float(x.max(initial=0)), -float(x.min(initial=0)))
        if largest * self.heaviest < _SAFE:
            return True
        return bool((abs(self.asked) @ np.abs(x.T.astype(np.float64))).max(initial=0.0) < _SAFE)

    def seen(self, k: int) -> set[int]:
        """Different values of target k in the integer solutions in hand; none where all in between are possible."""
        return set().union(*(block[:, k].tolist() for block in self.values or ()))

    def witness_real(self, x: Rational) -> None:
        """A real solution in hand (the caller has checked it)."""
        if x.denominator == 1:
            self.witness(x.numerator)
            return
        if not self._fits(x.numerator.reshape(1, -1)):
            return
        asked = self.asked @ x.numerator
        value = np.concatenate([asked, -asked])
        # Of interest only where it is below `attained`, which only whole values beyond the next one tell, and below
        # what is in hand, as far as floats tell: exact comparisons of all ends took a fifth of the time of 3d20.
        near = value.astype(np.float64) / x.denominator
        floor, ceiling = value // x.denominator, -(-value // x.denominator)
        below = ~self.met & (near <= self.nearest) & (floor < self.attained)
        self.nearest[below] = near[below]
        better = []
        for k in np.flatnonzero(below).tolist():
            seen, best = Fraction(int(value[k]), x.denominator), self.continuous[k]
            if best is None or seen < best:
                better.append(k)
                self.continuous[k] = seen
                if self.keep:
                    self.points[k] = x.numerator, x.denominator
        at = np.array(better, dtype=np.int64)
        self.met[at] |= ceiling[at] <= np.maximum(self.proved[at], self.enough[at])
        whole = at[(floor[at] == ceiling[at]) & (floor[at] == self.real[at])]
        self.lp.know(whole, self.real[whole])

    def attain(self, value: NDArray[np.int64]) -> None:
        """Values of every form in integer solutions that were in hand; of those that keep no proof, and are convex."""
        np.minimum(self.attained, value, out=self.attained)

    def prove(self, k: int, bound: int, proof: Proof | None) -> None:
        """Nothing lies below `bound` in minimum k; `proof` says why (looked at only where proofs are kept)."""
        if bound >= NO_UPPER:
            raise LimitError(_TOO_LARGE)
        if bound > self.proved[k]:
            self.proved[k] = bound
            best = self.continuous[k]
            self.met[k] |= best is not None and best <= bound
            if self.keep:
                self.proofs[k] = proof

    def prove_all(self, at: NDArray[np.intp], bounds: NDArray[Any], proofs: Mapping[int, Proof | None]) -> None:
        """The same for several minima; those without a proof of their own are proved by column bounds."""
        if (bounds >= NO_UPPER).any():
            raise LimitError(_TOO_LARGE)
        better = bounds > self.proved[at]
        at, bounds = at[better], bounds[better]
        self.proved[at] = bounds
        for k in at.tolist():
            best = self.continuous[k]
            if best is not None:
                self.met[k] |= best <= int(self.proved[k])
            if self.keep:
                self.proofs[k] = proofs.get(k, FROM_COLUMNS)

    def go_on_from(self, begun: Answer) -> None:
        """Take over what an earlier run has found about the same targets."""
        for table in begun.tables:
            self.witness(table)
        ends = [(t.lower, 1) for t in begun.targets] + [(t.upper, -1) for t in begun.targets]
        for k, (end, sign) in enumerate(ends):
            if end.outer is not None:
                self.prove(k, sign * end.outer, end.proof)
            if end.attained is not None:
                self.attained[k] = min(int(self.attained[k]), sign * end.attained)
                self.in_hand = True
            self.lp[k] = None if end.lp is None else sign * end.lp
            if end.continuous is not None:
                self.continuous[k] = best = sign * end.continuous
                self.met[k] |= best <= int(self.proved[k])
                if end.point is not None:
                    self.points[k] = end.point
            self.unlimited[k] |= end.unlimited
        if self.values is not None:
            for seen in zip(*((t.lower.attained, t.upper.attained) for t in begun.targets), strict=True):
                if None not in seen:
                    self.values.append(np.array([seen], dtype=np.int64))

    def settle_from_columns(self) -> None:
        """Ends that the column bounds prove (for every real solution) and a table attains have that LP value too."""
        at = np.flatnonzero((self.real == self.attained) & self.lp.unknown())
        self.lp.know(at, self.real[at])

    def open_linear(self) -> NDArray[np.int64]:
        """Minima whose linear programming value is not known yet and that nothing else has settled."""
        gap = ~self.met & ~self.unlimited & (self.proved < self.attained)
        return np.flatnonzero(self.lp.unknown() & gap & ~self.settled)

    def without_point(self) -> NDArray[np.int64]:
        """Minima that a real solution reaches which was not kept."""
        reached = [k for k, best in enumerate(self.continuous) if best is not None and k not in self.points]
        return np.array(reached, dtype=np.int64)

    def open_integer(self) -> NDArray[np.int64]:
        """Minima between whose proved and attained value there is a gap that matters."""
        return np.flatnonzero(~self.unlimited & (self.proved < self.attained) & ~self.settled)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Minima that decision mode need not close: a table goes far enough, or it is proved that none does."""
        asked = self.enough != NO_LOWER
        result: NDArray[np.bool_] = asked & ((self.attained <= self.enough) | (self.proved > self.enough))
        return result

    def closed(self) -> int:
        """How many ends are closed, by real solutions at least, or need not be."""
        return int((self.unlimited | self.met | (self.proved >= self.attained) | self.settled).sum())

    def all_closed(self) -> bool:
        """True if a table is in hand and no end is open."""
        return self.in_hand and bool((self.unlimited | (self.proved >= self.attained) | self.settled).all())

    def bounds(self) -> tuple[TargetBounds, ...]:
        """Both ends of every target."""
        # A direction without end proves nothing to be possible as long as no table is in hand to start from.
        self.unlimited &= self.in_hand
        half, ends = self.targets, self._ends()
        both = zip(ends[:half], ends[half:], repeat(self.convex), self._counts())  # lengths differ by repeat alone
        return tuple(map(TargetBounds._make, both))

    def _counts(self) -> list[int]:
        """How many different values of each target were seen."""
        if not self.values:
            return [0] * self.targets
        ordered = np.sort(np.concatenate(self.values).T, axis=1)
        counts: list[int] = (1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)).tolist()
        return counts

    def _ends(self) -> list[End]:
        """Every minimum as an end of its target: minima of negatives become maxima."""
        count = 2 * self.targets
        sign = np.repeat(np.array([1, -1]), self.targets)
        continuous: list[Fraction | None] = [None] * count
        points: list[tuple[NDArray[np.int64], int] | None] = [None] * count
        for k in [k for k, best in enumerate(self.continuous) if best is not None]:
            best, attained = self.continuous[k], int(self.attained[k])
            if best is not None and not best >= attained != NOTHING:
                continuous[k], points[k] = int(sign[k]) * best, self.points.get(k)
        told = zip(
            self.lp.listed(sign),
            _listed(self.proved, sign, NO_LOWER),
            _listed(self.attained, sign, NOTHING),
            continuous,
            self.unlimited.tolist(),
            self.proofs if self.keep else repeat(None, count),
            _listed(self.table_of, np.ones(count, np.int64), -1),
            points,
            strict=True,
        )
        return list(map(End._make, told))


def _listed(values: NDArray[np.int64], sign: NDArray[np.int64], missing: int) -> list[int | None]:
    """Values times their signs; None where one is missing."""
    found: list[int | None] = (values * sign).tolist()
    for k in np.flatnonzero(values == missing).tolist():
        found[k] = None
    return found


def _between(x: NDArray[np.int64], value: NDArray[np.int64]) -> NDArray[np.int64]:
    """Values of the targets at the whole points between one solution and the next: they are solutions too."""
    points = np.gcd.reduce(np.diff(x, axis=0), axis=1)
    at = np.flatnonzero((points > 1) & (points <= MOST_BETWEEN))
    points = points[at]
    row = np.repeat(np.arange(len(at)), points - 1)
    step = np.arange(len(row)) - np.repeat(np.cumsum(points - 1) - (points - 1), points - 1) + 1
    slope = (value[at + 1] - value[at]) // points[:, None]
    result: NDArray[np.int64] = value[at][row] + step[:, None] * slope[row]
    return result


def know_nothing(
    component: Component, limits: Limits, enough: Sequence[int] | NDArray[np.int64] | None = None
) -> Knowledge:
    """Only what the column bounds prove.

    enough: (2 targets), see Knowledge; None: every end is to be closed.
    """
    count = component.targets.shape[0]
    network = network_of(component)
    convex = network is not None and network.convex
    low, high = form_bounds(component.targets, component.column_lower, component.column_upper)
    proved = np.concatenate([low, np.where(high == NO_UPPER, NO_LOWER, -high)])
    return Knowledge(
        asked=component.targets,
        proved=proved,
        attained=np.full(2 * count, NOTHING),
        real=proved.copy(),
        lp=LinearValues(2 * count),
        continuous=[None] * (2 * count),
        nearest=np.full(2 * count, np.inf),
        met=np.zeros(2 * count, np.bool_),
        unlimited=np.zeros(2 * count, np.bool_),
        enough=np.full(2 * count, NO_LOWER) if enough is None else np.asarray(enough, np.int64),
        network=network,
        convex=convex,
        values=[] if limits.values and enough is None and not convex else None,
        keep=limits.prove,
        heaviest=float(np.bincount(row_of_entries(component.targets), np.abs(component.targets.data)).max(initial=0)),
        proofs=[None if b == NO_LOWER else FROM_COLUMNS for b in proved.tolist()] if limits.prove else [],
        table_of=np.full(2 * count, -1, dtype=np.int64),
    )
