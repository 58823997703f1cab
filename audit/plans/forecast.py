"""How long a cluster will take: a forecast from sizes that a plan tells, before anything is read.

The model is a sum of what was measured to grow with each size. What takes long is what is withheld, which no plan
knows: clusters without sensitive cells take a tenth of the time, and others have taken several times as long.
"""

BEGIN = 0.5
"""Seconds for the smallest cluster."""

A_RECORD = 2e-6
"""Seconds for each record and table that is made of it."""

A_SYSTEM, POWER = 1e-5, 1.6
"""Seconds for a system of so many base cells, times their number to a power."""

LONG = 3_600.0
"""Seconds from which a cluster is too large to be waited for: what it could be split by is shown."""


def seconds_of(base_cells: int, records: int, tables: int) -> float:
    """Seconds that a cluster takes on one processor.

    base_cells: unknowns of its system. records: that its tables are made of, tables: how many are.
    """
    return float(BEGIN + A_RECORD * records * tables + A_SYSTEM * base_cells**POWER)


def in_words(seconds: float) -> str:
    """A time, no more exactly than a forecast is."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5_400:
        return f"{round(seconds / 60)} min"
    return f"{round(seconds / 3_600):,} h"
