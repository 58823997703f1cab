"""Distribution of every target over the feasible tables of a component, estimated by sampling."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, vstack

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.linear.lattice import Solutions, neighbours, shortened
from tableseal.audit.measures.feasible_tables.count import LogWeight
from tableseal.audit.measures.feasible_tables.diagnose import split_rhat_and_ess
from tableseal.audit.measures.feasible_tables.distribution import Distribution
from tableseal.audit.measures.feasible_tables.start import starting_tables
from tableseal.audit.measures.feasible_tables.walk import LogRatio, Space, walk
from tableseal.audit.solvers.protocol import Solver

Ints = NDArray[np.int64]

CHAINS = 16
"""Each is one batch of the jackknife."""

LARGEST = 4_000
"""Columns of a component, and targets in it, up to which it is sampled."""

MOVES = 4
"""Listed moves for each basis vector, at most."""


@dataclass(frozen=True)
class Sampled:
    """One target: its distribution by all chains and without each of them; effective sample size and split R-hat."""

    whole: Distribution
    without: tuple[Distribution, ...]
    ess: float
    rhat: float


def sample_tables(
    component: Component,
    samples: int,
    seed: int,
    solver: Solver,
    limits: Limits,
    log_weight: LogWeight | None = None,
) -> tuple[Sampled, ...] | None:
    """Sample tables of a component; None if it or its moves are too large, no table is found to start from, or time
    runs out.

    Parameters
    ----------
    component: column bounds finite.
    samples: tables kept in all chains together, at least 4 a chain; as many are spent on warming up.
    """
    if max(component.matrix.shape[1], component.targets.shape[0]) > LARGEST:
        return None
    start = starting_tables(component, CHAINS, solver, seed, limits)
    if start is None:
        return None
    try:
        space, coordinates = space_of(component)
    except OverflowError:
        return None
    sweeps = max(4, -(-samples // CHAINS))
    generator = np.random.default_rng(seed)
    log_ratio = _log_ratio(log_weight, space.columns)
    walked = walk(space, start @ coordinates.T, sweeps, generator, limits, log_ratio)
    if walked is None:
        return None
    targets = component.targets
    values = np.stack([one @ targets.T for one in walked.trace])
    rhat, ess = split_rhat_and_ess(values)
    size = np.diff(targets.indptr)
    result = []
    for t in range(targets.shape[0]):
        column, weight = int(targets.indices[targets.indptr[t]]), int(targets.data[targets.indptr[t]])
        if size[t] == 1 and weight == 1:
            first, step, mass = int(walked.first[column]), int(walked.step[column]), walked.mass[column]
        else:
            first, step, mass = _histogram(values[:, :, t])
        total = mass.sum(axis=0)
        result.append(
            Sampled(
                _shares(first, total, step),
                tuple(_shares(first, total - mass[c], step) for c in range(CHAINS)),
                float(ess[t]),
                float(rhat[t]),
            )
        )
    return tuple(result)


def _log_ratio(log_weight: LogWeight | None, columns: int) -> LogRatio | None:
    if log_weight is None:
        return None

    def log_ratio(support: Ints, before: Ints, after: Ints) -> NDArray[np.float64]:
        result = np.zeros(before.shape)
        at = np.flatnonzero(support < columns)
        result[:, at] = log_weight(support[at], after[:, at]) - log_weight(support[at], before[:, at])
        return result

    return log_ratio


def _histogram(values: Ints) -> tuple[int, int, NDArray[np.float64]]:
    """(first value, width of a bin, chains x bins) of visited sums; values: draws x chains. Where sums range widely,
    bins are as wide as Freedman and Diaconis (1981) recommend."""
    low, high = int(values.min()), int(values.max())
    quarter, three = np.quantile(values, [0.25, 0.75])
    step = max(1, int(2 * (three - quarter) / values.size ** (1 / 3)))
    mass = np.zeros((values.shape[1], (high - low) // step + 1))
    for chain in range(values.shape[1]):
        mass[chain] = np.bincount((values[:, chain] - low) // step, minlength=mass.shape[1])
    return low, step, mass


def _shares(first: int, mass: NDArray[np.float64], step: int) -> Distribution:
    # Sums and differences of the lines leave dust of the size of rounding errors.
    clean = np.where(mass > 1e-12 * mass.sum(), mass, 0.0)
    return Distribution(first, clean / clean.sum(), step)


def space_of(component: Component) -> tuple[Space, csr_array]:
    """The space of the walk, and the matrix that gives a table's coordinates: columns, then interval rows.

    Raises
    ------
    OverflowError: elimination has led to moves of large numbers.
    """
    columns = component.matrix.shape[1]
    equation = component.lower == component.upper
    between = csr_array(component.matrix[np.flatnonzero(~equation)])
    coordinates = csr_array(vstack([eye_array(columns, dtype=np.int64), between], format="csr", dtype=np.int64))
    free = np.flatnonzero(component.column_lower < component.column_upper)
    equations = csr_array(csr_array(component.matrix[np.flatnonzero(equation)])[:, free])
    onto = csr_array((np.ones(len(free), np.int64), (np.arange(len(free)), free)), shape=(len(free), columns))
    basis = csr_array(Solutions(equations).moves() @ onto)
    roomy = shortened(basis, component.column_upper - component.column_lower)
    more = neighbours(basis, MOVES * basis.shape[0])
    listed = csr_array(vstack([basis, roomy, more], format="csr", dtype=np.int64))
    return Space(
        np.concatenate([component.column_lower, component.lower[~equation]]),
        np.concatenate([component.column_upper, component.upper[~equation]]),
        columns,
        _on(basis, coordinates),
        _on(listed, coordinates),
    ), coordinates


def _on(moves: csr_array, coordinates: csr_array) -> csr_array:
    moved = csr_array(moves @ coordinates.T)
    moved.eliminate_zeros()
    moved.sort_indices()
    return moved
