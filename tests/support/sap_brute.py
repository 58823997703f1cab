"""SAP by listing every table and every sample: slow, plain, and independent of the package."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Table = NDArray[np.int64]


def margins(shape: Sequence[int]) -> csr_array:
    """Rows: the one-way margins of a table of this shape, over its cells in row-major order."""
    place = np.indices(shape).reshape(len(shape), -1)
    rows = [(place[axis] == k).astype(np.int64) for axis, size in enumerate(shape) for k in range(size)]
    return csr_array(np.array(rows))


def feasible_tables(low: Table, high: Table, rows: csr_array, row_low: Table, row_high: Table) -> Table:
    """All tables of whole numbers between the bounds (every cell needs an upper bound, its own or that of a sum)."""
    dense = rows.toarray()
    cap = [min([int(high[j]), *(int(row_high[r]) for r in np.flatnonzero(dense[:, j]))]) for j in range(len(low))]
    tables = np.array(list(product(*(range(int(a), b + 1) for a, b in zip(low, cap, strict=True)))), np.int64)
    sums = tables @ dense.T
    return tables[((sums >= row_low) & (sums <= row_high)).all(axis=1)]


def sap_by_listing(
    counts: Table, tables: Table, groups: Table, sampled: Sequence[bool], targets: Sequence[bool]
) -> list[Fraction]:
    """Resolved SAP(0), SAP(1), ...: for every sample, is the rest of some target leaf 0 in every table that fits?

    A known unit is known to be in one of the leaves of its group. groups: label of each leaf.
    """
    label = np.asarray(groups)
    member = (np.arange(label.max() + 1)[:, None] == label).astype(np.int64)
    inside, sums = member @ counts, tables @ member.T
    size = [
        int(c) if any(s for s, g in zip(sampled, label, strict=True) if g == k) else 0 for k, c in enumerate(inside)
    ]
    recovering = [0] * (sum(size) + 1)
    for sample in product(*(range(c + 1) for c in size)):
        fits = (sums >= sample).all(axis=1)
        free = [
            (fits & (sums[:, label[j]] > sample[label[j]]) & (tables[:, j] > 0)).any()
            for j in np.flatnonzero(targets).tolist()
        ]
        if not all(free):
            recovering[sum(sample)] += prod(comb(c, s) for c, s in zip(size, sample, strict=True))
    return [Fraction(r, comb(sum(size), n)) for n, r in enumerate(recovering)]


def sap_by_inclusion_exclusion(tight: Sequence[int], total: int) -> list[Fraction]:
    """Static SAP(0), SAP(1), ... by Smith & Elliot 2007, 2.3.1: over all sets of tight cells."""
    sets = [z for size in range(1, len(tight) + 1) for z in combinations(tight, size)]
    return [
        sum(
            (
                Fraction((-1) ** (len(z) - 1) * comb(total - sum(z), n - sum(z)), comb(total, n))
                for z in sets
                if sum(z) <= n
            ),
            Fraction(0),
        )
        for n in range(total + 1)
    ]
