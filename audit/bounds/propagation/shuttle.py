"""Shuttle bounds: propagation with inward rounding (Dobra 2002; Smith and Elliot 2003 for rounded tables)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import form_bounds, propagate

MOST_NESTED = 4_000
"""Super-cells of one component between which parts are looked for (each is compared with each)."""


class Shuttle:
    """Bounds shuttled between the rows, single cells and super-cells: sums that the release states or withholds.

    Always valid, never tighter than the integer optimum; has no table in hand, so it can expose but not protect.
    """

    name = "shuttle"
    quick = True

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Outer ends of every target."""
        columns = component.matrix.shape[1]
        supers = _super_cells(component)
        matrix = csr_array(vstack([_wider(component.matrix, len(supers.lower)), supers.relations], format="csr"))
        zeros = np.zeros(supers.relations.shape[0], np.int64)
        low, high = propagate(
            matrix,
            np.concatenate([component.lower, zeros]),
            np.concatenate([component.upper, zeros]),
            np.concatenate([component.column_lower, supers.lower]),
            np.concatenate([component.column_upper, supers.upper]),
            integer=True,
        )
        lower, upper = form_bounds(component.targets, low[:columns], high[:columns])
        at = np.flatnonzero(supers.of_target >= 0)
        own = columns + supers.of_target[at]
        lower[at], upper[at] = np.maximum(lower[at], low[own]), np.minimum(upper[at], high[own])
        for k, bound in enumerate([*lower.tolist(), *np.where(upper == NO_UPPER, NO_LOWER, -upper).tolist()]):
            known.prove(k, bound, None)


@dataclass(frozen=True)
class _SuperCells:
    """Sums of several columns as columns of their own.

    relations: csr (relations x (columns + super-cells)), each 0: a super-cell minus its columns, and minus super-cells
        that lie inside it and what these leave over.
    lower, upper: what rows say of each. of_target: the super-cell that each target is, -1 for none.
    """

    relations: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    of_target: NDArray[np.int64]


def _super_cells(component: Component) -> _SuperCells:
    place: dict[int, int] = {}  # columns as a set of bits -> super-cell
    columns: list[list[int]] = []

    def of_rows(matrix: csr_array, sign: int) -> list[int]:
        found = []
        data, indices = matrix.data * sign, matrix.indices.tolist()
        ones = np.concatenate([[0], np.cumsum(data == 1)])[matrix.indptr]
        size = np.diff(matrix.indptr)
        for r in range(matrix.shape[0]):
            if size[r] < 2 or ones[r + 1] - ones[r] < size[r]:
                found.append(-1)
                continue
            own = indices[matrix.indptr[r] : matrix.indptr[r + 1]]
            bits = sum(1 << c for c in own)
            if bits not in place:
                place[bits] = len(columns)
                columns.append(own)
            found.append(place[bits])
        return found

    of_target = np.array(of_rows(component.targets, 1), dtype=np.int64)
    plus = minus = np.full(component.matrix.shape[0], -1)
    if (of_target >= 0).any():  # rows alone say nothing new as super-cells
        plus = np.array(of_rows(component.matrix, 1), dtype=np.int64)
        minus = np.array(of_rows(component.matrix, -1), dtype=np.int64)
    lower, upper = np.full(len(columns), NO_LOWER), np.full(len(columns), NO_UPPER)
    for of_row, low, high in ((plus, component.lower, component.upper), (minus, -component.upper, -component.lower)):
        used = np.flatnonzero(of_row >= 0)
        np.maximum.at(lower, of_row[used], low[used])
        np.minimum.at(upper, of_row[used], high[used])
    n = component.matrix.shape[1]
    relations = [dict.fromkeys(own, -1) | {n + s: 1} for s, own in enumerate(columns)]
    if len(columns) <= MOST_NESTED:
        relations += _nested(list(place), _parts_of(columns, n), n)
    indptr = np.cumsum([0, *(len(r) for r in relations)])
    indices = np.array([c for r in relations for c in r], dtype=np.int64)
    data = np.array([e for r in relations for e in r.values()], dtype=np.int64)
    matrix = csr_array((data, indices, indptr), shape=(len(relations), n + len(columns)))
    matrix.sort_indices()
    return _SuperCells(matrix, lower, upper, of_target)


def _parts_of(members: list[list[int]], columns: int) -> list[list[int]]:
    """The super-cells inside each one, the largest first."""
    size = np.array([len(own) for own in members], dtype=np.int64)
    indptr = np.concatenate([[0], np.cumsum(size)])
    indices = np.array([c for own in members for c in own], dtype=np.int64)
    matrix = csr_array((np.ones(len(indices), np.int64), indices, indptr), shape=(len(members), columns))
    common = csr_array(matrix @ matrix.T)
    whole = np.repeat(np.arange(len(members)), np.diff(common.indptr))
    part = common.indices.astype(np.int64)
    inside = np.flatnonzero((common.data == size[part]) & (part != whole))
    inside = inside[np.lexsort((part[inside], -size[part[inside]], whole[inside]))]
    cuts = np.searchsorted(whole[inside], np.arange(1, len(members)))
    return [own.tolist() for own in np.split(part[inside], cuts)] if members else []


def _nested(bits: list[int], parts: list[list[int]], columns: int) -> list[dict[int, int]]:
    """For each super-cell and each largest one inside it: the whole is that part, further parts that fit beside it (the
    largest first), and single columns."""
    relations = []
    for whole, inside in enumerate(parts):
        covered = 0
        for first in inside:
            if bits[first] | covered == covered:
                continue  # parts of it have led already
            left, relation = bits[whole], {columns + whole: 1}
            for part in (first, *inside):
                if bits[part] | left == left:
                    left ^= bits[part]
                    relation[columns + part] = -1
                    covered |= bits[part]
            relation |= dict.fromkeys(_set_bits(left), -1)
            relations.append(relation)
    return relations


def _set_bits(bits: int) -> list[int]:
    return [c for c in range(bits.bit_length()) if bits >> c & 1]


def _wider(matrix: csr_array, columns: int) -> csr_array:
    """The same matrix with empty columns at its end."""
    shape = (matrix.shape[0], matrix.shape[1] + columns)
    return csr_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)
