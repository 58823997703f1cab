"""Cell keys: every count changed by the key of its cell, the same wherever it stands."""

from fractions import Fraction

import numpy as np

from tableseal.audit.attacks.confidence import small_below
from tableseal.audit.linear.naming import decimal
from tableseal.audit.model import Amounts
from tableseal.suppression.protections.believed import believed
from tableseal.suppression.protections.cell_keys.changed import ChangedCounts, changed_counts
from tableseal.suppression.protections.cell_keys.ptable import Moments, PTable, chances, moments
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings
from tableseal.suppression.protections.method import Changed, Optimised, Tools
from tableseal.suppression.protections.subject import Subject

ROWS_TOLD = 20
"""Rows of a perturbation table whose moments are told."""


def change_by_cell_keys(subject: Subject, settings: CellKeySettings, tools: Tools) -> Changed:
    """Nothing is drawn: the keys of the records decide."""
    found = changed_counts(subject.release, subject.cells, subject.value, subject.known_zero, settings, tools.limits)
    hidden = ~found.known
    most = np.where(hidden, found.most_withheld, 0).astype(np.int64)
    small = small_below(tools.policy or subject.release.policy)
    return Changed(
        shown=Amounts(found.shown, found.known),
        rounding=lambda table: found.stated,
        additive=settings.additive,
        optimised=_optimised(found),
        upper=Amounts(most, hidden),
        confidence=None if settings.additive else _confidence(found.table, subject, settings, small),
        notes=found.notes,
        details=told_moments(found.table, "count"),
    )


def _confidence(table: PTable, subject: Subject, settings: CellKeySettings, below: int) -> Fraction | None:
    counts = subject.value[~subject.known_zero]
    return believed(chances(table, counts), below, least=max(1, settings.withhold_below))


def _optimised(found: ChangedCounts) -> Optimised | None:
    if found.additive is None:
        return None
    best = found.additive
    words = "Distances are those from the values of the cell keys"
    if best.bound >= best.distortion:
        return Optimised("optimal", best.distortion, best.bound, words)
    return Optimised("feasible", best.distortion, best.bound, words)


def told_moments(table: PTable, what: str) -> tuple[str, ...]:
    """The exact moments of the first rows of a perturbation table, in words. what: its rows are for."""
    return tuple(_row(one, what) for one in moments(table)[:ROWS_TOLD])


def _row(one: Moments, what: str) -> str:
    mean, variance, share = (f"{float(x):.6g}" for x in (one.mean, one.variance, one.unchanged))
    count, least, most = (decimal(1, x) for x in (one.level, one.least, one.most))
    return f"{what} {count}: change {least} to {most}, mean {mean}, variance {variance}, unchanged {share}"
