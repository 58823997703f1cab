"""Exact checks of what a floating-point engine claims.

Everything here is in whole numbers. Multipliers y on the rows prove, for every real solution,
    c x >= sum_r (y_r > 0 ? y_r lower_r : y_r upper_r) + sum_j (d_j > 0 ? d_j l_j : d_j u_j),   d = c - A' y,
whatever y is, as long as no missing bound is used with a nonzero multiplier. So y may be rounded freely.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from tableseal.audit.bounds.component import Component, Multipliers
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.solvers.protocol import Outcome

DENOMINATORS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18, 20, 24, 30, 36, 40, 42, 48, 60, 64, 72, 84, 90, 96)
"""Denominators tried for the multipliers and points of a vertex; beyond these the basis is solved exactly."""

MOST_FRACTIONS = 64
"""Different values of a vector that are worth a search for fractions; dense vertices have hundreds, all with the large
determinant of their basis below."""

_NEAR = 1e-6
_SAFE = float(2**62)


@dataclass(frozen=True)
class Rational:
    """A vector of fractions with one denominator."""

    numerator: NDArray[np.int64]
    denominator: int


def sparse(y: Rational, *, empty: bool = False) -> Multipliers:
    """The nonzero multipliers, to keep as a proof."""
    rows = np.flatnonzero(y.numerator)
    return Multipliers(rows, y.numerator[rows], y.denominator, empty)


def rationalise(values: NDArray[np.float64]) -> Rational | None:
    """The vector as fractions with the smallest listed denominator that fits, None if none does."""
    if not np.isfinite(values).all() or np.abs(values).max(initial=0.0) > 2.0**52:
        return None
    for denominator in DENOMINATORS:
        scaled = values * denominator
        rounded = np.rint(scaled)
        if np.abs(scaled - rounded).max(initial=0.0) < _NEAR:
            return Rational(rounded.astype(np.int64), denominator)
    return _continued_fractions(values)


def _continued_fractions(values: NDArray[np.float64]) -> Rational | None:
    """Nearby fractions entry by entry (links with decimal bounds give denominators such as 100)."""
    different = np.unique(values)
    if len(different) > MOST_FRACTIONS:
        return None
    distinct = {float(v): Fraction(float(v)).limit_denominator(10_000) for v in different}
    denominator = lcm(*(f.denominator for f in distinct.values()))
    if denominator > 10**6 or any(abs(float(f) - v) > 1e-9 * max(1.0, abs(v)) for v, f in distinct.items()):
        return None
    return Rational(np.array([int(distinct[float(v)] * denominator) for v in values], dtype=np.int64), denominator)


def scaled(values: NDArray[np.float64], bits: int = 20) -> Rational | None:
    """Multipliers rounded to 1/2^bits: they prove a bound a little short of the claimed one, whatever they are."""
    if not np.isfinite(values).all() or np.abs(values).max(initial=0.0) > 2.0 ** (50 - bits):
        return None
    return Rational(np.rint(values * 2**bits).astype(np.int64), 2**bits)


def _exact_product(matrix: csr_array | csc_array, vector: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """matrix @ vector, None if 64 bits might not hold it."""
    size = np.abs(vector.astype(np.float64))
    if float(np.abs(matrix.data).max(initial=0)) * size.sum() >= _SAFE and (abs(matrix) @ size).max() >= _SAFE:
        return None
    result: NDArray[np.int64] = matrix @ vector
    return result


def dual_bound(component: Component, cost: NDArray[np.int64], y: Rational) -> Fraction | None:
    """The lower bound on cost @ x that the multipliers prove; None if they prove nothing."""
    combined = _exact_product(component.matrix.T, y.numerator)
    if combined is None or np.abs(cost).max(initial=0) * y.denominator >= 2**61:
        return None
    rest = cost * y.denominator - combined
    total = 0
    for weight, low, high in (
        (y.numerator, component.lower, component.upper),
        (rest, component.column_lower, component.column_upper),
    ):
        used = np.flatnonzero(weight)
        bound = np.where(weight[used] > 0, low[used], high[used])
        if (np.abs(bound) >= NO_UPPER).any():
            return None
        total += _dot(weight[used], bound)
    return Fraction(total, y.denominator)


def _dot(a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    if float(np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))) < _SAFE:
        return int(a @ b)
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))


def value_at(cost: NDArray[np.int64], x: Rational) -> Fraction:
    """cost @ x, exactly."""
    used = np.flatnonzero(cost)
    return Fraction(_dot(cost[used], x.numerator[used]), x.denominator)


def refutes(component: Component, y: Rational) -> bool:
    """True if the multipliers prove that no real solution exists (Farkas)."""
    bound = dual_bound(component, np.zeros(component.matrix.shape[1], np.int64), y)
    return bound is not None and bound > 0


def satisfies(component: Component, x: Rational) -> bool:
    """True if the point satisfies every row and column bound exactly."""
    value = _exact_product(component.matrix, x.numerator)
    if value is None:
        return False
    return _within(value, component.lower, component.upper, x.denominator) and _within(
        x.numerator, component.column_lower, component.column_upper, x.denominator
    )


def fitting(component: Component, tables: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of some tables (int64, tables x columns) satisfy every row and column bound exactly."""
    matrix = component.matrix
    largest = max(float(tables.max(initial=0)), -float(tables.min(initial=0)))
    if largest * float(np.abs(matrix.data).max(initial=0)) * matrix.shape[1] >= _SAFE:
        return np.array([satisfies(component, Rational(x, 1)) for x in tables], np.bool_)
    value = matrix @ tables.T
    rows = (value >= component.lower[:, None]) & (value <= component.upper[:, None])
    columns = (tables >= component.column_lower) & (tables <= component.column_upper)
    result: NDArray[np.bool_] = rows.all(axis=0) & columns.all(axis=1)
    return result


