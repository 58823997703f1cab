"""R1 and R2 of a population of which only a sample and its size are known.

Source: Antal, Shlomo & Elliot, sample-based tables: the sample is taken as the protected version of the population
table; the units that were not drawn come from a multinomial distribution over the cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from audit.errors import InputError, LimitError
from audit.measures.information import Floats, chunks
from audit.measures.table_risk import Form, after, before, weigh

LARGEST = 10**9
"""Units of a population from which samples are drawn: the limit of the generator of random numbers."""


@dataclass(frozen=True)
class Estimate:
    """A mean over random repetitions, with its Monte-Carlo standard error (0: nothing was random, or one repetition)
    and the standard deviation of a single one."""

    mean: float
    error: float
    deviation: float

    @staticmethod
    def of(values: Floats) -> "Estimate":
        """From one value for each repetition."""
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return Estimate(float(values.mean()), spread / sqrt(len(values)), spread)


@dataclass(frozen=True)
class PopulationDraws:
    """For each imagined population: R1, R2 given the sample, zeros |D|, H(X), H(X|Y)."""

    r1: Floats
    r2: Floats
    zeros: Floats
    entropy: Floats
    conditional: Floats


def draw_populations(
    sample: NDArray[np.int64],
    probabilities: Floats,
    population: int,
    versions: int,
    random: np.random.Generator,
    *,
    weights: Sequence[float] | None,
    form: Form = "uncertainty",
) -> PopulationDraws:
    """Complete the sample to a population, many times, and measure each.

    Parameters
    ----------
    sample: counts of any shape; probabilities: the same shape.
    population: N, at least the size of the sample.
    weights: of the three terms; None: the L2 form.

    Raises
    ------
    InputError: a sample larger than the population, or of one cell.
    """
    counts, cells = sample.ravel(), sample.size
    drawn = int(counts.sum())
    if drawn > population:
        raise InputError(f"the sample has n = {drawn:,} units, more than the population of N = {population:,}.")
    # Cells that are empty in the sample and cannot be filled stay 0; the measures need no list of them.
    open_cells = np.flatnonzero((counts > 0) | (probabilities.ravel() > 0))
    listed = counts[open_cells]
    chance = probabilities.ravel()[open_cells]
    chance = chance / chance.sum()
    parts: list[tuple[Floats, ...]] = []
    for rows in chunks(versions, len(open_cells)):
        added = random.multinomial(population - drawn, chance, size=rows.stop - rows.start)
        full = listed + added
        start = before(full, cells)
        end = after(start, full, listed, form)
        parts.append(
            (
                weigh(start.terms, weights),
                weigh(end.terms, weights),
                start.zeros.astype(np.float64),
                start.entropy,
                end.conditional,
            )
        )
    return PopulationDraws(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def draw_samples(
    population: NDArray[np.int64], size: int, versions: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Simple random samples without replacement: (versions x m) counts for a population of (m,) counts.

    Raises
    ------
    InputError: a sample of no unit, or of more units than there are.
    LimitError: a population of more than 10^9 units.
    """
    total = int(population.sum())
    if not 1 <= size <= total:
        raise InputError(f"sample size n = {size:,}: expected 1 to N = {total:,}, the units of the table.")
    if total >= LARGEST:
        raise LimitError(f"samples are drawn from fewer than {LARGEST:,} units; the table has {total:,}.")
    return random.multivariate_hypergeometric(population, size, size=versions, method="marginals")
