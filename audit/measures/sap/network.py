"""Samples against a network of sums: exact for whole numbers, thousands of samples at once.

If the released sums fall into two families, in each of which any two sums are nested or disjoint (one table, its
rounded rows, columns and total; one hierarchical variable besides), a table is a circulation: the sums of one family
branch from a root down to the cells, those of the other gather them again. Node-arc matrices are totally unimodular
(Hoffman, Kruskal 1956), so with c the true table, a feasible whole-number table that keeps c' >= s and has c'_j > c_j
exists exactly if the residual network of c has a cycle through arc j; when s exhausts j (c_j = s_j) arc j cannot be
walked back, so that this means: both ends of arc j are in one strongly connected component. Only which cells are
exhausted matters.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.linear.graph import joined
from tableseal.audit.measures.sap.attack import Attack, Ints

MOST_SUMS = 4000
"""Different sums that are compared with each other."""

ARCS_AT_ONCE = 2_000_000

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Network:
    """The residual network of the true table.

    nodes: number of nodes; tail, head: int64 (leaves), ends of each leaf's arc; up, down: bool (leaves), whether the
    arc may be walked forward, and back if the leaf is not exhausted; fixed_tail, fixed_head: arcs that every sample
    leaves. targets: bool (leaves).
    """

    nodes: int
    tail: Ints
    head: Ints
    up: Flags
    down: Flags
    fixed_tail: Ints
    fixed_head: Ints
    targets: Flags

    @property
    def arcs(self) -> int:
        """Largest number of residual arcs of one sample."""
        return len(self.fixed_tail) + int(self.down.sum())

    def recovered(self, exhausted: Flags) -> Flags:
        """bool (samples x leaves): exhausted targets that nothing but 0 is left for. exhausted: bool (samples x
        leaves).
        """
        result = np.zeros(exhausted.shape, np.bool_)
        step = max(1, ARCS_AT_ONCE // max(self.arcs, 1))
        for start in range(0, len(exhausted), step):
            part = exhausted[start : start + step]
            component = self._components(part)
            apart = component[:, self.tail] != component[:, self.head]
            result[start : start + step] = part & self.targets & (apart | ~self.up)
        return result

    def tight(self, leaves: NDArray[np.integer]) -> Flags:
        """bool (leaves asked): whether the true count is the largest that the release allows.

        A leaf above its lower bound can be walked back; it is tight if no other way leads back, which makes that arc a
        strong bridge of its component. The trees that lead from one node to all others and from all others to it hold
        every strong bridge, so that few leaves need a search of their own (Italiano, Laura, Santaroni 2012).
        """
        nobody = np.zeros((1, len(self.tail)), np.bool_)
        component = self._components(nobody)[0]
        found = ~self.up | (component[self.tail] != component[self.head])
        found[self._in_trees(component) & self.down] = True
        open_ones = np.flatnonzero(found[leaves] & self.up[leaves] & self.down[leaves])
        step = max(1, ARCS_AT_ONCE // max(self.arcs, 1))
        result: Flags = found[leaves]
        for start in range(0, len(open_ones), step):
            at = open_ones[start : start + step]
            part, one = leaves[at], np.arange(len(at))
            alone = np.zeros((len(part), len(self.tail)), np.bool_)
            alone[one, part] = True
            component = self._components(alone)
            result[at] = component[one, self.tail[part]] != component[one, self.head[part]]
        return result

    def _in_trees(self, component: Ints) -> Flags:
        """bool (leaves): the arc that walks a leaf back runs beside an arc of a component's two trees."""
        from scipy.sparse.csgraph import breadth_first_order  # late: 0.1 s

        graph = self._graph(np.zeros((1, len(self.tail)), np.bool_))
        arcs: list[Ints] = []
        for label in range(int(component.max()) + 1):
            members = np.flatnonzero(component == label)
            for tree, forward in ((graph, True), (csr_array(graph.T), False)):
                _, before = breadth_first_order(tree, members[0], directed=True)
                others = members[1:]
                ends = (before[others], others) if forward else (others, before[others])
                arcs.append(ends[0].astype(np.int64) * self.nodes + ends[1])
        return np.isin(self.head * self.nodes + self.tail, np.concatenate(arcs))

    def _graph(self, exhausted: Flags) -> csr_array:
        """Residual networks of all samples in one graph, sample after sample."""
        samples = len(exhausted)
        fixed = np.arange(samples).repeat(len(self.fixed_tail)) * self.nodes
        sample, leaf = np.nonzero(self.down & ~exhausted)
        tails = [fixed + np.tile(self.fixed_tail, samples), sample * self.nodes + self.head[leaf]]
        heads = [fixed + np.tile(self.fixed_head, samples), sample * self.nodes + self.tail[leaf]]
        ends = (np.concatenate(tails), np.concatenate(heads))
        size = samples * self.nodes
        return csr_array(coo_array((np.ones(len(ends[0]), np.int32), ends), shape=(size, size)))

    def _components(self, exhausted: Flags) -> Ints:
        """(samples x nodes) label of each node's strongly connected component; all samples in one graph."""
        from scipy.sparse.csgraph import connected_components  # late: 0.1 s

        _, label = connected_components(self._graph(exhausted), directed=True, connection="strong")
        return np.asarray(label, dtype=np.int64).reshape(len(exhausted), self.nodes)


