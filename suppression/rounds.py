"""Search, audit, ask for what the audit found, search again: until the audit passes or nothing helps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isinf

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.clock import now
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.propagated import refuted
from tableseal.audit.decision.watch import Broken
from tableseal.audit.errors import LimitError
from tableseal.audit.execution.executor import Executor
from tableseal.audit.in_hand.handed import Handed
from tableseal.audit.linear.naming import cell_name
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.progress import Phases, Progress
from tableseal.audit.report.model import Report
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.wording import listing
from tableseal.suppression.attackers.shares import narrowed, widened
from tableseal.suppression.attackers.watch import InsiderWatch
from tableseal.suppression.problem.decisions import Decided
from tableseal.suppression.problem.places import Places
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.problem.zeros import zeros_over
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search.cover import cover
from tableseal.suppression.search.in_hand import as_handed
from tableseal.suppression.search.method import Search, Tools
from tableseal.suppression.search.methods import always_safe
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.repair import at_once
from tableseal.suppression.search.result import Found

ROUNDS = 12
"""Times that requirements which only an audit can judge (risk, subtraction) are raised."""

SEARCH = 0.85
"""Share of the time left that a search has: the rest is for completing its pattern, for insiders, for explaining."""

HURRY = 0.5
"""Seconds beyond its limit that a search may take for programs where no box is found."""

LEAST_AUDIT = 10.0
"""Seconds that the audit of an answer may take at least, however little time the search had; and of the best pattern so
far, where a search is interrupted, at most (34,440 cells: whoever pressed a key waited for 70 s)."""

PAUSE = 10
"""Patterns are audited on the way only if that takes less than one such part of the time."""

BOXED_FIRST = 20_000
"""Cells from which a search against contributors that has a time limit begins with boxes: only that tells how long
these take, which have to be ready when the time is over (66,810 cells, 7,635 contributors: 7 s)."""

RESERVED = 1.5
"""Times that the first boxes took which are kept for others in the end: searches end a little after their time."""

Pattern = NDArray[np.bool_]


@dataclass(frozen=True)
class _AtHand:
    """A safe pattern to fall back on. seconds: that it took, and that another one takes."""

    pattern: Pattern
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a search came to.

    found: its pattern, cost with all secondary cells; release, report: with the pattern, audited (None without one).
    requirements: all that was asked for; oracle: of these. impossible: one that no pattern meets. audited: seconds of
    the time limit that passed while the pattern was audited; they do not count.
    """

    found: Found
    release: Release | None
    report: Report | None
    requirements: tuple[Requirement, ...]
    oracle: Oracle
    impossible: Requirement | None = None
    audited: float = 0.0


def _least_audit(problem: Problem) -> float:
    """Seconds that an audit may take at least; more of large tables with contributors as attackers, where what it takes
    to look up for each of them what tables show grows with the table (66,810 cells, 7,635 contributors: 16 s)."""
    return LEAST_AUDIT * max(1.0, len(problem.cost) / BOXED_FIRST if problem.insiders.any else 1.0)


class _RefutedError(Exception):
    """Not even everything that may be withheld meets a requirement."""

    def __init__(self, requirement: Requirement) -> None:
        super().__init__()
        self.requirement = requirement


