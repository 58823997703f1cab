"""Static SAP of a release whose bounds an audit has found: nothing is solved again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.linear.integers import product
from tableseal.audit.measures.sap.curve import curve_of_tight
from tableseal.audit.measures.sap.population import Flags, structural_zeros
from tableseal.audit.measures.sap.result import Sap
from tableseal.audit.measures.sap.tight import is_tight, may_be_tight
from tableseal.audit.prepare import Prepared


@dataclass(frozen=True)
class AuditedSap:
    """SAP of the cells whose largest possible value is proved to be the true one.

    hidden: of those alone whose value is not published. zeros: how many are 0, so that any sample recovers them. open:
    how many further cells may be at their largest possible value.
    """

    sap: Sap
    hidden: Sap
    zeros: int
    open: int


def sap_of_audited(prepared: Prepared, bounds: Sequence[TargetBounds], most: int) -> AuditedSap | None:
    """Static SAP(1) to SAP(most), of all cells and of those that are not published; sizes beyond the units of the table
    are left out.

    None where it is not defined, or does not follow from the audit: another measure than one of counts, a base cell
    that no table lists as a cell of its own, true counts that are missing or that what is released does not allow.

    Parameters
    ----------
    bounds: of every open cell of the system.
    """
    release, system, cells = prepared.release, prepared.system, prepared.cells
    (measure, *others) = release.measures.values()
    if others or measure.kind != "count" or not release.intruder.nonnegative or system.base.separators:
        return None
    columns = system.matrix.shape[1]
    counts = np.full(columns, -1, dtype=np.int64)
    tight, possible = np.zeros(columns, np.bool_), np.zeros(columns, np.bool_)
    lone = np.flatnonzero(_single(system.matrix) & system.exact)
    leaves = system.matrix.indices[system.matrix.indptr[lone]]
    counts[leaves] = system.lower[lone]
    tight[leaves] = possible[leaves] = True
    published = tight.copy()
    rows = np.flatnonzero(_single(system.forms) & cells.truth.known[system.open_cells])
    leaves, truths = system.forms.indices[system.forms.indptr[rows]], cells.truth.units[system.open_cells[rows]]
    _, first = np.unique(leaves, return_index=True)
    first = first[counts[leaves[first]] < 0]
    for row, leaf, truth in zip(rows[first].tolist(), leaves[first].tolist(), truths[first].tolist(), strict=True):
        counts[leaf] = truth
        tight[leaf], possible[leaf] = is_tight(bounds[row], truth), may_be_tight(bounds[row], truth)
    if (counts < 0).any() or not counts.any():
        return None
    sums = product(system.matrix, counts)
    if ((sums < system.lower) | (sums > system.upper)).any():
        return None
    targets = ~structural_zeros(prepared)
    total = sum(counts.tolist())
    sizes = tuple(range(1, min(most, total) + 1))
    found, hidden = (
        curve_of_tight(counts[which & targets].tolist(), total, sizes, "static")
        for which in (tight, tight & ~published)
    )
    zeros = int((published & targets & (counts == 0)).sum())
    return AuditedSap(found, hidden, zeros, int((possible & ~tight & targets).sum()))


def _single(rows: csr_array) -> Flags:
    """bool (rows): nothing but one base cell, once."""
    alone = np.diff(rows.indptr) == 1
    alone[alone] = rows.data[rows.indptr[:-1][alone]] == 1
    result: Flags = alone
    return result
