"""What an attacker can compute: the same components, with what its own books say as changed bounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.attackers.neighbourhood import Neighbourhood
from tableseal.audit.attackers.question import Question
from tableseal.audit.bounds.component import Component, Limits, TargetBounds
from tableseal.audit.bounds.method import Method
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError


@dataclass(frozen=True)
class Attacked:
    """A component as an attacker sees it, and which values of its targets are far enough (see audit.bounds.knowledge).

    constants: int64 (targets), to be added to the targets' bounds.
    """

    component: Component
    constants: NDArray[np.int64]
    enough: NDArray[np.int64]
    method: Method
    limits: Limits


def attacked(
    neighbourhood: Neighbourhood,
    questions: Sequence[Question],
    value: NDArray[np.int64],
    method: Method,
    limits: Limits,
) -> Attacked:
    """What one attacker sees of the cells it is asked about.

    It matters how far down and up each can go: only as far as it must for the attacker not to be too close, but for
    those of which both ends have to be known (see Question.enough). value: int64 (forms), true values.
    """
    attacker = questions[0].attacker
    near, enough = [q.cell for q in questions], np.array([q.enough() for q in questions], np.int64)
    reduced, forms = neighbourhood.reduced, neighbourhood.forms
    known = list(attacker.involved)
    involved = sorted({c for k in [*known, *near] for c in neighbourhood.components(k)})
    inside = np.isin(reduced.component, involved)
    rows = np.flatnonzero(inside[reduced.matrix.indices[reduced.matrix.indptr[:-1]]])
    columns = np.flatnonzero(inside)
    fixed = np.where(reduced.fixed, reduced.value, 0)
    constants = forms[[*known, *near]] @ fixed
    local = csr_array(forms[[*known, *near]][:, columns])
    exact = len(attacker.known)
    low = np.concatenate([value[known[:exact]], np.array([units for _, units in attacker.shares], np.int64)])
    low -= constants[: len(known)]
    high = low.copy()
    high[exact:] = NO_UPPER
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
    shift, least, most = constants[len(known) :], enough[:, 0], enough[:, 1]
    ends = [np.where(least == NO_LOWER, NO_LOWER, least - shift), np.where(most == NO_UPPER, NO_LOWER, shift - most)]
    return Attacked(component, shift, np.concatenate(ends), method, limits)


def bounds_of(seen: Attacked) -> tuple[TargetBounds, ...] | None:
    """Bounds of the targets; None if the attacker's own values do not fit the release."""
    try:
        found = seen.method.bounds(seen.component, seen.limits, enough=seen.enough)
    except InfeasibleError:
        return None
    return tuple(b.plus(c) for b, c in zip(found.targets, seen.constants.tolist(), strict=True))