class Rounds:
    """One run of a search method, with the audits of what it returns."""

    def __init__(
        self,
        problem: Problem,
        hand: Decided,
        search: Search,
        engine: Highs,
        *,
        solver: str,
        seed: int,
        limits: Limits,
        audit_limit: float | None,
        passed: Callable[[Outcome], None] | None,
        progress: Progress,
        executor: Executor,
        phases: Phases,
    ) -> None:
        """audit_limit: seconds for each audit, after which what is open stays undecided; None: as long as the limits.
        passed: told of patterns that have passed their audit on the way; phases: told of what it is at."""
        self._problem, self._search, self._engine = problem, search, engine
        self._solver, self._seed, self._limits, self._audit_limit = solver, seed, limits, audit_limit
        self._least_audit = _least_audit(problem)
        if audit_limit is None and not isinf(limits.seconds_left()):
            self._audit_limit = max(self._least_audit, limits.seconds_left())
        self._passed, self._progress, self._executor, self._phases = passed, progress, executor, phases
        self._places = Places(problem.release, problem.cells)
        self._watch = InsiderWatch(problem, frozenset())
        self._oracle = self._oracle_of(problem.requirements)
        self._boxing: Oracle | None = None
        self._at_hand: _AtHand | None = None
        self._forced, self._kept = hand.accept | problem.stays, hand.keep
        self._raised: dict[int, int] = {}
        self._subtracted: set[Requirement] = set()
        self._open: set[int] = set()
        self._bound = 0
        self._latest: Found | None = None
        self._best: int | None = None
        self._next_audit = 0.0
        self._cut_short = False

    def run(self) -> Outcome:
        """The outcome; patterns are judged by their own audit.

        Raises
        ------
        LimitError: no pattern is shown to be safe, and none is refuted.
        KeyboardInterrupt: passed on, after the best pattern so far has been audited.
        """
        try:
            impossible = self._refuted_at_once()
            if impossible is not None:
                return self._outcome(Found("infeasible", None, 0, 0, impossible), None, None, impossible)
            return self._judged(self._run)
        except KeyboardInterrupt:
            if self._passed is not None and self._latest is not None:
                self._tell(self._latest, within=False)
            raise

    def _judged(self, run: Callable[[], Outcome]) -> Outcome:
        """The outcome; where nothing safe was found, whether an insider shows that nothing is.

        Raises
        ------
        LimitError: no pattern is shown to be safe, and none is refuted.
        """
        try:
            outcome, unsettled = run(), None
        except LimitError as error:
            outcome, unsettled = None, error
        if outcome is not None and not self._at_fault(outcome):
            return outcome
        impossible = self._refuting(outcome)
        if impossible is not None:
            return self._outcome(Found("infeasible", None, 0, 0), None, None, impossible)
        if outcome is None:
            assert unsettled is not None
            raise unsettled
        return outcome

    def _at_fault(self, outcome: Outcome) -> bool:
        """Whether the audit finds fault with a pattern that is to be safe."""
        report = outcome.report
        if report is None or outcome.found.guarantee != "intervals" or report.verdict != "unsafe":
            return False
        return not report.only_ranks

    def _refuted_at_once(self) -> Requirement | None:
        """One that not even everything meets that may be withheld, where that shows before anything is searched for: a
        cell of which all neighbours are published would take a search all its time."""
        if not always_safe(self._search):
            return None
        return refuted(self._problem.equations, self._everything(), self._problem.requirements)

    def _refuting(self, outcome: Outcome | None) -> Requirement | None:
        """One that not even everything meets that may be withheld: the fewer cells are, the more everybody knows."""
        problem, helpless = self._problem, set(self._problem.hopeless)
        everything = self._everything()
        limits, asked = self._auditing(), self._at_fault_there(outcome, everything)
        decisions = self._oracle.without(everything, [()], asked[None, :], limits, exact=True)
        failing = [np.flatnonzero(decision.failing) for _, decision in decisions]
        needs = [self._oracle.requirements[q] for found in failing for q in found.tolist()]
        proved = [need for need in needs if need.sure and need.cell not in self._raised]
        proved += [u.requirement for u in problem.insiders.unmet(everything, limits, exact=True) if u.cut is not None]
        return next((need for need in proved if need.cell not in helpless), None)

    def _at_fault_there(self, outcome: Outcome | None, everything: Pattern) -> NDArray[np.bool_]:
        """bool (requirements): what may fail if everything is withheld. Where an audit has judged just that, the cells
        that it finds fault with; to ask about thousands of others would take all the time."""
        cells = np.array([need.cell for need in self._oracle.requirements], np.int64)
        pattern = None if outcome is None else outcome.found.pattern
        if outcome is None or outcome.report is None or pattern is None or not np.array_equal(pattern, everything):
            return np.ones(len(cells), np.bool_)
        at_fault = [row for row in outcome.report.cells if row.verdict in ("exposed", "underprotected")]
        found = [self._places.find(row.measure, dict(row.cell)) for row in at_fault]
        return np.isin(cells, [cell for cell in found if cell is not None])

    def _auditing(self) -> Limits:
        """As long as an audit may take, from now on."""
        return Limits(None if self._audit_limit is None else now() + self._audit_limit)

    def _run(self) -> Outcome:
        before: Outcome | None = None
        for _ in range(ROUNDS):
            outcome = self._searched()
            if outcome.found.pattern is None:
                need = outcome.impossible
                if before is None or need is None or need.cell not in self._raised:
                    return outcome
                # What only the audit has asked for is not the user's: the pattern before it stands.
                if not self._leave_open(need):
                    return before
                continue
            if outcome.report is None or outcome.report.verdict == "safe" or outcome.found.guarantee != "intervals":
                return outcome
            if self._limits.out_of_time() or not self._raise(outcome.report):
                return outcome
            before = outcome
        assert before is not None  # the first round has a pattern, or was the last
        return before

    def _searched(self) -> Outcome:
        """A pattern that withstands outsiders and all insiders whom it makes know something, audited."""
        while True:
            posed, oracle = self._posed(), self._oracle
            self._box_first(posed)
            limits = self._limits.share(self._searching())
            tools = Tools(oracle, self._engine, limits, self._solver, self._seed, self._progress, self._keep)
            with self._phases.at("search"):
                found = self._search(posed, tools)
            if self._proves:
                self._bound = max(self._bound, found.bound + int(self._problem.cost[self._forced].sum()))
            if found.impossible is not None:
                if self._give_up(found.impossible):
                    continue
                return self._outcome(replace(found, pattern=None), None, None, found.impossible)
            if found.pattern is not None and found.guarantee != "intervals":
                return self._audited(found, found.pattern)  # as it is: it promises no more
            pattern = found.pattern
            try:
                if pattern is None:
                    pattern = self._completed(posed.primary if found.start is None else found.start)
                    last_resort = self._limits.out_of_time() and np.array_equal(pattern, self._everything())
                    found = Found("feasible", pattern, 0, 0, last_resort=last_resort)
                wider = self._against_shares(pattern)
            except _RefutedError as error:
                need = error.requirement
                return self._outcome(Found("infeasible", None, 0, 0, need), None, None, need)
            if not np.array_equal(wider, pattern):
                found = replace(found, status="feasible", pattern=wider, bound=0)
            return self._audited(found, wider)

    def _box_first(self, posed: Problem) -> None:
        """Have a safe pattern at hand where to make one takes long (see BOXED_FIRST), if there are boxes."""
        before = self._limits.seconds_left()
        slow = self._problem.insiders.any and len(posed.cost) >= BOXED_FIRST and always_safe(self._search)
        if self._at_hand is not None or not slow or isinf(before):
            return
        with self._phases.at("completion"):
            pattern = self._at_once(posed.primary)
        if not np.array_equal(pattern, self._everything()):
            self._at_hand = _AtHand(pattern, before - self._limits.seconds_left())
            self._latest = Found("feasible", pattern, posed.price(pattern), 0)

    def _searching(self) -> float:
        """Share of the time left for the search: some of it is for what comes after."""
        left = self._limits.seconds_left()
        if self._at_hand is None or not left:
            return SEARCH
        return max(0.0, min(SEARCH, 1 - RESERVED * self._at_hand.seconds / left))

    def _posed(self) -> Problem:
        """The problem with all that has been learnt."""
        problem = self._problem
        return replace(
            problem,
            primary=problem.primary | self._forced,
            may=problem.may & ~self._forced,
            requirements=self._oracle.requirements,
        )

    def _oracle_of(self, requirements: Sequence[Requirement]) -> Oracle:
        """An oracle that is watched."""
        problem, insiders = self._problem, self._problem.insiders.any
        watch = self._watch if insiders else None
        oracle = Oracle(problem.equations, requirements, deciding(self._engine), self._engine, watch)
        if insiders:
            oracle.shun(problem.insiders.known(problem.primary))
        return oracle

    def _outcome(
        self, found: Found, release: Release | None, report: Report | None, impossible: Requirement | None = None
    ) -> Outcome:
        return Outcome(found, release, report, self._oracle.requirements, self._oracle, impossible)

    @property
    def _proves(self) -> bool:
        """Whether what a search proves holds: every safe pattern withstands all that was asked for, or the search knows
        what it need not withstand."""
        return not self._raised and (self._search is optimal or not self._oracle.unsure)

    def _unmet(self, pattern: Pattern) -> list[Requirement]:
        """What insiders require that a pattern does not meet."""
        return [unmet.requirement for unmet in self._problem.insiders.unmet(pattern, self._limits)]

    def _against_shares(self, pattern: Pattern) -> Pattern:
        """The pattern, changed to withstand also those insiders with shares whom the search could not be asked for."""
        problem = self._problem
        if not self._watch.given_up:
            return pattern

        def safe(narrower: Pattern) -> bool:
            return not self._limits.out_of_time() and self._oracle.shows_safe(narrower, self._limits)

        with self._phases.at("insiders with shares"):
            wider = widened(
                problem, pattern, unmet=self._unmet, complete=self._completed, solver=self._engine, limits=self._limits
            )
            if np.array_equal(wider, pattern):
                return pattern
            return narrowed(problem, wider, self._forced, unmet=self._unmet, safe=safe)

    def _completed(self, pattern: Pattern) -> Pattern:
        """A pattern around this one that withstands everything; if that takes too long, all that may be withheld.

        Raises
        ------
        LimitError: none is shown to, and nothing is refuted. _RefutedError: there is none.
        """
        with self._phases.at("completion"):
            return self._complete(pattern)

    def _complete(self, pattern: Pattern) -> Pattern:
        if self._at_hand is not None:  # there is no time for more than other boxes, if for these
            boxed, boxing = self._at_hand.pattern, self._boxing
            if self._limits.out_of_time() or self._limits.seconds_left() < self._at_hand.seconds:
                return boxed
            other = self._at_once(pattern)
            if self._problem.price(other) < self._problem.price(boxed):
                return other
            self._boxing = boxing  # whose tables show the pattern to be safe
            return boxed
        if self._limits.out_of_time():
            return self._at_once(pattern)
        if not isinf(self._limits.seconds_left()):  # the search was in no hurry, and has found nothing
            posed = self._posed()
            price = posed.cost.astype(np.float64)
            pattern, _ = self._oracle.narrowed(posed.primary | posed.may, pattern, price, self._limits)
        while True:
            posed = self._posed()
            found, impossible = cover(posed, self._oracle, pattern, self._limits)
            if found is None and impossible is None and self._limits.out_of_time():
                return self._at_once(pattern)
            if found is not None:
                return found
            if impossible is None:
                raise LimitError(self._unsettled())
            if not self._give_up(impossible):
                raise _RefutedError(impossible)

    def _at_once(self, pattern: Pattern) -> Pattern:
        """A safe pattern where there is no time left: what tables in hand do not show of one is shown by boxes. Where
        there is no box, or an insider knows a part of a cell, all that may be withheld: whether that is safe the audit
        tells."""
        posed, hurry = self._posed(), Limits(now() + HURRY)
        # Asked anew: after a search there may be hundreds of requirements about each cell.
        self._boxing = self._oracle_of(self._problem.requirements)
        self._boxing.learn_from(self._oracle)
        safe: list[Pattern] = []
        for start in (pattern, posed.primary):
            if safe and hurry.out_of_time():  # 10 s for each of them (66,810 cells, 7,635 contributors)
                break
            boxed = at_once(posed, self._boxing, start, hurry)
            if boxed is not None and not self._problem.insiders.with_shares(boxed):
                safe.append(boxed)
        return min([*safe, self._everything()], key=posed.price)

    def _in_hand(self, pattern: Pattern) -> Handed:
        """Tables in hand that fit a pattern."""
        tables = [t for oracle in (self._boxing, self._oracle) if oracle is not None for t in oracle.tables(pattern)]
        return as_handed(self._problem, tables)

    def _everything(self) -> Pattern:
        """All that may be withheld."""
        return self._problem.primary | self._problem.may | self._forced

    def _unsettled(self) -> str:
        """What to say if there is neither a safe pattern nor a proof that there is none; more time changes nothing."""
        posed = self._posed()
        shown = self._oracle.protected(posed.primary | posed.may)
        open_cells = sorted({r.cell for r, s in zip(posed.requirements, shown.tolist(), strict=True) if not s})
        names = [cell_name(posed.release, posed.cells, cell) for cell in open_cells]
        which = f" For {listing(names)} no table in whole units shows that it can be done." if names else ""
        return (
            "No pattern is shown to be safe, and none is refuted." + which + " Ask for less protection, or let more "
            "cells be withheld."
        )

    def _give_up(self, impossible: Requirement) -> bool:
        """Ask no longer for what nothing meets, if it is not sure: the insider as it is may not get so far, and the
        audit will tell."""
        if not impossible.sure:
            kept = [need for need in self._oracle.requirements if need != impossible]
            self._pose(kept, self._watch.given_up | {impossible})
        return not impossible.sure

    def _leave_open(self, impossible: Requirement) -> bool:
        """Ask no longer for a cell that no pattern keeps from subtraction: with the others the limit may be met.
        False: it is asked for another reason."""
        asked = self._subtracted.difference(self._problem.requirements)
        if impossible not in asked:
            return False
        self._open.add(impossible.cell)
        kept = [need for need in self._oracle.requirements if need.cell != impossible.cell or need not in asked]
        self._pose(kept, self._watch.given_up)
        return True

    def _pose(self, requirements: list[Requirement], given_up: frozenset[Requirement]) -> None:
        """Search for what meets these requirements."""
        before = self._oracle
        self._watch = InsiderWatch(self._problem, given_up)
        self._oracle = self._oracle_of(requirements)
        self._oracle.learn_from(before)

    def _audited(self, found: Found, pattern: Pattern, seconds: float | None = None) -> Outcome:
        """What a search found, with this pattern, audited. seconds: for that, if not as long as any audit."""
        problem = self._problem
        release = protected_release(problem.release, problem.cells, problem.primary, pattern)
        release = replace(problem.as_given(release), policy=problem.policy)
        began, allowed = now(), self._audit_limit if seconds is None else seconds
        before = self._limits.seconds_left()
        with self._phases.at("audit"):
            report = audit(
                release,
                time_limit=allowed,
                progress=self._progress,
                executor=self._executor,
                handed=found.shown or self._in_hand(pattern),
            ).report
        self._cut_short = allowed is not None and now() - began >= allowed
        cost = problem.price(pattern)
        # What was raised after an audit helped, but need not be the only way: it proves nothing.
        bound = min(self._bound, cost)
        proved = (found.status == "optimal" and self._proves) or bound == cost
        proved &= found.guarantee == "intervals" and (report.verdict != "unsafe" or report.only_ranks)
        found = Found(
            "optimal" if proved else "feasible",
            pattern,
            cost,
            cost if proved else bound,
            guarantee=found.guarantee,
            rank=found.rank,
            most_rank=found.most_rank,
            last_resort=found.last_resort,
            shown=found.shown,
        )
        if self._best is None or cost < self._best:
            self._best = cost if report.verdict == "safe" else self._best
        audited = 0.0 if isinf(before) else before - self._limits.seconds_left()
        return replace(self._outcome(found, release, report), audited=audited)

    def _keep(self, found: Found) -> None:
        """A better pattern of the search: audited if there is time for that."""
        self._latest = found
        if self._passed is not None and now() >= self._next_audit:
            self._tell(found, within=True)

    def _tell(self, found: Found, *, within: bool) -> None:
        """Pass on a pattern if its audit passes. within: what is left of the search's time; else whoever interrupted it
        waits for the audit."""
        assert self._passed is not None
        assert found.pattern is not None
        start = now()
        if self._best is None or self._problem.price(found.pattern) < self._best:
            left = self._limits.seconds_left() if within else self._least_audit
            plain = Found("feasible", found.pattern, 0, 0, rank=found.rank, shown=found.shown)
            outcome = self._audited(plain, found.pattern, None if isinf(left) else left)
            if outcome.report is not None and outcome.report.verdict == "safe":
                self._passed(outcome)
        self._next_audit = now() + PAUSE * (now() - start)

    def _raise(self, report: Report) -> bool:
        """Ask for more where the audit found too much risk; False if there is nothing that could be asked."""
        problem, asked = self._problem, False
        # What a limit has left undecided more protection would not decide.
        judged = problem.policy.require.risk is not None and not self._cut_short
        self._at_hand = None  # more is asked for now
        for row in report.cells:
            risky = row.sensitive and (row.reason == "risk" or (judged and row.verdict == "undecided"))
            if not risky and row.reason != "sap":
                continue
            cell = self._places.find(row.measure, dict(row.cell))
            if cell is None or cell in self._open:
                continue
            widths = [r.width for r in problem.requirements if r.cell == cell]
            if risky and not widths:  # no cell that a pattern could help
                continue
            step = self._raised[cell] = 2 * self._raised.get(cell, 0) or 1
            if risky:
                self._ask(Requirement(cell, width=max(widths) + step))
                asked = True
            elif all(map(self._may_be_forced, together := self._falling_with(cell))):
                # A zero that nobody can recover is one that may be something else: it has to be withheld itself.
                self._forced[together] |= ~problem.primary[together]
                upper = int(problem.equations.value[cell]) + step
                self._subtracted.add(need := Requirement(cell, upper=upper))
                self._ask(need)
                asked = True
        return asked

    def _ask(self, need: Requirement) -> None:
        self._oracle.ask([Broken(need, None)])

    def _falling_with(self, cell: int) -> list[int]:
        """The cell, and sums over it that give it away while they are shown to be 0."""
        problem = self._problem
        zeros = zeros_over(problem.release, problem.cells, problem.equations.value[: len(problem.cells)], cell)
        return sorted({cell, *zeros.tolist()})

    def _may_be_forced(self, cell: int) -> bool:
        cells = self._problem.cells
        free = cells.status[cell] in (Status.PUBLISHED, Status.SECONDARY) and not cells.rounded[cell]
        free = free and not cells.consent[cell] and not self._kept[cell]
        return bool(self._problem.primary[cell] or free)
