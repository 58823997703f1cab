"""Designs: which categories of classifications are published only together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Hierarchy, Release

Bools = NDArray[np.bool_]


@dataclass(frozen=True, order=True)
class Group:
    """Categories of one parent that are published only together; all that is below them is not published.

    variable: position. parent: of them, a position in the codes; -1: they are the top ones of a variable without total.
    members: their positions, ascending.
    """

    variable: int
    parent: int
    members: tuple[int, ...]


Design = tuple[Group, ...]
"""Groups of different categories, ascending; none lies below a member of another one."""


@dataclass(frozen=True)
class Tree:
    """A classification of one grouping as a tree: parent -> what is directly below it, in the order of its codes."""

    hierarchy: Hierarchy
    children: Mapping[int, tuple[int, ...]]

    @staticmethod
    def of(hierarchy: Hierarchy) -> "Tree":
        """Of several groupings none: their categories are in several parents, and stay as they are."""
        children: dict[int, list[int]] = {}
        if len(hierarchy.parents) == 1 and not hierarchy.combined:
            for code, parent in enumerate(hierarchy.parents[0].tolist()):
                if code != hierarchy.total_index:
                    children.setdefault(parent, []).append(code)
        return Tree(hierarchy, {parent: tuple(below) for parent, below in children.items()})

    @cached_property
    def below(self) -> Mapping[int, tuple[int, ...]]:
        """Code -> itself and all that is below it."""
        found: dict[int, tuple[int, ...]] = {}

        def walk(code: int) -> tuple[int, ...]:
            inside = [code]
            for child in self.children.get(code, ()):
                inside += walk(child)
            found[code] = tuple(inside)
            return found[code]

        for top in self.children.get(-1, self.children.get(0, ())):
            walk(top)
        return found

    def path(self, code: int) -> Iterator[int]:
        """A code and those above it, without the total."""
        while code >= 0 and code != self.hierarchy.total_index:
            yield code
            code = int(self.hierarchy.parents[0][code])

    def whole(self, group: Group) -> bool:
        """All that is below a code: it is published in their place."""
        return group.parent >= 0 and len(group.members) == len(self.children[group.parent])

    def hidden(self, design: Design, variable: int) -> Bools:
        """bool (codes): those that are not published."""
        found = np.zeros(len(self.hierarchy.codes), np.bool_)
        for group in design:
            if group.variable == variable:
                for member in group.members:
                    found[list(self.below[member])] = True
        return found


@dataclass(frozen=True)
class Space:
    """All designs of a release. neighbours: only categories that stand next to one another are combined."""

    trees: tuple[Tree, ...]
    neighbours: bool = True

    @staticmethod
    def of(release: Release, *, neighbours: bool) -> "Space":
        """The designs of a release; a variable that no table breaks down has none."""
        named = {name for table in release.tables for name in table.named}
        trees = [Tree.of(h) if name in named else Tree(h, {}) for name, h in release.variables.items()]
        return Space(tuple(trees), neighbours)

    def coarsest(self) -> Design:
        """All top categories of every variable are combined: no other design is coarser."""
        tops = (
            (v, parent, children)
            for v, tree in enumerate(self.trees)
            for parent, children in tree.children.items()
            if parent in (-1, tree.hierarchy.total_index)
        )
        return tuple(sorted(Group(v, parent, tuple(sorted(top))) for v, parent, top in tops if len(top) > 1))

    def steps(self, design: Design) -> Iterator[Design]:
        """The designs that combine two more categories (or groups) of one parent: every coarser one is reached so."""
        for variable, tree in enumerate(self.trees):
            hidden = tree.hidden(design, variable)
            for parent in tree.children:
                if parent < 0 or not hidden[parent]:
                    yield from self._steps(design, variable, parent)

    def steps_away(self, design: Design, variable: int, code: int) -> Iterator[Design]:
        """Those after which a published category may disappear: it, or one above it, is combined with another one.

        code: its position; beyond the codes: a new one, by the position of its group in the design.
        """
        tree = self.trees[variable]
        codes = len(tree.hierarchy.codes)
        group = design[code - codes] if code >= codes else None
        start = code if group is None else group.members[0]
        for at in tree.path(start) if tree.children else ():
            parent = int(tree.hierarchy.parents[0][at])
            yield from self._steps(design, variable, parent, at)

    def _steps(self, design: Design, variable: int, parent: int, of: int | None = None) -> Iterator[Design]:
        """of: one of the combined categories."""
        own = [g.members for g in design if g.variable == variable and g.parent == parent]
        taken = {member for members in own for member in members}
        slots = sorted([*own, *((child,) for child in self.trees[variable].children[parent] if child not in taken)])
        for one, other in pairwise(slots) if self.neighbours else combinations(slots, 2):
            if of is None or of in one or of in other:
                yield self._with(design, Group(variable, parent, tuple(sorted(one + other))))

    def _with(self, design: Design, group: Group) -> Design:
        """The design with one more group, which holds others."""
        tree = self.trees[group.variable]
        inside = {code for member in group.members for code in tree.below[member]}
        kept = [g for g in design if g.variable != group.variable or inside.isdisjoint(g.members)]
        return tuple(sorted([*kept, group]))
