"""Multipliers for many forms over one component at once, without a solver, and exact checks of many proofs at once."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.candidates import reaches
from tableseal.audit.bounds.certify import Rational
from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.component import Proof as Found
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.networks.flows import Flows
from tableseal.audit.bounds.plan import suits_tableau
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.errors import LimitError
from tableseal.audit.execution.executor import in_batches
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.sparse import csr, multiplied, row_of_entries, rows_at

AT_ONCE = 2_000_000
"""Entries of rows that are combined at the same time."""

_SAFE = float(2**62)

Ints = NDArray[np.int64]


def of_all_targets(component: Component, tableau: Tableau, limits: Limits) -> Sequence[Found | None]:
    """What flows or one dictionary of whole numbers prove of the minimum of each target and then of the negative of
    each (Knowledge.proofs); nothing where the component suits neither, or numbers are too large."""
    known = know_nothing(component, Limits(limits.deadline, integer=False, prove=True))
    step = Flows() if known.convex else tableau if suits_tableau(component) else None
    if step is not None:
        # Of a system whose tables are in hand neither is true; where time was too short for one, no proof is found.
        with suppress(InfeasibleError, LimitError):
            step.work(component, known, limits)
    return known.proofs


def confirmed(
    component: Component, forms: csr_array, proofs: Sequence[Found | None], targets: Ints
) -> list[Multipliers | None]:
    """Those multipliers that prove form @ x >= target for every whole x, by exact arithmetic; None for all else.

    forms: csr int64 (forms x columns), one for each proof.
    """
    chosen = [(f, proof) for f, proof in enumerate(proofs) if isinstance(proof, Multipliers) and not proof.empty]
    length = np.diff(component.matrix.indptr)
    result: list[Multipliers | None] = [None] * len(proofs)
    for first, last in in_batches([1 + int(length[proof.rows].sum()) for _, proof in chosen], batch=AT_ONCE):
        which = np.array([f for f, _ in chosen[first:last]], np.int64)
        part = [proof for _, proof in chosen[first:last]]
        holds = _reached(component, rows_at(forms, which), part, targets[which])
        for f, proof, proved in zip(which.tolist(), part, holds.tolist(), strict=True):
            result[f] = proof if proved else None
    return result


def _reached(component: Component, forms: csr_array, proofs: Sequence[Multipliers], targets: Ints) -> NDArray[np.bool_]:
    below = np.array([proof.denominator for proof in proofs], np.int64)
    shape = len(proofs), component.matrix.shape[0]
    start = np.cumsum([0, *(len(proof.rows) for proof in proofs)])
    numerator = np.concatenate([np.empty(0, np.int64), *(proof.numerator for proof in proofs)])
    y = csr(numerator, np.concatenate([np.empty(0, np.int64), *(proof.rows for proof in proofs)]), start, shape)
    if _weight(component, forms, y, below) >= _SAFE:
        each = zip(proofs, range(len(proofs)), targets.tolist(), strict=True)
        return np.array([_one(component, forms, f, proof, target) for proof, f, target in each], np.bool_)
    scaled = csr(forms.data * below[row_of_entries(forms)], forms.indices, forms.indptr, forms.shape)
    rest = csr_array(scaled - multiplied(y, component.matrix))
    total, proved = np.zeros(len(proofs), np.int64), np.ones(len(proofs), np.bool_)
    for weights, low, high in (
        (y, component.lower, component.upper),
        (rest, component.column_lower, component.column_upper),
    ):
        bound = np.where(weights.data > 0, low[weights.indices], high[weights.indices])
        row, used = row_of_entries(weights), weights.data != 0
        none = used & (np.abs(bound) >= NO_UPPER)
        proved[row[none]] = False
        np.add.at(total, row, np.where(used & ~none, weights.data * np.where(none, 0, bound), 0))
    holds: NDArray[np.bool_] = proved & (-(-total // below) >= targets)
    return holds


def _weight(component: Component, forms: csr_array, y: csr_array, below: Ints) -> float:
    """More than any sum that is made here."""
    bounds = [component.lower, component.upper, component.column_lower, component.column_upper]
    finite = [np.abs(b[(b > NO_LOWER) & (b < NO_UPPER)].astype(np.float64)).max(initial=1.0) for b in bounds]
    sums = csr(np.abs(y.data.astype(np.float64)), y.indices, y.indptr, y.shape).sum(axis=1)
    entry = np.abs(component.matrix.data.astype(np.float64)).max(initial=1.0)
    form = np.abs(forms.data.astype(np.float64)).max(initial=1.0)
    largest = float(sums.max(initial=0.0)) * float(entry) + float(below.max(initial=1)) * float(form)
    return largest * max(map(float, finite)) * float(max(component.matrix.shape))


def _one(component: Component, forms: csr_array, f: int, proof: Multipliers, target: int) -> bool:
    rows, columns = component.matrix.shape
    cost, y = np.zeros(columns, np.int64), np.zeros(rows, np.int64)
    span = slice(forms.indptr[f], forms.indptr[f + 1])
    cost[forms.indices[span]] = forms.data[span]
    y[proof.rows] = proof.numerator
    return reaches(component, cost, Rational(y, proof.denominator), target)
