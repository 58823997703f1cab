"""What an audited release leaves an intruder of the sensitive cells of a problem, in a few figures."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, log2
from typing import Annotated

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.codec.declared import Key
from tableseal.audit.codec.exact_json import significant
from tableseal.audit.codec.kinds import Count, Limited
from tableseal.audit.report.model import ReleaseVerdict, Report, ReportCell
from tableseal.suppression.problem.problem import Problem

Figure = Annotated[Limited | None, "null: nothing to give a figure for."]
WIDTHS = "Widths of the intervals of sensitive cells over their true values."
BITS = "Of sensitive cells over their possible values, all equally likely."


@dataclass(frozen=True)
class AuditFigures:
    """What an audit says of the protected release."""

    verdict: ReleaseVerdict
    exposed: Annotated[Count, "Sensitive cells with one value left."]
    underprotected: Annotated[Count, "Sensitive cells with less left than required."]
    undecided: Count
    secondary_exposed: Annotated[Count, "Other withheld cells that can be computed."]
    least_width: Annotated[Figure, Key("relative_width.least", WIDTHS)]
    mean_width: Annotated[Figure, Key("relative_width.mean", WIDTHS)]
    least_bits: Annotated[Figure, Key("entropy_bits.least", BITS)]
    mean_bits: Annotated[Figure, Key("entropy_bits.mean", BITS)]
    rank: Annotated[
        Count, "Independent statements that withholding takes from the released system.", Key("rank_decrease")
    ]
    degrees_of_freedom: Count


def audit_figures(problem: Problem, report: Report) -> AuditFigures:
    """The figures of a protected release. report: its audit."""
    found = _sensitive(problem, report)
    verdicts = [verdict_of(cell, need, problem) for cell, need in found]
    widths = [w for cell, need in found if (w := _width(problem, cell, need)) is not None]
    bits = [inf if n is None else log2(max(1, n)) for n in (cell.possible.at_least for cell, _ in found)]
    figures = {f.name: f.value for entry in report.risk_panel for f in entry.figures}
    judged = {(cell.measure, cell.cell) for cell, _ in found}
    others = (cell for cell in report.cells if (cell.measure, cell.cell) not in judged)
    return AuditFigures(
        verdict=report.verdict,
        exposed=verdicts.count("exposed"),
        underprotected=verdicts.count("underprotected"),
        undecided=verdicts.count("undecided"),
        secondary_exposed=sum(cell.verdict == "exposed" for cell in others),
        least_width=min(widths, default=None),
        mean_width=_mean(widths),
        least_bits=min(bits, default=None),
        mean_bits=_mean(bits),
        rank=int(figures.get("rank_decrease") or 0),
        degrees_of_freedom=report.summary.degrees_of_freedom,
    )


def _mean(values: list[float]) -> float | None:
    return significant(sum(values) / len(values)) if values and inf not in values else (inf if values else None)


def _sensitive(problem: Problem, report: Report) -> list[tuple[ReportCell, Requirement]]:
    """The audited sensitive cells, each with what its outsiders' requirement asks."""
    names = list(problem.release.measures)
    wanted = {}
    for need in problem.requirements:
        if need.attacker.known:
            continue
        cell = tuple(problem.release.cell_codes(problem.cells.codes[need.cell]).items())
        wanted[names[problem.cells.measure[need.cell]], cell] = need
    return [(c, wanted[c.measure, c.cell]) for c in report.cells if (c.measure, c.cell) in wanted]


def verdict_of(cell: ReportCell, need: Requirement, problem: Problem) -> str:
    """The audit's verdict; of a cell that it had no reason to judge (a rounded one), what its interval says."""
    if cell.verdict != "not_judged":
        return cell.verdict
    unit = problem.release.measures[cell.measure].unit
    if cell.lower is not None and cell.lower == cell.upper:
        return "exposed"
    too_high = need.lower is not None and cell.lower is not None and cell.lower > need.lower * unit
    too_low = need.upper is not None and cell.upper is not None and cell.upper < need.upper * unit
    return "underprotected" if too_high or too_low else "protected"


def _width(problem: Problem, cell: ReportCell, need: Requirement) -> float | None:
    truth = abs(int(problem.equations.value[need.cell])) * problem.release.measures[cell.measure].unit
    if truth == 0:
        return None
    if cell.lower is None or cell.upper is None:
        return inf
    return significant(float(Fraction(cell.upper - cell.lower) / truth))
