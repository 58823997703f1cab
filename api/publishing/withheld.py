"""How many cells each table withholds, and why: for whoever answers for the publication."""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Final

from tableseal.audit.codec.kinds import Count
from tableseal.audit.model import Status
from tableseal.audit.report.model import Report, ReportCell

SECONDARY, STATED = "secondary", "stated"

_WITHHELD: Final = frozenset(status.word for status in Status if status.withheld)


@dataclass(frozen=True)
class WithheldCells:
    """Cells of a table that are withheld for one reason. A cell of several tables counts in each."""

    table: Annotated[str, "Of the plan."]
    reason: Annotated[
        str,
        "The first rule that made them sensitive, in words; secondary: to protect others; stated: the data or a "
        "request say so.",
    ]
    cells: Count


def withheld_cells(report: Report) -> tuple[WithheldCells, ...]:
    """Of every table, by reason: rules first, in order, then what was stated, then what protects others."""
    found = Counter(
        (table, _reason(cell))
        for cell in report.cells
        if cell.status in _WITHHELD
        for table in (cell.table, *cell.also_in)
    )
    order = {reason: at for at, reason in enumerate((*report.rules, STATED, SECONDARY))}
    tables = {table: at for at, table in enumerate(dict.fromkeys(table for table, _ in found))}
    listed = sorted(found, key=lambda one: (tables[one[0]], order.get(one[1], -1), one[1]))
    return tuple(WithheldCells(table, reason, found[table, reason]) for table, reason in listed)


def _reason(cell: ReportCell) -> str:
    if cell.status == Status.SECONDARY.word:
        return SECONDARY
    return cell.rule or STATED
