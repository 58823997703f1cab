"""The attack on a bare matrix of counts."""

import numpy as np

from audit.errors import InputError
from audit.measures.sap.attack import Attack, Ints, attack, with_total
from audit.measures.sap.population import Population, of_matrix
from audit.model import Rounding
from audit.model.rounding import rounding_interval


def conventionally(values: Ints, base: int) -> tuple[Ints, Ints]:
    """Trivial bounds of values that are released rounded conventionally (ties go up)."""
    return rounding_interval((2 * values + base) // (2 * base) * base, Rounding(base, "conventional"), True)


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
    return of_matrix(_attack(flat, upper, rounding, rounded_total=rounded_total), (counts.shape[0], counts.shape[1]))


def _attack(flat: Ints, upper: Ints | None, rounding: int | None, *, rounded_total: bool) -> Attack:
    if rounding is None:
        return attack(flat, flat, flat) if upper is None else attack(flat, high=upper.ravel())
    if rounding < 2:
        raise InputError(f"rounding to base {rounding}: expected a base of at least 2.")
    base = attack(flat, *conventionally(flat, rounding))
    if not rounded_total:
        return base
    low, high = conventionally(np.array([base.total], np.int64), rounding)
    return with_total(base, int(low[0]), int(high[0]))
