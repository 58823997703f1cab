"""The central path by conjugate gradients against GLPK, on cubes with all margins."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tableseal.audit.bounds.dense import witness_rounds as rounds
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.solvers.central import Central
from tableseal.audit.solvers.concave import Concave
from tableseal.audit.solvers.protocol import Problem
from tests.test_audit.test_bounds_rounds import assert_right, found, least, three_way, with_intervals

SEEDS = range(12)


def test_least_values_with_their_multipliers() -> None:
    """What is claimed is a table, as good as the best, and the multipliers prove it."""
    claimed = sum(is_claimed(seed, Central) for seed in SEEDS)
    assert claimed >= 0.7 * len(SEEDS)


def is_claimed(seed: int, method: Callable[[Problem], Central | Concave], *, near: float = 1e-8) -> bool:
    """Whether a method claims a least value; then it is right. near: how close a table is to its equations."""
    component = three_way(seed, 5 + seed % 3, withheld=0.8, offset=1000 * (seed % 2))
    columns = component.matrix.shape[1]
    problem, shift = solver_problem(as_equations(component))
    low, high = problem.column_lower, problem.column_upper
    cost = np.zeros(len(low))
    cost[:columns] = np.round(np.random.default_rng(seed).standard_normal(columns), 1)
    outcome = method(problem).minimise(cost)
    if outcome is None:
        return False
    assert outcome.x is not None
    assert outcome.row_dual is not None
    assert np.abs(problem.matrix @ outcome.x - problem.lower).max() < near
    assert ((outcome.x >= low) & (outcome.x <= high)).all()
    value = float(cost @ outcome.x)
    assert value == pytest.approx(least(component, cost[:columns]) - float(cost @ shift), abs=1e-4)
    rest = cost - problem.matrix.T @ outcome.row_dual
    bound = problem.lower @ outcome.row_dual + np.minimum(rest * low, rest * high).sum()
    assert bound == pytest.approx(value, rel=1e-5, abs=1e-4), (seed, bound, value)
    return True


def test_what_has_no_lower_bound_or_no_cost_is_left_to_others() -> None:
    problem, _ = solver_problem(as_equations(three_way(1, 3)))
    columns = len(problem.column_lower)
    central = Central(problem)
    assert central.minimise(np.zeros(columns)) is None
    free = replace(problem, column_lower=np.full(columns, -np.inf))
    assert Central(free).minimise(np.ones(columns)) is None


def test_no_table_and_no_limit_are_not_claimed() -> None:
    """x + y = 1 with both at least 1; x - y = 0 without an upper limit."""
    ones = np.ones(2)
    together = Problem(csr_array(np.array([[1, 1]])), ones[:1], ones[:1], ones, 2 * ones)
    assert Central(together).minimise(ones) is None
    apart = Problem(csr_array(np.array([[1, -1]])), 0 * ones[:1], 0 * ones[:1], 0 * ones, np.inf * ones)
    assert Central(apart).minimise(-ones) is None


@pytest.mark.parametrize("intervals", [False, True])
def test_rounds_on_the_central_path(monkeypatch: pytest.MonkeyPatch, intervals: bool) -> None:
    """Large components are asked this way: nothing false, nearly everything closed."""
    monkeypatch.setattr(rounds, "CENTRAL", 10)
    component = three_way(7, 5)
    if intervals:
        component = with_intervals(component, 7)
    known = found(component)
    assert_right(component, known)
    assert len(known.open_linear()) <= 0.05 * len(known.met)
