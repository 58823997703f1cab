"""Several methods side by side on one release: what each withholds, what that costs, and what it buys.

Every outcome is audited like any release: what a method promises plays no part in what is said of its pattern.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import monotonic, perf_counter

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError, LimitError, UnguardedError
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.io.canonical import release_digest
from tableseal.audit.linear.naming import full_name
from tableseal.audit.model import Policy, Release
from tableseal.audit.progress import Progress, silent
from tableseal.audit.report.model import Report
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.comparison.changes import Changes, pattern_changes
from tableseal.suppression.comparison.figures import AuditFigures, audit_figures
from tableseal.suppression.comparison.naming import Changing, named_methods
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.protect import Protection, protect
from tableseal.suppression.search.method import DEFAULT_SOLVER, Search, refuse_missing
from tableseal.suppression.search.rank import Budget
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.tradeoff import Point, tradeoff
from tableseal.suppression.suppress import suppress


@dataclass(frozen=True)
class Outcome:
    """What one method did.

    Attributes
    ----------
    method: its name. found: pattern, cost and bound; None: it changes values, or does not work for this release.
    remark: why there is nothing to show, in words; empty otherwise.
    value: of the secondary cells together, for each measure.
    protection: what the audit says; None where there is nothing to audit. report: that audit.
    changes: what readers see instead of true values, with risk and utility.
    stopped_by: `time` if the time limit ended its search before that was sure of its answer.
    seconds: of search and audit; no part of the result.
    """

    method: str
    found: Found | None
    remark: str
    value: Mapping[str, Fraction]
    protection: AuditFigures | None
    report: Report | None = field(default=None, compare=False, repr=False)
    changes: Changes | None = None
    stopped_by: str | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def pattern(self) -> NDArray[np.bool_] | None:
        """Withheld cells (bool), primaries included."""
        return None if self.found is None else self.found.pattern


@dataclass(frozen=True)
class Comparison:
    """Methods side by side.

    Attributes
    ----------
    problem: what all were given. digest: of the release. outcomes: in the order asked for.
    curve: safe patterns on the trade-off between cost, rank and least entropy; empty if not asked for.
    """

    problem: Problem
    digest: str
    seed: int
    outcomes: tuple[Outcome, ...]
    curve: tuple[Point, ...] = ()

    def cost(self, steps: int) -> Fraction:
        """A cost in the problem's own numbers."""
        return Fraction(steps, self.problem.scale)


def compare(
    release: Release,
    methods: Sequence[str],
    *,
    policy: Policy | None = None,
    costs: Costs | None = None,
    budget: Budget | None = None,
    margins: bool = True,
    curve: int = 0,
    solver: str = DEFAULT_SOLVER,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> Comparison:
    """Run several methods on one release and audit what comes of each.

    Parameters
    ----------
    methods: names of searches, or of methods that change values with their settings (see
        `suppression.comparison.naming`); none twice.
    budget, margins: of the methods rank and rank-pure. curve: steps of the trade-off curve, 0: none.
    seed: of all that draws. time_limit: seconds for the search of each method, and again for its audit, after
        which what is open stays undecided.
    policy, costs, solver, executor: as for one method (see suppression.suppress).

    Raises
    ------
    InputError: an unknown method, one twice or none, settings that are none; a release that cannot be used. A
        method that does not work for this release is no error: its outcome says so.
    LimitError: a size beyond what can be handled.
    """
    tell = progress or silent
    refuse_missing(solver)
    named = named_methods(methods, release, budget or Budget(), margins)
    engine = Highs()
    problem = build_problem(release, policy or release.policy or Policy(), costs or Costs(), engine)

    def found_by(name: str, search: Search) -> Suppression:
        return suppress(
            release,
            method=name,
            search=search,
            policy=policy,
            costs=costs,
            solver=solver,
            seed=seed,
            time_limit=time_limit,
            audit_limit=time_limit,
            explain=False,
            progress=tell,
            executor=executor,
        )

    def changed_by(method: Changing) -> Protection:
        return protect(
            release,
            method.settings,
            seed=seed,
            policy=policy,
            time_limit=time_limit,
            progress=tell,
            executor=executor,
        )

    outcomes = []
    for done, (name, method) in enumerate(named.items()):
        tell("methods", done, len(named))
        began = perf_counter()
        try:
            if isinstance(method, Changing):
                outcome = _changed(problem, name, changed_by(method))
            else:
                outcome = _outcome(problem, found_by(name, method))
        except UnguardedError:  # no method has failed
            raise
        except (InputError, LimitError) as error:
            outcome = Outcome(name, None, str(error), {}, None)
        outcomes.append(replace(outcome, seconds=perf_counter() - began))
    points: tuple[Point, ...] = ()
    if curve:
        starts = _safe(outcomes)
        limits = Limits(None if time_limit is None else monotonic() + time_limit)
        points = tradeoff(problem, starts, engine, limits, steps=curve)
    return Comparison(problem, release_digest(release), seed, tuple(outcomes), points)


def _safe(outcomes: Sequence[Outcome]) -> list[NDArray[np.bool_]]:
    """Patterns that methods promise to be safe."""
    found = [o.found for o in outcomes if o.found is not None and o.found.guarantee == "intervals"]
    return [f.pattern for f in found if f.pattern is not None]


def _outcome(problem: Problem, done: Suppression) -> Outcome:
    found = done.found
    if found.pattern is None or done.report is None:
        return Outcome(done.method, found, _why(problem, found), {}, None, stopped_by=done.stopped_by)
    value = _value(problem, found.pattern & ~problem.primary)
    protection = audit_figures(problem, done.report)
    changes = pattern_changes(problem, found.pattern, done.report)
    return Outcome(done.method, found, "", value, protection, done.report, changes, done.stopped_by)


def _changed(problem: Problem, name: str, done: Protection) -> Outcome:
    figures = audit_figures(problem, done.report)
    changes = Changes(done.measures, done.tables)
    return Outcome(name, None, "", {}, figures, done.report, changes, done.stopped_by)


def _why(problem: Problem, found: Found) -> str:
    if found.impossible is None:
        return "no safe pattern was found in time"
    name = full_name(problem.release, problem.cells, found.impossible.cell)
    return f"no pattern protects {name} as required"


def _value(problem: Problem, cells: NDArray[np.bool_]) -> dict[str, Fraction]:
    value = np.abs(problem.equations.value[: len(cells)])
    return {
        name: sum(value[cells & (problem.cells.measure == m)].tolist()) * measure.unit
        for m, (name, measure) in enumerate(problem.release.measures.items())
    }
