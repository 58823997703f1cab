"""What measuring risk costs: against K, against the size of the counts, and for a thousand versions of a hypercube.

Run: python cases/benchmarks/measures/risk_cost.py
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from tableseal.audit.errors import Place
from tableseal.audit.measures.risk.measure import RiskSettings, measure
from tableseal.audit.model.count_table import Axis, CountTable
from tableseal.suppression.protections.random_rounding import random_rounding

SPECTRUM = (((0, 0), 226_939), ((1, 1), 4_028), ((2, 2), 2_112), ((3, 5), 2_964), ((6, 8), 1_664), ((9, 10), 720))
"""Counts of the hypercube of Shlomo, Antal & Elliot 2015, Table 1, and how many cells have them."""
LARGE, TOTAL = 7_273, 1_500_000
"""Its cells of 11 and over, and its population."""
SHAPE = (2, 2, 21, 5, 13, 9, 5)


def hypercube(random: np.random.Generator) -> CountTable:
    """A table of 245,700 cells with the counts of the paper, in random places."""
    counts = np.concatenate([random.integers(low, high + 1, cells) for (low, high), cells in SPECTRUM])
    shares = random.lognormal(0.0, 1.5, LARGE)
    large = 11 + np.floor(shares / shares.sum() * (TOTAL - counts.sum() - 11 * LARGE)).astype(np.int64)
    values = np.concatenate([counts, large])
    return table(random.permutation(values), SHAPE)


def table(values: np.ndarray, shape: tuple[int, ...]) -> CountTable:
    """The counts as a table with so many codes in each variable."""
    axes = tuple(Axis(f"v{k}", tuple(map(str, range(size)))) for k, size in enumerate(shape))
    index = np.flatnonzero(values)
    return CountTable(Place("benchmark"), axes, index, values[index].astype(np.int64))


def seconds(work: Callable[[], object]) -> float:
    """Processor time of the work, the better of two runs."""
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the tables of costs."""
    random = np.random.default_rng(2015)
    print("R1 and R2 of 100 roundings against K (half the cells empty)")
    first = 0.0
    for size in (10, 30, 100, 300, 1000):
        found = table(random.poisson(0.7, size * size), (size, size))
        taken = seconds(
            partial(measure, found, RiskSettings(draw=random_rounding, rounding=3, replicates=100, slices=False))
        )
        first = first or taken
        print(f"  K = {found.cells:>9,}  {taken:8.3f} s  {taken / first:7.1f} times the smallest")
    print("... against N (10,000 cells)")
    base = random.poisson(0.7, 10_000)
    for power in (0, 3, 6, 9, 12):
        found = table(base * 10**power, (100, 100))
        taken = seconds(
            partial(measure, found, RiskSettings(draw=random_rounding, rounding=3, replicates=100, slices=False))
        )
        print(f"  N = {float(found.values.sum()):9.1e}  {taken:8.3f} s")
    cube = hypercube(random)
    print(f"Hypercube: {cube.cells:,} cells, {len(cube.values):,} not empty, N = {int(cube.values.sum()):,}")
    for versions, slices in ((1000, False), (100, True)):
        settings = RiskSettings(draw=random_rounding, rounding=3, replicates=versions, slices=slices, seed=1)
        taken = seconds(partial(measure, cube, settings))
        what = "and its 57 parts" if slices else "the whole table"
        print(f"  {versions:>5,} roundings, {what}: {taken:.2f} s")
    settings = RiskSettings(
        draw=random_rounding, definition="s15-split", rounding=3, replicates=100, slices=False, seed=1
    )
    taken = seconds(partial(measure, cube, settings))
    print(f"    100 roundings, split entropy: {taken:.2f} s")
    taken = seconds(partial(measure, cube, RiskSettings(population=10 * TOTAL, replicates=10)))
    print(f"     10 populations completed from it as a sample: {taken:.2f} s")


if __name__ == "__main__":
    main()
