"""Classifications of a release -> variables of a hypercube with their levels."""

import numpy as np

from tableseal.audit.hypercube.model import Codes, Level, Variable
from tableseal.audit.model import Hierarchy

LEAVES = "leaves"
"""Name of the finest level of a classification whose named levels do not reach it."""


def variable_of(hierarchy: Hierarchy, *, areas: bool = False) -> Variable:
    """A variable with the levels of its classification, the coarsest first.

    Levels have the names that a table of levels gives them. Where there are none they are numbered from the total
    downward: 1, 2, ...; of a second grouping 2.1, 2.2, ... A leaf that ends above a level stands there for itself.
    """
    leaves = tuple(hierarchy.codes[at] for at in hierarchy.leaves.tolist())
    levels = _named(hierarchy) if hierarchy.levels else _numbered(hierarchy)
    if not levels or levels[-1].codes != leaves:
        levels.append(Level(LEAVES, leaves, np.arange(len(leaves), dtype=np.int32)))
    return Variable(hierarchy.name, leaves, tuple(levels), areas)


def _named(hierarchy: Hierarchy) -> list[Level]:
    found = []
    for name, codes in hierarchy.levels.items():
        holder = np.full(len(hierarchy.leaves), -1, np.int64)
        for code in codes:
            at = hierarchy.index[code]
            row = slice(hierarchy.members.indptr[at], hierarchy.members.indptr[at + 1])
            holder[hierarchy.members.indices[row]] = at
        found.append(_level(name, hierarchy, np.where(holder < 0, hierarchy.leaves, holder)))
    return found


def _numbered(hierarchy: Hierarchy) -> list[Level]:
    """Of each grouping the codes at each depth; none that is the same as another one."""
    found: list[Level] = []
    for grouping, parent in enumerate(hierarchy.parents):
        paths = [_path(int(leaf), parent, hierarchy.total_index) for leaf in hierarchy.leaves]
        for depth in range(max(map(len, paths), default=0)):
            holder = np.array([path[min(depth, len(path) - 1)] for path in paths], np.int64)
            level = _level(f"{grouping + 1}.{depth + 1}" if grouping else str(depth + 1), hierarchy, holder)
            if all(level.codes != other.codes for other in found):
                found.append(level)
    return sorted(found, key=lambda level: len(level.codes) == len(hierarchy.leaves))


def _path(leaf: int, parent: Codes, top: int) -> list[int]:
    """Codes from below the total down to a leaf."""
    path = [leaf]
    while (above := int(parent[path[-1]])) >= 0 and above != top:
        path.append(above)
    return path[::-1]


def _level(name: str, hierarchy: Hierarchy, holder: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Level:
    """holder: int64 (leaves), position in the classification of the code that holds each leaf."""
    codes, of_leaf = np.unique(holder, return_inverse=True)
    return Level(name, tuple(hierarchy.codes[at] for at in codes.tolist()), of_leaf.astype(np.int32))
