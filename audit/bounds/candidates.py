"""Multipliers near those that an engine gives, for exact arithmetic to check: the simplest first."""

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, common_denominator, dual_bound, rationalise, scaled, solve_basis
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.programs.simplex import EXACT_BASIS
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.solvers.protocol import Floats, Outcome


def reaches(box: Component, cost: NDArray[np.int64], y: Rational, target: int) -> bool:
    """Whether the multipliers prove that cost @ x is at least `target` for every whole x."""
    bound = dual_bound(box, cost, y)
    return bound is not None and ceil(bound) >= target


def candidates(box: Component, cost: NDArray[np.int64], outcome: Outcome, dual: Floats) -> Iterator[Rational]:
    """Multipliers for the lower bound on cost @ x, made of those that the engine gives (`dual`, of `outcome`)."""
    y = rationalise(dual)
    if y is not None:
        yield y
        yield _repaired(box, cost, y)
    if box.matrix.shape[1] <= EXACT_BASIS:
        exact = solve_basis(box, cost, outcome)
        y = None if exact is None else common_denominator(exact[1])
        if y is not None:
            yield y
    y = scaled(dual)
    if y is not None:
        yield _repaired(box, cost, y)


def _repaired(box: Component, cost: NDArray[np.int64], y: Rational) -> Rational:
    """Multipliers after rounding may leave a column without upper bound a coefficient a little below 0: more of a row
    that holds the column, has no negative entry and an upper bound, makes up for it."""
    rest = cost * y.denominator - box.matrix.T @ y.numerator
    short = np.flatnonzero((rest < 0) & (box.column_upper == NO_UPPER))
    if len(short) == 0:
        return y
    numerator, by_column = y.numerator.copy(), box.matrix.tocsc()
    filled = np.flatnonzero(np.diff(box.matrix.indptr))
    least = np.zeros(len(box.upper), np.int64)
    least[filled] = np.minimum.reduceat(box.matrix.data, box.matrix.indptr[filled]) if len(filled) else 0
    usable = (least > 0) & (box.upper != NO_UPPER)
    for column in short.tolist():
        lack = int(rest[column])
        if lack >= 0:
            continue
        span = slice(by_column.indptr[column], by_column.indptr[column + 1])
        rows = by_column.indices[span][usable[by_column.indices[span]]]
        if len(rows) == 0:
            continue
        row = int(rows[np.argmin(box.upper[rows])])
        entries = slice(box.matrix.indptr[row], box.matrix.indptr[row + 1])
        own = int(box.matrix.data[entries][box.matrix.indices[entries] == column][0])
        more = -(-lack // own)
        numerator[row] -= more
        rest[box.matrix.indices[entries]] += more * box.matrix.data[entries]
    return Rational(numerator, y.denominator)
