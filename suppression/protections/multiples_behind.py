"""The base cells behind cells that hang together: steps of base cells, added up, always give a table that adds up.

Linked tables share sums without one of them showing what all others are made of: region by activity by size, and region
by activity by age. Where no table lists the base cells that several have in common, these begin near those of any table
with the true sums. Their base tables (`audit.linear.base`) form a tree, in which neighbours agree on what they share;
so each in turn is made to agree with the one before, by steps of those of its base cells that cost least.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.base import Base
from tableseal.audit.linear.system import LinearSystem
from tableseal.suppression.protections.grid import Grids, grids_of
from tableseal.suppression.protections.multiples import Part
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]

FURTHER, NEVER = 10**6, 10**12
"""What a step beyond the neighbours costs, in bases, and one that must not be."""


@dataclass(frozen=True)
class Behind:
    """Base cells of a part.

    forms: int64 csr (cells of the part x base cells). owner: int64 (base cells), the cell of the part that each is, -1:
    none; stays: int64 (base cells), with so many steps, those that stay; others that no table lists begin with them.
    unlisted: int64, these, in the order of the part. fixed: bool (base cells), below a cell that stays.
    agree: rows over base cells that have to be 0; they are made so by base cells from a first to a last number.
    grids: for exchanges; None: none can be made.
    """

    forms: csr_array
    owner: Ints
    stays: Ints
    unlisted: Ints
    fixed: NDArray[np.bool_]
    agree: tuple[tuple[csr_array, int, int], ...]
    grids: Grids | None

    @staticmethod
    def of(subject: Subject, cells: Ints, part: Part, steps: Ints) -> "Behind | None":
        """None: some base cells are neither cells of a table nor among the sums of the part that no table shows.

        cells: int64 (cells of the part), positions. steps: int64 (cells of the release), of all that stay.
        """
        system, equations = subject.system, subject.equations
        forms, owner = _listed(system)
        rows = csr_array(forms[cells])
        used = np.zeros(forms.shape[1], np.bool_)
        used[rows.indices] = True
        unlisted = equations.further[part.unlisted - len(subject.cells)]
        lacking = used & (owner < 0)
        lacking[unlisted] = False
        if lacking.any() or (owner[unlisted] >= 0).any():
            return None
        local = np.full(len(subject.cells), -1, np.int64)
        local[cells] = np.arange(len(cells))
        others = csr_array(forms[np.flatnonzero(local < 0)])
        fixed = ~used
        fixed[others.indices] = True
        stays = np.where(owner < 0, 0, steps[owner])
        stays[unlisted] = (2 * equations.value[part.unlisted] + part.base) // (2 * part.base)  # the nearest
        return Behind(
            forms=rows,
            owner=np.where(owner < 0, -1, local[owner]),
            stays=stays,
            unlisted=unlisted,
            fixed=fixed,
            agree=_agreements(system, used),
            grids=grids_of(system, subject.cells.codes, subject.cells.measure.astype(np.int64), cells, unlisted),
        )

    def added(self, part: Part, steps: Ints) -> Ints:
        """int64 (cells of the part, then base cells that no table lists): steps of all of them, added up from those of
        base cells.

        steps: int64 (cells of the part); what they say of sums is not looked at.
        """
        inside = self.owner >= 0
        base = self.stays.copy()
        base[inside] = steps[self.owner[inside]]
        value = np.where(inside, part.value[self.owner], base * part.base)
        for rows, first, last in self.agree:
            off = rows @ base
            for row in np.flatnonzero(off).tolist():
                here = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
                here = here[(here >= first) & (here < last)]
                own = value[here], self.fixed[here]
                way = 1 if (off[row] > 0) == (_sign(rows, row, first, last) < 0) else -1
                for _ in range(abs(int(off[row]))):
                    base[here[int(np.argmin(_costs(*own, base[here], way, part.base)))]] += way
        return np.concatenate([self.forms @ base, base[self.unlisted]])


def _listed(system: LinearSystem) -> tuple[csr_array, Ints]:
    """int64 csr (cells x base cells), and int64 (base cells), the cell that each is alone; -1: none."""
    stated = np.flatnonzero(system.cell >= 0)
    _, first = np.unique(system.cell[stated], return_index=True)
    forms = csr_array(system.matrix[stated[first]])  # one row for each cell, in their order
    alone = np.flatnonzero(np.diff(forms.indptr) == 1)
    owner = np.full(forms.shape[1], -1, np.int64)
    owner[forms.indices[forms.indptr[alone]]] = alone
    return forms, owner


def _agreements(system: LinearSystem, used: NDArray[np.bool_]) -> tuple[tuple[csr_array, int, int], ...]:
    """Of each base table but the first of a tree: the rows in which it has to agree with the one before."""
    base = system.base
    every = csr_array(system.matrix[np.flatnonzero((system.cell < 0) & (system.link < 0))])
    rows, at = dict[int, csr_array](), 0
    for k, separator in enumerate(base.separators):
        table = base.tables[separator.first]
        shape = [table.shape[table.variables.index(v)] for v in separator.variables]
        size = int(np.prod(shape, dtype=np.int64))
        rows[k] = csr_array(every[at : at + size])
        at += size
    found = []
    for k, later in _in_order(base):
        table = base.tables[later]
        if used[table.offset : table.offset + table.size].any():
            found.append((rows[k], table.offset, table.offset + table.size))
    return tuple(found)


def _in_order(base: Base) -> list[tuple[int, int]]:
    """Separators so that one table of each is settled before, each time with the other one."""
    settled, found, left = set[int](), [], list(range(len(base.separators)))
    for start in range(len(base.tables)):
        settled.add(start)
        waiting = True
        while waiting:
            waiting = False
            for k in list(left):
                ends = base.separators[k].first, base.separators[k].second
                inside = [end in settled for end in ends]
                if any(inside):
                    left.remove(k)
                    if not all(inside):
                        later = ends[0] if inside[1] else ends[1]
                        found.append((k, later))
                        settled.add(later)
                    waiting = True
    return found


def _sign(rows: csr_array, row: int, first: int, last: int) -> int:
    here = slice(rows.indptr[row], rows.indptr[row + 1])
    inside = (rows.indices[here] >= first) & (rows.indices[here] < last)
    return int(rows.data[here][inside][0])


def _costs(value: Ints, fixed: NDArray[np.bool_], steps: Ints, way: int, base: int) -> Ints:
    """What one step more costs, for each base cell."""
    low, high = value // base, -(-value // base)
    after = steps + way
    nearer = np.abs(after * base - value) - np.abs(steps * base - value)
    beyond = np.maximum(np.maximum(low - after, after - high), 0)
    never = fixed | ((after < 0) & (value >= 0))
    found: Ints = nearer + base * (FURTHER * beyond + NEVER * never)
    return found
