"""What a variable can stand at where a release speaks of it: codes that are sums of atoms, and the atoms themselves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.base import Block
from tableseal.audit.linear.inclusion import members_of
from tableseal.audit.linear.marks import marks
from tableseal.audit.model import Hierarchy
from tableseal.audit.sparse import csr, from_entries, row_of_entries, rows_at, stacked


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
    members = csr_array(members_of(hierarchy))
    leaf_atom = _atom_of_leaves(members, csr_array(block.atoms[v]), used)
    leaves = np.flatnonzero(leaf_atom >= 0)
    to_atoms = from_entries(leaves, leaf_atom[leaves], np.ones(len(leaves), np.int64), (len(leaf_atom), atoms))
    count = csr_array(members @ to_atoms)
    count.sort_indices()
    size = np.bincount(leaf_atom[leaves], minlength=atoms)
    row = row_of_entries(count)
    untouched = np.asarray(rows_at(members, used).sum(axis=0)).ravel() == 0
    partial = np.bincount(row, count.data != size[count.indices], count.shape[0]) > 0
    inside = np.asarray(count.sum(axis=1)).ravel()
    # Where leaves are in no used code nothing is said of their sums either.
    is_sum = ~partial & (inside > 0) & (members @ untouched.astype(np.int64) == 0)
    beyond = np.asarray(members.sum(axis=1)).ravel() > inside

    codes = np.flatnonzero(is_sum)
    ones = np.ones(count.nnz, np.int64)
    of_codes = rows_at(csr(ones, count.indices, count.indptr, count.shape), codes)
    single = csr(np.ones(atoms, np.int64), np.arange(atoms), np.arange(atoms + 1), (atoms, atoms))
    every = csr(np.ones(atoms, np.int64), np.arange(atoms), np.array([0, atoms]), (1, atoms))
    mark = marks(20260101, atoms, 2)
    signature = np.concatenate([of_codes @ mark, single @ mark, every @ mark])
    _, first, group = np.unique(signature, axis=0, return_index=True, return_inverse=True)
    group = group.ravel()
    # Points in order of their first appearance.
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    group = place[group]
    kept = first[order]
    sets = rows_at(stacked([of_codes, single, every]), kept)
    code = np.full(len(kept), -1, np.int64)
    point = np.full(len(hierarchy.codes), -1, np.int64)
    exact = ~beyond[codes]
    point[codes[exact]] = group[: len(codes)][exact]
    code[group[: len(codes)][exact][::-1]] = codes[exact][::-1]
    whole = int(group[-1])
    return Axis(sets, leaf_atom, code, point, whole, whole in group[:-1])


def _atom_of_leaves(members: csr_array, atoms: csr_array, used: NDArray[np.int64]) -> NDArray[np.int64]:
    """The atom of each leaf: leaves and atoms are told by the used codes that hold them."""
    mark = marks(20260102, len(used), 2)
    of_leaf = rows_at(members, used).T @ mark
    of_atom = rows_at(atoms, used).T @ mark
    order = np.argsort(of_atom[:, 0], kind="stable")
    found = np.full(len(of_leaf), -1, np.int64)
    if len(order) == 0:
        return found
    at = order[np.minimum(np.searchsorted(of_atom[order, 0], of_leaf[:, 0]), len(order) - 1)]
    same = (of_atom[at] == of_leaf).all(axis=1)
    found[same] = at[same]
    return found
