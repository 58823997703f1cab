"""Counts changed by cell key and perturbation table."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.suppression.protections.cell_keys.ptable import PTable


@dataclass(frozen=True)
class PerturbedCounts:
    """change: int64 (cells). shown: int64 (cells), count + change; known: bool (cells), False where it is below the
    threshold, so that it is withheld."""

    change: NDArray[np.int64]
    shown: NDArray[np.int64]
    known: NDArray[np.bool_]


def perturbed_counts(
    counts: NDArray[np.int64], keys: NDArray[np.int64], table: PTable, *, threshold: int = 0, where: Place | None = None
) -> PerturbedCounts:
    """Each count plus the change that its row and key have.

    Parameters
    ----------
    counts: int64 (cells), none negative. keys: int64 (cells), 0 to modulus - 1.
    threshold: what is below after the change is withheld. Changes are looked up for structural zeros too; a table in
        which zeros stay leaves them.
    where: the table's place, for messages.

    Raises
    ------
    InputError: a table that is not for counts (rows 0, 1, 2, ...), or takes a count below zero; negative counts.

    Examples
    --------
    >>> from tableseal.suppression.protections.cell_keys.ptable import table_of
    >>> table = table_of([(0, [(3, 0)]), (1, [(1, -1), (3, 1)]), (2, [(1, -1), (3, 1)])], modulus=4)
    >>> perturbed_counts(np.array([0, 1, 7]), np.array([3, 0, 2]), table).shown.tolist()
    [0, 0, 8]
    """
    if table.step != 1 or (table.levels != np.arange(len(table.levels))).any():
        raise InputError("expected a row for each count 0, 1, 2, ... and whole changes.", at=where)
    if (counts < 0).any():
        raise InputError("a count is negative; cell keys change counts of records.", at=where)
    change = table.change_at(table.row_of(counts), keys)
    shown = counts + change
    if (shown < 0).any():
        count = int(counts[np.argmax(shown < 0)])
        raise InputError(f"the table takes count {count} below zero; its last rows do not fit it.", at=where)
    return PerturbedCounts(change, shown, shown >= threshold)


def weighted_counts(
    shown: NDArray[np.int64], counts: NDArray[np.int64], weighted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weighted counts that go with perturbed ones: perturbed count times the mean weight of the cell; 0 in empty cells.

    Source: cellKey (`pwc`).
    """
    mean: NDArray[np.float64] = np.divide(weighted, counts, out=np.zeros(len(counts)), where=counts > 0)
    return shown.astype(np.float64) * mean


def ratios(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratios and means of published values, and of nothing else: what a reader computes from the table. (The ratio of
    true values beside perturbed ones gives the changes away.) NaN where the published denominator is 0."""
    nothing = np.full(len(numerator), np.nan)
    found: NDArray[np.float64] = np.divide(numerator, denominator, out=nothing, where=denominator != 0)
    return found
