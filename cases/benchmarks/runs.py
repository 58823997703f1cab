"""From which run of a benchmark its rows are, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

LONG = 1.0
"""CPU seconds of rows from which the share of a core is told: of shorter ones the clock is too coarse."""


class Measured(Protocol):
    """A row. status: `measured`, if there are seconds. run: when the run began; empty: it is not known."""

    @property
    def status(self) -> str: ...
    @property
    def cpu(self) -> float: ...
    @property
    def wall(self) -> float: ...
    @property
    def run(self) -> str: ...


def runs_said(rows: Sequence[Measured], minutes: Mapping[str, float]) -> str:
    """Whether all rows are of one run, how long it took, and what share of its core each program had at least.

    minutes: of each run, by when it began; of one that has not ended, up to now.
    """
    found = Counter(row.run for row in rows)
    shares = [row.cpu / row.wall for row in rows if row.status == "measured" and row.cpu >= LONG and row.wall > 0]
    share = f" Of its core every program that took a second had {min(1.0, min(shares)):.0%} or more." if shares else ""
    if len(found) == 1 and "" not in found:
        (began,) = found
        long = f", of {minutes[began]:.0f} minutes with all of this page" if began in minutes else ""
        return f"All rows are of one run ({began}{long}).{share}"
    named = ", ".join(f"{number} of {began or 'earlier ones'}" for began, number in sorted(found.items()))
    return f"This is not one run: rows are {named or 'not there'}.{share}"
