"""The attack on a bare matrix of counts."""

import numpy as np

from tableseal.audit.errors import InputError
from tableseal.audit.measures.sap.attack import Attack, Ints, attack, with_total
from tableseal.audit.measures.sap.population import Population, of_matrix
from tableseal.audit.model import Rounding
from tableseal.audit.model.amounts import LIMIT
from tableseal.audit.model.rounding import rounded, rounding_interval


def bounds_if_rounded(values: Ints, rounding: Rounding) -> tuple[Ints, Ints]:
    """Trivial bounds of true values of which only the rounded ones are released."""
    return rounding_interval(rounded(values, rounding), rounding, True)


def of_rounded(counts: Ints, rounding: Rounding, *, total: bool) -> Attack:
    """Counts (cells) that are released rounded, and perhaps their total, rounded in the same way.

    Raises
    ------
    InputError: a base below 2 or above 2^60.
    """
    if not 2 <= rounding.base <= LIMIT:
        raise InputError(f"rounding to base {rounding.base}: expected a base of at least 2 and at most 2^60.")
    base = attack(counts, *bounds_if_rounded(counts, rounding))
    if not total:
        return base
    low, high = bounds_if_rounded(np.array([base.total], np.int64), rounding)
    return with_total(base, int(low[0]), int(high[0]))


def of_counts(
    counts: Ints, *, upper: Ints | None = None, rounding: int | None = None, rounded_total: bool = False
) -> Population:
    """A matrix of true counts of which is released: itself; or upper bounds; or itself rounded, perhaps with its total.

    Parameters
    ----------
    counts: int64 (rows x columns), without margins.
    upper: int64, same shape: tightest upper bounds.
    rounding: base of conventional rounding.

    Raises
    ------
    InputError: shapes that differ, an upper bound below its count, a base below 2, no units.
    """
    flat = counts.ravel()
    if not flat.any():
        raise InputError("The table has no units (all counts are 0): SAP needs at least one.")
    if upper is not None:
        if upper.shape != counts.shape:
            raise InputError(
                f"The upper bounds have {upper.shape[0]} rows and {upper.shape[1]} columns, the counts "
                f"{counts.shape[0]} and {counts.shape[1]}; expected the same."
            )
        below = np.argwhere(upper < counts)
        if len(below):
            row, column = below[0].tolist()
            raise InputError(
                f"row {row + 1}, column {column + 1}: the upper bound is below the true count; the truth is always "
                "between the bounds."
            )
    if rounding is not None:
        found = of_rounded(flat, Rounding(rounding, "conventional"), total=rounded_total)
    else:
        found = attack(flat, flat, flat) if upper is None else attack(flat, high=upper.ravel())
    return of_matrix(found, (counts.shape[0], counts.shape[1]))
