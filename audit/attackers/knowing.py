"""What a knower can compute: the same components, with what its own books say as changed bounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.attackers.knowers import Knower
from tableseal.audit.attackers.nearness import Nearness
from tableseal.audit.bounds.component import Component, Limits, TargetBounds
from tableseal.audit.bounds.method import Method
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.reduce import Reduced


class Neighbourhood:
    """Which targets hang together with which.

    targets: positions among the forms.
    """

    def __init__(self, reduced: Reduced, forms: csr_array, targets: NDArray[np.int64]) -> None:
        self.reduced, self.forms, self.targets = reduced, forms, targets
        members: dict[int, list[int]] = {}
        for k in targets.tolist():
            for component in self.components(k):
                members.setdefault(component, []).append(k)
        self._members = {c: np.array(own, np.int64) for c, own in members.items()}

    def components(self, k: int) -> list[int]:
        """Open components that form k reaches into."""
        label = self.reduced.component[self.forms.indices[self.forms.indptr[k] : self.forms.indptr[k + 1]]]
        return sorted({int(c) for c in label.tolist() if c >= 0})

    def of(self, known: Sequence[int]) -> NDArray[np.int64]:
        """int64, targets that share an open component with any of these, ascending."""
        involved = {c for k in known for c in self.components(k)}
        found = [self._members[c] for c in sorted(involved) if c in self._members]
        return np.unique(np.concatenate([*found, np.empty(0, np.int64)]))


@dataclass(frozen=True)
class Question:
    """A component as a knower sees it, and which values of its targets are far enough (see audit.bounds.knowledge).

    constants: int64 (targets), to be added to the targets' bounds.
    """

    component: Component
    constants: NDArray[np.int64]
    enough: NDArray[np.int64]
    method: Method
    limits: Limits


def question(
    neighbourhood: Neighbourhood,
    knower: Knower,
    tests: Sequence[Nearness],
    method: Method,
    limits: Limits,
) -> Question:
    """What a knower asks about some targets.

    The question is how far down and up each can go: only as far as it must for the knower not to be too close, but for
    those of which both ends have to be known (see Nearness.needed).
    """
    near, needed = [t.cell for t in tests], [t.needed() for t in tests]
    reduced, forms = neighbourhood.reduced, neighbourhood.forms
    known = [*knower.exact, *knower.own]
    involved = sorted({c for k in [*known, *near] for c in neighbourhood.components(k)})
    inside = np.isin(reduced.component, involved)
    rows = np.flatnonzero(inside[reduced.matrix.indices[reduced.matrix.indptr[:-1]]])
    columns = np.flatnonzero(inside)
    fixed = np.where(reduced.fixed, reduced.value, 0)
    constants = forms[[*known, *near]] @ fixed
    local = csr_array(forms[[*known, *near]][:, columns])
    low = np.array([*knower.exact.values(), *knower.own.values()], dtype=np.int64) - constants[: len(known)]
    high = low.copy()
    high[len(knower.exact) :] = NO_UPPER
    column_lower, column_upper = reduced.column_lower[columns].copy(), reduced.column_upper[columns].copy()
    stated = csr_array(local[: len(known)])
    size = np.diff(stated.indptr)
    # A cell that is one base cell changes a bound, not the matrix: a network stays one.
    single = np.flatnonzero(size == 1)
    single = single[stated.data[stated.indptr[single]] == 1]
    at = stated.indices[stated.indptr[single]]
    np.maximum.at(column_lower, at, low[single])
    np.minimum.at(column_upper, at, high[single])
    rest = np.setdiff1d(np.arange(len(known)), single)
    component = Component(
        csr_array(vstack([reduced.matrix[rows][:, columns], stated[rest]], format="csr")),
        np.concatenate([reduced.lower[rows], low[rest]]),
        np.concatenate([reduced.upper[rows], high[rest]]),
        column_lower,
        column_upper,
        csr_array(local[len(known) :]),
    )
    shift = constants[len(known) :]
    least = np.array([a for a, _ in needed], dtype=np.int64)
    most = np.array([b for _, b in needed], dtype=np.int64)
    enough = np.concatenate(
        [np.where(least == NO_LOWER, NO_LOWER, least - shift), np.where(most == NO_UPPER, NO_LOWER, shift - most)]
    )
    return Question(component, shift, enough, method, limits)


def answer(asked: Question) -> tuple[TargetBounds, ...] | None:
    """Bounds of the targets; None if the knower's own values do not fit the release."""
    try:
        found = asked.method.bounds(asked.component, asked.limits, enough=asked.enough)
    except InfeasibleError:
        return None
    return tuple(b.plus(c) for b, c in zip(found.targets, asked.constants.tolist(), strict=True))
