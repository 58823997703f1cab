"""What each record, or each combination of codes, adds to a measure, in whole units."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.model import Measure, Microdata
from tableseal.audit.rules.exact import as_units
from tableseal.audit.rules.weights import Weights, exact_weights, rounded_half_up, weighted_sum
from tableseal.audit.tabulation.naming import rows_named


@dataclass(frozen=True)
class Values:
    """codes: int32 (rows x variables of the release), -1 where not known. units: int64 (rows)."""

    codes: NDArray[np.int32]
    units: NDArray[np.int64]


def values_of(microdata: Microdata, measure: Measure) -> Values:
    """The contributions to a measure; of a count without a column of its own, 1 for each record.

    With sampling weights every combination of codes of all variables gets its weighted sum, rounded to the unit so that
    sums over combinations, in the order of the classifications, are rounded sums: every table adds up with every other,
    and the largest error does not grow with the number of combinations that are added.

    Raises
    ------
    InputError: no column for a magnitude, contributions that are missing. LimitError: sums beyond 2^62 units.
    """
    amount = amounts_of(microdata, measure)
    if microdata.weight is None:
        return Values(microdata.codes, amount)
    codes, which = np.unique(microdata.codes, axis=0, return_inverse=True)
    sums = weighted_sum(amount, exact_weights(microdata.weight), which.ravel(), len(codes))
    reached = as_units(rounded_half_up(Weights(np.cumsum(sums.parts), sums.scale)))
    return Values(codes, np.diff(reached, prepend=0))


def amounts_of(microdata: Microdata, measure: Measure) -> NDArray[np.int64]:
    """int64 (records): contributions in units, not weighted.

    Raises
    ------
    InputError: no column for a magnitude, contributions that are missing.
    """
    found = microdata.values.get(measure.name)
    if found is None:
        if measure.kind == "magnitude":
            text = f"no column has contributions to {measure.name}; name it: `values: {{{measure.name}: COLUMN}}`."
            raise InputError(text, at=microdata.where / "values")
        return np.ones(len(microdata.codes), np.int64)
    missing = np.flatnonzero(~found.known)
    if len(missing):
        text = f"{rows_named(missing, 'has no contribution', 'have no contribution')} to {measure.name}; a table cannot"
        raise InputError(f"{text} be made of records with gaps: write 0, or leave the records out.", at=microdata.where)
    return found.units
