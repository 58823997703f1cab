"""Cells that each of two periods protects by itself, and that both together give away."""

from collections.abc import Callable, Iterator

from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Note, Release
from tableseal.audit.periods.past import of_this_period, only_earlier
from tableseal.audit.report.model import Report, ReportCell

TOGETHER = "periods_together"
"""Code of the note on such cells."""

SHOWN = 6
"""Cells that it names."""


def fallen_together(report: Report, release: Release, audited: Callable[[Release], Report]) -> tuple[Note, ...]:
    """What both periods tell together: the cells that fall and that no period gives away by itself.

    audited: gives the report of one period alone.
    """
    fallen = [cell for cell in report.cells if cell.verdict in ("exposed", "underprotected")]
    if not fallen or not release.earlier or release.earlier == frozenset(release.measures):
        return ()
    found: list[ReportCell] = []
    for earlier, alone in ((False, of_this_period), (True, only_earlier)):
        own = [cell for cell in fallen if (cell.measure in release.earlier) == earlier]
        if own:
            verdicts = {(c.measure, c.cell): c.verdict for c in audited(alone(release)).cells}
            found += [cell for cell in own if verdicts.get((cell.measure, cell.cell)) == "protected"]
    if not found:
        return ()
    cells = plural(len(found), "cell is", "cells are")
    text = (
        f"{cells} protected by the tables of each period alone and given away by both together: "
        f"{'; '.join(_names(found, release))}."
    )
    return (Note(TOGETHER, text, len(found)),)


def _names(found: list[ReportCell], release: Release) -> Iterator[str]:
    for cell in found[:SHOWN]:
        codes = (f"{name}={code}" for name, code in cell.cell if code != release.variables[name].total)
        yield f"{cell.measure} {', '.join(codes)}"
    if len(found) > SHOWN:
        yield f"and {len(found) - SHOWN} more"
