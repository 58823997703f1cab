"""What a search for secondary cells gives: the pattern, the release with it, its audit, and what is known besides."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tableseal.audit.bounds.component import Limits
from tableseal.audit.model import Release
from tableseal.audit.report.model import ReleaseVerdict, Report
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.decisions import Decided
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.problem.stability import Changes
from tableseal.suppression.reasons.impossible import Conflict
from tableseal.suppression.reasons.needed import Need
from tableseal.suppression.rounds import Outcome
from tableseal.suppression.search.result import Found

Explanation = Literal["complete", "no time", "entangled", "not asked"]
"""Whether it was looked for what needs each secondary cell. no time: of some cells or of none; entangled: too much
hangs together; not asked: or of a pattern that promises no intervals."""


@dataclass(frozen=True)
class Suppression:
    """A protected release.

    Attributes
    ----------
    found: the pattern, its cost and what is proved of it.
    release: with the pattern put in (None without one); report: the audit of that release.
    conflict: why there is no pattern. decided: decisions by hand. changes: beside last period's pattern.
    costs: what was minimised. seconds: of each step; not part of the result's documents.
    outcome: what the search came to; limits: those that it had. stopped_by: which of them ended the search before it
        was sure of its answer (`time`); None: none did.
    explanation: whether `needs` and `idle` were looked for (see `reasons`). needs: for each secondary cell
        that was looked at what fails without it. idle: cells withheld for nothing, which can all be given back.
    """

    method: str
    problem: Problem
    found: Found
    release: Release | None
    report: Report | None
    conflict: Conflict | None
    decided: Decided
    changes: Changes | None
    costs: Costs
    seconds: tuple[tuple[str, float], ...]
    outcome: Outcome = field(repr=False, compare=False)
    limits: Limits = field(repr=False, compare=False)
    stopped_by: Literal["time"] | None = field(default=None, compare=False)
    explanation: Explanation = "not asked"
    needs: Mapping[int, tuple[Need, ...]] = field(default_factory=dict)
    idle: tuple[int, ...] = ()

    @property
    def secondary(self) -> int:
        """How many cells are withheld beside the sensitive ones."""
        return len(self.secondary_cells)

    @property
    def secondary_cells(self) -> list[int]:
        """These cells; what an earlier period withheld is none of them. None where there is no pattern."""
        return [] if self.found.pattern is None else self.problem.secondary(self.found.pattern)

    @property
    def explained(self) -> bool:
        """What needs each secondary cell was found out."""
        return self.explanation == "complete"

    @property
    def needed_by(self) -> Mapping[int, tuple[int, ...]]:
        """For each secondary cell the sensitive cells that fail without it."""
        return {cell: tuple(sorted({n.cell for n in found})) for cell, found in self.needs.items()}

    @property
    def verdict(self) -> ReleaseVerdict:
        """Of the audit; unsafe where no pattern is safe."""
        return "unsafe" if self.report is None else self.report.verdict
