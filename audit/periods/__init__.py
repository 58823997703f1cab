"""Two periods in one release: what is out already of an earlier one, and how much outsiders take values to change."""

from tableseal.audit.periods.growth import Growth, grown, growth_links
from tableseal.audit.periods.past import frozen, of_this_period, only_earlier

__all__ = ["Growth", "frozen", "grown", "growth_links", "of_this_period", "only_earlier"]
