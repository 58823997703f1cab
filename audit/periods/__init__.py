"""Two periods in one release: what is out already of an earlier one, and how much outsiders take values to change."""

from tableseal.audit.periods.growth import GROWTH_ASSUMED, Growth, assumed_note, grown, growth_links
from tableseal.audit.periods.past import frozen, of_this_period, only_earlier

__all__ = [
    "GROWTH_ASSUMED",
    "Growth",
    "assumed_note",
    "frozen",
    "grown",
    "growth_links",
    "of_this_period",
    "only_earlier",
]
