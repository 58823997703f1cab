"""The insider audit (Oganian & Domingo-Ferrer 2003, 4.5.4).

* The largest, the second largest and the next largest contributors of a withheld cell estimate each other's share from
  the interval that outsiders are left with (`ranks`).
* Whoever knows withheld cells, or a part of them, bounds the other ones with that (`insiders`, `attacked`). For
  magnitudes the target is the largest contribution of somebody else to the other cell, for counts the other cell.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.answer import Answer, InsiderAudit, gathered, outer_ends
from tableseal.audit.attackers.areas import areas
from tableseal.audit.attackers.asked import asked_of
from tableseal.audit.attackers.attacked import attacked, bounds_of
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.handed import left_open
from tableseal.audit.attackers.insiders import insiders
from tableseal.audit.attackers.neighbourhood import Neighbourhood
from tableseal.audit.attackers.question import question
from tableseal.audit.attackers.ranks import rank_questions
from tableseal.audit.attackers.readers import Reached, asked_by_readers
from tableseal.audit.attackers.shown import Shown
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.execution.executor import Executor
from tableseal.audit.in_hand.handed import Shown as Tables
from tableseal.audit.in_hand.tables import Table
from tableseal.audit.linear.naming import plural
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Note, Policy, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.progress import Progress
from tableseal.audit.rules import Sensitivity
from tableseal.audit.solvers.protocol import Solver

TOGETHER = 64
"""Attackers whose questions are put together, which one may take a second where thousands of cells hang together."""


def audit_attackers(
    prepared: Prepared,
    reduced: Reduced,
    found: CellBounds,
    sensitivity: Sensitivity,
    judged: NDArray[np.bool_],
    policy: Policy,
    engine: Solver,
    limits: Limits,
    progress: Progress,
    executor: Executor,
    in_hand: Table | None,
    shown: Tables | None,
) -> tuple[CellBounds, InsiderAudit]:
    """(the bounds of open cells with what further tables show to readers, what insiders find out that the release asks
    for, as far as the agency's data allow).

    judged: bool (cells), what insiders must not get too close to. in_hand: a table, as far as one is known. shown:
    further ones.
    Cells that outsiders already know are left out: nothing is worse than that.
    """
    contributors, p, forms = Contributors.audited(prepared, found), policy.insider_p, prepared.system.forms
    targets, cells, truth = contributors.targets, contributors.open_cells, prepared.cells.truth
    neighbourhood = Neighbourhood(reduced, forms, targets[judged[cells[targets]]])
    everyone = asked_of(insiders(contributors), contributors, neighbourhood, found, p)
    asked = list(everyone if shown is None else left_open(everyone, shown))
    readers = None if in_hand is None else asked_by_readers(contributors, found, sensitivity, policy, forms, in_hand)
    # Readers come first: what is found for them, who know nothing, mostly serves insiders, too.
    everybody = asked if readers is None else [readers, *asked]
    before = len(everybody) - len(asked)
    reached = None if readers is None else Reached(readers, reduced, forms)
    value, method = truth.units[cells], deciding(engine)
    # Tables in hand first, then attacker by attacker what they leave open.
    parts = areas(reduced, forms, value, truth.known[cells], everybody, in_hand)
    left = [np.ones(len(a.cells), np.bool_) for a in asked]
    for area, cleared in zip(parts, executor.map(Shown(method, engine, limits), parts), strict=True):
        for view, seen in zip(area.views, cleared, strict=True):
            if view.attacker >= before:
                left[view.attacker - before][view.cell[seen.marks]] = False
            elif reached is not None:
                reached.note(view, seen)
    found = found if reached is None else reached.on(found)
    own = [(k, q) for k in targets.tolist() for q in rank_questions(contributors, k, p)]
    by_rank = (q.answer(found.bounds[k]) for k, q in own)
    estimates = ((k, q.concluded(outer_ends(found.bounds[k]))) for k, q in own)

    def by_books() -> Iterator[Answer]:
        rest = [(a, a.cells[marks]) for a, marks in zip(asked, left, strict=True) if marks.any()]
        for first in range(0, len(rest), TOGETHER):
            if limits.out_of_time():  # to put millions of questions takes minutes
                cells = np.unique(np.concatenate([cells for _, cells in rest[first:]]))
                yield from (Answer(k, "open") for k in cells.tolist())
                return
            posed = [
                [question(contributors, a.attacker, k, p) for k in cells.tolist()]
                for a, cells in rest[first : first + TOGETHER]
            ]
            seen = [attacked(neighbourhood, questions, value, method, limits) for questions in posed]
            found = zip(posed, executor.map(bounds_of, seen), strict=True)
            for done, (questions, bounds) in enumerate(found, start=first + 1):
                for q, ends in zip(questions, bounds or [None] * len(questions), strict=True):
                    yield q.answer(ends)
                progress("insiders", done, len(rest))

    return found, gathered(chain(by_rank, by_books()), _notes(contributors), estimates)


def _notes(contributors: Contributors) -> tuple[Note, ...]:
    """Say for how many withheld cells the agency's data do not allow an insider to be audited."""
    cells, kinds = contributors.cells, contributors.release.intruder.kinds
    withheld = cells.status >= Status.SECONDARY
    magnitude = withheld & ~contributors.is_count
    notes = []
    if ("largest" in kinds or "second" in kinds) and not contributors.nonnegative and magnitude.any():
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
        known_count = np.where(contributors.is_count, True, cells.frequency.known)
        lacking = int((withheld & ~(known_count & cells.truth.known)).sum())
        if lacking:
            text = (
                f"single contributors could not be audited for {plural(lacking, 'withheld cell')}: "
                f"the true value or the number of contributors is not given"
            )
            notes.append(Note("insiders_not_audited", text, lacking))
    return tuple(notes)
