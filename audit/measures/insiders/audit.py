"""The insider audit (Oganian & Domingo-Ferrer 2003, 4.5.4).

* The largest, the second largest and the next largest contributors of a withheld cell estimate each other's share from
  the interval that outsiders are left with (`within`).
* Whoever knows withheld cells, or a part of them, bounds the other ones with that (`knowers`, `knowing`). For
  magnitudes the target is the largest contribution of somebody else to the other cell, for counts the other cell.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

import numpy as np

from audit.bounds.component import Limits, TargetBounds
from audit.bounds.engine import CellBounds
from audit.bounds.method import Method
from audit.execution.executor import Executor
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.naming import plural
from audit.linear.reduce import Reduced
from audit.measures.insiders.data import Data
from audit.measures.insiders.findings import Gathered, Insider, InsiderAudit
from audit.measures.insiders.formulas import End, others, too_close
from audit.measures.insiders.intervals import attained_ends, outer_ends
from audit.measures.insiders.knowers import Knower, knowers
from audit.measures.insiders.knowing import Neighbourhood, Question, answer, question
from audit.measures.insiders.within import within
from audit.model import Note, Policy, Status
from audit.prepare import Prepared
from audit.progress import Progress

KINDS = ("largest", "second", "singletons", "holdings")


def audit_insiders(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    policy: Policy,
    method: Method,
    limits: Limits,
    progress: Progress,
    executor: Executor,
) -> InsiderAudit:
    """Run the insiders that the release asks for, as far as the agency's data allow.

    Cells that outsiders already know are left out: nothing is worse than that.
    """
    intruder = prepared.release.intruder
    kinds = KINDS if intruder.insiders is None else intruder.insiders
    data = Data(prepared, found)
    gathered = Gathered()
    if prepared.system.nonnegative:
        within(data, found, policy.insider_p, kinds, intruder.coalition, gathered)
    _ask(data, reduced, policy.insider_p, kinds, method, limits, progress, executor, gathered)
    return InsiderAudit(gathered.findings, frozenset(gathered.open - gathered.findings.keys()), _notes(data, kinds))


def _ask(
    data: Data,
    reduced: Reduced,
    p: Fraction,
    kinds: tuple[str, ...],
    method: Method,
    limits: Limits,
    progress: Progress,
    executor: Executor,
    gathered: Gathered,
) -> None:
    """Bound what hangs together with what each knower knows."""
    neighbourhood = Neighbourhood(reduced, data.prepared.system.forms, data.targets)
    asked: list[tuple[Knower, list[_Test]]] = []
    questions: list[Question] = []
    for knower in knowers(data, kinds, data.release.intruder.coalition):
        known = [*knower.exact, *knower.own]
        # A cell inside or around one that the knower knows, with nobody else in it, holds nothing but its own value.
        near = [k for k in neighbourhood.of(known) if k not in knower.exact and not _all_its_own(data, knower, k)]
        tests = [_Test(data, knower, k, p) for k in near]
        if tests:
            asked.append((knower, tests))
            needed = [t.needed() for t in tests]
            questions.append(question(neighbourhood, knower, near, needed, method, limits))
    for done, ((_, tests), bounds) in enumerate(zip(asked, executor.map(answer, questions), strict=True), start=1):
        for test, found in zip(tests, bounds or [None] * len(tests), strict=True):
            test.judge(found, gathered)
        progress("insiders", done, len(asked))


def _all_its_own(data: Data, knower: Knower, k: int) -> bool:
    """Whether only the knower contributes to a cell that lies inside or around one that it knows."""
    count = int(data.contributors[data.open_cells[k]])
    return 0 <= count <= knower.members and any(data.nested(s, k) for s in knower.exact)


class _Test:
    """What a knower can be too close to in a cell: its value, and the largest contribution of somebody else."""

    def __init__(self, data: Data, knower: Knower, k: int, p: Fraction) -> None:
        self._k, self._who, self._p = k, knower.who, p
        self._target: int | None = None
        cell = int(data.open_cells[k])
        if data.is_count[cell] or not data.prepared.system.nonnegative:
            return
        inside = [s for s in knower.exact if data.nested(s, k)]
        self._own = knower.own.get(k, max((knower.exact[s] for s in inside), default=0))
        shared = k in knower.own or bool(inside)
        first, second = data.contribution(0, cell), data.contribution(1, cell)
        self._target = second if shared and first == self._own else first
        self._count = max(max(int(data.contributors[cell]), 1) - (knower.members if shared else 0), 1)

    def needed(self) -> tuple[int, int]:
        """Values that the cell must be able to take for the knower not to be too close."""
        if self._target is None:
            return NO_LOWER, NO_UPPER
        distance = self._p * self._target / 100
        low, high = self._own + self._count * floor(self._target - distance), ceil(self._own + self._target + distance)
        # Both may hold of a single value, which would be computed.
        return (low, high) if low < high else (NO_LOWER, NO_UPPER)

    def judge(self, bounds: TargetBounds | None, gathered: Gathered) -> None:
        """Too close by what is proved, not too close by tables in hand, or left open."""
        if bounds is None:
            gathered.open.add(self._k)  # the knower's values do not fit: nothing is shown
            return
        proved = self._closest(outer_ends(bounds))
        shown = attained_ends(bounds)
        if proved is not None:
            gathered.too_close(self._k, proved)
        elif shown is None or self._closest(shown) is not None:
            gathered.open.add(self._k)

    def _closest(self, ends: tuple[End, End]) -> Insider | None:
        """What the knower concludes from an interval where that is too close."""
        low, high = ends
        if low is not None and low == high:
            return Insider(self._who, low, high)
        if self._target is None:
            return None
        # Of `count` others the largest gives at least an equal share of what is not the knower's own.
        rest_low, rest_high = others(low, high, self._own)
        share = None if rest_low is None else -(-rest_low // self._count)
        return Insider(self._who, share, rest_high) if too_close(share, rest_high, self._target, self._p) else None


def _notes(data: Data, kinds: Sequence[str]) -> tuple[Note, ...]:
    """Say for how many withheld cells the agency's data do not allow an insider to be audited."""
    cells = data.cells
    withheld = cells.status >= Status.SECONDARY
    magnitude = withheld & ~data.is_count
    notes = []
    if ("largest" in kinds or "second" in kinds) and not data.prepared.system.nonnegative and magnitude.any():
        text = "the largest and the second largest contributor are not audited where values may be negative"
        notes.append(Note("insiders_not_audited", text, int(magnitude.sum())))
    elif "largest" in kinds or "second" in kinds:
        several = magnitude & ~(cells.frequency.known & (cells.frequency.units < 2))
        nothing = np.zeros(len(cells), np.bool_)
        known = [*(c.known for c in cells.contributors), nothing, nothing]
        lacking = int((several & ~(known[0] & known[1] & cells.frequency.known)).sum())
        if lacking:
            text = (
                f"the largest and the second largest contributor could not be audited for "
                f"{plural(lacking, 'withheld cell')}: their contributions or the number of contributors are not given"
            )
            notes.append(Note("insiders_not_audited", text, lacking))
    if "singletons" in kinds:
        known_count = np.where(data.is_count, True, cells.frequency.known)
        lacking = int((withheld & ~(known_count & cells.truth.known)).sum())
        if lacking:
            text = (
                f"single contributors could not be audited for {plural(lacking, 'withheld cell')}: "
                f"the true value or the number of contributors is not given"
            )
            notes.append(Note("insiders_not_audited", text, lacking))
    return tuple(notes)
