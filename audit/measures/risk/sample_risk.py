"""R1 and R2 of a population of which only a sample and its size are known.

Source: Antal, Shlomo & Elliot, sample-based tables: the sample is taken as the protected version of the population
table; the units that were not drawn come from a multinomial distribution over the cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.declared import HIDDEN, INLINE, Key
from tableseal.audit.codec.kinds import Count, Rounded
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.measures.estimate import Estimate
from tableseal.audit.measures.risk.information import Floats, chunks
from tableseal.audit.measures.risk.log_linear import NO_SMOOTHING, Model, Smoothing, probabilities
from tableseal.audit.measures.risk.table_risk import Form, after, before, weigh

MOST = 2**53
"""Largest population: up to here floating-point numbers tell neighbouring totals apart."""

LARGEST = 10**9
"""Units of a population from which samples are drawn: the limit of the generator of random numbers."""


@dataclass(frozen=True)
class SampleSettings:
    """How a population is estimated. weights: of the terms; None: the L2 form."""

    model: Model = "main"
    smoothing: Smoothing = NO_SMOOTHING
    weights: Annotated[tuple[float, ...] | None, HIDDEN] = (0.1, 0.8, 0.1)
    form: Annotated[Form, HIDDEN] = "uncertainty"


@dataclass(frozen=True)
class SampleRisk:
    """What was estimated of a population. Errors are those of the simulation only: they say nothing of how well the
    model fits."""

    size: Annotated[Count, Key("n")]
    population: Annotated[Count, "N."]
    settings: Annotated[SampleSettings, INLINE]
    missed: Annotated[
        Rounded,
        "By how much margins of the model differ from those of the sample at most, in shares.",
        Key("margins_missed"),
    ]
    samples: Annotated[Count, "Samples drawn; 1: the sample at hand."]
    versions: Annotated[Count, "Populations drawn for each sample.", Key("populations")]
    r1: Annotated[Estimate, Key("R1")]
    r2: Annotated[Estimate, Key("R2")]
    zeros: Annotated[Estimate, "Cells that are 0."]
    entropy: Annotated[Estimate, Key("H_X")]
    conditional: Annotated[Estimate, Key("H_X_given_Y")]
    true_r1: Annotated[
        Rounded | None, "Of the population itself, where it is known and samples are drawn from it.", Key("true_R1")
    ] = None
    true_r2: Annotated[Estimate | None, "Likewise.", Key("true_R2")] = None


class PopulationDraws(NamedTuple):
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
    if population > MOST:
        raise InputError(f"a population of N = {population:,}: expected at most {MOST:,}.")
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


def estimate_from_sample(
    sample: NDArray[np.int64],
    population: int,
    settings: SampleSettings,
    versions: int,
    random: np.random.Generator,
) -> SampleRisk:
    """R1 and R2 of the population that a sample comes from.

    Parameters
    ----------
    sample: counts, an axis for each variable.
    population: N. versions: how many populations are drawn.

    Raises
    ------
    InputError: an empty sample, or one larger than the population.
    """
    drawn, missed = _draws(sample, population, settings, versions, random)
    size, (r1, r2, zeros, own, left) = int(sample.sum()), map(Estimate.of, drawn)
    return SampleRisk(size, population, settings, missed, 1, versions, r1, r2, zeros, own, left)


def sampling_experiment(
    population: NDArray[np.int64],
    size: int,
    settings: SampleSettings,
    versions: int,
    samples: int,
    random: np.random.Generator,
) -> SampleRisk:
    """How well samples of a known population tell its risk: the experiment of the paper.

    Parameters
    ----------
    population: counts, an axis for each variable. size: n of each simple random sample without replacement.
    versions: populations drawn for each sample. samples: how many samples.

    Raises
    ------
    InputError: n is not from 1 to N, or the table has one cell or no units.
    LimitError: from 10^9 units on.
    """
    counts = population.ravel()
    start = before(counts, population.size)
    total = int(counts.sum())
    sampling, completing = random.spawn(2)
    true, means = np.empty(samples), np.empty((samples, 5))
    missed = 0.0
    for rows in chunks(samples, len(counts)):
        found = draw_samples(counts, size, rows.stop - rows.start, sampling)
        true[rows] = weigh(after(start, counts, found, settings.form).terms, settings.weights)
        for row, one in zip(range(rows.start, rows.stop), found, strict=True):
            drawn, off = _draws(one.reshape(population.shape), total, settings, versions, completing)
            means[row] = [column.mean() for column in drawn]
            missed = max(missed, off)
    r1, r2, zeros, own, left = map(Estimate.of, means.T)
    truth = float(weigh(start.terms, settings.weights)), Estimate.of(true)
    return SampleRisk(size, total, settings, missed, samples, versions, r1, r2, zeros, own, left, *truth)


def _draws(
    sample: NDArray[np.int64],
    population: int,
    settings: SampleSettings,
    versions: int,
    random: np.random.Generator,
) -> tuple[PopulationDraws, float]:
    fitted = probabilities(sample, settings.model, settings.smoothing)
    drawn = draw_populations(
        sample, fitted.probabilities, population, versions, random, weights=settings.weights, form=settings.form
    )
    return drawn, fitted.missed
