"""Points that reach many ends at once, and the normal equations below them, on cubes with all margins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.dense import witness_rounds as rounds
from tableseal.audit.bounds.dense.unimodular import unit_basis
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.solvers.concave import Concave, Ends
from tableseal.audit.solvers.normal import Normal
from tableseal.audit.solvers.protocol import Problem
from tests.test_audit.test_bounds_rounds import assert_right, found, three_way, with_intervals
from tests.test_audit.test_solver_central import is_claimed

SEEDS = st.integers(0, 2**40)


def concave(problem: Problem) -> Concave:
    rows, _, _ = unit_basis(problem.matrix, np.ones(problem.matrix.shape[1], np.bool_))
    return Concave(problem, np.sort(rows))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(0, 8))
def test_normal_equations_are_solved(seed: int, widest: int) -> None:
    """With a dense core of any size, columns that stand still, and rows that depend on others."""
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(1, 12)), int(random.integers(12, 30))
    matrix = random.integers(-1, 2, (rows, columns)) * (random.random((rows, columns)) < 0.3)
    matrix[-1] = matrix[0]
    scale = random.random(columns) * (random.random(columns) < 0.9) + 1e-9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tableseal.audit.solvers.normal.WIDEST", widest)
        normal = Normal(csr_array(matrix.astype(np.float64)))
    for _ in range(2):
        assert normal.factorise(scale)
        right = (matrix * scale) @ (matrix.T @ random.standard_normal(rows))
        y = normal.solve(right)
        assert (matrix * scale) @ (matrix.T @ y) == pytest.approx(right, abs=1e-6)
        scale = scale[::-1].copy()


@pytest.mark.parametrize("seed", range(6))
def test_least_values_with_their_multipliers(seed: int) -> None:
    """What is claimed is a table, as good as the best, and the multipliers prove it."""
    assert is_claimed(seed, concave, near=1e-5)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_point_reaches_many_ends(seed: int, wide: bool) -> None:
    """More than a linear combination of all of them does."""
    problem, _ = solver_problem(as_equations(three_way(seed, 6, withheld=0.8)))
    low, high = problem.column_lower, problem.column_upper
    columns = len(low)
    weight = 0.5 + np.random.default_rng(seed).random(columns)
    method = concave(problem)
    x = method.reach(Ends(np.arange(columns), np.full(columns, -1), high, weight), wide=wide)
    linear = method.minimise(-weight / (high - low + 0.1))
    assert x is not None
    assert linear is not None
    assert linear.x is not None
    assert np.abs(problem.matrix @ x - problem.lower).max() < 1e-6
    assert ((x >= low) & (x <= high)).all()
    assert (x == high).sum() >= (np.abs(linear.x - high) < 1e-6).sum()


def test_ends_within_the_bounds_are_reached_too() -> None:
    """As questions ask for that need no more than some value."""
    problem, _ = solver_problem(as_equations(three_way(3, 5, withheld=0.8)))
    high = problem.column_upper
    widest = int(np.argmax(high))
    one = np.array([widest])
    x = concave(problem).reach(Ends(one, np.array([-1]), high[one] / 2, np.ones(1)), wide=True)
    assert x is not None
    assert x[widest] >= high[widest] / 2


def test_nothing_is_claimed_without_a_table() -> None:
    """x + y = 1 with both at least 1; no ends; no cost."""
    ones = np.ones(2)
    none = concave(Problem(csr_array(np.array([[1, 1]])), ones[:1], ones[:1], ones, 2 * ones))
    assert none.minimise(ones) is None
    assert none.reach(Ends(np.array([0]), np.array([-1]), ones[:1], ones[:1]), wide=False) is None
    some = concave(Problem(csr_array(np.array([[1, 1]])), 2 * ones[:1], 2 * ones[:1], 0 * ones, 2 * ones))
    assert some.minimise(0 * ones) is None


def test_columns_without_limit() -> None:
    """x - y = 0 with no upper limit: no least value is claimed."""
    one, two = np.ones(1), np.ones(2)
    apart = Problem(csr_array(np.array([[1, -1]])), 0 * one, 0 * one, 0 * two, np.inf * two)
    assert concave(apart).minimise(-two) is None


@pytest.mark.parametrize("intervals", [False, True])
def test_misses_are_tried_again_and_then_left_to_combinations(monkeypatch: pytest.MonkeyPatch, intervals: bool) -> None:
    """Whatever the path leads to, nothing false is made known and nearly everything is closed."""
    component = three_way(7, 5)
    if intervals:
        component = with_intervals(component, 7)
    tried = []

    def nowhere(self: Concave, ends: Ends, *, wide: bool) -> None:
        tried.append(wide)

    monkeypatch.setattr(Concave, "reach", nowhere)
    known = found(component)
    assert tried == [True] * rounds.FAILURES
    assert_right(component, known)
    assert len(known.open_linear()) <= 0.05 * len(known.met)
