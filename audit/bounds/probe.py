"""A few tables, quickly: enough to show that something is possible, never that it is not."""

import numpy as np

from audit.bounds.certify import rationalise, satisfies
from audit.bounds.component import Component, End, Limits, TargetBounds
from audit.bounds.problem import solver_problem, to_original
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.solvers.protocol import Solver

ROUNDS = 6
"""Pairs of opposite objectives. On hierarchical counts six show nearly every cell that is free to move."""


class Probe:
    """Vertices for a few fixed objectives; of each target only the values seen are told, no outer bound."""

    name = "probe"

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def bounds(self, component: Component, limits: Limits) -> list[TargetBounds]:
        """Smallest and largest value seen of every target."""
        problem, shift = solver_problem(component)
        warm = self._solver.warm(problem)
        count, columns = component.targets.shape
        low, high = np.full(count, NO_UPPER), np.full(count, NO_LOWER)
        objectives = np.random.default_rng(columns).standard_normal((ROUNDS, count)) @ component.targets
        for objective in [signed for one in np.atleast_2d(objectives) for signed in (one, -one)]:
            if limits.out_of_time():
                break
            outcome = warm.minimise(objective, limits.seconds_left())
            z = None if outcome.status != "optimal" or outcome.x is None else rationalise(outcome.x)
            if z is None or z.denominator != 1:
                continue
            x = to_original(z, shift)
            if satisfies(component, x):
                value = component.targets @ x.numerator
                low, high = np.minimum(low, value), np.maximum(high, value)
        return [
            TargetBounds(_seen(a, a <= b), _seen(b, a <= b), convex=False, seen=0)
            for a, b in zip(low.tolist(), high.tolist(), strict=True)
        ]


def _seen(value: int, any_seen: bool) -> End:
    return End(None, None, value if any_seen else None, None)
