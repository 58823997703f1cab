"""What parts of a pattern do not need, each part in one compiled call (see `kernels.giving_back`).

Kernels reckon in floats: their points become tables of whole units that the oracle remembers, after an exact check, and
it has the last word on the pattern.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.equations import stored
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.witnesses import FeasibleTable
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.giving_back import Part, chosen, give_back, shown

LARGEST = 200_000
"""Relations times cells of a part up to which a dense dictionary is worth its time (turnover of 11,135 cells, parts of
up to 72: 0.2 s in place of 1.1; where 946 hang together, of counts of 3,276 cells: 7 s in place of 1.5)."""

LIGHT = 10
"""How much less is done with an entry than where kernels are usually worth compiling (a part of 179 cells takes 0.1 s
as it stands; to compile takes 11 s, once on a machine)."""

NEARLY = 1e-6
"""How far a move may be from whole units to be taken for them, in units and as a share of it."""

Pattern = NDArray[np.bool_]


@dataclass(frozen=True)
class Local:
    """A part of a pattern. cells: int64; ends: int64, positions of the ends of its cells. relation: int64, relation of
    each entry, column: int64, position of its cell among the cells, coefficient: int64."""

    cells: NDArray[np.int64]
    ends: NDArray[np.int64]
    relation: NDArray[np.int64]
    column: NDArray[np.int64]
    coefficient: NDArray[np.int64]


class GivingBack:
    """Gives back what parts of patterns do not need; a part that it has seen before is not looked at again."""

    def __init__(self, problem: Problem, oracle: Oracle) -> None:
        self._problem, self._oracle = problem, oracle
        self._seen: dict[bytes, Pattern] = {}
        equations = oracle.equations
        value = equations.value.astype(np.float64)
        self._down = np.where(equations.column_lower == NO_LOWER, np.inf, value - equations.column_lower)
        self._up = np.where(equations.column_upper == NO_UPPER, np.inf, equations.column_upper - value)
        self._plain = np.asarray(equations.lower == equations.upper)
        self._rank = np.lexsort((np.arange(equations.cells), -problem.cost)).argsort()
        """Positions of cells, the dearest first."""

    @staticmethod
    def suits(oracle: Oracle) -> bool:
        """Whether all that is asked is how far cells can move, by somebody who knows none of them."""
        ends = oracle.ends
        return not oracle.watched and ends.known is None and not ends.wide.any() and not ends.either.any()

    def show(self, pattern: Pattern) -> None:
        """Teach the oracle tables that meet what a pattern meets."""
        left = ~self._oracle.protected(pattern)
        if not left.any():
            return
        tables: list[FeasibleTable] = []
        for local, run in self._parts(pattern, left):
            part = self._part(local) if len(local.ends) else None
            if part is not None:
                point, met = _nothing(local)
                run(shown, part, np.ones(len(local.cells), np.bool_), point, met)
                tables += _tables(local, part, run, point, met)
        self._teach(tables)

    def lean(self, pattern: Pattern, limits: Limits) -> tuple[Pattern, Pattern]:
        """(what is left of a safe pattern, bool (cells): cells of parts that were looked at)."""
        kept, done = pattern.copy(), np.zeros(len(pattern), np.bool_)
        tables: list[FeasibleTable] = []
        for local, run in self._parts(pattern, None):
            if limits.out_of_time():
                break
            cells, key = local.cells, local.cells.tobytes()
            left = self._seen.get(key)
            if left is None:
                part, left = self._part(local), np.ones(len(cells), np.bool_)
                if part is None:
                    continue
                given = np.flatnonzero(~self._problem.primary[cells])
                order = given[np.argsort(self._rank[cells[given]])]
                point, met = _nothing(local)
                if not run(give_back, part, order, left, point, met):
                    continue
                left |= self._problem.primary[cells]  # one that nothing is asked of may be computed from others
                if not left.all():  # otherwise what showed the pattern to be safe does so still
                    tables += _tables(local, part, run, point, met)
                self._seen[key] = left
            kept[cells], done[cells] = left, True
        self._teach(tables)
        return kept, done

    def _parts(self, pattern: Pattern, asked: Pattern | None) -> Iterator[tuple[Local, Runner]]:
        """The parts of a pattern, with what runs kernels on them. asked: bool (requirements); only their ends; None:
        all."""
        equations, ends = self._oracle.equations, self._oracle.ends
        label = equations.groups(equations.opened(pattern))
        columns = np.flatnonzero(label >= 0)
        columns = columns[np.argsort(label[columns], kind="stable")]
        which, row, coefficient = stored(equations.by_column, columns)
        count = int(label.max(initial=-1)) + 1
        first = np.searchsorted(label[columns], np.arange(count + 1))
        entry = np.searchsorted(which, first)
        of_end = label[ends.cell]
        if asked is not None:
            of_end = np.where(asked[ends.requirement], of_end, -1)
        order = np.argsort(of_end, kind="stable")
        first_end = np.searchsorted(of_end[order], np.arange(count + 1))
        entries = int((np.diff(first) ** 2).sum()) // LIGHT
        runner = Runner(worth_compiling(entries, give_back, shown, chosen))
        for k in range(count):
            inside = slice(entry[k], entry[k + 1])
            cells, own = columns[first[k] : first[k + 1]], order[first_end[k] : first_end[k + 1]]
            yield Local(cells, own, row[inside], which[inside] - first[k], coefficient[inside]), runner

    def _part(self, local: Local) -> Part | None:
        """What kernels need of a part; None where it is too large, or relations or cells in it have further bounds."""
        equations, ends, cells = self._oracle.equations, self._oracle.ends, local.cells
        relations, position = np.unique(local.relation, return_inverse=True)
        plain = self._plain[relations].all() and not equations.always_open[cells].any()
        if not plain or not 0 < len(relations) * len(cells) <= LARGEST:
            return None
        matrix = np.zeros((len(relations), len(cells)))
        matrix[position, local.column] = local.coefficient
        return Part(
            matrix,
            self._down[cells],
            self._up[cells],
            np.searchsorted(cells, ends.cell[local.ends]),
            ends.sign[local.ends],
            ends.distance[local.ends].astype(np.float64),
        )

    def _teach(self, tables: Sequence[FeasibleTable]) -> None:
        """Let the oracle remember those that are tables."""
        if not tables:
            return
        equations = self._oracle.equations
        indptr = np.cumsum([0, *(len(table.cells) for table in tables)])
        cells = np.concatenate([table.cells for table in tables])
        moves = np.concatenate([table.moves for table in tables])
        moved = csr_array((moves, cells, indptr), (len(tables), len(equations.value))) @ equations.by_column
        moved.eliminate_zeros()
        furthest = np.add.reduceat(np.abs(moves.astype(np.float64)), indptr[:-1]) * abs(equations.by_column).max()
        wrong = (np.diff(moved.indptr) > 0) | (furthest >= NO_UPPER)  # sums that 64 bits may not hold say nothing
        bounds = equations.value, equations.column_lower, equations.column_upper
        self._oracle.learn([t for t, no in zip(tables, wrong.tolist(), strict=True) if not no and t.fits(*bounds)])


def _nothing(local: Local) -> tuple[NDArray[np.float64], Pattern]:
    """No point for any end (see `kernels.giving_back`)."""
    return np.zeros((len(local.ends), len(local.cells))), np.zeros(len(local.ends), np.bool_)


def _tables(local: Local, part: Part, run: Runner, point: NDArray[np.float64], met: Pattern) -> list[FeasibleTable]:
    """Points, as they are and turned round, as tables of whole units, not checked."""
    take = np.zeros(len(met), np.bool_)
    run(chosen, part, point, met, take)
    result = []
    for e in np.flatnonzero(take).tolist():
        at = np.flatnonzero(point[e])
        moves = np.rint(point[e][at])
        if (np.abs(moves - point[e][at]) > NEARLY * np.maximum(1.0, np.abs(moves))).any():
            continue
        whole = moves.astype(np.int64)
        result += [FeasibleTable(local.cells[at], whole), FeasibleTable(local.cells[at], -whole)]
    return result
