"""A comparison as it is written, schema tableseal/comparison/1. It holds no value of a cell and no timing."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np

from tableseal.audit.codec.declared import Key, derived
from tableseal.audit.codec.documents import json_of
from tableseal.audit.codec.kinds import Count, Rounded
from tableseal.audit.version import engine_version
from tableseal.suppression.comparison.changes import Changes
from tableseal.suppression.comparison.compare import Comparison, Outcome
from tableseal.suppression.comparison.figures import AuditFigures, Figure
from tableseal.suppression.report.model import Cell, Rules, cell_in
from tableseal.suppression.search.result import Guarantee, Status


@dataclass(frozen=True)
class MethodOutcome:
    """What one method did."""

    method: str
    status: Annotated[
        Literal[Status, "done", "not possible"],
        "done: it changes values; not possible: it does not work for this release.",
    ]
    guarantee: Annotated[Guarantee, "What the method promises of its pattern; the audit is independent of it."]
    remark: str | None
    secondary: Count | None
    cost: Annotated[Fraction | None, "Of the secondary cells."]
    bound: Annotated[Fraction | None, "No safe pattern costs less; null: nothing is proved."]
    gap: Annotated[Rounded | None, "(cost - bound) / cost."]
    most_rank: Annotated[Count | None, "No pattern that a rank method may choose takes more rank; null: not proved."]
    value: Annotated[Mapping[str, Fraction], "Measure: value of the secondary cells together."]
    protection: AuditFigures | None
    changes: Annotated[
        Changes | None,
        "How far off what readers see is, and risk and utility of tables of counts; null: nothing to see.",
    ]


@dataclass(frozen=True)
class WithheldCell(Cell):
    """A cell that some method withholds."""

    status: Literal["primary", "secondary"]
    by: tuple[str, ...]


@dataclass(frozen=True)
class CurvePoint:
    """A safe pattern on the trade-off curve."""

    secondary: Count
    cost: Fraction
    rank_decrease: Count
    least_bits: Annotated[Figure, Key("entropy_bits.least")]
    mean_bits: Annotated[Figure, Key("entropy_bits.mean")]


@dataclass(frozen=True)
class ComparisonReport:
    """Methods side by side on one release."""

    schema: ClassVar[Literal["tableseal/comparison/1"]] = "tableseal/comparison/1"
    confidential: ClassVar[Literal[True]] = True
    title: Annotated[str, Key("release.title")]
    release_sha256: Annotated[str, Key("release.sha256")]
    rules: Rules
    seed: Count
    cells: Count
    primary: Count
    methods: tuple[MethodOutcome, ...]
    withheld: Annotated[tuple[WithheldCell, ...], "Cells that any method withholds."]
    curve: Annotated[
        tuple[CurvePoint, ...],
        "Safe patterns that no other one found beats in cost, rank decrease and least entropy; cheapest first.",
    ]

    @derived(after="release_sha256", key="engine.version")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()


def comparison_json(comparison: Comparison) -> str:
    """The comparison as JSON text; same comparison, same text."""
    return json_of(comparison_report(comparison))


def comparison_report(comparison: Comparison) -> ComparisonReport:
    """The comparison as it is written."""
    problem = comparison.problem
    return ComparisonReport(
        title=problem.release.title,
        release_sha256=comparison.digest,
        rules=problem.rules,
        seed=comparison.seed,
        cells=problem.listed,
        primary=int(problem.primary.sum()),
        methods=tuple(_outcome(comparison, outcome) for outcome in comparison.outcomes),
        withheld=_withheld(comparison),
        curve=tuple(
            CurvePoint(
                int((p.pattern & ~problem.primary).sum()), comparison.cost(p.cost), p.rank, p.least_bits, p.mean_bits
            )
            for p in comparison.curve
        ),
    )


def _outcome(comparison: Comparison, outcome: Outcome) -> MethodOutcome:
    found, pattern = outcome.found, outcome.pattern
    whole = None if found is None or pattern is None else found
    bounded = None if whole is None or (whole.bound == 0 and whole.status != "optimal") else whole
    return MethodOutcome(
        method=outcome.method,
        status=found.status if found is not None else "done" if outcome.protection else "not possible",
        guarantee=found.guarantee if found is not None else "none",
        remark=outcome.remark or None,
        secondary=None if pattern is None else int((pattern & ~comparison.problem.primary).sum()),
        cost=None if whole is None else comparison.cost(whole.cost),
        bound=None if bounded is None else comparison.cost(bounded.bound),
        gap=None if bounded is None else bounded.gap,
        most_rank=None if whole is None else whole.most_rank,
        value=outcome.value,
        protection=outcome.protection,
        changes=outcome.changes,
    )


def _withheld(comparison: Comparison) -> tuple[WithheldCell, ...]:
    """Every cell that any method withholds, with the methods that do."""
    problem = comparison.problem
    patterns = [(o.method, o.pattern) for o in comparison.outcomes if o.pattern is not None]
    any_of = np.any([p for _, p in patterns], axis=0) if patterns else np.zeros(len(problem.cells), np.bool_)
    return tuple(
        cell_in(
            problem,
            cell,
            WithheldCell,
            status="primary" if problem.primary[cell] else "secondary",
            by=tuple(method for method, pattern in patterns if pattern[cell]),
        )
        for cell in np.flatnonzero(any_of).tolist()
    )
