"""Codes of one variable that are added up and subtracted: parts of a code, and codes that together cover one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.subject import Subject
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.model import Hierarchy


@dataclass(frozen=True)
class Combination:
    """A code and disjoint others, positions in a variable's codes.

    rest: leaves that are in the whole and in no part, or (`beyond`) in a part and not in the whole; empty: the parts
    are all of the whole.
    """

    variable: int
    whole: int
    parts: tuple[int, ...]
    rest: frozenset[int]
    beyond: bool = False


@dataclass(frozen=True)
class Combinations:
    """All combinations of codes that the tables of a subject list, and where they occur."""

    subject: Subject

    @cached_property
    def all(self) -> tuple[Combination, ...]:
        """Of every variable, in the order of variables, codes and groupings."""
        cells, found = self.subject.cells, dict[Combination, None]()
        for v, hierarchy in enumerate(self.subject.release.variables.values()):
            listed = np.unique(cells.codes[self.subject.known, v]).tolist()
            found.update(dict.fromkeys(_of_variable(v, hierarchy, listed)))
        return tuple(found)

    def occurring(self, combination: Combination) -> NDArray[np.int64]:
        """int64 (n x 1 + parts): the cells of the whole and of its parts, with all other codes alike, where readers see
        a value of each and at least one was changed."""
        subject, v = self.subject, combination.variable
        at = np.flatnonzero(subject.known & (subject.cells.codes[:, v] == combination.whole))
        codes, columns = subject.cells.codes[at].copy(), [at]
        for part in combination.parts:
            codes[:, v] = part
            columns.append(self._lookup.find(self._space.keys(subject.cells.measure[at], codes)))
        found = np.stack(columns, axis=1)
        there = (found >= 0).all(axis=1) & subject.known[found].all(axis=1)
        return found[there & subject.changed[found].any(axis=1)]

    @cached_property
    def _space(self) -> KeySpace:
        return KeySpace.of(self.subject.release)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup.of(self._space.keys(self.subject.cells.measure, self.subject.cells.codes))


def _of_variable(v: int, hierarchy: Hierarchy, listed: list[int]) -> Iterator[Combination]:
    members = hierarchy.members
    size = np.diff(members.indptr)
    common = (members @ members.T).tocsr()
    leaves = {
        code: frozenset(members.indices[members.indptr[code] : members.indptr[code + 1]].tolist()) for code in listed
    }
    own = set(leaves.values())
    families = _families(hierarchy, listed)
    for whole in listed:
        row = slice(*common.indptr[whole : whole + 2].tolist())
        shared = dict(zip(common.indices[row].tolist(), common.data[row].tolist(), strict=True))
        for family in families:
            touching = tuple(code for code in family if code != whole and code in shared)
            inside = tuple(code for code in touching if shared[code] == size[code])
            rest = leaves[whole].difference(*(leaves[code] for code in inside))
            if inside and rest not in own:
                yield Combination(v, whole, inside, rest)
            if len(touching) > 1 and sum(shared[code] for code in touching) == size[whole]:
                beyond = frozenset[int]().union(*(leaves[code] for code in touching)) - leaves[whole]
                if beyond and beyond not in own:
                    yield Combination(v, whole, touching, beyond, beyond=True)


def _families(hierarchy: Hierarchy, listed: list[int]) -> list[tuple[int, ...]]:
    """Disjoint listed codes: those on one level of one grouping, with the listed leaves that end above it."""
    allowed, found = set(listed) - {hierarchy.total_index}, dict[tuple[int, ...], None]()
    for parents in hierarchy.parents:
        paths = [_path(int(leaf), parents, hierarchy.total_index) for leaf in hierarchy.leaves]
        for depth in range(max(map(len, paths))):
            level = dict.fromkeys(path[min(depth, len(path) - 1)] for path in paths)
            family = tuple(sorted(code for code in level if code in allowed))
            if family:
                found[family] = None
    return list(found)


def _path(leaf: int, parents: NDArray[np.int32], total: int) -> list[int]:
    """Codes from below the total down to a leaf."""
    path, at = [leaf], int(parents[leaf])
    while at >= 0 and at != total:
        path.append(at)
        at = int(parents[at])
    return path[::-1]
