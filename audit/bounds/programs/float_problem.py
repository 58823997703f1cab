"""A component in the coordinates that a floating-point solver likes: every column measured from its lower bound.

Released values may be huge beside the room that is left (9,000,000,000,000 with a range of 3); after the shift only
the room remains.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, rationalise, satisfies
from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.solvers.protocol import Floats, Problem


def solver_problem(component: Component) -> tuple[Problem, NDArray[np.int64]]:
    """(problem in shifted columns z = x - shift, shift)."""
    low, high = component.column_lower, component.column_upper
    shift = np.where(low != NO_LOWER, low, np.where(high != NO_UPPER, high, 0))
    of_rows = product(component.matrix, shift)
    return Problem(
        component.matrix,
        moved_by(component.lower, of_rows),
        moved_by(component.upper, of_rows),
        moved_by(low, shift),
        moved_by(high, shift),
    ), shift


def as_floats(bound: NDArray[np.int64]) -> Floats:
    """Bounds as floats, with infinities for missing ones."""
    result: Floats = bound.astype(np.float64)
    result[bound == NO_LOWER] = -np.inf
    result[bound == NO_UPPER] = np.inf
    return result


def moved_by(bound: NDArray[np.int64], by: NDArray[np.int64]) -> Floats:
    """bound - by, exactly where it is finite, then as floats."""
    missing = np.abs(bound) >= NO_UPPER
    return as_floats(np.where(missing, bound, bound - by))


def to_original(z: Rational, shift: NDArray[np.int64]) -> Rational:
    """A point of the shifted problem in the component's own columns."""
    return Rational(z.numerator + shift * z.denominator, z.denominator)


def confirmed(component: Component, z: Floats, shift: NDArray[np.int64]) -> Rational | None:
    """The solution that a point of the shifted problem stands for, in fractions with small terms; None if that does not
    satisfy everything exactly."""
    rational = rationalise(z)
    x = None if rational is None else to_original(rational, shift)
    return x if x is not None and satisfies(component, x) else None


def ray_problem(component: Component) -> Problem:
    """Directions of length at most 1 in which one can go on for ever."""

    def cone(bound: NDArray[np.int64], limit: float) -> Floats:
        return np.where(np.abs(bound) >= NO_UPPER, limit, 0.0)

    return Problem(
        component.matrix,
        cone(component.lower, -np.inf),
        cone(component.upper, np.inf),
        cone(component.column_lower, -1.0),
        cone(component.column_upper, 1.0),
    )