def network(attack: Attack) -> Network | None:
    """The network of an attack, None if its sums do not form one or units are known in part."""
    if not attack.fully_known or not (attack.rows.data == 1).all() or attack.rows.shape[0] > MOST_SUMS:
        return None
    rows, low, high = _distinct(attack.rows, attack.row_low, attack.row_high)
    size = np.diff(rows.indptr).astype(np.int64)
    common = coo_array(rows @ rows.T)
    a, b = common.coords
    crossing = common.data < np.minimum(size[a], size[b])
    family = _two_families(len(size), a[crossing], b[crossing])
    if family is None:
        return None
    parent, tail, head = _forests(rows, size, family, a, b, common.data)
    sums = np.asarray(rows @ attack.counts, dtype=np.int64)
    node = np.arange(1, len(size) + 1)
    first = family == 0
    start, end = np.where(first, parent, node), np.where(first, node, parent)
    grows, falls = sums < high, sums > low
    up = attack.counts < attack.high
    return Network(
        nodes=len(size) + 1,
        tail=tail,
        head=head,
        up=up,
        down=attack.counts > attack.low,
        fixed_tail=np.concatenate([start[grows], end[falls], tail[up]]),
        fixed_head=np.concatenate([end[grows], start[falls], head[up]]),
        targets=attack.targets,
    )


def _distinct(rows: csr_array, low: Ints, high: Ints) -> tuple[csr_array, Ints, Ints]:
    """Equal sums once, with both their bounds."""
    seen: dict[bytes, int] = {}
    kept: list[int] = []
    lower: list[int] = []
    upper: list[int] = []
    for r in range(rows.shape[0]):
        key = rows.indices[rows.indptr[r] : rows.indptr[r + 1]].astype(np.int64).tobytes()
        if not key:
            continue
        if key in seen:
            lower[seen[key]] = max(lower[seen[key]], int(low[r]))
            upper[seen[key]] = min(upper[seen[key]], int(high[r]))
        else:
            seen[key] = len(kept)
            kept.append(r)
            lower.append(int(low[r]))
            upper.append(int(high[r]))
    return csr_array(rows[kept]), np.array(lower, np.int64), np.array(upper, np.int64)


def _two_families(sums: int, a: Ints, b: Ints) -> NDArray[np.int64] | None:
    """0 or 1 for each sum so that crossing ones (pairs a, b) differ; None if that is not possible.

    Each sum stands twice in a graph, as itself and as its opposite; a pair joins each with the opposite of the other.
    """
    label = joined(2 * sums, np.concatenate([a, a + sums]), np.concatenate([b + sums, b]))
    one, other = label[:sums], label[sums:]
    return None if (one == other).any() else (one > other).astype(np.int64)


def _forests(rows: csr_array, size: Ints, family: Ints, a: Ints, b: Ints, common: Ints) -> tuple[Ints, Ints, Ints]:
    """(node of the smallest sum around each sum in its family, 0: the root; the same for each leaf in both
    families).
    """
    parent = np.zeros(len(size), np.int64)
    inside = (family[a] == family[b]) & (common == size[a]) & (size[b] > size[a])
    for small, large in zip(a[inside].tolist(), b[inside].tolist(), strict=True):
        if parent[small] == 0 or size[large] < size[parent[small] - 1]:
            parent[small] = large + 1
    leaf_ends = []
    for side in (0, 1):
        ends = np.zeros(rows.shape[1], np.int64)
        for r in sorted(np.flatnonzero(family == side).tolist(), key=lambda r: -int(size[r])):
            ends[rows.indices[rows.indptr[r] : rows.indptr[r + 1]]] = r + 1
        leaf_ends.append(ends)
    return parent, leaf_ends[0], leaf_ends[1]
