"""Base cells: the finest cross-classification that the released tables are sums of.

Leaves that no released code tells apart are one atom. Variables that never meet in a table need no common
cross-classification: with a chordal variable graph, non-negative (integer) tables on its cliques that agree on their
common margins always come from one joint table (running intersection; margins are glued cell by cell like a
transportation problem). So the base is one table per maximal clique of the triangulated variable graph, and rows that
make neighbours in the junction tree agree. For three two-way tables AS, AR, SR the clique is ASR, the full base; for
AS and AR alone nothing is added. A table that speaks of a part of the population only (a district breakdown of the
East) splits the population into blocks, so that the other blocks stay small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.inclusion import members_of, nonzero
from tableseal.audit.linear.kernels import Atoms, expand
from tableseal.audit.linear.marks import alike, marks
from tableseal.audit.model import Release
from tableseal.audit.sparse import from_entries

AT_ONCE = 50_000
"""Base cells of cells that are listed together: arrays of that size stay in the processor's cache."""

WORTH_COMPILING = 1_000_000
"""Base cells of cells from which they are listed by a compiled loop: systems of that size load numba for other steps
(3.8 million: 22 instead of 45 ms)."""

FEW = 16
"""Variables up to which patterns of them are counted instead of sorted."""

LARGEST = 30_000_000
"""More base cells than this are refused."""

WORTH_SPLITTING = 4_000
"""Base cells below which a population is not searched for parts (measured: the search costs some milliseconds)."""


