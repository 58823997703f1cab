"""How wide what stays possible has to be, and how wide it is."""

from dataclasses import dataclass
from fractions import Fraction

from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.places import Places


@dataclass(frozen=True)
class Width:
    """A sensitive cell of which a width is asked, wherever that lies (sliding protection, a limit of risk).

    required: the width. lower, upper: what the audit says is possible; None: without limit, or nothing was audited.
    """

    cell: int
    required: Fraction
    lower: Fraction | None
    upper: Fraction | None


def required_widths(result: Suppression) -> list[Width]:
    """For each cell of which more than one further value is asked, as the problem puts it."""
    problem = result.problem
    asked = {need.cell: need.width for need in problem.requirements if need.width > 1 and not need.attacker.known}
    if not asked:
        return []
    places = Places(problem.release, problem.cells)
    rows = () if result.report is None else result.report.cells
    possible = {places.find(row.measure, dict(row.cell)): (row.lower, row.upper) for row in rows}
    units = [measure.unit for measure in problem.release.measures.values()]
    return [
        Width(cell, width * units[int(problem.cells.measure[cell])], *possible.get(cell, (None, None)))
        for cell, width in sorted(asked.items())
    ]
