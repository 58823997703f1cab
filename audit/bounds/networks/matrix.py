"""Network matrices: integer bounds equal linear bounds, and every integer in between is possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.graph import joined
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.sparse import csr, row_of_entries, rows_at, stacked, transposed, without_zeros

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Network:
    """A component as flows on the arcs of a directed graph.

    Every column, every row that is an interval and every target of several columns is an arc; every row and every
    such target is a node, and the last node (the root) takes what leaves the system. What leaves a node less what
    enters it is the node's supply.

    Attributes
    ----------
    tail, head: int64 (arcs; the columns come first), nodes; low, high: int64 (arcs), NO_LOWER / NO_UPPER for no bound.
    supply: int64 (nodes but the root).
    target: int64 (targets), the arc whose flow is the target's value; -1 where there is none.
    multiplier: int64 csr (rows of the component x nodes but the root), turns node potentials into row multipliers.
    """

    tail: Ints
    head: Ints
    low: Ints
    high: Ints
    supply: Ints
    target: Ints
    multiplier: csr_array

    @property
    def convex(self) -> bool:
        """True if every target is the flow on an arc.

        Network matrices are totally unimodular, so fixing a target to any integer between its bounds leaves an integer
        solution (Hoffman, Kruskal 1956).
        """
        return bool((self.target >= 0).all())

    @property
    def root(self) -> int:
        """The node that closes the system."""
        return len(self.supply)


def network_of(component: Component) -> Network | None:
    """The component as a network, None if its rows are none.

    Rows are taken as they are, or each less the longest rows inside it (rounded totals of rounded totals). Targets of
    several columns join as rows with a free slack. Where neither gives a network they are left out.
    """
    if not _may_be(component):
        return None
    size = np.diff(component.targets.indptr)
    unit = np.ones(len(size), np.bool_)
    unit[np.repeat(np.arange(len(size)), size)[component.targets.data != 1]] = False
    longer, single = np.flatnonzero(size > 1), (size == 1) & unit
    if not unit[longer].all():
        longer = longer[:0]
    found = _joined(component, longer)
    if found is None and len(longer):
        longer = longer[:0]
        found = _joined(component, longer)
    if found is None:
        return None
    tail, head, low, high, supply, multiplier = found
    target = np.full(len(size), -1, dtype=np.int64)
    target[single] = component.targets.indices[component.targets.indptr[:-1][single]]
    target[longer] = len(tail) - len(longer) + np.arange(len(longer))
    return Network(tail, head, low, high, supply, target, multiplier)


_Arcs = tuple[Ints, Ints, Ints, Ints, Ints, csr_array]
"""Tails, heads, bounds, supplies and row multipliers of a network."""


def _joined(component: Component, targets: Ints) -> _Arcs | None:
    """The network of a component's rows and of some targets."""
    rows = stacked([component.matrix, rows_at(component.targets, targets)])
    found = _arcs(component, rows, None)
    if found is None and (nested := _nested(rows)) is not None:
        found = _arcs(component, rows, nested)
    return found


def _arcs(component: Component, rows: csr_array, transform: csr_array | None) -> _Arcs | None:
    """The network whose nodes are `transform` @ `rows`."""
    own, count = component.matrix.shape[0], rows.shape[0]
    free = count - own
    lower = np.concatenate([component.lower, np.full(free, NO_LOWER)])
    upper = np.concatenate([component.upper, np.full(free, NO_UPPER)])
    exact = lower == upper
    slack = np.flatnonzero(~exact)
    value = np.where(exact, lower, 0)
    nodes = rows
    # Each slack is an arc that leaves its row.
    slacks = csr(np.full(len(slack), -1), slack, np.arange(len(slack) + 1), (len(slack), count))
    if transform is not None:
        nodes, value = csr_array(transform @ rows), product(transform, value)
        slacks = csr_array(slacks @ transform.T)
    by_arc = without_zeros(stacked([transposed(nodes), slacks]))
    sign = network_signs(by_arc)
    if sign is None:
        return None
    entry = by_arc.data * sign[by_arc.indices]
    end = row_of_entries(by_arc)
    tail, head = np.full(by_arc.shape[0], count), np.full(by_arc.shape[0], count)
    tail[end[entry > 0]] = by_arc.indices[entry > 0]
    head[end[entry < 0]] = by_arc.indices[entry < 0]
    multiplier = csr(sign, np.arange(count), np.arange(count + 1), (count, count))
    if transform is not None:
        multiplier = csr_array(transform.T @ multiplier)
    return (
        tail,
        head,
        np.concatenate([component.column_lower, lower[slack]]),
        np.concatenate([component.column_upper, upper[slack]]),
        sign * value,
        rows_at(multiplier, np.arange(own)),
    )


