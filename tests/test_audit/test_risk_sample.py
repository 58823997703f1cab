"""Risk of a population estimated from a sample."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.measures.risk.log_linear import NO_SMOOTHING, Model, Smoothing, fit, probabilities
from tableseal.audit.measures.risk.sample_risk import (
    Estimate,
    SampleSettings,
    draw_samples,
    estimate_from_sample,
    sampling_experiment,
)
from tableseal.audit.measures.risk.table_risk import WEIGHTS, after, before, weigh

RANDOM = np.random.default_rng


def regression(table: np.ndarray, order: int) -> np.ndarray:
    """Poisson regression on effects up to an order, by Newton's method; needs positive margins."""
    places = np.indices(table.shape).reshape(table.ndim, -1)
    columns = [np.ones(table.size)]
    single = [[(places[axis] == k).astype(float) for k in range(1, n)] for axis, n in enumerate(table.shape)]
    for effects in single:
        columns += effects
    if order == 2:
        for one in range(table.ndim):
            for two in range(one):
                columns += [a * b for a in single[one] for b in single[two]]
    design = np.array(columns).T
    counts = table.ravel().astype(float)
    beta = np.zeros(design.shape[1])
    beta[0] = np.log(counts.mean())
    for _ in range(60):
        mean = np.exp(design @ beta)
        step = np.linalg.solve(design.T @ (mean[:, None] * design), design.T @ (counts - mean))
        beta += step
    assert np.abs(step).max() < 1e-9
    return (np.exp(design @ beta) / counts.sum()).reshape(table.shape)


@given(arrays(np.int64, (2, 3, 2), elements=st.integers(1, 30)))
def test_the_fit_is_that_of_a_poisson_regression(table: np.ndarray) -> None:
    """CONVENTION 251."""
    shares = table / table.sum()
    assert np.abs(fit(shares, "main").probabilities - regression(table, 1)).max() < 1e-8
    assert np.abs(fit(shares, "two-way").probabilities - regression(table, 2)).max() < 1e-8
    assert (fit(shares, "saturated").probabilities == shares).all()


@given(arrays(np.int64, (3, 2, 3), elements=st.integers(0, 4)).filter(np.any), st.sampled_from(["main", "two-way"]))
def test_the_fit_has_the_margins_of_the_sample(table: np.ndarray, model: Model) -> None:
    """CONVENTION 251: empty margins stay empty, and what the margins still miss is said."""
    shares = table / table.sum()
    found = fit(shares, model)
    axes = [(1, 2), (0, 2), (0, 1)] if model == "main" else [(0,), (1,), (2,)]
    off = [np.abs(found.probabilities.sum(axis=others) - shares.sum(axis=others)).max() for others in axes]
    assert max(off) == pytest.approx(found.missed, abs=1e-15)
    assert found.missed < (1e-10 if model == "main" else 1e-2)
    for others in axes:
        assert (found.probabilities.sum(axis=others)[shares.sum(axis=others) == 0] == 0).all()


def test_the_main_effects_model_is_the_product_of_the_margins() -> None:
    table = np.array([[5, 0, 1], [2, 0, 0]])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum() ** 2
    assert np.abs(probabilities(table, "main").probabilities - expected).max() < 1e-12


def test_smoothing() -> None:
    """CONVENTION 250."""
    table = np.array([[5, 0, 1], [2, 0, 0]])

    def chances(counts: np.ndarray, model: Model, smoothing: Smoothing = NO_SMOOTHING) -> np.ndarray:
        return probabilities(counts, model, smoothing).probabilities

    added = chances(table, "main", Smoothing(added=0.5))
    assert (added > 0).all()
    assert np.abs(added - chances(2 * table + 1, "main")).max() < 1e-12
    plain, observed = chances(table, "main"), table / 8
    mixed = chances(table, "main", Smoothing(pseudo_bayes=True))
    weight = (1 - (observed**2).sum()) / ((observed - plain) ** 2).sum()  # Fienberg and Holland
    assert np.abs(mixed - (8 * observed + weight * plain) / (8 + weight)).max() < 1e-12
    assert (chances(table, "saturated", Smoothing(pseudo_bayes=True)) == observed).all()
    with pytest.raises(InputError, match="-1 is to be added"):
        Smoothing(added=-1)


