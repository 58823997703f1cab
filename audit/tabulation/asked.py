"""What a table made of microdata is to hold: for each of its variables the codes that become cells."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Hierarchy


@dataclass(frozen=True)
class Asked:
    """A table to be made.

    codes: variable of the table -> bool (codes of the variable), the codes that become cells.
    fixed: variable -> code position that all records of the table lie in; they are no part of its cells.
    Every other variable stands at its total.
    """

    name: str
    measure: str
    codes: Mapping[str, NDArray[np.bool_]]
    fixed: Mapping[str, int]


def all_codes(hierarchy: Hierarchy) -> NDArray[np.bool_]:
    """bool (codes): all but groups that only a `where` names."""
    result: NDArray[np.bool_] = np.array([code not in hierarchy.selections for code in hierarchy.codes], np.bool_)
    return result


def down_to(hierarchy: Hierarchy, level: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool (codes): the codes of a level, all that they add up to, and what ends above that level (ragged trees).

    level: bool (codes), codes of the level.
    """
    lower = np.zeros(len(level), np.bool_)
    for parent in hierarchy.parents:
        at = parent
        while (at >= 0).any():
            lower |= (at >= 0) & level[at]
            at = np.where(at >= 0, parent[at], -1)
    common = (hierarchy.members @ hierarchy.members[np.flatnonzero(level)].T).tocsr()
    whole = np.diff(hierarchy.members.indptr)[level]
    cut = np.zeros(len(level), np.bool_)
    cut[np.repeat(np.arange(len(level)), np.diff(common.indptr))[common.data < whole[common.indices]]] = True
    return all_codes(hierarchy) & (level | ~(lower | cut))


def at_depth(hierarchy: Hierarchy, depth: int) -> NDArray[np.bool_]:
    """bool (codes): those that lie so deep below the total in the first grouping (1: the top codes)."""
    parent = hierarchy.parents[0]
    steps = np.full(len(parent), 0 if hierarchy.total is not None else 1)
    at = parent
    while (at >= 0).any():
        steps += at >= 0
        at = np.where(at >= 0, parent[at], -1)
    placed = np.isin(np.arange(len(parent)), np.concatenate([parent[parent >= 0], hierarchy.leaves]))
    result: NDArray[np.bool_] = placed & (steps == depth)
    return result
