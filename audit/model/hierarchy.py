"""A classification: codes, how they are grouped, and which leaves each code covers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, Place
from tableseal.audit.sparse import csr

Edge = tuple[str | None, str]
"""(parent, child); parent None: the child is a top code, directly below the total."""

Wrong = Callable[[str], InputError]
"""What is wrong with a classification, as an error that names it."""


@dataclass(frozen=True)
class Hierarchy:
    """A classification variable.

    Attributes
    ----------
    name: name of the variable; tables that share it are linked by it.
    total: code of the total, None if the variable is never added up.
    codes: all codes, the total first if there is one.
    parents: one int32 array per grouping, parallel to `codes`: index of the parent code, -1 for none. Each grouping
        is complete: it partitions all leaves below the total (leaves it does not mention hang directly on the total).
    members: (codes x leaves) sparse 0/1 matrix; column order is that of `leaves`.
    leaves: index into `codes` of each leaf.
    selections: groups that are no part of the classification: a table's `where` names their codes, nothing else does.
    levels: name -> codes of each level, where the classification was read from a table with a column per level; for
        tables that are made down to one, and no part of the canonical form.
    combined: codes of which nothing below goes out, so that readers get them as leaves.
    """

    name: str
    total: str | None
    codes: tuple[str, ...]
    parents: tuple[NDArray[np.int32], ...]
    leaves: NDArray[np.int32]
    members: csr_array = field(repr=False, compare=False)
    selections: frozenset[str] = frozenset()
    combined: frozenset[str] = frozenset()
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Code -> position in `codes`."""
        return {code: i for i, code in enumerate(self.codes)}

    @cached_property
    def dense(self) -> NDArray[np.int64]:
        """`members` as a dense matrix, for small classifications."""
        result: NDArray[np.int64] = self.members.toarray().astype(np.int64)
        result.setflags(write=False)
        return result

    @property
    def total_index(self) -> int:
        """Position of the total; -1 if there is none (it is always 0 otherwise)."""
        return -1 if self.total is None else 0

    @cached_property
    def depth(self) -> int:
        """Longest chain of parents in any grouping."""
        deepest = 0
        for parent in self.parents:
            at, steps = parent.copy(), 0
            while (at >= 0).any():
                at = np.where(at >= 0, parent[at], -1)
                steps += 1
            deepest = max(deepest, steps)
        return deepest

    def edges(self, grouping: int) -> list[Edge]:
        """(parent, child) pairs of one grouping, in code order (codes that have no place in it are left out)."""
        parent = self.parents[grouping].tolist()
        placed = {p for p in parent if p >= 0} | set(self.leaves.tolist())
        return [
            (None if p < 0 else self.codes[p], self.codes[c])
            for c, p in enumerate(parent)
            if c != self.total_index and (p >= 0 or c in placed)
        ]

    def with_selection(self, code: str, children: Sequence[str]) -> "Hierarchy":
        """The same classification with one more grouping that has the single group `code` over `children`, and that
        only a `where` has asked for."""
        groupings = [self.edges(g) for g in range(len(self.parents))]
        groupings.append([(None, code), *((code, child) for child in children)])
        found = build_hierarchy(self.name, self.total, groupings, order=self.codes)
        return replace(found, selections=self.selections | {code}, levels=self.levels)

    def with_combined(self, groups: Sequence[tuple[str, Sequence[str]]]) -> "Hierarchy":
        """The same classification (of one grouping) with codes that go out only together. Positions of codes stay.

        groups: (code, what it stands for): a new code above some that have the same parent, or a code and all that is
        directly below it.
        """
        above = {child: code for code, children in groups for child in children if code not in self.index}
        edges: list[Edge] = []
        for parent, child in self.edges(0):
            if child in above:
                edges.append((parent, above[child]))
            edges.append((above.get(child, parent), child))
        found = build_hierarchy(self.name, self.total, [dict.fromkeys(edges)], order=self.codes)
        return replace(found, selections=self.selections, combined=self.combined | {code for code, _ in groups})

    def for_readers(self) -> tuple["Hierarchy", NDArray[np.int32]]:
        """The classification without what is below combined codes; and the new position of each code, -1 of those."""
        marked = np.array([code in self.combined for code in self.codes])
        gone, place = np.zeros(len(marked), np.bool_), np.arange(len(marked))
        for parent in self.parents:
            for at, above in enumerate(parent.tolist()):
                if above >= 0 and marked[above]:
                    place[above] = min(place[above], at)  # a new code stands where its parts stood
                while above >= 0 and not gone[at]:
                    gone[at] = marked[above]
                    above = int(parent[above])
        kept = [self.codes[at] for at in np.argsort(place, kind="stable").tolist() if not gone[at]]
        inside = set(kept)
        groupings = [[e for e in self.edges(g) if e[1] in inside] for g in range(len(self.parents))]
        found = build_hierarchy(self.name, self.total, groupings, order=kept)
        position = [-1 if gone[at] else found.index[code] for at, code in enumerate(self.codes)]
        return replace(found, selections=self.selections & inside), np.array(position, np.int32)


