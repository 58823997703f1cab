"""The best of two safe patterns in every part of the table that both leave open.

What two patterns together leave open falls into parts that share no relation. What a pattern withholds in one of them
protects what lies in it, whatever is withheld elsewhere: so each part may be taken from whichever is cheaper there.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.oracle import Oracle
from tableseal.suppression.problem.problem import Problem

Pattern = NDArray[np.bool_]


def best_parts(problem: Problem, one: Pattern, other: Pattern) -> Pattern:
    """bool (cells): of two patterns the cheaper one in every part, the first where both cost the same."""
    equations = problem.equations
    label = equations.groups(equations.opened(one | other))[: equations.cells]
    parts = int(label.max(initial=-1)) + 1
    price = np.where(problem.primary, 0, problem.cost)
    costs = [np.zeros(parts, price.dtype) for _ in range(2)]
    for cost, pattern in zip(costs, (one, other), strict=True):
        np.add.at(cost, label[pattern], price[pattern])
    dearer = np.append(costs[0] > costs[1], False)  # the last one: of what both publish
    return np.where(dearer[label], other, one)


def cheaper(problem: Problem, oracle: Oracle, one: Pattern, other: Pattern, limits: Limits) -> Pattern:
    """The cheapest of two safe patterns and what is best of both, if tables show that it is safe, too."""
    both = best_parts(problem, one, other)
    best = other if problem.price(other) < problem.price(one) else one
    if problem.price(both) >= problem.price(best):
        return best
    return both if oracle.decide(both, limits, exact=False).safe else best
