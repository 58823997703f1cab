"""Sums of published parts against published totals: all that is published meets in one system of intervals."""

import numpy as np

from tableseal.audit.attacks.outcome import Outcome, nearest
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.conflict import conflict
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.plan import full
from tableseal.audit.bounds.reveal import Revealer
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.prepare import prepare
from tableseal.audit.progress import silent
from tableseal.audit.reduction import reduction
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.sparse import rows_at


def sums(subject: Subject) -> Outcome:
    """What the audit's bounds leave of each changed count: proved for every end.

    Raises
    ------
    ContradictionError: no table fits what is published with the changes that are stated.
    """
    engine = Highs()
    prepared = prepare(subject.release, subject.cells)
    limits = Limits(subject.deadline, values=False)
    try:
        reduced = reduction(prepared)
        found = bound_forms(reduced, prepared.system.forms, full(engine), limits, silent)
    except InfeasibleError:
        raise conflict(prepared, engine) from None
    open_cells = prepared.system.open_cells
    at = np.flatnonzero(subject.changed[open_cells])
    targets = open_cells[at]
    bounds = [found.bounds[k] for k in at.tolist()]
    lower = np.array([NO_LOWER if b.lower.outer is None else b.lower.outer for b in bounds], np.int64)
    upper = np.array([NO_UPPER if b.upper.outer is None else b.upper.outer for b in bounds], np.int64)

    def explain(k: int) -> str:
        name = subject.name(int(targets[k]))
        if lower[k] != upper[k]:
            return f"{name}: shown as {subject.shown[targets[k]]:g}, only {lower[k]} to {upper[k]} fit"
        from tableseal.audit.report.arithmetic import Words, reveals

        form = rows_at(prepared.system.forms, at[k : k + 1])
        argument = next(iter(Revealer(prepared, reduced, engine).explain(form, limits)), None)
        if argument is None:
            return f"{name}: of all tables that fit, none has another value than {lower[k]}"
        return reveals(Words(prepared), int(targets[k]), argument, int(lower[k])).text

    guess = np.clip(nearest(subject.shown[targets]), lower, upper)
    return Outcome("published", subject.truth[targets], lower, upper, guess, explain)
