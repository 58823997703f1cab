"""Shuttle bounds: propagation with inward rounding (Dobra 2002; Smith and Elliot 2003 for rounded tables)."""

import numpy as np

from audit.bounds.component import Component, Limits
from audit.bounds.knowledge import Knowledge
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.propagate import form_bounds, propagate


class Shuttle:
    """Always valid, never tighter than the integer optimum; has no table in hand, so it can expose but not protect."""

    name = "shuttle"

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Outer ends of every target."""
        low, high = propagate(
            component.matrix,
            component.lower,
            component.upper,
            component.column_lower,
            component.column_upper,
            integer=True,
        )
        lower, upper = form_bounds(component.targets, low, high)
        for k, bound in enumerate([*lower.tolist(), *np.where(upper == NO_UPPER, NO_LOWER, -upper).tolist()]):
            known.prove(k, bound, None)
