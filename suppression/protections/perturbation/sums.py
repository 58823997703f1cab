"""Between which values sums of counts lie that were perturbed by quotas: a stratum has as many of each count as before.

Each shown count stands for one that may stand behind it, and all of them together are the shown ones in another order:
a transportation problem, whose smallest and largest sum over the parts of a cell are whole numbers.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Ends = tuple[int, int]

MOST_PROBLEMS, MOST_PAIRS = 2_000, 2_000
"""Different problems, and pairs of counts in each, up to which sums are looked at; else their parts alone say it."""


def quota_sums(
    forms: csr_array, shown: Ints, strata: Ints, behind: Mapping[int, Mapping[int, set[int]]], moves: NDArray[np.bool_]
) -> tuple[Ints, Ints] | None:
    """(smallest, largest), int64 (cells), of the sums over what moves; None: too much to look at.

    forms: int64 csr (cells x inner cells). shown: int64 (inner cells). behind: of each stratum, shown count -> counts
    that may stand behind it.
    """
    low, high = (np.zeros(forms.shape[0], np.int64) for _ in range(2))
    known: dict[tuple[int, tuple[int, ...]], Ends] = {}
    for stratum, near in behind.items():
        own = np.flatnonzero((strata == stratum) & moves)
        states, state = np.unique(shown[own], return_inverse=True)
        near = {k: near[k].intersection(states.tolist()) for k in states.tolist()}  # known zeros are none of them
        if sum(map(len, near.values())) > MOST_PAIRS:
            return None
        kinds = csr_array((np.ones(len(own), np.int64), (np.arange(len(own)), state.ravel())), (len(own), len(states)))
        inside = (forms[:, own] @ kinds).toarray()
        whole = np.bincount(state.ravel(), minlength=len(states))
        for cell in np.flatnonzero(inside.any(axis=1)).tolist():
            key = stratum, tuple(inside[cell].tolist())
            if key not in known:
                if len(known) >= MOST_PROBLEMS:
                    return None
                known[key] = _ends(states.tolist(), inside[cell], whole, near)
            low[cell] += known[key][0]
            high[cell] += known[key][1]
    return low, high


def _ends(states: list[int], inside: Ints, whole: Ints, near: Mapping[int, set[int]]) -> Ends:
    """Of the sum of what stands behind some of the shown counts. inside, whole: how many of each there are of these,
    and in all."""
    if (inside == whole).all():
        total = int(inside @ np.array(states))
        return total, total
    if inside.sum() == 1:
        (k,) = (states[at] for at in np.flatnonzero(inside).tolist())
        return min(near[k]), max(near[k])
    from scipy.optimize import linprog

    place = {k: at for at, k in enumerate(states)}
    pairs = [(place[k], place[true]) for k in states for true in sorted(near[k])]
    n, m = len(states), len(pairs)
    shown_at, true_at = (np.array(one) for one in zip(*pairs, strict=True))
    column = np.arange(m)
    ones = np.ones(m)
    # Flows from shown to true counts: of what is inside, then of the rest; together they make up all true counts.
    rows = np.concatenate([shown_at, n + shown_at, 2 * n + true_at, 2 * n + true_at])
    columns = np.concatenate([column, m + column, column, m + column])
    matrix = csr_array((np.tile(ones, 4), (rows, columns)), shape=(3 * n, 2 * m))
    right = np.concatenate([inside, whole - inside, whole])
    cost = np.concatenate([np.array(states, float)[true_at], np.zeros(m)])
    found = [linprog(sign * cost, A_eq=matrix, b_eq=right, bounds=(0, None)) for sign in (1, -1)]
    return int(np.floor(found[0].fun + 1e-6)), int(np.ceil(-found[1].fun - 1e-6))
