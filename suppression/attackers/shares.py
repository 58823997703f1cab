"""Insiders with shares in cells, where nothing withstands somebody who knows these cells: met as they are.

A search can only be asked to withstand whoever knows cells (see `stronger`). Where no pattern does, one may still
withstand the insider, who knows a part of each cell. It is looked for around the pattern that is at hand.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.attackers.attacks import Attack, oracle_for
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.reasons.needed import given_back
from tableseal.suppression.search.cover import cover

Pattern = NDArray[np.bool_]


def widened(
    problem: Problem,
    pattern: Pattern,
    *,
    broken: Callable[[Pattern], Sequence[Attack]],
    complete: Callable[[Pattern], Pattern],
    solver: Solver,
    limits: Limits,
) -> Pattern:
    """The pattern, wider as far as that helps against insiders with shares.

    broken: attacks of insiders that a pattern does not withstand. complete: widens a pattern until it withstands all
    that the search was asked for.
    """
    while True:
        wider = pattern
        for attack in broken(pattern):
            if attack.own:
                posed = replace(problem, requirements=(attack.requirement,))
                found, _ = cover(posed, oracle_for(problem.equations, [attack], solver), wider, limits)
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
    broken: Callable[[Pattern], Sequence[Attack]],
    safe: Callable[[Pattern], bool],
) -> Pattern:
    """The pattern without the cells that are not needed, dearest first.

    keep: bool (cells), stay withheld. safe: whether a pattern withstands all that the search was asked for.
    """
    allowed = {_target(a) for a in broken(pattern)}
    spare = np.flatnonzero(pattern & ~problem.primary & ~keep).tolist()
    returned = given_back(problem, pattern, spare, lambda p: safe(p) and {_target(a) for a in broken(p)} <= allowed)
    result = pattern.copy()
    result[list(returned)] = False
    return result


def _target(attack: Attack) -> int:
    return attack.requirement.cell
