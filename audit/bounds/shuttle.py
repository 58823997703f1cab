"""Shuttle bounds: propagation with inward rounding (Dobra 2002; Smith and Elliot 2003 for rounded tables)."""

from audit.bounds.component import Component, End, Limits, TargetBounds
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.propagate import form_bounds, propagate


class Shuttle:
    """Always valid, never tighter than the integer optimum; has no table in hand, so it can expose but not protect."""

    name = "shuttle"

    def bounds(self, component: Component, limits: Limits) -> list[TargetBounds]:
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
        return [
            TargetBounds(
                End(None, None if a == NO_LOWER else a, None, None),
                End(None, None if b == NO_UPPER else b, None, None),
                convex=False,
                seen=0,
            )
            for a, b in zip(lower.tolist(), upper.tolist(), strict=True)
        ]
