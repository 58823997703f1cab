"""Where a cluster is best split that is too large: the links through which the fewest cells tell of each other.

The tables of a cluster are the nodes of a graph, and two of them are linked by the cells that both have, or that an
equation between their measures relates. A minimum cut of that graph gives the parts that know least of each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from tableseal.audit.model import Hierarchy
from tableseal.audit.plans.clusters import Cluster
from tableseal.audit.plans.plan import Equation, PlannedTable
from tableseal.audit.plans.sizes import base_cells_of, codes_of

if TYPE_CHECKING:
    from networkx import Graph


@dataclass(frozen=True)
class Cut:
    """A cluster in two parts.

    parts: the tables of each, the larger one first. cells: that link them. links: what these are, in words.
    """

    parts: tuple[tuple[PlannedTable, ...], tuple[PlannedTable, ...]]
    cells: int
    links: tuple[str, ...]


def cheapest_cut(cluster: Cluster, variables: Mapping[str, Hierarchy]) -> Cut | None:
    """The cut with the fewest cells among those that leave no part with more than half of the unknowns; if there is
    none, the one whose larger part is smallest. None: a single table, or classifications that are not known."""
    import networkx as nx  # late: few plans are too large

    nodes = _nodes(cluster)
    if len(nodes) < 2 or any(one.variable not in variables for t in cluster.tables for one in t.by):
        return None
    graph = nx.Graph()
    graph.add_nodes_from(range(len(nodes)))
    for one, other in combinations(range(len(nodes)), 2):
        cells, _ = _link(nodes[one], nodes[other], cluster.equations, variables)
        if cells:
            graph.add_edge(one, other, capacity=cells)
    tree = nx.gomory_hu_tree(graph)
    cuts = [_cut(nodes, _side(tree, *edge), cluster.equations, variables) for edge in sorted(tree.edges)]
    sizes = [max(base_cells_of(part, variables) or 0 for part in cut.parts) for cut in cuts]
    whole = base_cells_of(cluster.tables, variables) or 0
    good = [at for at, size in enumerate(sizes) if 2 * size <= whole]
    return cuts[min(good, key=lambda at: (cuts[at].cells, sizes[at]))] if good else cuts[sizes.index(min(sizes))]


def _nodes(cluster: Cluster) -> list[tuple[PlannedTable, ...]]:
    """Tables of one measure that are parts of one larger table."""
    tables = {table.name: table for table in cluster.tables}
    found: dict[tuple[int, str], list[PlannedTable]] = {}
    for at, joined in enumerate(cluster.joined):
        for name in joined.tables:
            found.setdefault((at, tables[name].measure), []).append(tables[name])
    return [tuple(own) for own in found.values()]


def _side(tree: "Graph", one: int, other: int) -> set[int]:
    import networkx as nx

    left = tree.copy()
    left.remove_edge(one, other)
    return set(nx.node_connected_component(left, one))


def _cut(
    nodes: Sequence[tuple[PlannedTable, ...]],
    side: set[int],
    equations: Sequence[Equation],
    variables: Mapping[str, Hierarchy],
) -> Cut:
    cells, links = 0, dict[str, None]()
    for one in sorted(side):
        for other in range(len(nodes)):
            if other not in side:
                more, words = _link(nodes[one], nodes[other], equations, variables)
                cells += more
                if more:
                    links[words] = None
    both = [
        tuple(t for at in range(len(nodes)) if (at in side) == inside for t in nodes[at]) for inside in (True, False)
    ]
    both.sort(key=lambda part: -(base_cells_of(part, variables) or 0))
    return Cut((both[0], both[1]), cells, tuple(links))


def _link(
    one: Sequence[PlannedTable],
    other: Sequence[PlannedTable],
    equations: Sequence[Equation],
    variables: Mapping[str, Hierarchy],
) -> tuple[int, str]:
    """(cells that both have or that an equation relates, what they are by); 0: nothing links them."""
    measures = {one[0].measure, other[0].measure}
    equation = next((said for said in equations if len(measures) == 2 and measures <= set(said.measures)), None)
    if len(measures) == 2 and equation is None:
        return 0, ""
    names = sorted({s.variable for t in one for s in t.by} & {s.variable for t in other for s in t.by})
    both = {n: codes_of(one, variables[n], n) & codes_of(other, variables[n], n) for n in names}
    shared = [name for name in names if both[name].sum() > 1]
    by = " x ".join(shared) or "the total"
    cells = prod(int(both[name].sum()) for name in shared)
    return cells, f"{measures.pop()} by {by}" if equation is None else f"{equation} by {by}"