@pytest.mark.parametrize("model", get_args(Model))
def test_a_sample_of_everybody_is_the_population(model: Model) -> None:
    """CONVENTION 250."""
    table = np.array([[5, 0, 1], [2, 3, 0]])
    found = estimate_from_sample(table, 11, SampleSettings(model), 5, RANDOM(1))
    start = before(table.ravel(), 6)
    assert found.r1 == Estimate(pytest.approx(float(weigh(start.terms, WEIGHTS))), 0.0, 0.0)
    assert found.r2.mean == pytest.approx(found.r1.mean)
    assert found.zeros.mean == 2
    assert found.conditional.mean == 0


def test_errors_are_those_of_the_simulation() -> None:
    table = np.array([[5, 1], [2, 3]])
    few = estimate_from_sample(table, 100, SampleSettings(), 100, RANDOM(1))
    many = estimate_from_sample(table, 100, SampleSettings(), 10_000, RANDOM(2))
    assert few.r1.error == pytest.approx(few.r1.deviation / 10)
    assert many.r1.error == pytest.approx(few.r1.error / 10, rel=0.4)
    assert abs(few.r1.mean - many.r1.mean) < 5 * few.r1.error
    assert few == estimate_from_sample(table, 100, SampleSettings(), 100, RANDOM(1))  # CONVENTION 252


def test_samples_are_without_replacement() -> None:
    population = np.array([3, 0, 5, 2])
    samples = draw_samples(population, 10, 5, RANDOM(0))
    assert (samples == population).all()
    samples = draw_samples(population, 4, 4000, RANDOM(0))
    assert (samples.sum(axis=1) == 4).all()
    assert (samples <= population).all()
    assert np.abs(samples.mean(axis=0) - 0.4 * population).max() < 0.1


def test_an_experiment_knows_the_truth() -> None:
    table = np.array([[9, 1, 0], [4, 6, 2]])
    found = sampling_experiment(table, 22, SampleSettings(), 3, 4, RANDOM(0))
    start = before(table.ravel(), 6)
    r1 = float(weigh(start.terms, WEIGHTS))
    assert found.true_r1 == r1
    assert found.true_r2 is not None
    assert found.true_r2.mean == pytest.approx(float(weigh(after(start, table.ravel(), table.ravel()).terms, WEIGHTS)))
    assert found.r1.mean == pytest.approx(r1)


@pytest.mark.parametrize(
    ("sample", "population", "said"),
    [
        ([[0, 0], [0, 0]], 10, "sample is empty"),
        ([[4, 4], [4, 4]], 10, "n = 16 units, more than the population of N = 10"),
        ([[4]], 10, "one cell"),
    ],
)
def test_samples_that_tell_nothing(sample: list[list[int]], population: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        estimate_from_sample(np.array(sample), population, SampleSettings(), 2, RANDOM(0))


@pytest.mark.parametrize("size", [0, 11])
def test_sample_sizes_that_are_none(size: int) -> None:
    with pytest.raises(InputError, match="expected 1 to N = 10"):
        draw_samples(np.array([4, 6]), size, 1, RANDOM(0))


def test_a_population_beyond_the_generator() -> None:
    with pytest.raises(LimitError, match="1,000,000,000"):
        draw_samples(np.array([10**12]), 5, 1, RANDOM(0))


def test_a_fit_on_the_boundary_ends_and_says_what_it_misses() -> None:
    """CONVENTION 251: no positive table has these margins with this zero, so that the fit has none either."""
    table = np.array([[[0, 1], [1, 1]], [[1, 1], [1, 0]]])
    found = fit(table / 6, "two-way")
    assert 1e-10 < found.missed < 1e-2
    assert found.probabilities[0, 0, 0] < 1e-2
    assert found.probabilities.sum() == pytest.approx(1)
