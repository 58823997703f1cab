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
from tableseal.audit.pipeline import audit
from tableseal.audit.progress import Progress, silent
from tableseal.audit.report.model import Report
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.comparison.protection import Protection, protection_of
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.published import published
from tableseal.suppression.protections.random_rounding import RandomRounding, round_at_random
from tableseal.suppression.protections.subject import subject_of
from tableseal.suppression.search.method import DEFAULT_SOLVER, Search, refuse_missing
from tableseal.suppression.search.methods import METHODS, method_named
from tableseal.suppression.search.rank import Budget, Rank
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.tradeoff import Point, tradeoff
from tableseal.suppression.suppress import suppress

ROUNDING = "rounding:"
"""`rounding:5` rounds every cell at random to a multiple of 5 instead of withholding any."""


@dataclass(frozen=True)
class Outcome:
    """What one method did.

    Attributes
    ----------
    method: its name. found: pattern, cost and bound; None: it rounds, or does not work for this release.
    remark: why there is nothing to show, in words; empty otherwise.
    value: of the secondary cells together, for each measure.
    protection: what the audit says; None without a pattern. report: that audit.
    stopped_by: `time` if the time limit ended its search before that was sure of its answer.
    seconds: of search and audit; no part of the result.
    """

    method: str
    found: Found | None
    remark: str
    value: Mapping[str, Fraction]
    protection: Protection | None
    report: Report | None = field(default=None, compare=False, repr=False)
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
    methods: names of METHODS, or `rounding:BASE`; none twice.
    budget, margins: of the methods rank and rank-pure. curve: steps of the trade-off curve, 0: none.
    seed: of all that draws. time_limit: seconds for the search of each method, and again for its audit, after
        which what is open stays undecided.
    policy, costs, solver, executor: as for one method (see suppression.suppress).

    Raises
    ------
    InputError: an unknown method, one twice or none, a base of rounding that is none; a release that cannot be used. A
        method that does not work for this release is no error: its outcome says so.
    LimitError: a size beyond what can be handled.
    """
    tell = progress or silent
    refuse_missing(solver)
    searches = _searches(methods, budget or Budget(), margins)
    for name in searches:
        if name.startswith(ROUNDING):
            _rounding(name, release)  # an error here, not in its outcome
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

    outcomes = []
    for done, (name, search) in enumerate(searches.items()):
        tell("methods", done, len(searches))
        began = perf_counter()
        try:
            if search is None:
                rounded = rounded_release(release, _rounding(name, release), seed)
                report = audit(rounded, policy=policy, time_limit=time_limit, progress=tell, executor=executor).report
                outcome = Outcome(name, None, "", {}, protection_of(problem, report), report)
            else:
                outcome = _outcome(problem, found_by(name, search))
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


def _searches(methods: Sequence[str], budget: Budget, margins: bool) -> dict[str, Search | None]:
    """The methods by name, None for rounding."""
    if not methods:
        raise InputError(f"no method to compare; expected some of {', '.join(METHODS)}, {ROUNDING}BASE.")
    found: dict[str, Search | None] = {}
    for name in methods:
        if name in found:
            raise InputError(f'method "{name}" is named twice.')
        search = None if name.startswith(ROUNDING) else method_named(name, "methods")
        found[name] = replace(search, budget=budget, margins=margins) if isinstance(search, Rank) else search
    return found


def rounded_release(release: Release, settings: RandomRounding, seed: int) -> Release:
    """The release with every cell rounded at random instead of some withheld.

    Raises
    ------
    InputError: see `suppression.protections.subject` and `random_rounding`.
    """
    subject = subject_of(release)
    return published(subject, round_at_random(subject, settings, Tools(seed)), release)


def _rounding(name: str, release: Release) -> RandomRounding:
    """The settings that `rounding:BASE` stands for.

    Raises
    ------
    InputError: a base that is none for this release.
    """
    try:
        settings = settings_of("random-rounding", {"base": name.removeprefix(ROUNDING)})
        assert isinstance(settings, RandomRounding)
        settings.units(release)
    except InputError as error:
        raise InputError(f"{name}: expected {error.expected}.") from None
    return settings


def _safe(outcomes: Sequence[Outcome]) -> list[NDArray[np.bool_]]:
    """Patterns that methods promise to be safe."""
    found = [o.found for o in outcomes if o.found is not None and o.found.guarantee == "intervals"]
    return [f.pattern for f in found if f.pattern is not None]


def _outcome(problem: Problem, done: Suppression) -> Outcome:
    found = done.found
    if found.pattern is None or done.report is None:
        return Outcome(done.method, found, _why(problem, found), {}, None, stopped_by=done.stopped_by)
    value = _value(problem, found.pattern & ~problem.primary)
    protection = protection_of(problem, done.report)
    return Outcome(done.method, found, "", value, protection, done.report, done.stopped_by)


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
