"""Proofs of known ends of random components: they hold by plain arithmetic, and of what is false there is none."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_ends import ends, shown
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.clock import now
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.proof import bounding
from tableseal.audit.proof.bounding import Bound, Bounder, Halves
from tableseal.audit.solvers.highs import Highs


def cases_in(bound: Bound) -> int:
    return 1 + cases_in(bound.low) + cases_in(bound.high) if isinstance(bound, Halves) else 1


@settings(max_examples=150)
@given(st.integers(0, 2**40))
def test_the_end_is_proved_and_one_more_is_not(seed: int) -> None:
    for component, form, least in ends(seed):
        bounder = Bounder(component, Highs(), Limits())
        bound = bounder.prove(form, least)
        assert bound is not None
        assert shown(bound, component, form, []) >= least
        assert bounder.prove(form, least + 1) is None


@settings(max_examples=60)
@given(st.integers(0, 2**40))
def test_without_whole_units_there_are_no_cases(seed: int) -> None:
    for component, form, least in ends(seed):
        bounder = Bounder(component, Highs(), Limits(integer=False))
        bound = bounder.prove(form, least)
        assert bound is None or isinstance(bound, Multipliers)
        assert bound is None or shown(bound, component, form, []) >= least
        assert bounder.prove(form, least + 1) is None


def odd(most: int) -> tuple[Component, NDArray[np.int64]]:
    """2 (x + y) - 2 z = 1 has solutions, but no whole ones; each number is at most `most`."""
    matrix = csr_array(np.array([[2, 2, -2], [1, 1, 0], [0, 0, 1]]))
    lower, upper = np.array([1, 0, 0]), np.array([1, most, most])
    none, free = np.zeros(3, np.int64), np.full(3, NO_UPPER)
    return Component(matrix, lower, upper, none, free, csr_array((0, 3), dtype=np.int64)), np.array([1, 0, 0])


def test_what_takes_too_many_cases_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 642: x is at least 100 where there is no table; the cases are those of x + y, which nothing tells
    apart from each other."""
    component, form = odd(4)
    bound = Bounder(component, Highs(), Limits()).prove(-form, 100)
    assert bound is not None
    assert shown(bound, component, -form, []) == inf
    needed = cases_in(bound)
    assert needed > 5
    for nodes, proved in ((needed, True), (needed - 1, False), (1, False)):
        monkeypatch.setattr(bounding, "NODES", nodes)
        assert (Bounder(component, Highs(), Limits()).prove(-form, 100) is not None) is proved


def test_after_a_limit_only_what_costs_nothing_is_proved() -> None:
    component, form = odd(4)
    over = Limits(deadline=now() - 1)
    assert Bounder(component, Highs(), over).prove(form, 0) is not None
    assert Bounder(component, Highs(), over).prove(-form, -4) is None


@pytest.mark.parametrize("lower", [[0, NO_LOWER], [NO_LOWER, NO_LOWER]])
def test_a_sum_is_not_called_positive_where_some_column_may_be_negative(lower: list[Any]) -> None:
    component, _ = odd(4)
    free = replace(component, column_lower=np.array([*lower, 0]), lower=np.array([NO_LOWER, NO_LOWER, 0]))
    assert Bounder(free, Highs(), Limits()).prove(np.array([1, 1, 0]), 0) is None


@pytest.mark.parametrize("place", [0, 1, 2])
def test_rows_without_entries_disturb_nothing(place: int) -> None:
    """Found by random components: 3 x <= 7 needs a third, which is rounded and repaired; no row may be mistaken for
    another."""
    rows, bounds = [[3, 0], [0, 5]], [7, 9]
    rows.insert(place, [0, 0])
    bounds.insert(place, 4)
    none = np.zeros(2, np.int64)
    component = Component(
        csr_array(np.array(rows)), np.zeros(3, np.int64), np.array(bounds), none, none + NO_UPPER,
        csr_array((0, 2), dtype=np.int64),
    )  # fmt: skip
    for form, least in (([-1, 0], -2), ([0, -1], -1), ([-1, -1], -3)):
        bound = Bounder(component, Highs(), Limits()).prove(np.array(form), least)
        assert bound is not None
        assert shown(bound, component, np.array(form), []) == least
