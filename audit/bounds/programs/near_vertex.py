"""Tables of whole units at a vertex, or as near to it as can be: enough where no table has to be the best."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, rationalise, satisfies
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.programs.float_problem import to_original
from tableseal.audit.solvers.protocol import Floats, Problem, Solver

Ints = NDArray[np.int64]

ROOM = 1
"""Units that columns may be beyond the whole numbers next to the vertex. A survey's cluster (1,465 rows, 16,287
columns, 411 of them fractions at the vertex): with 0 no table, with 1 one in a second; the best by a program, 143 s."""

NODES = 500
"""Splits of a program for that; as a rule none is needed."""


def whole_table(component: Component, point: Floats | None, shift: Ints) -> Ints | None:
    """A solver's point of a component (moved by `shift`, see `solver_problem`) as a table of whole units; None where it
    is none that fits exactly."""
    z = None if point is None else rationalise(point)
    if z is None or z.denominator != 1:
        return None
    x: Rational = to_original(z, shift)
    return x.numerator if satisfies(component, x) else None


def nearby_table(
    component: Component, problem: Problem, point: Floats | None, shift: Ints, solver: Solver, seconds: float
) -> Ints | None:
    """A table of whole units near a solver's point, which is one itself where it can be; None: none was found."""
    table = whole_table(component, point, shift)
    if table is not None or point is None:
        return table
    low = np.maximum(np.floor(point) - ROOM, problem.column_lower)
    high = np.minimum(np.ceil(point) + ROOM, problem.column_upper)
    near = replace(problem, column_lower=low, column_upper=np.maximum(low, high))
    found = solver.minimise_integer(near, np.zeros(len(point)), seconds, nodes=NODES)
    return whole_table(component, found.x, shift)
