"""The two intervals of a cell, as insiders use them."""

from tableseal.audit.attackers.formulas import End
from tableseal.audit.bounds.component import TargetBounds


def outer_ends(bounds: TargetBounds) -> tuple[End, End]:
    """What is not proved impossible."""
    return bounds.lower.outer, bounds.upper.outer


def attained_ends(bounds: TargetBounds) -> tuple[End, End] | None:
    """What whole-unit tables in hand reach; None if there is none."""
    for end in (bounds.lower, bounds.upper):
        if end.attained is None and not end.unlimited:
            return None
    low, high = (None if e.unlimited else e.attained for e in (bounds.lower, bounds.upper))
    return low, high
