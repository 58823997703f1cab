"""Base cells: the finest cross-classification that the released tables are sums of.

Leaves that no released code tells apart are one atom. Variables that never meet in a table need no common
cross-classification: with a chordal variable graph, non-negative (integer) tables on its cliques that agree on their
common margins always come from one joint table (running intersection; margins are glued cell by cell like a
transportation problem). So the base is one table per maximal clique of the triangulated variable graph, and rows that
make neighbours in the junction tree agree. For three two-way tables AS, AR, SR the clique is ASR, the full base; for AS and AR
alone nothing is added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.errors import LimitError
from audit.model import Release

LARGEST = 30_000_000
"""More base cells than this are refused."""


@dataclass(frozen=True)
class BaseTable:
    """Base cells of one measure over one clique of variables.

    Attributes
    ----------
    measure: position of the measure.
    variables: positions of the clique's variables.
    atoms: per variable of the clique, (codes x atoms) 0/1 matrix: what each code covers.
    offset: first column of this table in the system; columns run in row-major order of the atoms.
    """

    measure: int
    variables: tuple[int, ...]
    atoms: tuple[csr_array, ...]
    offset: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of atoms per variable."""
        return tuple(a.shape[1] for a in self.atoms)

    @property
    def size(self) -> int:
        """Number of base cells."""
        return prod(self.shape)

    def expand(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Base cells of each given cell: (position in `codes`, column) pairs. codes: (n x variables of the release)."""
        owner = np.arange(len(codes), dtype=np.int64)
        column = np.zeros(len(codes), dtype=np.int64)
        for v, atoms in zip(self.variables, self.atoms, strict=True):
            code = codes[owner, v]
            start, count = atoms.indptr[code].astype(np.int64), np.diff(atoms.indptr)[code]
            total = int(count.sum())
            repeat = np.repeat(np.arange(len(owner)), count)
            within = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
            owner = owner[repeat]
            column = column[repeat] * atoms.shape[1] + atoms.indices[start[repeat] + within]
        return owner, column + self.offset


@dataclass(frozen=True)
class Base:
    """All base tables, and which neighbours in the junction tree share which variables."""

    tables: tuple[BaseTable, ...]
    separators: tuple[tuple[int, int, tuple[int, ...]], ...]
    """(base table, base table, common variables)"""

    @property
    def columns(self) -> int:
        """Number of base cells of all tables."""
        return sum(t.size for t in self.tables)

    def home(self, measure: int, variables: frozenset[int]) -> int:
        """The base table that can express a cell with these variables away from their totals."""
        for position, table in enumerate(self.tables):
            if table.measure == measure and variables <= set(table.variables):
                return position
        raise KeyError((measure, variables))


def build_base(release: Release, measure: NDArray[np.int32], codes: NDArray[np.int32]) -> Base:
    """Base tables for the given cells (those of tables and of links).

    Raises
    ------
    LimitError: more than 30 million base cells.
    """
    hierarchies = list(release.variables.values())
    totals = np.array([h.total_index for h in hierarchies])
    tables: list[BaseTable] = []
    separators: list[tuple[int, int, tuple[int, ...]]] = []
    offset = 0
    for m in np.unique(measure).tolist():
        own = codes[measure == m]
        atoms = [_atoms(release, v, np.unique(own[:, v])) for v in range(len(hierarchies))]
        edges = patterns(own != totals)
        cliques, tree = junction_tree(edges)
        first = len(tables)
        for clique in cliques:
            table = BaseTable(m, clique, tuple(atoms[v] for v in clique), offset)
            offset += table.size
            if offset > LARGEST:
                names = ", ".join(list(release.variables)[v] for v in clique)
                raise LimitError(
                    f"The tables are linked through {names}: more than {LARGEST:,} base cells, too many to audit as "
                    f"one release."
                )
            tables.append(table)
        separators += [(first + a, first + b, common) for a, b, common in tree]
    return Base(tuple(tables), tuple(separators))


def _atoms(release: Release, v: int, used: NDArray[np.int32]) -> csr_array:
    """(codes x atoms): leaves that the used codes do not tell apart are one atom. Unused codes keep empty rows."""
    hierarchy = list(release.variables.values())[v]
    covers = hierarchy.members[used]
    weights = np.random.default_rng(20071217).integers(-(2**62), 2**62, (len(used), 2))
    signature = covers.T @ weights
    touched = np.flatnonzero(np.asarray(covers.sum(axis=0)).ravel() > 0)
    _, first = np.unique(signature[touched], axis=0, return_index=True)
    representatives = touched[np.sort(first)]
    reduced = csr_array(covers[:, representatives])
    full = reduced.tocoo()
    row, column = full.coords
    atoms = csr_array(
        (np.ones(full.nnz, np.int64), (used[row], column)), shape=(len(hierarchy.codes), len(representatives))
    )
    atoms.sort_indices()
    return atoms


def patterns(away: NDArray[np.bool_]) -> list[frozenset[int]]:
    """The different sets of variables that cells have away from their totals."""
    unique = np.unique(away, axis=0)
    return [frozenset(np.flatnonzero(row).tolist()) for row in unique]


def junction_tree(
    edges: Sequence[frozenset[int]],
) -> tuple[list[tuple[int, ...]], list[tuple[int, int, tuple[int, ...]]]]:
    """Maximal cliques of the triangulated variable graph and a junction tree over them.

    Returns
    -------
    cliques (each a sorted tuple of variables; one empty clique if no variable is used), and tree edges (clique, clique,
    common variables), a spanning tree of largest total separator size.
    """
    maximal = [e for e in edges if not any(e < f for f in edges)]
    if len(maximal) <= 1:
        return [tuple(sorted(maximal[0])) if maximal else ()], []
    import networkx as nx

    graph = nx.Graph()
    for edge in maximal:
        graph.add_nodes_from(sorted(edge))
        graph.add_edges_from(combinations(sorted(edge), 2))
    chordal, _ = nx.complete_to_chordal_graph(graph)
    cliques = sorted(tuple(sorted(c)) for c in nx.chordal_graph_cliques(chordal))
    weighted = nx.Graph()
    weighted.add_nodes_from(range(len(cliques)))
    for a, b in combinations(range(len(cliques)), 2):
        weighted.add_edge(a, b, weight=len(set(cliques[a]) & set(cliques[b])))
    tree = nx.maximum_spanning_edges(weighted, data=False)
    common = [(min(a, b), max(a, b)) for a, b in tree]
    return cliques, [(a, b, tuple(sorted(set(cliques[a]) & set(cliques[b])))) for a, b in sorted(common)]
