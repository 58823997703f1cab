"""Names of what no code stands for, and classifications that have codes for it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.implied.grids import Grid
from tableseal.audit.in_hand.axes import Axis
from tableseal.audit.linear.inclusion import members_of
from tableseal.audit.model import Hierarchy, Release
from tableseal.audit.prepare import Prepared

SPELLED = 4
"""Codes that a name spells out."""


@dataclass(frozen=True)
class Named:
    """A release whose classifications have a code for everything that combinations stand at.

    release: the classifications have further codes behind their own ones. added: of each variable, new code -> the
    leaves (texts) that it holds. codes: int32 (combinations x variables), measure: int32.
    """

    release: Release
    added: tuple[dict[str, tuple[str, ...]], ...]
    codes: NDArray[np.int32]
    measure: NDArray[np.int32]


def named(prepared: Prepared, chosen: Sequence[tuple[Grid, NDArray[np.int64]]]) -> Named:
    """Codes for combinations (positions in their grids), one after another."""
    release = prepared.release
    points = [(grid, grid.points(at)) for grid, at in chosen]
    total = sum(len(at) for _, at in chosen)
    codes = np.empty((total, len(release.variables)), np.int32)
    hierarchies: dict[str, Hierarchy] = {}
    added: list[dict[str, tuple[str, ...]]] = []
    for v, (name, hierarchy) in enumerate(release.variables.items()):
        spoken = np.unique(prepared.cells.codes[:, v])
        new = _NewCodes(hierarchy, spoken)
        begin = 0
        for grid, at in points:
            axis = grid.axes[v]
            used, place = np.unique(at[:, v], return_inverse=True)
            found = np.array([new.code(axis, int(p)) for p in used], np.int32)
            codes[begin : begin + len(at), v] = found[place.ravel()]
            begin += len(at)
        hierarchies[name] = new.hierarchy()
        added.append(new.added())
    measure = np.repeat(np.array([g.measure for g, _ in chosen], np.int32), [len(at) for _, at in chosen])
    return Named(replace(release, variables=hierarchies), tuple(added), codes, measure)


class _NewCodes:
    """Further codes of one classification."""

    def __init__(self, hierarchy: Hierarchy, spoken: NDArray[np.integer]) -> None:
        self._hierarchy, self._spoken = hierarchy, spoken
        self._found: dict[bytes, int] = {}
        self._names: list[str] = []
        self._leaves: list[NDArray[np.int64]] = []

    def code(self, axis: Axis, point: int) -> int:
        """The code of a point."""
        if axis.code[point] >= 0:
            return int(axis.code[point])
        leaves = axis.leaves(point)
        key = leaves.tobytes()
        if key not in self._found:
            self._found[key] = len(self._hierarchy.codes) + len(self._names)
            taken = {*self._hierarchy.codes, *self._names}
            name = text = part_name(self._hierarchy, self._spoken, leaves)
            number = 2
            while name in taken:
                name, number = f"{text} ({number})", number + 1
            self._names.append(name)
            self._leaves.append(leaves)
        return self._found[key]

    def hierarchy(self) -> Hierarchy:
        """The classification with the further codes."""
        old = self._hierarchy
        if not self._names:
            return old
        members = csr_array(
            (
                np.ones(sum(map(len, self._leaves)), np.int64),
                np.concatenate(self._leaves),
                np.cumsum([0, *map(len, self._leaves)]),
            ),
            shape=(len(self._leaves), len(old.leaves)),
        )
        from tableseal.audit.sparse import stacked

        none = np.full(len(self._names), -1, np.int32)
        return Hierarchy(
            old.name,
            old.total,
            (*old.codes, *self._names),
            tuple(np.concatenate([parents, none]) for parents in old.parents),
            old.leaves,
            stacked([csr_array(old.members), members]),
        )

    def added(self) -> dict[str, tuple[str, ...]]:
        """New code -> its leaves."""
        codes, leaves = self._hierarchy.codes, self._hierarchy.leaves
        return {
            name: tuple(codes[c] for c in leaves[own].tolist())
            for name, own in zip(self._names, self._leaves, strict=True)
        }


def part_name(hierarchy: Hierarchy, spoken: NDArray[np.integer], leaves: NDArray[np.int64]) -> str:
    """What a set of leaves that no code holds is called: "A+B+C - A+B" (the smallest code that is spoken of and holds
    it, without the largest ones inside), "G & H" (what two codes share), else its leaves."""
    covers = csr_array(members_of(hierarchy))[spoken]
    wanted = np.zeros(len(hierarchy.leaves), np.int64)
    wanted[leaves] = 1
    size, common = np.asarray(covers.sum(axis=1)).ravel(), covers @ wanted
    around = np.flatnonzero(common == len(leaves))
    around = around[np.argsort(size[around], kind="stable")]
    codes = [hierarchy.codes[c] for c in spoken]
    for outer in around[:1].tolist():
        rest = np.asarray(covers[[outer]].toarray()).ravel() - wanted
        without = []
        apart = np.flatnonzero((common == 0) & (size > 0))
        for inner in apart[np.argsort(-size[apart], kind="stable")].tolist():
            own = np.asarray(covers[[inner]].toarray()).ravel()
            if (own <= rest).all():
                rest = rest - own
                without.append(codes[inner])
            if len(without) > SPELLED or not rest.any():
                break
        if without and not rest.any():
            return " - ".join([codes[outer], *without])
        for other in around[1:].tolist():
            if int(covers[[outer]].multiply(covers[[other]]).sum()) == len(leaves):
                return f"{codes[outer]} & {codes[other]}"
    return _joined(hierarchy.codes[c] for c in hierarchy.leaves[leaves].tolist())


def _joined(codes: Iterable[str]) -> str:
    listed = list(codes)
    if len(listed) <= SPELLED:
        return "+".join(listed)
    return "+".join(listed[:SPELLED]) + f"+... ({len(listed)} codes)"
