"""Columns of the system in the words of a proof: measure and leaf codes."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from tableseal.audit.linear.base import Base, BaseTable
from tableseal.audit.model import Release


class LeafCodes:
    """The leaf codes of every atom of every block, and of every base cell."""

    def __init__(self, release: Release, base: Base) -> None:
        self._base = base
        self._hierarchies = list(release.variables.values())
        self._measures = list(release.measures)
        self._offsets = np.array([table.offset for table in base.tables])
        self._places: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._codes = [[self._atoms(b, v) for v in range(len(self._hierarchies))] for b in range(len(base.blocks))]

    def _atoms(self, block: int, v: int) -> list[tuple[str, ...]]:
        """Leaf codes of every atom: those that the same released codes contain."""
        measure = self._base.blocks[block].measure
        together = csr_array(hstack([b.atoms[v] for b in self._base.blocks if b.measure == measure], format="csr"))
        used = np.flatnonzero(np.diff(together.indptr) > 0)
        hierarchy = self._hierarchies[v]
        weights = np.random.default_rng(19361105).integers(-(2**62), 2**62, (len(used), 2))
        leaf_of = _rows(csr_array(hierarchy.members[used].T) @ weights)
        atom_of = _rows(csr_array(self._base.blocks[block].atoms[v][used].T) @ weights)
        found: dict[tuple[int, ...], list[str]] = {key: [] for key in atom_of}
        for leaf, key in zip(hierarchy.leaves.tolist(), leaf_of, strict=True):
            if key in found:
                found[key].append(hierarchy.codes[leaf])
        return [tuple(found[key]) for key in atom_of]

    def place(self, column: int) -> tuple[int, tuple[int, ...]]:
        """(base table, atoms) of a column."""
        if column not in self._places:
            self._places[column] = self._find(column)
        return self._places[column]

    def _find(self, column: int) -> tuple[int, tuple[int, ...]]:
        position = int(np.searchsorted(self._offsets, column, side="right")) - 1
        table = self._base.tables[position]
        atoms = np.unravel_index(column - table.offset, table.shape) if table.shape else ()
        return position, tuple(int(a) for a in atoms)

    def leaf(self, block: int, atoms: dict[int, int]) -> tuple[str, ...]:
        """Measure and one leaf code of every variable (of the first atom where none is given)."""
        codes = (atoms_codes[atoms.get(v, 0)][0] for v, atoms_codes in enumerate(self._codes[block]))
        return self._measures[self._base.blocks[block].measure], *codes

    def base_cell(self, column: int) -> tuple[str, tuple[str | tuple[str, ...], ...]]:
        """(measure, all leaf codes of every variable) of a column."""
        position, atoms = self.place(column)
        table: BaseTable = self._base.tables[position]
        at = dict(zip(table.variables, atoms, strict=True))
        lists: list[str | tuple[str, ...]] = []
        for v, codes in enumerate(self._codes[table.block]):
            leaves = codes[at[v]] if v in at else tuple(leaf for atom in codes for leaf in atom)
            lists.append(leaves[0] if len(leaves) == 1 else self._short(v, leaves))
        return self._measures[self._base.blocks[table.block].measure], tuple(lists)

    def _short(self, v: int, leaves: tuple[str, ...]) -> str | tuple[str, ...]:
        """The total where it says the same as a list of leaves."""
        hierarchy = self._hierarchies[v]
        return hierarchy.total if hierarchy.total is not None and len(leaves) == len(hierarchy.leaves) else leaves


def _rows(matrix: NDArray[np.int64]) -> list[tuple[int, ...]]:
    return [tuple(row) for row in matrix.tolist()]
