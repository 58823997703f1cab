"""What is known so far of the ends of one component's targets: the state that the steps of a method improve in turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from audit.bounds.component import Answer, Component, End, Limits, Multipliers, Proof, TargetBounds
from audit.bounds.network import is_network
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.propagate import form_bounds

MOST_VALUES = 4096
"""Different values of one target that are remembered."""

NOTHING = NO_UPPER
"""`attained` where no table is in hand yet."""

FROM_COLUMNS = Multipliers(np.empty(0, np.int64), np.empty(0, np.int64))
"""The proof of a bound that the column bounds alone give."""


@dataclass
class Knowledge:
    """Running knowledge of the minimum of every form: targets, then their negatives, so that maxima are minima too.

    Attributes
    ----------
    forms: int64 csr (2 targets x columns).
    proved: int64, no integer solution lies below; NO_LOWER where nothing is proved.
    attained: int64, an integer solution in hand has this value; NOTHING where there is none.
    real: int64, no real solution lies below (what the column bounds give); NO_LOWER where that is nothing.
    lp: exact linear programming value where it is proved.
    continuous: least value of a real solution in hand below `attained`.
    unlimited: bool, a direction in hand goes down for ever.
    enough: int64, an end that some table brings to this value or below need not be closed (decision mode);
    NO_LOWER: it is to be closed.
    convex: every whole value between attained ends is possible.
    values: different values seen of each target, kept only where not every value in between is known to be possible.
    in_hand: some integer solution was found.
    keep: proofs and tables are kept.
    """

    forms: csr_array
    proved: NDArray[np.int64]
    attained: NDArray[np.int64]
    real: NDArray[np.int64]
    lp: list[Fraction | None]
    continuous: list[Fraction | None]
    unlimited: NDArray[np.bool_]
    enough: NDArray[np.int64]
    convex: bool
    values: list[set[int]] | None
    keep: bool
    in_hand: bool = False
    proofs: list[Proof | None] = field(default_factory=list)
    tables: list[NDArray[np.int64]] = field(default_factory=list)
    points: dict[int, tuple[NDArray[np.int64], int]] = field(default_factory=dict)
    table_of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def targets(self) -> int:
        """Number of targets (half the forms)."""
        return len(self.proved) // 2

    def cost(self, k: int) -> NDArray[np.int64]:
        """Form k as a dense row."""
        row = np.zeros(self.forms.shape[1], np.int64)
        span = slice(self.forms.indptr[k], self.forms.indptr[k + 1])
        row[self.forms.indices[span]] = self.forms.data[span]
        return row

    def witness(self, x: NDArray[np.int64]) -> None:
        """An integer solution in hand (the caller has checked it): it bounds every minimum from above."""
        self.in_hand = True
        value = self.forms @ x
        better = value < self.attained
        if self.keep and (better.any() or not self.tables):
            self.table_of[better] = len(self.tables)
            self.tables.append(x.copy())
        np.minimum(self.attained, value, out=self.attained)
        if self.values is not None:
            for seen, v in zip(self.values, value.tolist(), strict=False):
                if len(seen) < MOST_VALUES:
                    seen.add(v)

    def prove(self, k: int, bound: int, proof: Proof | None) -> None:
        """Nothing lies below `bound` in minimum k; `proof` says why (looked at only where proofs are kept)."""
        if bound > self.proved[k]:
            self.proved[k] = bound
            if self.keep:
                self.proofs[k] = proof

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
            self.continuous[k] = None if end.continuous is None else sign * end.continuous
            self.unlimited[k] |= end.unlimited
        if self.values is not None:
            for seen, target in zip(self.values, begun.targets, strict=True):
                seen.update(v for v in (target.lower.attained, target.upper.attained) if v is not None)

    def settle_from_columns(self) -> None:
        """Ends that the column bounds prove (for every real solution) and a table attains have that LP value too."""
        for k in np.flatnonzero(self.real == self.attained).tolist():
            self.lp[k] = Fraction(int(self.real[k]))

    def open_linear(self) -> NDArray[np.int64]:
        """Minima whose linear programming value is not known yet and that nothing else has settled."""
        unknown = np.array([v is None for v in self.lp], np.bool_)
        return np.flatnonzero(unknown & ~self.unlimited & (self.proved < self.attained) & ~self.settled)

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
        """How many ends are closed or need not be."""
        return int((self.unlimited | (self.proved >= self.attained) | self.settled).sum())

    def bounds(self) -> tuple[TargetBounds, ...]:
        """Both ends of every target."""
        # A direction without end proves nothing to be possible as long as no table is in hand to start from.
        self.unlimited &= self.in_hand
        half = self.targets
        return tuple(
            TargetBounds(
                self._end(k, 1),
                self._end(half + k, -1),
                convex=self.convex,
                seen=0 if self.values is None else len(self.values[k]),
            )
            for k in range(half)
        )

    def _end(self, k: int, sign: int) -> End:
        """Minimum k as an end of its target; sign -1 turns the minimum of the negative into a maximum."""
        proved, attained = int(self.proved[k]), int(self.attained[k])
        lp, continuous = self.lp[k], self.continuous[k]
        if continuous is not None and attained != NOTHING and continuous >= attained:
            continuous = None
        return End(
            lp=None if lp is None else sign * lp,
            outer=None if proved == NO_LOWER else sign * proved,
            attained=None if attained == NOTHING else sign * attained,
            continuous=None if continuous is None else sign * continuous,
            unlimited=bool(self.unlimited[k]),
            proof=self.proofs[k] if self.keep else None,
            table=int(self.table_of[k]) if self.keep and self.table_of[k] >= 0 else None,
            point=None if continuous is None else self.points.get(k),
        )


def know_nothing(
    component: Component, limits: Limits, enough: Sequence[int] | NDArray[np.int64] | None = None
) -> Knowledge:
    """Only what the column bounds prove.

    enough: (2 targets), see Knowledge; None: every end is to be closed.
    """
    count = component.targets.shape[0]
    convex = is_network(component)
    low, high = form_bounds(component.targets, component.column_lower, component.column_upper)
    proved = np.concatenate([low, np.where(high == NO_UPPER, NO_LOWER, -high)])
    return Knowledge(
        forms=csr_array(vstack([component.targets, -component.targets], format="csr")),
        proved=proved,
        attained=np.full(2 * count, NOTHING),
        real=proved.copy(),
        lp=[None] * (2 * count),
        continuous=[None] * (2 * count),
        unlimited=np.zeros(2 * count, np.bool_),
        enough=np.full(2 * count, NO_LOWER) if enough is None else np.asarray(enough, np.int64),
        convex=convex,
        values=None if convex else [set() for _ in range(count)],
        keep=limits.prove,
        proofs=[None if b == NO_LOWER else FROM_COLUMNS for b in proved.tolist()] if limits.prove else [],
        table_of=np.full(2 * count, -1, dtype=np.int64),
    )