def _cover_the_rest(
    array: NDArray[np.int32], first: NDArray[np.int32] | None, leaves: NDArray[np.int32], top: int
) -> None:
    """Hang leaves that a grouping does not mention on the total: through the highest codes of the first grouping that
    overlap nothing of this one, so that "Total = East + the other regions" and not "+ the other districts"."""
    left = [int(leaf) for leaf in leaves if array[leaf] < 0 and leaf != top]
    if first is None:
        array[left] = top
        return
    taken = np.zeros(len(array), dtype=np.bool_)  # codes of the first grouping that cover a leaf of this one
    for leaf in leaves:
        at = int(leaf)
        if array[leaf] >= 0:
            while at >= 0:
                taken[at] = True
                at = int(first[at])
    for leaf in left:
        at = leaf
        while array[at] < 0:
            above = int(first[at])
            if above < 0 or above == top or taken[above]:
                array[at] = top
                break
            array[at] = above
            at = above


def build_hierarchy(
    name: str,
    total: str | None,
    groupings: Sequence[Iterable[Edge]],
    *,
    order: Sequence[str] = (),
    source: Place | str = "variables",
) -> Hierarchy:
    """Build a classification from one or more groupings, each a list of (parent, child) edges.

    A parent that is None or the total makes the child a top code. A grouping may cover only some of the leaves and
    may stop at codes that another grouping breaks down further. An edge from a code to itself (a code repeated on the
    next level) says nothing and is passed over. `order`: codes that come first, in this order; those in no grouping
    hang directly on the total. Codes it does not name follow in order of appearance.

    Raises
    ------
    InputError: a code with two parents in one grouping, a cycle, the total below another code, one group code that
        covers different leaves in two groupings, or no codes at all.
    """

    def wrong(problem: str) -> InputError:
        return InputError(f'hierarchy "{name}": {problem}', at=source)

    listed: dict[str, None] = {} if total is None else {total: None}
    listed.update(dict.fromkeys(order))
    trees: list[dict[str, str | None]] = []
    for edges in groupings:
        parent_of: dict[str, str | None] = {}
        for given, child in edges:
            parent = None if given == total else given
            if child == parent:
                continue
            if child == total:
                if parent is not None:
                    raise wrong(f'the total "{total}" is placed below "{parent}"')
                continue
            if child in parent_of and parent_of[child] != parent:
                old = parent_of[child]
                raise wrong(f'code "{child}" is placed twice, below "{old or total}" and below "{parent or total}"')
            parent_of[child] = parent
            if parent is not None and parent not in parent_of:
                listed.setdefault(parent)
            listed.setdefault(child)
        for parent in [p for p in parent_of.values() if p is not None]:
            parent_of.setdefault(parent, None)
        _refuse_cycle(parent_of, wrong)
        trees.append(parent_of)
    _refuse_mutual_groups(trees, wrong)
    codes = tuple(listed)
    if len(codes) == (0 if total is None else 1) and total is None:
        raise wrong("no codes")
    return _complete(name, total, codes, trees, wrong)


