"""A whole choice of cells that breaks no cut of a block: the linear program of all blocks, in which a few more cells
are withheld for good whenever cuts raise it no longer.

Blocks that are safe by themselves need not be safe together; what is missing then is little beside the whole (34,440
farms: 37,750 after 15 s, of which 41,864 are made after 33 s, and 39,602 after 53 s by regions protected anew).
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.bounds.cutting import cuts_alone
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.master import Row

NEARLY = 0.95
"""Share from which a cell is withheld for good."""

STEP = 0.05
"""Share of the cells that are withheld in part, of which the largest are withheld for good at once (34,440 farms:
37,750 after 15 s; a tenth, and from 0.9 on: 38,050 after 14 s)."""

SLOW = 3e-4
"""Share by which cuts have to raise the program, to be looked for again first."""

WHOLE = 1e-6
"""Shares so near to 0 or 1 are."""


def dive(problem: Problem, solver: Solver, limits: Limits) -> NDArray[np.bool_] | None:
    """bool (cells): a cheap pattern of which each block is safe by itself, against outsiders; None: there is none, or
    not in time."""
    begun = cuts_alone(problem, solver)
    if begun is None:
        return None
    cutting, program = begun
    sure, last = np.zeros(len(program.cost), np.bool_), 0.0
    while True:
        solved = program.solve(limits.seconds_left())
        if solved is None:
            return None
        share = np.where(sure, 1.0, solved.share)
        added = program.add(cutting.broken(share, False, limits))
        if limits.out_of_time():
            return None
        value = float(program.cost @ share)
        rises, last = value - last > SLOW * value, value
        if added and rises:
            continue
        part = np.flatnonzero((share > WHOLE) & (share < 1.0 - WHOLE) & ~sure)
        if not added and len(part) == 0:
            break
        largest = part[np.argsort(-share[part], kind="stable")[: max(1, int(STEP * len(part)))]]
        fresh = np.union1d(largest, np.flatnonzero((share >= NEARLY) & ~sure))
        program.add(Row(np.array([cell]), np.ones(1), 1.0) for cell in fresh.tolist())
        sure[fresh] = True
    pattern = problem.primary.copy()
    pattern[cutting.candidates[share > 0.5]] = True
    return pattern
