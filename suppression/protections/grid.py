"""Cells that hang together as places in grids: what a step of base cells does to all the cells above them.

A release has base tables (`audit.linear.base`), each a grid of atoms, the finest groups that its codes tell apart; a
cell is a combination of codes in one of them. If an atom goes up in the place of another, so do all codes above the one
and above the other the other way round, and codes above both stay: that is all that has to be known to keep sums.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import Cells
from tableseal.audit.linear.system import LinearSystem

Ints = NDArray[np.int64]

NOWHERE, FIXED = -1, -2
"""Places of the grids where no cell is (or one that another grid has), and where one is that stays as it is."""

NONE = np.zeros(0, np.int64)

LARGEST = 60_000_000
"""Places in all grids, at most."""


class Grids(NamedTuple):
    """For kernels. Codes and atoms are numbered through, variable by variable.

    begin: (variables + 1), first atom of each. above_start, above: codes that cover each atom, ascending. below_start,
    below: atoms that each code covers. single: (atoms) a code that covers this atom alone. width: (codes) number within
    its variable. has, stride: (tables * variables), whether a table knows a variable, and how far its codes are apart.
    first: (tables + 1), first place of each. place: the cell at each place. code: (cells * variables), the broadest
    code where a cell's table does not know a variable.
    """

    begin: Cells
    above_start: Cells
    above: Cells
    below_start: Cells
    below: Cells
    single: Cells
    width: Cells
    has: Cells
    stride: Cells
    first: Cells
    place: Cells
    code: Cells


def grids_of(
    system: LinearSystem, codes: NDArray[np.int32], measure: Ints, cells: Ints, unlisted: Ints = NONE
) -> Grids | None:
    """The grids of some cells; None: they are no single block of base tables, or two of them are in one place.

    codes: (all cells x variables). measure: (all cells). cells: positions of those that may change. unlisted: base
    cells that no table lists and that may change, too: cells of the grids behind the others.
    """
    base = system.base
    inside = [b for b, block in enumerate(base.blocks) if block.measure == measure[cells[0]]]
    away = {b: base.blocks[b].coverage(codes[cells]) for b in inside}
    inside = [b for b in inside if away[b][1].any()]
    if len(inside) != 1 or not away[inside[0]][1].all() or (measure[cells] != measure[cells[0]]).any():
        return None
    block = base.blocks[inside[0]]
    tables = [t for t in base.tables if t.block == inside[0]]
    every = np.flatnonzero(measure == measure[cells[0]])
    every = every[block.coverage(codes[every])[1]]
    parts = [_Axis.of(atoms, np.unique(codes[every, v])) for v, atoms in enumerate(block.atoms)]
    if any(part is None for part in parts):
        return None
    axes = [part for part in parts if part is not None]
    local = np.full(len(codes), FIXED, np.int64)
    local[cells] = np.arange(len(cells))
    number = np.array([axis.number[codes[every, v]] for v, axis in enumerate(axes)], np.int64).T
    covers, _ = block.coverage(codes[every])
    free = np.ones(len(every), np.bool_)
    place, has, stride, first = list[Ints](), list[list[int]](), list[list[int]](), [0]
    behind = np.tile([axis.broadest for axis in axes], (len(unlisted), 1))
    left = np.ones(len(unlisted), np.bool_)
    for table in tables:
        own = np.array([v in table.variables for v in range(len(axes))])
        steps = np.zeros(len(axes), np.int64)
        size = 1
        for v in reversed(table.variables):
            steps[v], size = size, size * axes[v].codes
        if first[-1] + size > LARGEST:
            return None
        here = np.flatnonzero(free & ~covers[:, ~own].any(axis=1))
        at = number[here] @ steps
        if len(np.unique(at)) < len(at):
            return None
        found = np.full(size, NOWHERE, np.int64)
        found[at] = local[every[here]]
        free[here] = False
        further = np.flatnonzero((unlisted >= table.offset) & (unlisted < table.offset + table.size))
        for v, atom in zip(
            table.variables, np.unravel_index(unlisted[further] - table.offset, table.shape), strict=True
        ):
            behind[further, v] = axes[v].single[atom]
        at = behind[further] @ steps
        if (found[at] != NOWHERE).any():
            return None
        found[at] = len(cells) + further
        left[further] = False
        place.append(found)
        has.append(own.astype(np.int64).tolist())
        stride.append(steps.tolist())
        first.append(first[-1] + size)
    if free.any() or left.any():
        return None
    listed = np.array([axis.number[codes[cells, v]] for v, axis in enumerate(axes)], np.int64).T
    return _joined(axes, np.concatenate(place), has, stride, first, np.concatenate([listed, behind]))


@dataclass(frozen=True)
class _Axis:
    """A variable. codes: how many are used; number: int64 (codes of the classification), place of each used one.
    above: csr (atoms x used codes). single: int64 (atoms), a used code that covers this atom alone. broadest: the used
    code that covers most."""

    codes: int
    number: Ints
    above: csr_array
    single: Ints
    broadest: int

    @staticmethod
    def of(atoms: csr_array, used: NDArray[np.int32]) -> "_Axis | None":
        number = np.full(atoms.shape[0], -1, np.int64)
        number[used] = np.arange(len(used))
        below = csr_array(atoms[used])
        single = np.full(atoms.shape[1], -1, np.int64)
        alone = np.flatnonzero(np.diff(below.indptr) == 1)
        single[below.indices[below.indptr[alone]]] = alone
        if (single < 0).any():
            return None
        above = csr_array(below.T.tocsr())
        above.sort_indices()
        return _Axis(len(used), number, above, single, int(np.argmax(np.diff(below.indptr))))


def _joined(
    axes: list[_Axis],
    place: Ints,
    has: list[list[int]],
    stride: list[list[int]],
    first: list[int],
    codes: Ints,
) -> Grids:
    atoms_before = np.cumsum([0, *(axis.above.shape[0] for axis in axes)])
    codes_before = np.cumsum([0, *(axis.codes for axis in axes)])
    below = [csr_array(axis.above.T.tocsr()) for axis in axes]
    zero = np.zeros(1, np.int64)
    pairs = list(zip(axes, below, strict=True))
    counts = [(np.diff(axis.above.indptr), np.diff(down.indptr)) for axis, down in pairs]
    return Grids(
        begin=atoms_before,
        above_start=np.concatenate([zero, *(up for up, _ in counts)]).cumsum(),
        above=np.concatenate([axis.above.indices + k for axis, k in zip(axes, codes_before, strict=False)]),
        below_start=np.concatenate([zero, *(down for _, down in counts)]).cumsum(),
        below=np.concatenate([down.indices + k for down, k in zip(below, atoms_before, strict=False)]),
        single=np.concatenate([axis.single + k for axis, k in zip(axes, codes_before, strict=False)]),
        width=np.concatenate([np.arange(axis.codes) for axis in axes]),
        has=np.array(has, np.int64).ravel(),
        stride=np.array(stride, np.int64).ravel(),
        first=np.array(first, np.int64),
        place=place,
        code=(codes + codes_before[:-1]).ravel(),
    )
