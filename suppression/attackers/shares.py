"""Insiders with shares in cells, where nothing withstands somebody who knows these cells: asked as they are.

A search can only be asked to withstand whoever knows cells (see `watch.of_cells`). Where no pattern does, one may still
withstand the insider, who knows a part of each cell. It is looked for around the pattern that is at hand.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.reasons.needed import given_back
from tableseal.suppression.search.cover import cover

Pattern = NDArray[np.bool_]


def widened(
    problem: Problem,
    pattern: Pattern,
    *,
    unmet: Callable[[Pattern], Sequence[Requirement]],
    complete: Callable[[Pattern], Pattern],
    solver: Solver,
    limits: Limits,
) -> Pattern:
    """The pattern, wider as far as that helps against insiders with shares.

    unmet: what insiders require that a pattern does not meet. complete: widens a pattern until it withstands all that
    the search was asked for.
    """
    while True:
        wider = pattern
        for need in unmet(pattern):
            if need.attacker.shares:
                posed = replace(problem, requirements=(need,))
                oracle = Oracle(problem.equations.seen_by(need.attacker), [need], deciding(solver), solver)
                found, _ = cover(posed, oracle, wider, limits)
                wider = wider if found is None else found
        if np.array_equal(wider, pattern):
            return pattern
        pattern = complete(wider)
        if limits.out_of_time():
            return pattern


def narrowed(
    problem: Problem,
    pattern: Pattern,
    keep: Pattern,
    *,
    unmet: Callable[[Pattern], Sequence[Requirement]],
    safe: Callable[[Pattern], bool],
) -> Pattern:
    """The pattern without the cells that are not needed, dearest first.

    keep: bool (cells), stay withheld. safe: whether a pattern withstands all that the search was asked for.
    """
    allowed = {need.cell for need in unmet(pattern)}
    spare = np.flatnonzero(pattern & ~problem.primary & ~keep).tolist()
    returned = given_back(problem, pattern, spare, lambda p: safe(p) and {need.cell for need in unmet(p)} <= allowed)
    result = pattern.copy()
    result[list(returned)] = False
    return result
