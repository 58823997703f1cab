"""The outcome of a suppression as JSON, schema tableseal/suppression/1."""

from collections.abc import Sequence
from fractions import Fraction

from tableseal.audit.codec.documents import json_of
from tableseal.audit.report.beyond_help import in_force
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import FACTOR
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.reasons.impossible import Conflict
from tableseal.suppression.reasons.seen import Equation, in_decimals
from tableseal.suppression.report.model import (
    Cell,
    ConflictInWords,
    DecidedCell,
    EquationInWords,
    HelplessCell,
    LastPeriodFigures,
    NeedingCell,
    RankFigures,
    SecondaryCell,
    SuppressionReport,
    WideCell,
    cell_in,
)
from tableseal.suppression.report.widths import required_widths
from tableseal.suppression.search.result import Found


def suppression_json(result: Suppression, *, indent: int | None = 1) -> str:
    """The outcome as JSON text: costs and bounds are exact, nothing depends on the clock."""
    return json_of(suppression_report(result), indent=indent)


def suppression_report(result: Suppression) -> SuppressionReport:
    """The outcome as it is written. Confidential: it says why cells are withheld, and holds the audit."""
    found, problem, changes = result.found, result.problem, result.changes
    pattern = found.pattern
    accepted = in_force(problem.release, problem.cells)
    return SuppressionReport(
        verdict=result.verdict,
        rules=problem.rules,
        method=result.method,
        status=found.status,
        guarantee=found.guarantee,
        costs=result.costs.kind,
        cost=None if pattern is None else Fraction(found.cost, problem.scale),
        bound=None if pattern is None else Fraction(found.bound, problem.scale),
        gap=found.gap,
        primary=int(problem.primary.sum()),
        not_listed=problem.unlisted,
        secondary=result.secondary,
        last_resort=found.last_resort,
        rank=_rank(found),
        explained=result.explained,
        cells=tuple(_secondary(result, cell) for cell in result.secondary_cells),
        withheld_for_nothing=tuple(cell_in(problem, cell, Cell) for cell in result.idle),
        beyond_help=tuple(cell_in(problem, cell, HelplessCell, accepted=cell in accepted) for cell in problem.hopeless),
        required_widths=tuple(
            cell_in(problem, w.cell, WideCell, width=w.required, possible=(w.lower, w.upper))
            for w in required_widths(result)
        ),
        decisions=tuple(
            cell_in(problem, cell, DecidedCell, decision=d.kind, reason=d.reason, name=d.name, date=d.date)
            for cell, d in result.decided.every
        ),
        last_period=None if changes is None else LastPeriodFigures(FACTOR, changes.kept, changes.new, changes.returned),
        audit=result.report,
        conflict=None if result.conflict is None else _conflict(result, result.conflict),
    )


def _secondary(result: Suppression, cell: int) -> SecondaryCell:
    problem, needs = result.problem, result.needs.get(cell)
    needed_by = None
    if needs is not None:
        needed_by = tuple(
            cell_in(
                problem,
                need.cell,
                NeedingCell,
                insider=need.requirement.attacker.who or None,
                equations=_equations(problem, need.equations),
            )
            for need in needs
        )
    return cell_in(
        problem,
        cell,
        SecondaryCell,
        cost=Fraction(int(problem.cost[cell]), problem.scale),
        accepted=bool(result.decided.accept[cell]),
        needed_by=needed_by,
    )


def _rank(found: Found) -> RankFigures | None:
    if found.rank is None:
        return None
    return RankFigures(
        found.rank.with_margins,
        found.rank.without_margins,
        "with_margins" if found.rank.margins else "without_margins",
        found.most_rank,
    )


def _equations(problem: Problem, equations: Sequence[Equation]) -> tuple[EquationInWords, ...]:
    return tuple(
        EquationInWords(tuple((f, None if c is None else cell_in(problem, c, Cell)) for f, c in one.terms), one.text)
        for one in equations
    )


def _conflict(result: Suppression, conflict: Conflict) -> ConflictInWords:
    need, problem, whole = conflict.requirement, result.problem, conflict.whole

    def decimals(low: int | None, high: int | None) -> tuple[Fraction | None, Fraction | None]:
        first, last = (in_decimals(end, problem.release, problem.cells, need.cell) for end in (low, high))
        return first, last

    return ConflictInWords(
        cells=tuple(cell_in(problem, cell, Cell) for cell in (need.cell, *conflict.blocking)),
        insider=need.attacker.who or None,
        required=decimals(need.lower, need.upper),
        largest=decimals(conflict.largest.lower, conflict.largest.upper),
        largest_of_whole_table=None if whole is None else decimals(whole.lower, whole.upper),
        equations=_equations(problem, conflict.equations),
        text=conflict.text,
    )
