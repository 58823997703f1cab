"""Withhold as little as possible so that every sensitive cell stays protected; and audit what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic, perf_counter

import numpy as np

from audit.bounds.component import Limits
from audit.bounds.plan import deciding, full
from audit.execution.executor import HERE, Executor
from audit.model import Policy, Release
from audit.progress import Progress, silent
from audit.report.model import Report
from audit.solvers.highs import Highs
from suppression.costs import Costs
from suppression.decisions import Decided, Decision, decided
from suppression.impossible import Conflict, conflict
from suppression.needed import MOST_ENTANGLED, MOST_QUESTIONS, Failing, Need, given_back, needs
from suppression.problem import Problem, build_problem
from suppression.rounds import Outcome, Rounds
from suppression.search.method import DEFAULT_SOLVER, Search, refuse_missing
from suppression.search.methods import METHODS
from suppression.search.result import Found
from suppression.stability import Changes, changes


@dataclass(frozen=True)
class Suppression:
    """A protected release.

    Attributes
    ----------
    found: the pattern, its cost and what is proved of it.
    release: with the pattern put in (None without one); report: the audit of that release.
    needs: for each secondary cell what fails without it. idle: cells withheld for nothing, which can all be given back.
    conflict: why there is no pattern. decided: decisions by hand. changes: beside last period's pattern.
    costs: what was minimised. seconds: of each step; not part of the result's documents.
    explained: `needs` and `idle` were looked for: not of a pattern that promises no intervals, and not where too much
        hangs together (MOST_ENTANGLED).
    """

    method: str
    problem: Problem
    found: Found
    release: Release | None
    report: Report | None
    needs: Mapping[int, tuple[Need, ...]]
    idle: tuple[int, ...]
    conflict: Conflict | None
    decided: Decided
    changes: Changes | None
    costs: Costs
    seconds: tuple[tuple[str, float], ...]
    explained: bool

    @property
    def needed_by(self) -> Mapping[int, tuple[int, ...]]:
        """For each secondary cell the sensitive cells that fail without it."""
        return {cell: tuple(sorted({n.cell for n in found})) for cell, found in self.needs.items()}


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
    method: one of METHODS; search: one with settings of its own, which `method` then only names.
    policy: overrides the release's own; its rules and the statuses in the files say what is sensitive.
    costs: of withholding a cell; the files' own where nothing is given.
    insiders: False leaves contributors out, in the search and in the audit.
    decisions: cells kept published or accepted as withheld by hand.
    last: last period's release; its pattern is cheaper than another one.
    solver: of the master problems: HiGHS, or any that PuLP finds installed.
    seed: of methods that draw at random.
    time_limit: seconds for the search, or limits with a clock of their own. The audit comes on top and, where no
        pattern was found until then, its completion (a tenth of the time, at least 10 s; then all is withheld).
    audit_limit: seconds for each audit, after which what is open stays undecided.
    keep: told of every better pattern that has passed its audit while the search goes on; also on an interrupt.
    explain: find out what needs each secondary cell, of methods that promise safe patterns.

    Raises
    ------
    InputError: withheld cells without true values, sensitive cells that cannot be withheld, an unknown solver, a
        decision that cannot be kept.
    LimitError: a size beyond what can be handled; no pattern shown to be safe, and none refuted.
    """
    refuse_missing(solver)
    clock = _Clock()
    tell, engine = progress or silent, Highs()
    rules, chosen = policy or release.policy or Policy(), costs or Costs()
    if not insiders:
        release = replace(release, intruder=replace(release.intruder, insiders=(), coalition=1))
    problem = build_problem(release, rules, chosen, engine, last=last)
    hand = decided(release, problem.cells, problem.primary, problem.may, decisions)
    problem = replace(problem, may=problem.may & ~hand.keep)
    clock.lap("rules, relations and costs")
    deadline = None if time_limit is None or isinstance(time_limit, Limits) else monotonic() + time_limit
    limits = time_limit if isinstance(time_limit, Limits) else Limits(deadline)

    def result(outcome: Outcome, explained: bool) -> Suppression:
        found = outcome.found
        needed: Mapping[int, tuple[Need, ...]] = {}
        idle: tuple[int, ...] = ()
        reason = None
        if outcome.impossible is not None:
            kept = frozenset(np.flatnonzero(hand.keep).tolist())
            reason = conflict(problem, outcome.impossible, kept, full(engine))
        asked = explained and found.pattern is not None and found.guarantee == "intervals"
        explained = asked and outcome.oracle.entanglement(problem.primary) <= MOST_ENTANGLED
        if found.pattern is not None and explained:
            secondary = int((found.pattern & ~problem.primary).sum())
            few = secondary * problem.insiders.count(found.pattern) <= MOST_QUESTIONS
            failing = Failing(problem, found.pattern, outcome.attacks, outcome.oracle, insiders=few)
            needed = needs(problem, found.pattern, failing, deciding(engine))
            nothing = [c for c, fails in needed.items() if not fails and not hand.accept[c]]
            idle = given_back(problem, found.pattern, nothing, lambda p: not failing(p))
            clock.lap("what needs each cell")
        return Suppression(
            method,
            problem,
            found,
            outcome.release,
            outcome.report,
            needed,
            idle,
            reason,
            hand,
            None if problem.last is None or found.pattern is None else changes(problem.last, found.pattern),
            chosen,
            tuple(clock.laps),
            explained,
        )

    def passed(outcome: Outcome) -> None:
        if keep is not None:
            keep(result(outcome, explained=False))

    rounds = Rounds(
        problem,
        hand,
        search or METHODS[method],
        engine,
        solver=solver,
        seed=seed,
        limits=limits,
        audit_limit=audit_limit,
        passed=passed if keep is not None else None,
        progress=tell,
        executor=executor,
        lap=clock.lap,
    )
    return result(rounds.run(), explained=explain)


class _Clock:
    """Seconds per step; steps of the same name are added up."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        """Close a step."""
        now = perf_counter()
        self._seconds[name] = self._seconds.get(name, 0.0) + now - self._last
        self._last = now

    @property
    def laps(self) -> list[tuple[str, float]]:
        """(step, seconds)."""
        return list(self._seconds.items())
