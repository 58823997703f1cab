"""Some table of whole units of a large component, block by block: relax and fix (Pochet, Wolsey 2006).

One integer program over everything spends most of its time on cuts and on trials that fail. Here only one block of
columns at a time has to be whole, the later ones may be fractions, and what is found is kept. Columns come in the order
of the cells, so the blocks of a cube are slices. As long as fractions can complete the table some whole table mostly
can; towards the end the columns that are left form a network, where fractions are no help.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.float_problem import moved_by, solver_problem, to_original
from tableseal.audit.solvers.protocol import Problem, Solver

BLOCKS = 8
"""Parts of the columns: 8 cubes of 715 to 2,393 columns all got a table, in 0.2 to 2.0 s of processor time (by one
program: 0.2 to 8.0 s); with 5 and with 20 parts two of them did not."""

NODES, FEW_NODES = 500, 50
"""Splits that one block may cost; and within the bounds of a real table that reaches many ends at once, which come
first: there a whole table attains more ends, and is mostly found in a third of the time (3d20: 810 ends in 0.3 s, one
miss before it included; 542 in 0.5 s)."""


ROOM = 3
"""Units that columns may be beyond the whole numbers next to a point. 3d20, 1,385 columns of which half are fractions
at a point: 29 of 33 points had a table, in half a second on a busy machine; with 1 unit 7 of 17 had one."""

WORTH = 40
"""Tables near points are looked for as long as each attains one in so many of all ends. (3d20: of 2,774 ends the first
attains 553, then 372, 266, 197, the tenth 33.)"""


class RelaxAndFix:
    """Tables of whole units where there are real ones: the release is possible, and the ends they reach are attained.

    further: of real tables that reach many ends, whether tables of whole units near them are looked for, too.
    """

    name = "relax and fix"
    quick = False

    def __init__(self, solver: Solver, *, further: bool = False) -> None:
        self._solver, self._further = solver, further

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """A first table where none is in hand, then those near points."""
        if not limits.integer:
            return
        problem, shift = solver_problem(component)
        if not known.in_hand:
            self._first(component, problem, shift, known, limits)
        if self._further and known.in_hand:
            self._near(component, problem, shift, known, limits)

    def _near(
        self, component: Component, problem: Problem, shift: NDArray[np.int64], known: Knowledge, limits: Limits
    ) -> None:
        """Tables near points that reach many ends, while they attain many that are open."""
        blocks = np.array_split(np.arange(component.matrix.shape[1]), BLOCKS)
        for point in known.near:
            left = len(known.open_integer())
            if left == 0 or limits.out_of_time():
                return
            low = np.maximum(component.column_lower, point - ROOM)
            high = np.minimum(component.column_upper, point + 1 + ROOM)
            near = replace(problem, column_lower=moved_by(low, shift), column_upper=moved_by(high, shift))
            found = _whole(near, blocks, self._solver, limits, FEW_NODES)
            table = None if found is None else to_original(Rational(found, 1), shift)
            if table is None or not satisfies(component, table):
                continue
            known.witness(table.numerator)
            if (left - len(known.open_integer())) * WORTH < 2 * known.targets:
                return

    def _first(
        self, component: Component, problem: Problem, shift: NDArray[np.int64], known: Knowledge, limits: Limits
    ) -> None:
        """Among tables that reach many ends; first to last slice; where that ends in a corner, last to first."""
        columns = np.arange(component.matrix.shape[1])
        tries = [(problem, columns, NODES), (problem, columns[::-1], NODES)]
        for face in reversed(known.faces):
            low, high = (moved_by(bound, shift) for bound in face)
            tries.insert(0, (replace(problem, column_lower=low, column_upper=high), columns, FEW_NODES))
        for held, order, nodes in tries:
            point = _whole(held, np.array_split(order, BLOCKS), self._solver, limits, nodes)
            if point is None:
                continue
            table = to_original(Rational(point, 1), shift)
            if satisfies(component, table):
                known.witness(table.numerator)
                return


def _whole(
    problem: Problem, blocks: list[NDArray[np.int64]], solver: Solver, limits: Limits, nodes: int
) -> NDArray[np.int64] | None:
    """A whole point of the problem, block after block; None if a block finds none."""
    low, high = problem.column_lower.copy(), problem.column_upper.copy()
    nothing = np.zeros(len(low))
    for block in blocks:
        integral = np.zeros(len(low), np.bool_)
        integral[block] = True
        held = replace(problem, column_lower=low, column_upper=high)
        x = solver.minimise_integer(held, nothing, limits.seconds_left(), nodes=nodes, integral=integral).x
        if x is None or not np.isfinite(x).all() or np.abs(x).max(initial=0.0) > 2.0**52:
            return None
        whole = np.rint(x)
        if np.abs(x - whole).max(initial=0.0) < 1e-6:  # fractions were not needed
            break
        low[block] = high[block] = whole[block]
    return whole.astype(np.int64)
