"""The insider audit (Oganian & Domingo-Ferrer 2003, 4.5.4).

* The largest, the second largest and the next largest contributors of a withheld cell estimate each other's share from
  the interval that outsiders are left with (`within`).
* Whoever knows withheld cells, or a part of them, bounds the other ones with that (`knowers`, `knowing`). For
  magnitudes the target is the largest contribution of somebody else to the other cell, for counts the other cell.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from audit.bounds.component import Limits
from audit.bounds.engine import CellBounds
from audit.bounds.method import Method
from audit.execution.executor import Executor
from audit.linear.naming import plural
from audit.linear.reduce import Reduced
from audit.measures.insiders.data import Data
from audit.measures.insiders.findings import Gathered, InsiderAudit
from audit.measures.insiders.knowers import Knower, knowers
from audit.measures.insiders.knowing import Neighbourhood, Question, answer, question
from audit.measures.insiders.nearness import Nearness, all_its_own
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
    data = Data.audited(prepared, found)
    gathered = Gathered()
    if data.nonnegative:
        within(data, found, policy.insider_p, kinds, intruder.coalition, gathered)
    _ask(data, prepared.system.forms, reduced, policy.insider_p, kinds, method, limits, progress, executor, gathered)
    return InsiderAudit(gathered.findings, frozenset(gathered.open - gathered.findings.keys()), _notes(data, kinds))


def _ask(
    data: Data,
    forms: csr_array,
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
    neighbourhood = Neighbourhood(reduced, forms, data.targets)
    asked: list[tuple[Knower, list[Nearness]]] = []
    questions: list[Question] = []
    for knower in knowers(data, kinds, data.release.intruder.coalition):
        known = [*knower.exact, *knower.own]
        # A cell inside or around one that the knower knows, with nobody else in it, holds nothing but its own value.
        near = [k for k in neighbourhood.of(known) if k not in knower.exact and not all_its_own(data, knower, k)]
        tests = [Nearness(data, knower, k, p) for k in near]
        if tests:
            asked.append((knower, tests))
            needed = [t.needed() for t in tests]
            questions.append(question(neighbourhood, knower, near, needed, method, limits))
    for done, ((_, tests), bounds) in enumerate(zip(asked, executor.map(answer, questions), strict=True), start=1):
        for test, found in zip(tests, bounds or [None] * len(tests), strict=True):
            test.judge(found, gathered)
        progress("insiders", done, len(asked))


def _notes(data: Data, kinds: Sequence[str]) -> tuple[Note, ...]:
    """Say for how many withheld cells the agency's data do not allow an insider to be audited."""
    cells = data.cells
    withheld = cells.status >= Status.SECONDARY
    magnitude = withheld & ~data.is_count
    notes = []
    if ("largest" in kinds or "second" in kinds) and not data.nonnegative and magnitude.any():
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
