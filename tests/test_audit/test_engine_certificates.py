"""Exact checks of what a solver claims: nothing false is ever believed, whatever the multipliers."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import (
    Rational,
    common_denominator,
    dual_bound,
    is_ray,
    rationalise,
    refutes,
    satisfies,
    solve_basis,
)
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.programs.elastic import proved_empty
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)
MOST = 4


def random_component(seed: int, *, bounded: bool = True) -> tuple[Component, np.ndarray, Random]:
    """A small component, a cost, and the random source for more."""
    random = Random(seed)
    rows, columns = random.randint(1, 3), random.randint(1, 4)
    matrix = np.array([[random.choice([0, 0, 1, 1, -1, 2]) for _ in range(columns)] for _ in range(rows)])
    middle = matrix @ np.array([random.randint(0, 3) for _ in range(columns)])
    lower = middle - np.array([random.choice([0, 0, 1]) for _ in range(rows)])
    upper = middle + np.array([random.choice([0, 0, 2]) for _ in range(rows)])
    for r in range(rows):
        if random.random() < 0.2:
            lower[r] = NO_LOWER
        if random.random() < 0.2:
            upper[r] = NO_UPPER
        if random.random() < 0.1 and lower[r] != NO_LOWER:
            lower[r] = upper[r] = lower[r] + random.randint(-6, 6)
    low = np.zeros(columns, dtype=np.int64)
    high = np.full(columns, MOST if bounded or random.random() < 0.4 else NO_UPPER)
    targets = csr_array(np.ones((1, columns), dtype=np.int64))
    component = Component(csr_array(matrix), lower, upper, low, high, targets)
    cost = np.array([random.randint(-2, 2) for _ in range(columns)])
    return component, cost, random


def fits(component: Component, x: np.ndarray | list[Fraction]) -> bool:
    value = component.matrix.toarray().astype(object) @ np.array(x, dtype=object)
    pairs = ((value, component.lower, component.upper), (x, component.column_lower, component.column_upper))
    return all(
        (low == NO_LOWER or v >= low) and (high == NO_UPPER or v <= high)
        for values, lows, highs in pairs
        for v, low, high in zip(values, lows.tolist(), highs.tolist(), strict=True)
    )


def half_points(component: Component) -> Iterator[list[Fraction]]:
    """All points in halves between 0 and 4 that fit."""
    grid = [Fraction(k, 2) for k in range(2 * MOST + 1)]
    for point in product(grid, repeat=component.matrix.shape[1]):
        if fits(component, list(point)):
            yield list(point)


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_wrong_multipliers_prove_nothing_false(seed: int) -> None:
    component, cost, random = random_component(seed)
    assume(component.matrix.shape[1] <= 3)
    points = list(half_points(component))
    for _ in range(5):
        size = component.matrix.shape[0]
        y = Rational(np.array([random.randint(-4, 4) for _ in range(size)]), random.choice([1, 2, 3]))
        bound = dual_bound(component, cost, y)
        if bound is not None:
            assert all(sum(int(c) * v for c, v in zip(cost, p, strict=True)) >= bound for p in points)
        if refutes(component, y):
            assert not points


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_points_are_checked_exactly(seed: int) -> None:
    component, _, random = random_component(seed)
    for _ in range(10):
        denominator = random.choice([1, 2, 3])
        x = np.array([random.randint(-1, denominator * (MOST + 1)) for _ in range(component.matrix.shape[1])])
        exact = [Fraction(int(v), denominator) for v in x]
        assert satisfies(component, Rational(x, denominator)) == fits(component, exact)


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_rays_go_on_for_ever(seed: int) -> None:
    component, cost, random = random_component(seed, bounded=False)
    direction = np.array([random.choice([0, 0, 1, 2, -1]) for _ in range(component.matrix.shape[1])])
    points = [
        np.array(p) for p in product(range(MOST), repeat=component.matrix.shape[1]) if fits(component, np.array(p))
    ]
    assume(points)
    goes_on = all(fits(component, points[0] + t * direction) for t in (1, 10, 1000)) and int(cost @ direction) < 0
    assert is_ray(component, cost, direction.astype(np.float64)) == goes_on


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_basis_is_solved_exactly(seed: int) -> None:
    """The exact vertex and multipliers of an optimal basis meet: both ends of strong duality."""
    component, cost, _ = random_component(seed)
    problem, shift = solver_problem(component)
    assert not shift.any()
    outcome = Highs().warm(problem).minimise(cost.astype(np.float64))
    if outcome.status == "infeasible":
        assert proved_empty(component, Highs())
        return
    solved = solve_basis(component, cost, outcome)
    assume(solved is not None)
    x, y = (common_denominator(v) for v in solved)
    assert satisfies(component, x)
    value = Fraction(int(cost @ x.numerator), x.denominator)
    assert dual_bound(component, cost, y) == value
    assert float(value) == pytest.approx(float(cost @ outcome.x), abs=1e-6)


def test_no_bound_without_a_missing_bound() -> None:
    one = csr_array(np.array([[1]]))
    free = Component(one, np.array([NO_LOWER]), np.array([5]), np.array([0]), np.array([NO_UPPER]), one)
    cost = np.array([1])
    assert dual_bound(free, cost, Rational(np.array([1]), 1)) is None
    assert dual_bound(free, cost, Rational(np.array([0]), 1)) == 0
    assert dual_bound(free, -cost, Rational(np.array([-1]), 1)) == -5


@pytest.mark.parametrize("far", [2**53 + 1, 2**59 + 7])
def test_large_values_are_exact(far: int) -> None:
    one = csr_array(np.array([[1]]))
    fixed = Component(one, np.array([far]), np.array([far]), np.array([0]), np.array([NO_UPPER]), one)
    assert dual_bound(fixed, np.array([1]), Rational(np.array([1]), 1)) == far
    assert dual_bound(fixed, np.array([3]), Rational(np.array([3]), 1)) == 3 * far
    assert satisfies(fixed, Rational(np.array([far]), 1))
    assert not satisfies(fixed, Rational(np.array([far - 1]), 1))


@given(st.lists(st.fractions(-50, 50, max_denominator=97), min_size=1, max_size=6))
def test_fractions_are_recovered(values: list[Fraction]) -> None:
    found = rationalise(np.array([float(v) for v in values]))
    if found is not None:
        near = [Fraction(int(n), found.denominator) for n in found.numerator]
        assert all(abs(a - b) < Fraction(1, 10**5) for a, b in zip(near, values, strict=True))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 2.0**60])
@pytest.mark.parametrize("function", [rationalise])
def test_no_fractions_of_nonsense(function: Callable[[np.ndarray], Rational | None], bad: float) -> None:
    assert function(np.array([1.0, bad])) is None


def test_common_denominator() -> None:
    found = common_denominator([Fraction(1, 2), Fraction(2, 3), Fraction(5)])
    assert found is not None
    assert (found.numerator.tolist(), found.denominator) == ([3, 4, 30], 6)
    assert common_denominator([Fraction(1, 2**61)]) is None
    assert common_denominator([Fraction(2**62)]) is None
