"""What a variable can stand at where a release speaks of it: codes that are sums of atoms, and the atoms themselves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.base import Block
from tableseal.audit.linear.inclusion import Members, members_of, nonzero
from tableseal.audit.linear.marks import alike, marks
from tableseal.audit.model import Hierarchy
from tableseal.audit.sparse import csr, from_entries, rows_at, stacked, transposed


@dataclass(frozen=True)
class Axis:
    """The different sets of atoms of one variable of a block that have a name, each once.

    Attributes
    ----------
    points: int64 csr (points x atoms), 0/1: codes in their order, then atoms that no code equals.
    leaf_atom: int64 (leaves of the classification): the atom of the block that holds it, -1 if none does.
    code: int64 (points): the code that holds exactly these leaves, -1 where there is none.
    point: int64 (codes): the point that a code is, -1 where it is none or reaches beyond the block.
    whole: the point that is all of the block; adds_up: some code or atom is that (years are never added up).
    """

    points: csr_array
    leaf_atom: NDArray[np.int64]
    code: NDArray[np.int64]
    point: NDArray[np.int64]
    whole: int
    adds_up: bool

    def __len__(self) -> int:
        return int(self.points.shape[0])

    @property
    def atom_point(self) -> NDArray[np.int64]:
        """int64 (atoms): the point that each atom is."""
        single = np.flatnonzero(np.diff(self.points.indptr) == 1)
        result = np.empty(self.points.shape[1], np.int64)
        result[self.points.indices[self.points.indptr[single]]] = single
        return result

    def leaves(self, point: int) -> NDArray[np.int64]:
        """The leaves of a point, ascending."""
        inside = np.zeros(self.points.shape[1] + 1, np.bool_)
        inside[rows_at(self.points, np.array([point])).indices] = True
        result: NDArray[np.int64] = np.flatnonzero(inside[self.leaf_atom])
        return result


def axis_of(hierarchy: Hierarchy, blocks: list[Block], block: Block, v: int) -> Axis:
    """The axis of variable v in one of the blocks of a measure.

    blocks: all blocks of the measure, which tell what codes are used.
    """
    spoken = np.zeros(len(hierarchy.codes), np.bool_)
    for other in blocks:
        spoken |= np.diff(other.atoms[v].indptr) > 0
    used = np.flatnonzero(spoken)
    atoms = block.atoms[v].shape[1]
    members = members_of(hierarchy)
    of_used = members[used]
    leaf_atom = _atom_of_leaves(of_used, csr_array(block.atoms[v]), used)
    leaves = np.flatnonzero(leaf_atom >= 0)
    to_atoms = from_entries(leaves, leaf_atom[leaves], np.ones(len(leaves), np.int64), (len(leaf_atom), atoms))
    row, column, number = nonzero(members @ (to_atoms.toarray() if isinstance(members, np.ndarray) else to_atoms))
    size = np.bincount(leaf_atom[leaves], minlength=atoms)
    untouched = np.asarray(of_used.sum(axis=0)) == 0
    count = len(hierarchy.codes)
    partial = np.bincount(row, number != size[column], count) > 0
    inside = np.bincount(row, number, count).astype(np.int64)
    # Where leaves are in no used code nothing is said of their sums either.
    is_sum = ~partial & (inside > 0) & (members @ untouched.astype(np.int64) == 0)
    beyond = np.asarray(members.sum(axis=1)) > inside

    codes = np.flatnonzero(is_sum)
    of_codes = rows_at(from_entries(row, column, np.ones(len(row), np.int64), (count, atoms)), codes)
    single = csr(np.ones(atoms, np.int64), np.arange(atoms), np.arange(atoms + 1), (atoms, atoms))
    every = csr(np.ones(atoms, np.int64), np.arange(atoms), np.array([0, atoms]), (1, atoms))
    sets = stacked([of_codes, single, every])
    kept, group = alike(sets @ marks(20260101, atoms, 2))
    code = np.full(len(kept), -1, np.int64)
    point = np.full(count, -1, np.int64)
    exact = ~beyond[codes]
    point[codes[exact]] = group[: len(codes)][exact]
    code[group[: len(codes)][exact][::-1]] = codes[exact][::-1]
    whole = int(group[-1])
    return Axis(rows_at(sets, kept), leaf_atom, code, point, whole, whole in group[:-1])


def _atom_of_leaves(of_used: Members, atoms: csr_array, used: NDArray[np.int64]) -> NDArray[np.int64]:
    """The atom of each leaf: leaves and atoms are told by the used codes that hold them.

    of_used: which leaves each used code holds.
    """
    mark = marks(20260102, len(used), 2)
    of_leaf = of_used.T @ mark
    of_atom = transposed(rows_at(atoms, used)) @ mark
    order = np.argsort(of_atom[:, 0], kind="stable")
    found = np.full(len(of_leaf), -1, np.int64)
    if len(order) == 0:
        return found
    at = order[np.minimum(np.searchsorted(of_atom[order, 0], of_leaf[:, 0]), len(order) - 1)]
    same = (of_atom[at] == of_leaf).all(axis=1)
    found[same] = at[same]
    return found
