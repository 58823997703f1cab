"""Between which values sums of counts lie that were perturbed by an invariant matrix.

Each shown count stands for one that may stand behind it. With quotas all of them together are the shown ones in another
order; with independent draws every count that is shown occurs among them, because the matrix leads only to counts that
occur. Either is a transportation problem, whose smallest and largest sum over the parts of a cell are whole numbers.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

Ints = NDArray[np.int64]
Ends = tuple[int, int]

MOST_PROBLEMS, MOST_PAIRS = 2_000, 2_000
"""Different problems, those of few parts first, and pairs of counts in each, up to which sums are looked at; else their
parts alone say it."""


def stratum_sums(
    forms: csr_array,
    shown: Ints,
    strata: Ints,
    behind: Mapping[int, Mapping[int, set[int]]],
    moves: NDArray[np.bool_],
    *,
    quotas: bool,
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """(smallest, largest), int64 (cells), of the sums over what moves; bool (cells): these are wider than what is
    possible, because there was too much to look at.

    forms: int64 csr (cells x inner cells). shown: int64 (inner cells). behind: of each stratum, shown count -> counts
    that may stand behind it.
    """
    low, high = (np.zeros(forms.shape[0], np.int64) for _ in range(2))
    wider = np.zeros(forms.shape[0], np.bool_)
    known: dict[tuple[int, tuple[int, ...]], Ends] = {}
    for stratum, near in behind.items():
        own = np.flatnonzero((strata == stratum) & moves)
        states, state = np.unique(shown[own], return_inverse=True)
        near = {k: near[k] for k in states.tolist()}
        if quotas:  # known zeros are none of them
            near = {k: counts.intersection(states.tolist()) for k, counts in near.items()}
        few = sum(map(len, near.values())) <= MOST_PAIRS
        kinds = csr_array((np.ones(len(own), np.int64), (np.arange(len(own)), state.ravel())), (len(own), len(states)))
        inside = (forms[:, own] @ kinds).toarray()
        whole = np.bincount(state.ravel(), minlength=len(states))
        least, most = (np.array([end(counts) for counts in near.values()], np.int64) for end in (min, max))
        parts = inside.sum(axis=1)
        for cell in np.argsort(parts, kind="stable")[(parts == 0).sum() :].tolist():
            key = stratum, tuple(inside[cell].tolist())
            if key in known:
                ends = known[key]
            elif quotas and (inside[cell] == whole).all():
                ends = known[key] = (int(inside[cell] @ states),) * 2
            elif few and len(known) < MOST_PROBLEMS:
                ends = known[key] = _ends(states.tolist(), inside[cell], whole, near, quotas=quotas)
            else:
                ends = int(inside[cell] @ least), int(inside[cell] @ most)
                wider[cell] |= parts[cell] > 1
            low[cell] += ends[0]
            high[cell] += ends[1]
    return low, high, wider


def _ends(states: list[int], inside: Ints, whole: Ints, near: Mapping[int, set[int]], *, quotas: bool) -> Ends:
    """Of the sum of what stands behind some of the shown counts. inside, whole: how many of each there are of these,
    and in all."""
    if inside.sum() == 1:  # what may stand behind one is exact
        (k,) = (states[at] for at in np.flatnonzero(inside).tolist())
        return min(near[k]), max(near[k])
    from scipy.optimize import linprog

    counts = sorted(set().union(*near.values()))
    place = {k: at for at, k in enumerate(states)}
    of_true = {k: at for at, k in enumerate(counts)}
    pairs = [(place[k], of_true[true]) for k in states for true in sorted(near[k])]
    n, m = len(states), len(pairs)
    shown_at, true_at = (np.array(one) for one in zip(*pairs, strict=True))
    ones = np.ones(m)
    # Flows from shown to true counts: of what is inside, then of the rest.
    given = csr_array(
        (np.tile(ones, 2), (np.concatenate([shown_at, n + shown_at]), np.arange(2 * m))), shape=(2 * n, 2 * m)
    )
    taken = csr_array((np.tile(ones, 2), (np.tile(true_at, 2), np.arange(2 * m))), shape=(len(counts), 2 * m))
    leaving = np.concatenate([inside, whole - inside])
    size = np.array(counts, np.int64)[true_at]
    cost = np.concatenate([(size - min(counts)).astype(float), np.zeros(m)])  # the same for all flows, but for digits
    if quotas:  # together they make up all true counts
        held: dict[str, Any] = {"A_eq": vstack([given, taken]), "b_eq": np.concatenate([leaving, whole])}
    else:  # of each shown count there is one
        there = taken[[of_true[k] for k in states]]
        held = {"A_eq": given, "b_eq": leaving, "A_ub": -there, "b_ub": -np.ones(n)}
    # Corners of a transportation problem are whole, so that sums are exact.
    least, most = (np.rint(linprog(sign * cost, bounds=(0, None), **held).x[:m]).astype(np.int64) for sign in (1, -1))
    return int(size @ least), int(size @ most)
