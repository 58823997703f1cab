"""Several methods side by side on one release: what each withholds, what that costs, and what it buys.

Every outcome is audited like any release: what a method promises plays no part in what is said of its pattern.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.clock import now
from tableseal.audit.errors import InputError, LimitError, UnguardedError
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.io.canonical import release_digest
from tableseal.audit.linear.naming import full_name
from tableseal.audit.model import Policy, Release
from tableseal.audit.progress import Progress, silent
from tableseal.audit.report.model import Report
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.bounds.bounding import allowed, cheapest_possible, open_above, raised
from tableseal.suppression.comparison.changes import Changes, pattern_changes
from tableseal.suppression.comparison.figures import AuditFigures, audit_figures
from tableseal.suppression.comparison.naming import Changing, named_methods
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.protect import protect
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
    policy, costs, solver: as for one method (see suppression.suppress). executor: its workers take a method each.

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
    tasks = [
        _Task(release, problem, name, method, policy, costs, solver, seed, time_limit) for name, method in named.items()
    ]
    # Workers cannot tell of steps; in this process each method tells of its own.
    work = partial(_done, progress=tell) if executor is HERE else _done
    outcomes = []
    tell("methods", 0, len(tasks))
    for outcome in executor.map(work, tasks):
        outcomes.append(outcome)
        tell("methods", len(outcomes), len(tasks))
    outcomes = _with_bounds(problem, outcomes, time_limit, executor)
    points: tuple[Point, ...] = ()
    if curve:
        starts = _safe(outcomes)
        limits = Limits(None if time_limit is None else now() + time_limit)
        points = tradeoff(problem, starts, engine, limits, steps=curve)
    return Comparison(problem, release_digest(release), seed, tuple(outcomes), points)


@dataclass(frozen=True)
class _Task:
    """One method, and all that it works on. problem: of the release."""

    release: Release
    problem: Problem
    name: str
    method: Search | Changing
    policy: Policy | None
    costs: Costs | None
    solver: str
    seed: int
    time_limit: float | None


def _done(task: _Task, progress: Progress = silent) -> Outcome:
    """What a method does."""
    began = perf_counter()
    try:
        outcome = _changed(task, progress) if isinstance(task.method, Changing) else _found(task, task.method, progress)
    except UnguardedError:  # no method has failed
        raise
    except (InputError, LimitError) as error:
        outcome = Outcome(task.name, None, str(error), {}, None)
    return replace(outcome, seconds=perf_counter() - began)


def _with_bounds(
    problem: Problem, outcomes: Sequence[Outcome], time_limit: float | None, executor: Executor
) -> list[Outcome]:
    """The same, with the best that is proved for any of them: no safe pattern of any method costs less."""
    asked = [o.found for o in outcomes if o.found is not None and open_above(o.found, o.report)]
    proved = [o.found.bound for o in outcomes if o.found is not None and o.found.guarantee == "intervals"]
    if not asked:
        return list(outcomes)
    most = allowed(sum(o.seconds for o in outcomes))
    limits = Limits(now() + (most if time_limit is None else min(most, time_limit)))
    least = min(found.cost for found in asked)
    bound = max(proved)
    if bound < least:
        bound = max(bound, cheapest_possible(problem, np.zeros_like(problem.primary), least, limits, executor))
    return [
        replace(o, found=raised(o.found, bound)) if o.found is not None and open_above(o.found, o.report) else o
        for o in outcomes
    ]


def _safe(outcomes: Sequence[Outcome]) -> list[NDArray[np.bool_]]:
    """Patterns that methods promise to be safe."""
    found = [o.found for o in outcomes if o.found is not None and o.found.guarantee == "intervals"]
    return [f.pattern for f in found if f.pattern is not None]


def _found(task: _Task, search: Search, progress: Progress) -> Outcome:
    """The pattern of a search, audited."""
    problem = task.problem
    done = suppress(
        task.release,
        method=task.name,
        search=search,
        policy=task.policy,
        costs=task.costs,
        solver=task.solver,
        seed=task.seed,
        time_limit=task.time_limit,
        audit_limit=task.time_limit,
        explain=False,
        progress=progress,
    )
    found = done.found
    if found.pattern is None or done.report is None:
        return Outcome(done.method, found, _why(problem, found), {}, None, stopped_by=done.stopped_by)
    value = _value(problem, found.pattern & ~problem.primary)
    protection = audit_figures(problem, done.report)
    changes = pattern_changes(problem, found.pattern, done.report)
    return Outcome(done.method, found, "", value, protection, done.report, changes, done.stopped_by)


def _changed(task: _Task, progress: Progress) -> Outcome:
    """What a method that changes values does, audited."""
    assert isinstance(task.method, Changing)
    problem = task.problem
    done = protect(
        task.release,
        task.method.settings,
        seed=task.seed,
        policy=task.policy,
        time_limit=task.time_limit,
        progress=progress,
    )
    figures = audit_figures(problem, done.report)
    changes = Changes(done.measures, done.tables)
    return Outcome(task.name, None, "", {}, figures, done.report, changes, done.stopped_by)


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
