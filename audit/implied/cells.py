"""Combinations as cells, so that everything that judges and names cells does so with them too."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.implied.naming import Named
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Amounts, Status


def as_cells(
    named: Named,
    truth: Amounts,
    frequency: Amounts | None = None,
    weighted: Amounts | None = None,
    zero: NDArray[np.bool_] | None = None,
) -> Cells:
    """Cells that nobody releases, with what the agency can work out of them.

    They stand as `missing`, which rules judge where the data are there, and are in no row. truth: in units;
    frequency: numbers of contributors; weighted: sums of their weights; zero: known to everyone to be zero.
    """
    count = len(named.codes)
    nothing, no = Amounts.none(count), np.zeros(count, np.bool_)
    tables = [table.measure for table in named.release.tables]
    first = np.array([tables.index(m) if m in tables else 0 for m in named.release.measures], np.int32)
    return Cells(
        measure=named.measure,
        codes=named.codes,
        status=np.where(no if zero is None else zero, Status.STRUCTURAL_ZERO, Status.MISSING).astype(np.int8),
        sensitive_status=no,
        withheld_status=no,
        absent_zero=no,
        rounded=no,
        unrounded=no,
        consent=no,
        lower=nothing,
        upper=nothing,
        known_lower=nothing,
        known_upper=nothing,
        exact=no,
        truth=truth,
        impossible=no,
        frequency=nothing if frequency is None else frequency,
        weighted=nothing if weighted is None else weighted,
        contributors=(),
        protection_lower=nothing,
        protection_upper=nothing,
        protection_sliding=nothing,
        table=first[named.measure],
        row=np.full(count, -1, np.int64),
        listing_cell=np.empty(0, np.int64),
        listing_table=np.empty(0, np.int32),
    )
