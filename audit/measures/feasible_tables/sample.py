"""Distribution of every target over the feasible tables of a component, estimated by sampling."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, vstack

from audit.bounds.component import Component
from audit.measures.feasible_tables.count import LogWeight
from audit.measures.feasible_tables.diagnose import split_rhat_and_ess
from audit.measures.feasible_tables.distribution import Distribution
from audit.measures.feasible_tables.lattice import kernel_lattice, neighbours
from audit.measures.feasible_tables.start import starting_tables
from audit.measures.feasible_tables.walk import Space, bins_of, walk
from audit.solvers.protocol import Solver

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
    component: Component, samples: int, seed: int, solver: Solver, log_weight: LogWeight | None = None
) -> tuple[Sampled, ...] | None:
    """Sample tables of a component; None if it is too large or no table is found to start from.

    Parameters
    ----------
    component: column bounds finite.
    samples: tables kept in all chains together, at least 4 a chain; as many are spent on warming up.
    """
    if max(component.matrix.shape[1], component.targets.shape[0]) > LARGEST:
        return None
    start = starting_tables(component, CHAINS, solver, seed)
    if start is None:
        return None
    space, coordinates = _space(component)
    sweeps = max(4, -(-samples // CHAINS))

    def log_ratio(support: Ints, before: Ints, after: Ints) -> NDArray[np.float64]:
        total = np.zeros(len(before))
        for k, column in enumerate(support.tolist()):
            if log_weight is not None and column < component.matrix.shape[1]:
                total += log_weight(column, after[:, k]) - log_weight(column, before[:, k])
        return total

    walked = walk(
        space,
        start @ coordinates.T,
        sweeps,
        np.random.default_rng(seed),
        None if log_weight is None else log_ratio,
    )
    rhat, ess = split_rhat_and_ess(walked.trace)
    result = []
    for k, mass in enumerate(walked.mass):
        first, step = int(space.first[k]), int(space.step[k])
        total = mass.sum(axis=0)
        result.append(
            Sampled(
                _shares(first, total, step),
                tuple(_shares(first, total - mass[c], step) for c in range(CHAINS)),
                float(ess[k]),
                float(rhat[k]),
            )
        )
    return tuple(result)


def _shares(first: int, mass: NDArray[np.float64], step: int) -> Distribution:
    # Sums and differences of the lines leave dust of the size of rounding errors.
    clean = np.where(mass > 1e-12 * mass.sum(), mass, 0.0)
    return Distribution(first, clean / clean.sum(), step)


def _space(component: Component) -> tuple[Space, csr_array]:
    """The space of the walk, and the matrix that gives a table's coordinates: columns, interval rows, sums."""
    columns = component.matrix.shape[1]
    equation = component.lower == component.upper
    between = csr_array(component.matrix[np.flatnonzero(~equation)])
    targets = component.targets
    size = np.diff(targets.indptr)
    of_one = size == 1
    of_one[of_one] = targets.data[targets.indptr[:-1][of_one]] == 1
    sums = csr_array(targets[np.flatnonzero(~of_one)])
    coordinates = csr_array(vstack([eye_array(columns, dtype=np.int64), between, sums], format="csr", dtype=np.int64))
    low = np.concatenate([component.column_lower, component.lower[~equation], _least(sums, component)])
    high = np.concatenate([component.column_upper, component.upper[~equation], -_least(-sums, component)])
    watch = np.empty(len(size), np.int64)
    watch[of_one] = targets.indices[targets.indptr[:-1][of_one]]
    watch[~of_one] = columns + between.shape[0] + np.arange(sums.shape[0])
    free = np.flatnonzero(component.column_lower < component.column_upper)
    equations = csr_array(csr_array(component.matrix[np.flatnonzero(equation)])[:, free])
    onto = csr_array((np.ones(len(free), np.int64), (np.arange(len(free)), free)), shape=(len(free), columns))
    basis = csr_array(kernel_lattice(equations) @ onto)
    listed = csr_array(vstack([basis, neighbours(basis, MOVES * basis.shape[0])], format="csr", dtype=np.int64))
    first, step, bins = bins_of(low[watch], high[watch])
    return Space(low, high, _on(basis, coordinates), _on(listed, coordinates), watch, first, step, bins), coordinates


def _on(moves: csr_array, coordinates: csr_array) -> csr_array:
    moved = csr_array(moves @ coordinates.T)
    moved.eliminate_zeros()
    moved.sort_indices()
    return moved


def _least(forms: csr_array, component: Component) -> Ints:
    """Least value of each form that the column bounds allow."""
    positive = csr_array((np.maximum(forms.data, 0), forms.indices, forms.indptr), shape=forms.shape)
    negative = csr_array((np.minimum(forms.data, 0), forms.indices, forms.indptr), shape=forms.shape)
    return np.asarray(positive @ component.column_lower + negative @ component.column_upper)
