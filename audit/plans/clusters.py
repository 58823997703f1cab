"""Which tables hang together, so that they have to be protected and audited as one.

Two tables hang together if they are about the same population and their measures are the same or related by equations:
what one of them gives away, the other one may rest on, through cells that both have (the grand total, at least).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import networkx as nx

from tableseal.audit.plans.plan import Equation, PlannedTable, Spanning


@dataclass(frozen=True)
class Together:
    """Tables that are parts of one larger table, which has all their variables and levels.

    by: variables of that table, with the levels that its tables go down to (none: to the leaves). tables: their names.
    """

    by: tuple[tuple[str, tuple[str, ...]], ...]
    tables: tuple[str, ...]


@dataclass(frozen=True)
class Cluster:
    """Tables that are one system.

    name: of its measures. joined: what is to be protected, the smaller tables joined to those that they are part of.
    linking: variables that several of these share.
    """

    name: str
    population: str
    measures: tuple[str, ...]
    equations: tuple[Equation, ...]
    tables: tuple[PlannedTable, ...]
    joined: tuple[Together, ...]
    linking: tuple[str, ...]


def clusters(
    tables: Sequence[PlannedTable], equations: Sequence[Equation], families: Sequence[Sequence[str]] = ()
) -> tuple[Cluster, ...]:
    """The clusters of a plan, in the order of their first tables; families: measures that are related somehow."""
    related = nx.utils.UnionFind(table.measure for table in tables)
    for equation in equations:
        related.union(*equation.measures)
    for family in families:
        related.union(*family)
    graph = nx.Graph()
    for table in tables:
        graph.add_edge(("table", table.name), ("measure", table.population, related[table.measure]))
    found: list[Cluster] = []
    for nodes in nx.connected_components(graph):
        names = {node[1] for node in nodes if node[0] == "table"}
        found.append(_cluster([table for table in tables if table.name in names], equations))
    order = {table.name: at for at, table in enumerate(tables)}
    found.sort(key=lambda cluster: order[cluster.tables[0].name])
    return _named(found)


def _cluster(tables: Sequence[PlannedTable], equations: Sequence[Equation]) -> Cluster:
    measures = {table.measure for table in tables}
    own = _holding(measures, equations)
    joined = _joined(tables)
    counts = [{name for name, _ in together.by} for together in joined]
    shared = [name for name in sorted(set().union(*counts)) if sum(name in names for names in counts) > 1]
    return Cluster(
        name="",
        population=tables[0].population,
        measures=tuple(dict.fromkeys((*(t.measure for t in tables), *(m for e in own for m in e.measures)))),
        equations=own,
        tables=tuple(tables),
        joined=joined,
        linking=tuple(shared),
    )


def _holding(measures: Iterable[str], equations: Sequence[Equation]) -> tuple[Equation, ...]:
    """Equations that some of these measures, or measures related to them, stand in."""
    reached = set(measures)
    while True:
        own = [equation for equation in equations if reached & set(equation.measures)]
        more = reached.union(*(equation.measures for equation in own))
        if more == reached:
            return tuple(own)
        reached = more


def _joined(tables: Sequence[PlannedTable]) -> tuple[Together, ...]:
    """Tables whose variables are those of another, or some of them, are parts of that one."""
    kinds = dict.fromkeys(table.variables for table in tables)
    largest = [kind for kind in kinds if not any(kind < other for other in kinds)]
    found = []
    for kind in largest:
        # A table that is part of two larger ones stands with the first.
        own = [table for table in tables if next(other for other in largest if table.variables <= other) == kind]
        levels: dict[str, dict[str | None, None]] = {}  # None: down to the leaves
        for one in (one for table in own for one in (*table.by, *map(Spanning, table.fixed))):
            levels.setdefault(one.variable, {})[one.level] = None
        by = tuple((name, () if None in of else tuple(filter(None, of))) for name, of in levels.items())
        found.append(Together(by, tuple(table.name for table in own)))
    return tuple(found)


def _named(found: Sequence[Cluster]) -> tuple[Cluster, ...]:
    """Clusters with names of their own: the first measure that is no part of another, the population where needed."""
    names: list[str] = []
    for cluster in found:
        parts = {part for equation in cluster.equations for part in equation.parts}
        top = next((measure for measure in cluster.measures if measure not in parts), cluster.measures[0])
        several = sum(other.population != cluster.population for other in found) > 0
        name = f"{top} ({cluster.population})" if several and cluster.population else top
        number = 2
        while name in names:
            name, number = f"{top} {number}", number + 1
        names.append(name)
    return tuple(replace(cluster, name=name) for cluster, name in zip(found, names, strict=True))