def _may_be(component: Component) -> bool:
    """True if all entries are units and no column stands in more than two equations; cheap, and false of most that are
    no network. (No equation is inside another one: see audit.linear.difference. Intervals may be.)"""
    matrix = component.matrix
    exact = component.lower == component.upper
    in_equations = np.bincount(matrix.indices[exact[row_of_entries(matrix)]], minlength=1)
    return bool(in_equations.max() <= 2 and (np.abs(matrix.data) == 1).all())


def network_signs(by_column: csr_array) -> Ints | None:
    """Signs of the rows that leave at most one +1 and one -1 in each column; None if there are none.

    by_column: the transposed matrix.
    """
    if (np.diff(by_column.indptr) > 2).any() or (np.abs(by_column.data) != 1).any():
        return None
    sign, wrong = opposed(by_column)
    return None if wrong.any() else sign


def opposed(by_column: csr_array) -> tuple[Ints, NDArray[np.bool_]]:
    """(signs of the rows that give the two entries of each column opposite signs, rows for which there are none).

    by_column: the transposed matrix. Columns have at most two entries, 1 or -1. Rows are nodes of a graph with an edge
    "same sign" or "other sign" for each column with two entries; the signs exist if the doubled graph never joins a
    row with its opposite.
    """
    first = by_column.indptr[:-1][np.diff(by_column.indptr) == 2]
    a, b = by_column.indices[first].astype(np.int64), by_column.indices[first + 1].astype(np.int64)
    equal = by_column.data[first] == by_column.data[first + 1]  # equal entries: the rows need different signs
    n = by_column.shape[1]
    other, opposite = np.where(equal, b + n, b), np.where(equal, b, b + n)
    label = joined(2 * n, np.concatenate([a, a + n]), np.concatenate([other, opposite]))
    return np.where(label[:n] < label[n:], 1, -1), label[:n] == label[n:]


def _nested(rows: csr_array) -> csr_array | None:
    """Each row less the longest rows of its family inside it: a unit triangular change of rows.

    Only rows whose entries are all of one sign contain others or are contained. None if there are no two families.
    """
    size = np.diff(rows.indptr)
    total = rows.sum(axis=1)
    sign = np.sign(total).tolist()
    members = [frozenset(rows.indices[a:b].tolist()) for a, b in pairwise(rows.indptr.tolist())]
    order = np.lexsort((np.arange(len(size)), size))
    shorter_first = order[np.abs(total)[order] == size[order]].tolist()
    family = _families(members, shorter_first)
    if family is None:
        return None
    holders: dict[tuple[int, int], list[int]] = {}  # (column, family) -> rows with it, the shortest first
    entries: list[tuple[int, int, int]] = [(r, r, 1) for r in range(len(members))]
    for whole in shorter_first:
        own = family[whole]
        inside = {part: None for column in members[whole] for part in holders.get((column, own), ())}
        taken: set[int] = set()
        for part in sorted(inside, key=lambda r: (-size[r], -r)):
            if members[part] <= members[whole] and taken.isdisjoint(members[part]):
                taken |= members[part]
                entries.append((whole, part, -sign[whole] * sign[part]))
        for column in members[whole]:
            holders.setdefault((column, own), []).append(whole)
    row, column, entry = (np.array(part) for part in zip(*entries, strict=True))
    return csr_array((entry, (row, column)), shape=(len(members), len(members)))


def _families(members: Sequence[frozenset[int]], chosen: Sequence[int]) -> list[int] | None:
    """Which of two families each row belongs to, so that of two chosen rows of one family either is inside the other or
    they share nothing (sums over the levels of either classification of a table); None if there are no two."""
    by_column: dict[int, list[int]] = {}
    for row in chosen:
        for column in members[row]:
            by_column.setdefault(column, []).append(row)
    crossing: dict[tuple[int, int], bool] = {}
    for together in by_column.values():
        for pair in combinations(together, 2):
            if pair not in crossing:
                crossing[pair] = not members[pair[0]] <= members[pair[1]]  # the shorter one comes first
        if any(crossing[a, b] and crossing[b, c] and crossing[a, c] for a, b, c in combinations(together, 3)):
            return None
    pairs = [pair for pair, crosses in crossing.items() if crosses]
    edges = csr(
        np.ones(2 * len(pairs), np.int64),
        np.array(pairs, np.int64).ravel(),
        np.arange(len(pairs) + 1) * 2,
        (len(pairs), len(members)),
    )
    side, wrong = opposed(edges)
    return None if wrong.any() else side.tolist()