def _refuse_cycle(parent_of: Mapping[str, str | None], wrong: Wrong) -> None:
    done: set[str] = set()
    for start in parent_of:
        path: list[str] = []
        seen: set[str] = set()
        code: str | None = start
        while code is not None and code not in done:
            if code in seen:
                cycle = [*path[path.index(code) :], code]
                raise wrong("cycle: " + " below ".join(f'"{c}"' for c in cycle))
            seen.add(code)
            path.append(code)
            code = parent_of.get(code)
        done |= seen


def _refuse_mutual_groups(trees: Sequence[Mapping[str, str | None]], wrong: Wrong) -> None:
    """A code may not lie above another in one grouping and below it in a second."""
    parents: dict[str, set[str]] = {}
    for tree in trees:
        for child, parent in tree.items():
            if parent is not None:
                parents.setdefault(child, set()).add(parent)
    try:
        list(TopologicalSorter(parents).static_order())
    except CycleError as error:
        cycle = " below ".join(f'"{code}"' for code in reversed(error.args[1]))
        raise wrong(f"the groupings contradict each other: {cycle}") from None


def _complete(
    name: str, total: str | None, codes: tuple[str, ...], trees: list[dict[str, str | None]], wrong: Wrong
) -> Hierarchy:
    """Complete every grouping to a partition of the leaves and compute what each code covers."""
    index = {code: i for i, code in enumerate(codes)}
    top = 0 if total is not None else -1
    broken_down_by: dict[str, int] = {}
    for g, tree in enumerate(trees):
        for parent in tree.values():
            if parent is not None:
                broken_down_by.setdefault(parent, g)
    if len(codes) == 1 and total is not None:
        leaves = np.array([0], dtype=np.int32)  # a variable with nothing but its total
    else:
        leaves = np.array([i for i, c in enumerate(codes) if i != top and c not in broken_down_by], dtype=np.int32)
    leaf_column = {int(i): k for k, i in enumerate(leaves)}

    parents: list[NDArray[np.int32]] = []
    for tree in trees or [{}]:
        # Terminal codes of this grouping that another grouping breaks down keep that breakdown below them.
        full: dict[str, str | None] = dict(tree)
        own_groups = {p for p in tree.values() if p is not None}
        queue = [c for c in tree if c not in own_groups and c in broken_down_by]
        while queue:
            group = queue.pop()
            donor = trees[broken_down_by[group]]
            for child, parent in donor.items():
                if parent == group and child not in full:
                    full[child] = group
                    if child in broken_down_by:
                        queue.append(child)
        array = np.full(len(codes), -1, dtype=np.int32)
        for child, parent in full.items():
            array[index[child]] = top if parent is None else index[parent]
        parents.append(array)
    for g, array in enumerate(parents):
        _cover_the_rest(array, parents[0] if g else None, leaves, top)

    covered: list[set[int] | None] = [None] * len(codes)
    for leaf, column in leaf_column.items():
        covered[leaf] = {column}
    for array in parents:
        groups: dict[int, set[int]] = {}
        for leaf, column in leaf_column.items():
            at = int(array[leaf])
            while at >= 0 and at != top:
                groups.setdefault(at, set()).add(column)
                at = int(array[at])
        for code, found in groups.items():
            known = covered[code]
            if known is not None and known != found:
                raise wrong(f'group "{codes[code]}" covers different codes in two groupings; give it two names')
            covered[code] = found
    if total is not None:
        covered[0] = set(leaf_column.values())
    rows = [sorted(c or ()) for c in covered]
    indptr = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum([len(r) for r in rows], out=indptr[1:])
    indices = np.array([column for row in rows for column in row], dtype=np.int64)
    members = csr(np.ones(len(indices), dtype=np.int64), indices, indptr, (len(codes), len(leaves)))
    for array in parents:
        array.setflags(write=False)
    leaves.setflags(write=False)
    return Hierarchy(name, total, codes, tuple(parents), leaves, members)
