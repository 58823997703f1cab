"""In which directions what a pattern leaves open can move: who never moves a cell without cells that somebody knows.

Where no withheld cell stands at a bound, an attacker finds out a cell from relations alone if and only if it cannot
move while what the attacker knows stands still. Random moves tell that of all attackers and all cells at once: a cell
hangs on known ones where its moves are a combination of theirs. (f3d_20, 984 attackers and 1,761 cells: 0.5 s, where a
program for each pair in doubt would take hours.) What floats say here is only a hint: the cut is checked exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import rationalise
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.equations import Equations, stored
from tableseal.audit.decision.regions import Floats, Ints

MOVES = 12
"""Random moves; an attacker who knows as many cells is not looked at."""

LARGEST = 6e9
"""Columns times rows times rows of a part up to which it is looked at (f3d_20, 1,840 columns and 1,123 rows: 0.5 s)."""

NOTHING = 1e-9
"""Length of a random move of a column that counts as none, where the usual one is below 1."""

ALIKE = 1e-8
"""How far a combination of moves, of length 1, may be from another one to be taken for it."""

SINGLE = 1e-6
"""Entries of what is left of whole numbers after elimination that count as nothing."""

MOST = 2**20
"""Multipliers above are no proof: what they make of relations 64 bits might not hold."""

SEED = 1


@dataclass(frozen=True)
class _Part:
    """Columns that hang together.

    rows: int64, relations that determine all others; factor: float64 (columns x rows), orthonormal; triangle: float64
    (rows x rows): the relations are factor @ triangle. dependent: int64, the others, which are factor @ dependence.
    """

    columns: Ints
    rows: Ints
    factor: Floats
    triangle: Floats
    dependent: Ints
    dependence: Floats


class Directions:
    """Of one pattern."""

    def __init__(self, equations: Equations, pattern: NDArray[np.bool_]) -> None:
        """pattern: bool (cells), True where withheld."""
        self._equations, self._open = equations, equations.opened(pattern)
        count = equations.matrix.shape[1]
        self._part_of, self._move = np.full(count, -1, np.int64), np.zeros((count, MOVES))
        self._length = np.zeros(count)
        self._parts: list[_Part] = []
        draw = np.random.default_rng(SEED)
        for columns in _grouped(equations.groups(self._open)):
            part = _part(equations, columns)
            if part is None:
                continue
            move = draw.normal(size=(len(columns), MOVES))
            for _ in range(2):  # once more, because what is nearly nothing has to be nothing
                move -= part.factor @ (part.factor.T @ move)
            length = np.linalg.norm(move, axis=1)
            self._part_of[columns], self._length[columns] = len(self._parts), length
            self._move[columns] = move
            self._parts.append(part)

    def held(self, known: Sequence[Sequence[int]], cells: Ints) -> Iterator[tuple[int, Ints]]:
        """Of sets of cells: (its position, those of some cells that do not move while these stand still). Cells that
        never move are not among them, nor those in parts that are too large."""
        moving = cells[self._length[cells] > NOTHING]
        unit = self._move / np.maximum(self._length, NOTHING)[:, None]
        there = [np.array([c for c in own if self._length[c] > NOTHING], np.int64) for own in known]
        alone = [place for place, own in enumerate(there) if len(own) == 1]
        if alone:
            along = unit[np.concatenate([there[place] for place in alone])] @ unit[moving].T
            alike = dict(zip(alone, along**2 > 1.0 - ALIKE, strict=True))
        for place, own in enumerate(there):
            if not 0 < len(own) < MOVES:
                continue
            if len(own) == 1:
                found = moving[alike[place]]
            else:
                basis, _ = np.linalg.qr(unit[own].T)
                found = moving[1.0 - ((unit[moving] @ basis) ** 2).sum(axis=1) < ALIKE]
            found = found[~np.isin(found, own)]
            if len(found):
                yield place, found

    def cuts(self, pairs: Sequence[tuple[int, Sequence[int]]], spared: Ints) -> list[Cut | None]:
        """Of cells that do not move while others stand still: one of the cells in such a cut has to be withheld
        besides, or the cell cannot move at all. None where no proof in whole numbers is found.

        spared: int64, cells that cuts should not hold, the first ones above all.
        """
        result: list[Cut | None] = [None] * len(pairs)
        of_part = self._part_of[[cell for cell, _ in pairs]]
        for number in np.unique(of_part).tolist():
            at = np.flatnonzero(of_part == number).tolist()
            for k, cut in zip(at, self._cuts(self._parts[number], [pairs[k] for k in at], spared), strict=True):
                result[k] = cut
        return result

    def _cuts(self, part: _Part, pairs: Sequence[tuple[int, Sequence[int]]], spared: Ints) -> Iterator[Cut | None]:
        """The cuts of one part. Multipliers make a relation in which of all that is open only the cell and the known
        ones stand."""
        from scipy.linalg import solve_triangular  # late: 0.1 s

        columns, part = part.columns, self._extended(part, spared)
        target = np.zeros((len(part.columns), len(pairs)))
        for k, (cell, known) in enumerate(pairs):
            own = np.array([c for c in known if self._part_of[c] == self._part_of[cell]], np.int64)
            own = own[self._length[own] > NOTHING]
            target[np.searchsorted(columns, own), k] = -np.linalg.lstsq(self._move[own].T, self._move[cell])[0]
            target[np.searchsorted(columns, cell), k] = 1.0
        multipliers = solve_triangular(part.triangle, part.factor.T @ target)
        matrix = csr_array(self._equations.matrix[part.rows].T.tocsr())
        for k, (cell, known) in enumerate(pairs):
            y = rationalise(multipliers[:, k])
            if y is None or np.abs(y.numerator).max(initial=0) > MOST:
                yield None
                continue
            column = np.flatnonzero(matrix @ y.numerator)
            column = column[~np.isin(column, [cell, *known])]
            told = len(column) == 0 or column[-1] >= self._equations.cells
            if told or self._open[column].any():
                yield None
            else:
                yield Cut(column, np.ones(len(column), np.int64), 1)

    def _extended(self, part: _Part, spared: Ints) -> _Part:
        """A part with further cells that move nothing while all else is published, until there are no more: none of
        them stands in a cut, which has as few cells as can be then."""
        from scipy.linalg import solve_triangular  # late: 0.1 s

        if not len(part.dependent):
            return part
        free = np.vstack([-solve_triangular(part.triangle, part.dependence), np.eye(len(part.dependent))])
        rows = np.concatenate([part.rows, part.dependent])
        spared = spared[~self._open[spared]]
        left = csr_array(self._equations.matrix[rows].T.tocsr())[spared] @ free
        more = []
        at = 0
        while at < len(left):
            row = left[at]
            pivot = int(np.argmax(np.abs(row)))
            if abs(row[pivot]) > SINGLE:
                more.append(at)
                left[at:] -= np.outer(left[at:, pivot] / row[pivot], row)
            ahead = np.flatnonzero(np.abs(left[at + 1 :]).max(axis=1, initial=0.0) > SINGLE)
            if not len(ahead):
                break
            at += 1 + int(ahead[0])
        wider = _part(self._equations, np.concatenate([part.columns, spared[more]]), rows)
        return part if wider is None else wider


def _grouped(label: Ints) -> list[Ints]:
    """The columns of each group."""
    inside = np.flatnonzero(label >= 0)
    inside = inside[np.argsort(label[inside], kind="stable")]
    return np.split(inside, np.flatnonzero(np.diff(label[inside])) + 1) if len(inside) else []


def _part(equations: Equations, columns: Ints, among: Ints | None = None) -> _Part | None:
    """Columns that hang together, by the equations between them, or some of these; None where they are too many."""
    which, row, coefficient = stored(equations.by_column, columns)
    equal = (equations.lower == equations.upper)[row]
    if among is not None:
        equal &= np.isin(row, among)
    which, row, coefficient = which[equal], row[equal], coefficient[equal]
    rows, place = np.unique(row, return_inverse=True)
    if not 0 < len(rows) * len(rows) * float(len(columns)) <= LARGEST:
        return None
    from scipy.linalg import qr  # late: 0.1 s

    matrix = np.zeros((len(columns), len(rows)))
    matrix[which, place] = coefficient
    factor, triangle, order = qr(matrix, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
    size = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(size > NOTHING * size[0]))
    rows = rows[order]
    return _Part(columns, rows[:rank], factor[:, :rank], triangle[:rank, :rank], rows[rank:], triangle[:rank, rank:])
