"""Withhold as little as possible so that every sensitive cell stays protected; and audit what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.clock import now
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.model import Policy, Release
from tableseal.audit.progress import Phases, Progress, silent
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.bounds.bounding import bounded
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.decisions import Decision, decided
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.problem.stability import changes
from tableseal.suppression.reasons.explaining import explained
from tableseal.suppression.reasons.impossible import conflict
from tableseal.suppression.rounds import Outcome, Rounds
from tableseal.suppression.search.method import DEFAULT_SOLVER, Search, refuse_missing
from tableseal.suppression.search.methods import method_named

LEAST_EXPLAINING, MOST_EXPLAINING = 5.0, 60.0
"""Seconds for what is in the way of a cell that nothing protects (with tens of thousands of cells that hang together to
know what all of them could hide takes hours)."""


def suppress(
    release: Release,
    *,
    method: str = "optimal",
    search: Search | None = None,
    policy: Policy | None = None,
    costs: Costs | None = None,
    insiders: bool = True,
    decisions: Sequence[Decision] = (),
    last: Release | None = None,
    solver: str = DEFAULT_SOLVER,
    seed: int = 0,
    time_limit: float | Limits | None = None,
    audit_limit: float | None = None,
    keep: Callable[["Suppression"], None] | None = None,
    explain: bool = True,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> Suppression:
    """Find secondary cells for all sensitive ones, and audit the release with them.

    What the audit finds beyond what the search was asked for (insiders who know other withheld cells, risk,
    subtraction) becomes a further requirement, and the search is repeated until the audit passes or nothing helps.

    Parameters
    ----------
    method: see suppression.search.methods; search: one with settings of its own, which `method` then only names.
    policy: overrides the release's own; its rules and the statuses in the files say what is sensitive.
    costs: of withholding a cell; the files' own where nothing is given.
    insiders: False leaves contributors out, in the search and in the audit.
    decisions: cells kept published or accepted as withheld by hand.
    last: last period's release; its pattern is cheaper than another one.
    solver: of the master problems: HiGHS, or any that PuLP finds installed.
    seed: of methods that draw at random.
    time_limit: seconds for everything but the audit (posing the problem, searching, completing a pattern, insiders,
        explaining), or limits with a clock of their own. Where no pattern is found until then, all is withheld that
        may be.
    audit_limit: seconds for each audit, after which what is open stays undecided; None: as long as the time limit.
    keep: told of every better pattern that has passed its audit while the search goes on; also on an interrupt.
    explain: find out what no safe pattern costs less than and what needs each secondary cell, as far as there is time
        left (see suppression.bounds.bounding, suppression.reasons.explaining).

    Raises
    ------
    InputError: withheld cells without true values, sensitive cells that cannot be withheld, an unknown solver, a
        decision that cannot be kept.
    LimitError: a size beyond what can be handled; no pattern shown to be safe, and none refuted.
    """
    refuse_missing(solver)
    limits = time_limit if isinstance(time_limit, Limits) else _limits(time_limit)
    tell, engine = progress or silent, Highs()
    phases = Phases(tell)
    phases.begin("rules, relations and costs")
    rules, chosen = policy or release.policy or Policy(), costs or Costs()
    if not insiders:
        release = replace(release, intruder=replace(release.intruder, insiders=(), coalition=1))
    problem = build_problem(release, rules, chosen, engine, last=last, limits=limits)
    asking, cells = problem.asking(release), problem.cells
    hand = decided(asking, cells, problem.primary, problem.may, problem.stays, problem.hopeless, decisions)
    accepting = hand.accepting(asking, cells)
    problem = replace(problem, may=(problem.may & ~hand.keep) | hand.accept, release=accepting)
    phases.end()

    def result(outcome: Outcome) -> Suppression:
        reason = None
        if outcome.impossible is not None:
            kept = frozenset(np.flatnonzero(hand.keep).tolist())
            reason = conflict(problem, outcome.impossible, kept, full(engine), _explaining(limits))
        pattern = outcome.found.pattern
        sure = outcome.found.status in ("optimal", "infeasible") and not outcome.found.last_resort
        return Suppression(
            method,
            problem,
            outcome.found,
            outcome.release,
            outcome.report,
            reason,
            hand,
            None if problem.last is None or pattern is None else changes(problem.last, pattern),
            chosen,
            phases.seconds,
            outcome,
            limits,
            stopped_by="time" if limits.reached and not sure else None,
        )

    def passed(outcome: Outcome) -> None:
        if keep is not None:
            keep(result(outcome))

    rounds = Rounds(
        problem,
        hand,
        search or method_named(method),
        engine,
        solver=solver,
        seed=seed,
        limits=limits,
        audit_limit=audit_limit,
        passed=passed if keep is not None else None,
        progress=tell,
        executor=executor,
        phases=phases,
    )
    found = result(rounds.run())
    return explained(bounded(found, executor=executor)) if explain else found


def _explaining(limits: Limits) -> Limits:
    """For what is in the way of a cell: what is left of the time, but not nothing, and not for ever."""
    return Limits(now() + min(MOST_EXPLAINING, max(LEAST_EXPLAINING, limits.seconds_left())))


def _limits(seconds: float | None) -> Limits:
    return Limits(None if seconds is None else now() + seconds)
