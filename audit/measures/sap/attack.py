"""What the intruder of a subtraction attack faces: the base table, what is released of it, and who is known of it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Attack:
    """A base table of counts, the statements that are released, and which units the intruder may know.

    Attributes
    ----------
    counts: int64 (leaves), the true counts.
    low, high: int64 (leaves), what is known of each leaf by itself; 0 / NO_UPPER where nothing is.
    rows, row_low, row_high: int64 csr (statements x leaves) and bounds: sums of two or more leaves.
    groups: int64 (leaves), labels 0, 1, ...: a known unit is known to belong to a group of leaves. Usually every leaf
        is a group; with units known in some variables only, a group is what these variables tell.
    sampled: bool (leaves): units of these leaves can be known; no group is sampled in part.
    targets: bool (leaves): leaves whose zeros count as recovered.
    """

    counts: Ints
    low: Ints
    high: Ints
    rows: csr_array
    row_low: Ints
    row_high: Ints
    groups: Ints
    sampled: NDArray[np.bool_]
    targets: NDArray[np.bool_]

    @cached_property
    def total(self) -> int:
        """Number of units that can be known, N."""
        return sum(self.counts[self.sampled].tolist())

    @cached_property
    def group_counts(self) -> Ints:
        """int64 (groups), units of each group."""
        return np.asarray(self.membership @ self.counts, dtype=np.int64)

    @cached_property
    def membership(self) -> csr_array:
        """int64 csr (groups x leaves), 0/1."""
        leaves = len(self.groups)
        shape = (int(self.groups.max()) + 1, leaves)
        return csr_array((np.ones(leaves, np.int64), (self.groups, np.arange(leaves))), shape=shape)

    @cached_property
    def fully_known(self) -> bool:
        """Every leaf is a group of its own: the intruder knows everything about the units it knows."""
        return len(np.unique(self.groups)) == len(self.groups)

    @cached_property
    def sampled_groups(self) -> NDArray[np.bool_]:
        """bool (groups)."""
        return np.asarray(self.membership @ self.sampled.astype(np.int64)) > 0

    @cached_property
    def target_groups(self) -> NDArray[np.bool_]:
        """bool (groups): some leaf of the group is a target."""
        return np.asarray(self.membership @ self.targets.astype(np.int64)) > 0

    def known_in(self, labels: Ints) -> "Attack":
        """The same release against an intruder who knows of each unit only which label its leaf has."""
        _, groups = np.unique(labels, return_inverse=True)
        return replace(self, groups=groups.ravel().astype(np.int64))

    def aimed_at(self, targets: NDArray[np.bool_]) -> "Attack":
        """Only zeros of these leaves count."""
        return replace(self, targets=targets)

    def among(self, members: NDArray[np.bool_]) -> "Attack":
        """The conditional table: known units are drawn from these leaves, and only their zeros count."""
        return replace(self, sampled=members, targets=members & self.targets)

    def sizes(self, n: tuple[int, ...]) -> tuple[int, ...]:
        """The sample sizes, checked.

        Raises
        ------
        InputError: nobody can be known, or a size that no sample has.
        """
        if self.total == 0:
            raise InputError("The table has no units (all counts are 0): SAP needs at least one.")
        if not n:
            raise InputError("no sample size is given.", at=OptionName("n"))
        if min(n) < 0 or max(n) > self.total:
            wrong = min(n) if min(n) < 0 else max(n)
            raise InputError(
                f"n = {wrong:,}: expected a sample size from 0 to N = {self.total:,}, the number of units."
            )
        return n


def attack(
    counts: Ints,
    low: Ints | None = None,
    high: Ints | None = None,
    rows: csr_array | None = None,
    row_low: Ints | None = None,
    row_high: Ints | None = None,
) -> Attack:
    """An attack by an intruder who knows units completely, any unit, and looks for any zero.

    Statements about one leaf move to its own bounds.

    Raises
    ------
    InputError: negative counts, or counts that what is released does not allow (the leaf or statement is named by its
        position, never by its value).
    """
    leaves = len(counts)
    if leaves == 0:
        raise InputError("The table has no cells.")
    if (counts < 0).any():
        raise InputError(f"cell {int(np.argmax(counts < 0)) + 1}: the count is negative; SAP is defined for counts.")
    if sum(counts.tolist()) >= NO_UPPER:
        raise InputError("The counts add up to more than 2^62.")
    matrix = csr_array((0, leaves), dtype=np.int64) if rows is None else csr_array(rows, copy=True)
    lower = np.full(matrix.shape[0], NO_LOWER) if row_low is None else row_low
    upper = np.full(matrix.shape[0], NO_UPPER) if row_high is None else row_high
    cell_low = np.zeros(leaves, np.int64) if low is None else np.maximum(low, 0)
    cell_high = np.full(leaves, NO_UPPER) if high is None else high.copy()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    single = np.diff(matrix.indptr) == 1
    at = matrix.indptr[:-1][single]
    plain = matrix.data[at] == 1
    single[np.flatnonzero(single)[~plain]] = False
    at = at[plain]
    np.maximum.at(cell_low, matrix.indices[at], lower[single])
    np.minimum.at(cell_high, matrix.indices[at], upper[single])
    matrix, lower, upper = csr_array(matrix[~single]), lower[~single], upper[~single]
    outside = (counts < cell_low) | (counts > cell_high)
    if outside.any():
        raise InputError(
            f"cell {int(np.argmax(outside)) + 1}: the true count is not between the bounds that are released of it."
        )
    sums = product(matrix, counts)
    outside = (sums < lower) | (sums > upper)
    if outside.any():
        raise InputError(
            f"statement {int(np.argmax(outside)) + 1}: the true counts add up to a sum outside the bounds that are "
            "released of it."
        )
    everything = np.ones(leaves, np.bool_)
    return Attack(
        counts, cell_low, cell_high, matrix, lower, upper, np.arange(leaves, dtype=np.int64), everything, everything
    )


def with_total(base: Attack, low: int, high: int) -> Attack:
    """The same attack with bounds on the sum of all leaves released too.

    Raises
    ------
    InputError: the true total is outside the bounds.
    """
    if not low <= sum(base.counts.tolist()) <= high:
        raise InputError("The true total is not between the bounds that are released of it.")
    row = csr_array(np.ones((1, len(base.counts)), np.int64))
    return replace(
        base,
        rows=csr_array(vstack([base.rows, row], format="csr", dtype=np.int64)),
        row_low=np.append(base.row_low, np.int64(low)),
        row_high=np.append(base.row_high, np.int64(high)),
    )
