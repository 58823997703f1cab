"""Random tables under rounding with a rounded total: the experiment of Smith & Elliot 2007, Table 2.3."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.measures.sap.closed_form import rounded_table_and_total
from tableseal.audit.measures.sap.matrix_attack import bounds_if_rounded
from tableseal.audit.model import Rounding

BANDS = 12
"""SAP = 0; ten bands of a tenth each, open at 0 and 1; SAP = 1."""

LEAST_MEAN = 1.0
"""Bands with fewer expected tables are left out of the comparison."""


@dataclass(frozen=True)
class SimulatedTables:
    """Mean number of tables in each band, scaled to `tables`; float (sizes x bands), row n: samples of n units.

    repetitions: how many times as many tables the means come from.
    """

    tables: int
    means: NDArray[np.float64]
    repetitions: int

    def chance(self, n: int, published: Sequence[int]) -> float:
        """Probability of a chi-square distance from the means at least as large as that of the published row.

        Over bands with a mean of at least 1; both the published numbers and the means vary.
        """
        from scipy.special import gammaincc

        mean, seen = self.means[n], np.asarray(published, dtype=np.float64)
        used = mean >= LEAST_MEAN
        distance = float((((seen - mean) ** 2)[used] / (mean[used] * (1 + 1 / self.repetitions))).sum())
        freedom = int(used.sum()) - 1  # the numbers of a row add up
        return float(gammaincc(freedom / 2, distance / 2)) if freedom else float(distance == 0)


def simulate_rounded_total(
    tables: int, cells: int, mean: float, base: int, largest: int, repetitions: int, seed: int
) -> SimulatedTables:
    """Bands of SAP(0..largest) of tables of Poisson counts, by the paper's algorithm as printed.

    Counts and total are rounded conventionally. A table with fewer units than the sample is known completely, so its
    last value holds for larger samples.
    """
    rounding = Rounding(base, "conventional")
    generator = np.random.Generator(np.random.PCG64(seed))
    found = np.zeros((largest + 1, BANDS))
    size = np.arange(largest + 1)
    for counts in generator.poisson(mean, (tables * repetitions, cells)).astype(np.int64):
        total = int(counts.sum())
        low, high = bounds_if_rounded(counts, rounding)
        bound = int(bounds_if_rounded(np.array([total], np.int64), rounding)[1][0])
        sizes = tuple(range(min(largest, total) + 1))
        values = rounded_table_and_total(counts, low, high, bound, sizes, as_printed=True).exact
        assert values is not None  # tables this small are always exact
        bands = [0 if v == 0 else BANDS - 1 if v == 1 else 1 + int(10 * v) for v in values]
        found[size, bands + bands[-1:] * (largest + 1 - len(bands))] += 1
    return SimulatedTables(tables, found / repetitions, repetitions)
