"""Withhold as little as possible so that every sensitive cell stays protected; and audit what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic

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
from suppression.search.method import DEFAULT_SOLVER, Search, Tools, keep_nothing
from suppression.search.methods import METHODS
from suppression.search.result import Found


@dataclass(frozen=True)
class Suppression:
    """A protected release.

    found: the pattern, its cost and what is proved of it. release: with the pattern put in (None without one).
    report: the audit of that release. needed_by: for each secondary cell the sensitive cells that fail without it.
    """

    method: str
    problem: Problem
    found: Found
    release: Release | None
    report: Report | None
    needed_by: Mapping[int, tuple[int, ...]]


def suppress(
    release: Release,
    *,
    method: str = "optimal",
    search: Search | None = None,
    policy: Policy | None = None,
    costs: Costs | None = None,
    solver: str = DEFAULT_SOLVER,
    seed: int = 0,
    time_limit: float | None = None,
    keep: Callable[[Found], None] = keep_nothing,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> Suppression:
    """Find secondary cells for all sensitive ones, and audit the release with them.

    Parameters
    ----------
    method: one of METHODS; search: one with settings of its own, which `method` then only names.
    policy: overrides the release's own; its rules and the statuses in the files say what is sensitive.
    costs: of withholding a cell; the files' own where nothing is given.
    solver: of the master problems: HiGHS, or any that PuLP finds installed.
    seed: of methods that draw at random.
    time_limit: seconds for the search; the audit of its outcome comes on top.
    keep: told of every better pattern while the search goes on.

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
    found = (search or METHODS[method])(problem, Tools(oracle, engine, limits, solver, seed, tell, keep))
    if found.pattern is None:
        return Suppression(method, problem, found, None, None, {})
    protected = protected_release(release, problem.cells, problem.primary, found.pattern)
    if policy is not None:
        protected = replace(protected, policy=policy)
    report = audit(protected, progress=tell, executor=executor).report
    return Suppression(method, problem, found, protected, report, needed_by(problem, oracle, found.pattern))


def needed_by(problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_]) -> dict[int, tuple[int, ...]]:
    """For each secondary cell the sensitive cells that fail if it is published."""
    found = {}
    for cell in np.flatnonzero(pattern & ~problem.primary).tolist():
        without = pattern.copy()
        without[cell] = False
        failing = np.flatnonzero(~oracle.decide(without).protected).tolist()
        found[cell] = tuple(sorted({problem.requirements[q].cell for q in failing}))
    return found
