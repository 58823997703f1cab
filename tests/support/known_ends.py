"""Random components whose least values are known, and proofs read by plain arithmetic."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray
from random_components import random_component, truth_of

from tableseal.audit.bounds.component import Component, Multipliers
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.proof.bounding import Bound, Halves

Row = tuple[NDArray[np.int64], float, float]


def posed(seed: int) -> tuple[Component, NDArray[np.int64]] | None:
    """(a component in which columns have no bounds of their own but 0, all its tables); None: too many."""
    drawn = random_component(seed)
    columns = drawn.matrix.shape[1]
    free = replace(drawn, column_lower=np.zeros(columns, np.int64), column_upper=np.full(columns, NO_UPPER))
    with suppress(InfeasibleError):
        low, high = propagate(free.matrix, free.lower, free.upper, free.column_lower, free.column_upper, integer=False)
        tables = truth_of(replace(free, column_lower=low, column_upper=high)).tables
        if tables is not None and len(tables):
            return free, tables
    return None


def shown(bound: Bound, component: Component, form: NDArray[np.int64], cases: list[Row]) -> float:
    """What the proof shows the form to be at least: fractions, no package."""
    matrix = component.matrix.toarray()
    rows: list[Row] = [
        (row, -inf if low == NO_LOWER else low, inf if high == NO_UPPER else high)
        for row, low, high in zip(matrix, component.lower.tolist(), component.upper.tolist(), strict=True)
    ]
    if isinstance(bound, Halves):
        part = np.isin(np.arange(len(form)), bound.columns).astype(np.int64)
        halves = ((bound.low, -inf, bound.at), (bound.high, bound.at + 1, inf))
        return min(shown(half, component, form, [*cases, (part, low, high)]) for half, low, high in halves)
    assert isinstance(bound, Multipliers)
    rest, total = [Fraction(0 if bound.empty else int(x)) for x in form], Fraction(0)
    for at, numerator in zip(bound.rows.tolist(), bound.numerator.tolist(), strict=True):
        y = Fraction(numerator, bound.denominator)
        row, low, high = [*rows, *cases][at]
        end = low if y > 0 else high
        assert abs(end) != inf
        total += y * Fraction(end)
        rest = [r - y * int(x) for r, x in zip(rest, row, strict=True)]
    assert min(rest) >= 0
    if bound.empty:
        assert total > 0
        return inf
    return ceil(total)


def ends(seed: int) -> Iterator[tuple[Component, NDArray[np.int64], int]]:
    """(component, form, its least value) of every target and its negative."""
    found = posed(seed)
    if found is not None:
        component, tables = found
        for target in component.targets.toarray():
            yield from ((component, sign * target, int((tables @ (sign * target)).min())) for sign in (1, -1))