def _within(value: NDArray[np.int64], lower: NDArray[np.int64], upper: NDArray[np.int64], denominator: int) -> bool:
    """lower <= value / denominator <= upper, by floor and ceiling so that nothing is multiplied up."""
    floor, ceiling = value // denominator, -((-value) // denominator)
    low_ok = (lower == NO_LOWER) | (floor >= lower)
    high_ok = (upper == NO_UPPER) | (ceiling <= upper)
    return bool(low_ok.all() and high_ok.all())


def is_ray(component: Component, cost: NDArray[np.int64], ray: NDArray[np.float64]) -> bool:
    """True if moving along the ray for ever stays feasible and lowers cost @ x."""
    largest = np.abs(ray).max(initial=0.0)
    direction = rationalise(ray / largest) if largest > 0 else None
    if direction is None:
        return False
    r = direction.numerator
    value = _exact_product(component.matrix, r)
    if value is None or _dot(cost, r) >= 0:
        return False
    for v, low, high in (
        (value, component.lower, component.upper),
        (r, component.column_lower, component.column_upper),
    ):
        if ((low != NO_LOWER) & (v < 0)).any() or ((high != NO_UPPER) & (v > 0)).any():
            return False
    return True


def solve_basis(
    component: Component, cost: NDArray[np.int64], outcome: Outcome
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The exact vertex and multipliers of an optimal basis: (x, y), None if the basis is singular or has no bounds.

    Tight rows and nonbasic columns at their bounds give as many equations as there are basic columns.
    """
    if outcome.basis is None:
        return None
    basis = outcome.basis()
    basic, tight, at_upper = basis.basic, basis.tight, basis.at_upper
    rows, columns = np.flatnonzero(tight), np.flatnonzero(basic)
    if len(rows) != len(columns):
        return None
    # An equation may be reported tight on either side.
    right = np.where(tight[rows] > 0, component.upper[rows], component.lower[rows])
    fixed = np.where(at_upper, component.column_upper, component.column_lower)
    fixed = np.where(np.abs(fixed) >= NO_UPPER, 0, fixed)  # a free nonbasic column stands at 0
    fixed[columns] = 0
    if (np.abs(right) >= NO_UPPER).any():
        return None
    square = csr_array(component.matrix[rows][:, columns])
    moved = _exact_product(component.matrix[rows], fixed)
    if moved is None:
        return None
    primal, dual = _solved(csr_array(square.T), right - moved), _solved(square, cost[columns])
    if primal is None or dual is None:
        return None
    x, y = [Fraction(int(v)) for v in fixed], [Fraction(0)] * len(tight)
    for k, value in primal.items():
        x[columns[k]] = value
    for k, value in dual.items():
        y[rows[k]] = value
    return x, y


def _solved(square: csr_array, right: NDArray[np.int64]) -> dict[int, Fraction] | None:
    """The y that are not 0 of y @ square = right, exactly; None if the matrix is singular."""
    eliminated = Elimination(square, np.zeros(len(right), np.int64))
    return eliminated.multipliers(dict(enumerate(right.tolist()))) if eliminated.rank == len(right) else None


def common_denominator(values: list[Fraction]) -> Rational | None:
    """The same vector with one denominator, None if it does not fit 64 bits."""
    denominator = lcm(*(v.denominator for v in values))
    if denominator >= 2**61:
        return None
    numerators = [int(v * denominator) for v in values]
    if any(abs(n) >= 2**61 for n in numerators):
        return None
    return Rational(np.array(numerators, dtype=np.int64), denominator)
