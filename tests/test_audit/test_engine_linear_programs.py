"""Bounds against GLPK and scipy over the full cross-classification, on releases too large to list."""

from random import Random

import glpk
import numpy as np
import pytest
from agreement import by_name, report_of
from hypothesis import given, note, settings
from hypothesis import strategies as st
from oracle import FAR, Oracle, read
from random_releases import Maker
from scipy.optimize import Bounds, LinearConstraint, milp

FIVE = {"total": "T", "tree": {"A": ["1", "2"], "B": {"B1": ["3", "4"], "B2": ["5"]}}}
FOUR = {"total": "T", "codes": ["1", "2", "3", "4"]}
THREE = {"total": "T", "codes": ["1", "2", "3"]}


def integer_minimum(oracle: Oracle, cost: np.ndarray) -> float | None:
    """Least value over tables of whole units by scipy's branch and bound; None if there are none."""
    found = milp(
        cost,
        constraints=LinearConstraint(oracle.matrix, oracle.lower, oracle.upper),
        integrality=np.ones(len(cost)),
        bounds=Bounds(0 if oracle.nonnegative else -FAR, FAR),
    )
    assert found.status in (0, 2), found.message
    return float(found.fun) if found.status == 0 else None


def independent(oracle: Oracle, cost: np.ndarray) -> float:
    """Least value over real tables by GLPK, which shares no code with our engine."""
    from_below = np.full(len(cost), 0.0 if oracle.nonnegative else -np.inf)
    found = glpk.minimise(oracle.matrix, oracle.lower, oracle.upper, from_below, cost)
    return -np.inf if found is None else found


def assert_same_ends(maker: Maker) -> None:
    document = maker.document()
    note(str(document))
    oracle, report = read(document), report_of(document)
    if report is None:
        assert integer_minimum(oracle, np.zeros(oracle.matrix.shape[1])) is None
        return
    cells = by_name(report)
    for name in oracle.open_cells:
        cell, unit, form = cells[name], oracle.units[name[0]], oracle.forms[name]
        assert cell.lp is not None
        for side, sign in ((0, 1), (1, -1)):
            outer, lp = (cell.lower, cell.upper)[side], cell.lp[side]
            least = oracle.linear(sign * form)
            assert least is not None, "scipy finds no table"
            assert independent(oracle, sign * form) == pytest.approx(least, abs=1e-6)
            if np.isinf(least):
                assert lp is None
                assert outer is None
                continue
            assert float(lp / unit) == pytest.approx(sign * least, abs=1e-6), name
            assert sign * lp <= sign * outer, name
            whole = integer_minimum(oracle, sign * form)
            assert outer / unit == round(sign * whole), name
            assert cell.attained[side] == outer, name


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**40))
def test_hierarchies(seed: int) -> None:
    """Five by five leaves with subtotals."""
    assert_same_ends(
        Maker(Random(seed), shapes=[FIVE, FIVE], schema=[(0, 1)], largest=9, nonnegative=True, linked=0, damaged=5)
    )


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**40))
def test_linked_tables(seed: int) -> None:
    """Three faces of a 4 x 4 x 3 cross-classification."""
    assert_same_ends(
        Maker(
            Random(seed),
            shapes=[FOUR, FOUR, THREE],
            schema=[(0, 1), (1, 2), (0, 2)],
            largest=4,
            nonnegative=True,
            linked=0,
            damaged=5,
            rounded=0,
        )
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**40))
def test_limits_or_none(seed: int) -> None:
    """Releases in which cells may be unlimited, or values negative."""
    assert_same_ends(Maker(Random(seed), largest=9, linked=0))
