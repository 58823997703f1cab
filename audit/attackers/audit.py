"""The insider audit (Oganian & Domingo-Ferrer 2003, 4.5.4).

* The largest, the second largest and the next largest contributors of a withheld cell estimate each other's share from
  the interval that outsiders are left with (`within`).
* Whoever knows withheld cells, or a part of them, bounds the other ones with that (`knowers`, `knowing`). For
  magnitudes the target is the largest contribution of somebody else to the other cell, for counts the other cell.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.areas import areas
from tableseal.audit.attackers.asking import Asking, asking
from tableseal.audit.attackers.contributors import Data
from tableseal.audit.attackers.findings import Gathered, InsiderAudit
from tableseal.audit.attackers.knowing import Neighbourhood, answer, question
from tableseal.audit.attackers.nearness import Nearness
from tableseal.audit.attackers.shown import Shown
from tableseal.audit.attackers.within import within
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.execution.executor import Executor
from tableseal.audit.linear.naming import plural
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Note, Policy, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.protocol import Solver

KINDS = ("largest", "second", "singletons", "holdings")


def audit_insiders(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    judged: NDArray[np.bool_],
    policy: Policy,
    engine: Solver,
    limits: Limits,
    progress: Progress,
    executor: Executor,
) -> InsiderAudit:
    """Run the insiders that the release asks for, as far as the agency's data allow.

    judged: bool (cells), what insiders must not get too close to.
    Cells that outsiders already know are left out: nothing is worse than that.
    """
    intruder = prepared.release.intruder
    kinds = KINDS if intruder.insiders is None else intruder.insiders
    data = Data.audited(prepared, found)
    gathered = Gathered()
    if data.nonnegative:
        within(data, found, policy.insider_p, kinds, intruder.coalition, gathered)
    forms = prepared.system.forms
    neighbourhood = Neighbourhood(reduced, forms, data.targets[judged[data.open_cells[data.targets]]])
    asked = asking(data, neighbourhood, found, policy.insider_p, kinds)
    _ask(data, forms, reduced, asked, policy.insider_p, neighbourhood, engine, limits, progress, executor, gathered)
    left = frozenset(gathered.open - gathered.findings.keys())
    return InsiderAudit(gathered.findings, gathered.ranks, left, _notes(data, kinds))


def _ask(
    data: Data,
    forms: csr_array,
    reduced: Reduced,
    asked: Sequence[Asking],
    p: Fraction,
    neighbourhood: Neighbourhood,
    engine: Solver,
    limits: Limits,
    progress: Progress,
    executor: Executor,
    gathered: Gathered,
) -> None:
    """Judge what each knower asks: by tables in hand first, the rest knower by knower."""
    method, cells = deciding(engine), data.open_cells
    parts = areas(reduced, forms, data.cells.truth.units[cells], data.cells.truth.known[cells], asked)
    left = [np.ones(len(a.cells), np.bool_) for a in asked]
    for area, cleared in zip(parts, executor.map(Shown(method, engine, limits), parts), strict=True):
        for view, marks in zip(area.views, cleared, strict=True):
            left[view.asking][view.test[marks]] = False
    rest = [
        (a.knower, [Nearness(data, a.knower, k, p) for k in a.cells[marks].tolist()])
        for a, marks in zip(asked, left, strict=True)
        if marks.any()
    ]
    questions = [question(neighbourhood, knower, tests, method, limits) for knower, tests in rest]
    for done, ((knower, tests), bounds) in enumerate(zip(rest, executor.map(answer, questions), strict=True), start=1):
        for test, found in zip(tests, bounds or [None] * len(tests), strict=True):
            test.judge(knower.who, found, gathered)
        progress("insiders", done, len(rest))


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