@dataclass(frozen=True)
class BaseTable:
    """Base cells of one block over one clique of variables.

    Attributes
    ----------
    block: position of the block (a part of one measure's population) in `Base.blocks`.
    variables: positions of the clique's variables.
    atoms: per variable of the clique, (codes x atoms) 0/1 matrix: what each code covers in this block.
    offset: first column of this table in the system; columns run in row-major order of the atoms.
    """

    block: int
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

    def expand(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Base cells of each given cell, one cell after another: (columns, how many of them each cell has).

        codes: (n x variables of the release); not more than 2^31 base cells in all.
        """
        size = np.ones(len(codes), np.int64)
        for v, atoms in zip(self.variables, self.atoms, strict=True):
            size *= np.diff(atoms.indptr)[codes[:, v]]
        end = size.cumsum()
        total = int(end[-1]) if len(end) else 0
        if total > WORTH_COMPILING and self.variables:
            return self._compiled(Runner(worth_compiling(total, expand)), codes, total), size
        column = np.empty(total, np.int32)
        cut = np.searchsorted(end, np.arange(AT_ONCE, total, AT_ONCE), side="right")
        for first, last in pairwise(np.unique([0, *cut, len(codes)]).tolist()):
            column[end[first] - size[first] : end[last - 1]] = self._columns(codes[first:last])
        return column, size

    def _compiled(self, run: Runner, codes: NDArray[np.int32], total: int) -> NDArray[np.int32]:
        indptr, moves, place = [], [], []
        stride, codes_before, atoms_before = self.size, 0, 0
        for atoms in self.atoms:
            stride //= max(atoms.shape[1], 1)
            indptr.append(atoms.indptr + atoms_before)
            moves.append(stride * atoms.indices.astype(np.int64))
            place.append(codes_before)
            codes_before, atoms_before = codes_before + len(atoms.indptr), atoms_before + len(atoms.indices)
        column = np.empty(total, np.int32)
        lists = run.arrays(Atoms(np.array(place), np.concatenate(indptr), np.concatenate(moves)))
        run(expand, run.array(codes[:, list(self.variables)].ravel()), len(place), lists, self.offset, column)
        return column

    def _columns(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        size = np.ones(len(codes), np.int32)  # base cells of each cell so far
        column = np.full(len(codes), self.offset, np.int32)
        stride = self.size
        for v, atoms in zip(self.variables, self.atoms, strict=True):
            stride //= max(atoms.shape[1], 1)
            start = atoms.indptr[codes[:, v]].astype(np.int32)
            count = atoms.indptr[codes[:, v] + 1].astype(np.int32) - start
            each = count.repeat(size)  # atoms that every base cell so far is crossed with
            end = each.cumsum(dtype=np.int32)
            at = (start.repeat(size) - end + each).repeat(each)
            at += np.arange(len(at), dtype=np.int32)
            column = column.repeat(each)
            column += stride * atoms.indices.astype(np.int32)[at]
            size *= count
        return column


@dataclass(frozen=True)
class Block:
    """A part of one measure's population, given by the atoms of every variable that belong to it."""

    measure: int
    atoms: tuple[csr_array, ...]

    def coverage(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(away, inside): per cell and variable, whether the code covers only a part of the block; per cell, whether it
        has anything in the block at all."""
        away, inside = np.zeros(codes.shape, np.bool_), np.ones(len(codes), np.bool_)
        for v, atoms in enumerate(self.atoms):
            count = np.diff(atoms.indptr)
            away[:, v] = (count < atoms.shape[1])[codes[:, v]]
            if not count.all():
                inside &= (count > 0)[codes[:, v]]
        return away, inside


@dataclass(frozen=True)
class Separator:
    """Two base tables of one block must agree on the margin over their common variables."""

    first: int
    second: int
    variables: tuple[int, ...]


@dataclass(frozen=True)
class Base:
    """All base tables, block by block, and which neighbours in the junction trees must agree."""

    blocks: tuple[Block, ...]
    tables: tuple[BaseTable, ...]
    separators: tuple[Separator, ...]

    @property
    def columns(self) -> int:
        """Number of base cells of all tables."""
        return sum(t.size for t in self.tables)

    def homes(self, block: int, variables: frozenset[int]) -> list[int]:
        """Base tables of a block that can express a cell with these variables away from the block's totals."""
        return [
            position
            for position, table in enumerate(self.tables)
            if table.block == block and variables <= set(table.variables)
        ]


def build_base(release: Release, measure: NDArray[np.int32], codes: NDArray[np.int32]) -> Base:
    """Base tables for the given cells (those of tables and of links).

    Raises
    ------
    LimitError: more than 30 million base cells.
    """
    blocks: list[tuple[Block, list[frozenset[int]]]] = []
    for m in np.flatnonzero(np.bincount(measure)).tolist():
        own = codes[measure == m]
        used = [np.flatnonzero(np.bincount(own[:, v])) for v in range(len(release.variables))]
        atoms = tuple(_atoms(release, v, codes) for v, codes in enumerate(used))
        blocks += _split(Block(m, atoms), own)
    tables: list[BaseTable] = []
    separators: list[Separator] = []
    offset = 0
    for b, (block, edges) in enumerate(blocks):
        cliques, tree = junction_tree(edges, _sizes(block))
        first = len(tables)
        for clique in cliques:
            table = BaseTable(b, clique, tuple(block.atoms[v] for v in clique), offset)
            offset += table.size
            if offset > LARGEST:
                names = ", ".join(list(release.variables)[v] for v in clique)
                raise LimitError(
                    f"The tables are linked through {names}: more than {LARGEST:,} base cells, too many to audit as "
                    f"one release."
                )
            tables.append(table)
        separators += [Separator(first + one, first + other, common) for one, other, common in tree]
    return Base(tuple(block for block, _ in blocks), tuple(tables), tuple(separators))


def _atoms(release: Release, v: int, used: NDArray[np.int64]) -> csr_array:
    """(codes x atoms): leaves that the used codes do not tell apart are one atom. Unused codes keep empty rows."""
    hierarchy = list(release.variables.values())[v]
    covers = members_of(hierarchy)[used]
    signature = covers.T @ marks(20071217, len(used), 2)
    touched = np.flatnonzero(np.asarray(covers.sum(axis=0)).ravel() > 0)
    representatives = touched[alike(signature[touched])[0]]
    row, column, ones = nonzero(covers[:, representatives])
    return from_entries(used[row], column, ones, (len(hierarchy.codes), len(representatives)))


def _sizes(block: Block) -> list[int]:
    return [a.shape[1] for a in block.atoms]


def distinct(away: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The different rows of a (n x variables) pattern, and which of them each row is."""
    if away.shape[1] > 62:
        rows, kind = np.unique(away, axis=0, return_inverse=True)
        return rows, kind.ravel()
    bits = 1 << np.arange(away.shape[1], dtype=np.int64)
    packed = away @ bits
    if len(bits) > FEW:
        kinds, kind = np.unique(packed, return_inverse=True)
        return kinds[:, None] & bits > 0, kind.ravel()
    there = np.bincount(packed, minlength=1 << len(bits)) > 0
    return np.flatnonzero(there)[:, None] & bits > 0, (there.cumsum() - 1)[packed]


def _edges(patterns: NDArray[np.bool_]) -> list[frozenset[int]]:
    """The sets of variables that cells have away from the block's totals."""
    return [frozenset(np.flatnonzero(row).tolist()) for row in patterns]


def _cost(block: Block, edges: list[frozenset[int]]) -> int:
    sizes = _sizes(block)
    cliques, _ = junction_tree(edges, sizes)
    return sum(prod(sizes[v] for v in clique) for clique in cliques)


def _split(block: Block, codes: NDArray[np.int32]) -> list[tuple[Block, list[frozenset[int]]]]:
    """Split a population where a table speaks of a part of it only (five activities by district, in the East alone):
    the parts are independent, and each needs only the cross-classification that is published of it.

    Returns
    -------
    The parts, each with the sets of variables that cells have away from its totals.
    """
    away, inside = block.coverage(codes)
    kinds, kind = distinct(away[inside])
    edges = _edges(kinds)
    cost = _cost(block, edges)
    if cost < WORTH_SPLITTING:
        return [(block, edges)]
    best: tuple[int, tuple[Block, Block]] | None = None
    members = codes[inside]
    for k, pattern in enumerate(kinds):
        own = members[kind == k]
        for v in np.flatnonzero(pattern).tolist():
            used = np.flatnonzero(np.bincount(own[:, v]))
            touched = np.asarray(block.atoms[v][used].sum(axis=0)).ravel() > 0
            if touched.all():
                continue
            halves = (_restrict(block, v, touched), _restrict(block, v, ~touched))
            new = 0
            for half in halves:
                half_away, half_inside = half.coverage(codes)
                new += _cost(half, _edges(distinct(half_away[half_inside])[0]))
            if best is None or new < best[0]:
                best = (new, halves)
    if best is None or 2 * best[0] > cost:
        return [(block, edges)]
    return [part for half in best[1] for part in _split(half, codes)]


def _restrict(block: Block, v: int, keep: NDArray[np.bool_]) -> Block:
    atoms = list(block.atoms)
    atoms[v] = csr_array(atoms[v][:, np.flatnonzero(keep)])
    atoms[v].sort_indices()
    return Block(block.measure, tuple(atoms))


def junction_tree(
    edges: Sequence[frozenset[int]], sizes: Sequence[int]
) -> tuple[list[tuple[int, ...]], list[tuple[int, int, tuple[int, ...]]]]:
    """Maximal cliques of the triangulated variable graph and a junction tree over them.

    The graph is triangulated by eliminating, again and again, the variable whose neighbourhood has the smallest
    cross-classification.

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
    found: list[frozenset[int]] = []
    while graph:
        chosen = min(graph, key=lambda v: (prod(sizes[u] for u in (v, *graph[v])), v))
        neighbours = sorted(graph[chosen])
        found.append(frozenset((chosen, *neighbours)))
        graph.add_edges_from(combinations(neighbours, 2))
        graph.remove_node(chosen)
    cliques = sorted(tuple(sorted(c)) for c in found if not any(c < d for d in found))
    return cliques, clique_tree(cliques)


def clique_tree(cliques: Sequence[tuple[int, ...]]) -> list[tuple[int, int, tuple[int, ...]]]:
    """(clique, clique, common variables) of a spanning tree of largest total separator size: a junction tree, if the
    cliques are those of a chordal graph."""
    common = {(a, b): set(cliques[a]) & set(cliques[b]) for a, b in combinations(range(len(cliques)), 2)}
    tree, part = [], list(range(len(cliques)))
    for a, b in sorted(common, key=lambda pair: -len(common[pair])):  # Kruskal: the heaviest that join two parts
        if part[a] != part[b]:
            tree.append((a, b, tuple(sorted(common[a, b]))))
            part = [part[a] if p == part[b] else p for p in part]
    return sorted(tree)
