"""Withhold as little as possible so that every sensitive cell stays protected; and audit what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.bounds.plan import deciding
from audit.decision.oracle import Oracle
from audit.execution.executor import HERE, Executor
from audit.model import Policy, Release
from audit.pipeline import audit
from audit.progress import Progress, silent
from audit.report.model import Report
from audit.solvers.highs import Highs
from suppression.apply import protected_release
from suppression.costs import Costs
from suppression.problem import Problem, build_problem
from suppression.search.cover import clean_up, cover
from suppression.search.master import DEFAULT_SOLVER
from suppression.search.optimal import optimal
from suppression.search.result import Found

Method = Literal["optimal", "heuristic"]


@dataclass(frozen=True)
class Suppression:
    """A protected release.

    found: the pattern, its cost and what is proved of it. release: with the pattern put in (None without one).
    report: the audit of that release. needed_by: for each secondary cell the sensitive cells that fail without it.
    """

    method: Method
    problem: Problem
    found: Found
    release: Release | None
    report: Report | None
    needed_by: Mapping[int, tuple[int, ...]]


def suppress(
    release: Release,
    *,
    method: Method = "optimal",
    policy: Policy | None = None,
    costs: Costs | None = None,
    solver: str = DEFAULT_SOLVER,
    time_limit: float | None = None,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> Suppression:
    """Find secondary cells for all sensitive ones, and audit the release with them.

    Parameters
    ----------
    policy: overrides the release's own; its rules and the statuses in the files say what is sensitive.
    costs: of withholding a cell; the files' own where nothing is given.
    solver: of the master problems: HiGHS, or any that PuLP finds installed.
    time_limit: seconds for the search; the audit of its outcome comes on top.

    Raises
    ------
    InputError: withheld cells without true values, sensitive cells that cannot be withheld, an unknown solver.
    LimitError: a size beyond what can be handled.
    """
    tell = progress or silent
    engine = Highs()
    problem = build_problem(release, policy or release.policy or Policy(), costs or Costs(), engine)
    limits = Limits(None if time_limit is None else monotonic() + time_limit)
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine))
    if method == "optimal":
        found = optimal(problem, oracle, engine, limits, integer_solver=solver, progress=tell)
    else:
        found = heuristic(problem, oracle, limits)
    if found.pattern is None:
        return Suppression(method, problem, found, None, None, {})
    protected = protected_release(release, problem.cells, problem.primary, found.pattern)
    if policy is not None:
        protected = replace(protected, policy=policy)
    report = audit(protected, progress=tell, executor=executor).report
    return Suppression(method, problem, found, protected, report, needed_by(problem, oracle, found.pattern))


def heuristic(problem: Problem, oracle: Oracle, limits: Limits) -> Found:
    """A safe pattern quickly, without a bound on what is left to gain."""
    pattern, impossible = cover(problem, oracle, problem.primary, limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0)
    pattern = clean_up(problem, oracle, pattern, limits)
    return Found("feasible", pattern, problem.price(pattern), 0)


def needed_by(problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_]) -> dict[int, tuple[int, ...]]:
    """For each secondary cell the sensitive cells that fail if it is published."""
    found = {}
    for cell in np.flatnonzero(pattern & ~problem.primary).tolist():
        without = pattern.copy()
        without[cell] = False
        failing = np.flatnonzero(~oracle.decide(without).protected).tolist()
        found[cell] = tuple(sorted({problem.requirements[q].cell for q in failing}))
    return found
