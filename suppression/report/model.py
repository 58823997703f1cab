"""The outcome of a suppression as it is written, schema tableseal/suppression/1."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from tableseal.audit.codec.declared import SPARSE
from tableseal.audit.codec.kinds import Also, Codes, Count
from tableseal.audit.report.model import ReleaseVerdict, Report
from tableseal.suppression.problem.costs import Kind as CostKind
from tableseal.suppression.problem.decisions import Kind as DecisionKind
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.result import Guarantee, Status

Interval = Annotated[tuple[Fraction | None, Fraction | None], "null: no limit, or nothing asked."]
Rules = Annotated[tuple[str, ...], "The rules that were applied, in words and in their order; empty: none."]


@dataclass(frozen=True)
class Cell:
    """A cell by its table, measure and codes."""

    table: str
    measure: str
    cell: Codes


Place = TypeVar("Place", bound=Cell)


def cell_in(problem: Problem, cell: int, kind: type[Place], **more: Any) -> Place:
    """A cell of a problem by its table, measure and codes, with what else is said of it."""
    release, cells = problem.release, problem.cells
    return kind(
        table=release.tables[int(cells.table[cell])].name,
        measure=list(release.measures)[int(cells.measure[cell])],
        cell=tuple(release.cell_codes(cells.codes[cell]).items()),
        **more,
    )


@dataclass(frozen=True)
class EquationInWords:
    """Sum of coefficient times cell = 0 (null: sums that no table shows), or a link."""

    terms: tuple[tuple[int, Cell | None], ...]
    text: str


@dataclass(frozen=True)
class NeedingCell(Cell):
    """A sensitive cell that fails if the secondary cell is published, and the equations that then show too much."""

    insider: Annotated[str | None, "Against whom; null: everybody."]
    equations: tuple[EquationInWords, ...]


@dataclass(frozen=True)
class SecondaryCell(Cell):
    """A cell that is withheld to protect others."""

    status: ClassVar[Literal["secondary"]] = "secondary"
    cost: Fraction
    accepted: Annotated[bool, "Withheld by decision."]
    needed_by: Annotated[tuple[NeedingCell, ...] | None, "What fails without it; null: nobody looked."]


@dataclass(frozen=True)
class HelplessCell(Cell):
    """A sensitive cell whose contributors know each other too well, whatever is withheld."""

    accepted: bool


@dataclass(frozen=True)
class WideCell(Cell):
    """A sensitive cell of which a width is asked, wherever it lies."""

    width: Annotated[Fraction, Also({"exclusiveMinimum": 0})]
    possible: Annotated[Interval, "What the audit says; null: no limit, or not audited."]


@dataclass(frozen=True)
class DecidedCell(Cell):
    """A decision by hand."""

    decision: DecisionKind
    reason: str
    name: str
    date: Annotated[str, Also({"format": "date"})]


@dataclass(frozen=True)
class RankFigures:
    """Of the methods that maximise it: what the pattern takes from the rank of the released system."""

    with_margins: Count
    without_margins: Count
    maximised: Literal["with_margins", "without_margins"]
    most: Annotated[
        Count | None,
        "What no pattern within the budget (of `rank`: no safe one) goes beyond in what was maximised; null: not "
        "proved.",
    ]


@dataclass(frozen=True)
class LastPeriodFigures:
    """The pattern beside last period's, over the cells that both releases have."""

    factor: Annotated[int, "Cells withheld last period cost so many times less."]
    kept: Count
    new: Count
    returned: Count


@dataclass(frozen=True)
class ConflictInWords:
    """Why no pattern is safe."""

    cells: Annotated[
        tuple[Cell, ...], "The sensitive cell, then the published cells that are in the way.", Also({"minItems": 1})
    ]
    insider: str | None
    required: Annotated[Interval, "Values that the cell must be able to fall and rise to."]
    largest: Annotated[Interval, "What is left if everything is withheld that may be."]
    largest_of_whole_table: Annotated[
        Interval | None,
        "What is left if everything is withheld, whatever its status; null: there was no time to find out.",
    ]
    equations: tuple[EquationInWords, ...]
    text: str


@dataclass(frozen=True)
class SuppressionReport:
    """Outcome of a suppression. Which cells are withheld, why, what it costs, and the audit of the release with them.
    Confidential. Numbers are exact decimals; no timings: the same input and seed give the same bytes."""

    schema: ClassVar[Literal["tableseal/suppression/1"]] = "tableseal/suppression/1"
    confidential: ClassVar[Literal[True]] = True
    verdict: Annotated[ReleaseVerdict, "Of the audit; unsafe where no pattern is safe."]
    rules: Rules
    method: Annotated[str, "The search method."]
    status: Annotated[
        Status,
        "optimal: no safe pattern is cheaper, proved. feasible: a pattern with a gap. infeasible: no pattern is safe "
        "(see conflict). unfinished: none was found.",
    ]
    guarantee: Annotated[
        Guarantee,
        "What the method promises of its pattern. intervals: every requirement is met. exact disclosure: equations "
        "alone give no sensitive cell. none: nothing; only the audit tells.",
    ]
    costs: Annotated[CostKind, "What was minimised."]
    cost: Annotated[Fraction | None, "Of the secondary cells, with all weights."]
    bound: Annotated[Fraction | None, "No safe pattern costs less; proved."]
    gap: Annotated[float | None, "(cost - bound) / cost.", Also({"minimum": 0, "maximum": 1})]
    primary: Annotated[Count, "Sensitive cells."]
    not_listed: Annotated[
        Count,
        "Sensitive cells that no row lists and that the release would give away; in `needed_by` and `conflict` their "
        'table is called "not listed".',
    ]
    secondary: Annotated[Count, "Cells withheld to protect others."]
    last_resort: Annotated[bool, "The time was over before a pattern was found: everything is withheld that may be."]
    rank: RankFigures | None
    explained: Annotated[
        bool,
        "Whether it was found out what needs each cell, and what is withheld for nothing. Not for methods that "
        "promise no intervals, not where too many cells hang together, and only as far as there was time.",
    ]
    cells: tuple[SecondaryCell, ...]
    withheld_for_nothing: Annotated[tuple[Cell, ...], "Secondary cells that can all be given back together."]
    beyond_help: Annotated[
        tuple[HelplessCell, ...],
        "Sensitive cells whose contributors know each other too well whatever is withheld, because they know their "
        "ranks; the audit says who estimates what. accepted: by the release or by decision. The status says nothing "
        "of the others: optimal is the cheapest pattern that protects what a pattern can protect.",
    ]
    required_widths: Annotated[
        tuple[WideCell, ...],
        "Sensitive cells of which a width is asked, wherever it lies: by sliding protection or a limit of risk.",
    ]
    decisions: tuple[DecidedCell, ...]
    last_period: LastPeriodFigures | None
    audit: Annotated[
        Report | None, "The report on the release with the pattern, schema tableseal/report/1; null without one."
    ]
    conflict: Annotated[ConflictInWords | None, SPARSE] = None
