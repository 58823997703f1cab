"""How the cost of SAP grows with cells K, units N and sample size n: python cases/benchmarks/measures/sap_cost.py

Each line doubles one of them and prints the seconds and their ratio to the line before; a ratio of 2 is linear growth.
"""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.measures.sap.attack import Attack, attack
from tableseal.audit.measures.sap.definitions import Effort, resolved_sap
from tableseal.audit.measures.sap.enclosure import enclose
from tableseal.audit.measures.sap.matrix_attack import bounds_if_rounded
from tableseal.audit.measures.sap.unrecovered import exhausting_none, sample_counts
from tableseal.audit.model import Rounding

SEED = 20071217


def poisson(cells: int, mean: float) -> np.ndarray:
    """Counts of an exactly published table without zeros, so that every cell is tight."""
    return np.maximum(np.random.default_rng(SEED).poisson(mean, cells), 1)


def series(title: str, name: str, values: Sequence[int], work: Callable[[int], object]) -> None:
    """Time the work for each value and print ratios."""
    print(f"\n{title}\n{name:>12} {'seconds':>9} {'ratio':>6}")
    before = None
    for value in values:
        start = perf_counter()
        work(value)
        seconds = perf_counter() - start
        print(f"{value:>12,} {seconds:>9.3f} {'' if before is None else f'{seconds / before:.1f}':>6}")
        before = seconds


def all_sizes(cells: int) -> object:
    """Exact numerators for every sample size of a table with mean count 2."""
    tight = poisson(cells, 2).tolist()
    return sample_counts(exhausting_none(tight, sum(tight) + 1), sum(tight), sum(tight))


def enclosed(units: int, sizes: Sequence[int], mean: float = 10) -> object:
    """Values with a proved error for some sizes of a table with this many units, about."""
    tight = poisson(int(units / mean), mean).tolist()
    return enclose(tight, sum(tight), [n for n in sizes if n <= sum(tight)])


def rounded_margins(side: int) -> Attack:
    """A square table of counts rounded to base 5, with rounded margins."""
    counts = np.random.default_rng(SEED).poisson(2, (side, side)).ravel()
    place = np.indices((side, side)).reshape(2, -1)
    rows = csr_array(np.array([(place[axis] == k).astype(np.int64) for axis in (0, 1) for k in range(side)]))
    rounding = Rounding(5, "conventional")
    low, high = bounds_if_rounded(rows @ counts, rounding)
    return attack(counts, *bounds_if_rounded(counts, rounding), rows, low, high)


def resolved(side: int, replicates: int, sizes: int) -> object:
    """Resolved SAP of a square table with rounded margins, estimated."""
    problem = rounded_margins(side)
    top = min(sizes, problem.total)
    return resolved_sap(problem, tuple(range(0, top + 1)), Effort(replicates=replicates, seed=SEED))


def main() -> None:
    """Print all series."""
    series("exact, all sizes at once, mean count 2", "cells K", [1250, 2500, 5000, 10_000], all_sizes)
    series(
        "proved error, n = 0 to 1,000, mean count 10",
        "units N",
        [125_000, 250_000, 500_000, 1_000_000],
        lambda units: enclosed(units, range(1001)),
    )
    series(
        "proved error, N about 1,000,000, n = 0 to",
        "n",
        [500, 1000, 2000, 4000],
        lambda n: enclosed(1_000_000, range(n + 1)),
    )
    series(
        "proved error, 101 sizes from 0 to N, mean count 10",
        "units N",
        [250_000, 500_000, 1_000_000],
        lambda units: enclosed(units, range(0, units, units // 100)),
    )
    series("resolved, rounded margins, 2,000 orders, n = 0 to 60", "side", [5, 10, 20], lambda k: resolved(k, 2000, 60))
    series(
        "resolved, 10 x 10 with rounded margins, all n",
        "orders",
        [2500, 5000, 10_000],
        lambda r: resolved(10, r, 10**6),
    )


if __name__ == "__main__":
    main()
