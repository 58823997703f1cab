"""Columns with one published sum: ends against all tables."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds import plan
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.propagation.one_sum import OneSum, is_one_sum
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.highs import Highs


def component(total: int, low: list[int], high: list[int], targets: list[list[int]]) -> Component:
    return Component(
        csr_array(np.ones((1, len(low)), np.int64)),
        np.array([total]),
        np.array([total]),
        np.array(low),
        np.array(high),
        csr_array(np.array(targets, np.int64)),
    )


@given(
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=2, max_size=4),
    st.data(),
)
def test_ends_and_values_in_between_are_those_of_all_tables(
    total: int, columns: list[tuple[int, int]], data: st.DataObject
) -> None:
    """CONVENTION 874."""
    low, high = [a for a, _ in columns], [a + b for a, b in columns]
    masks = st.lists(st.integers(0, 1), min_size=len(low), max_size=len(low)).filter(any)
    targets = data.draw(st.lists(masks, min_size=1, max_size=4))
    asked = component(total, low, high, targets)
    assert is_one_sum(asked)
    tables = [x for x in product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))) if sum(x) == total]
    known = know_nothing(asked, Limits())
    if not tables:
        with pytest.raises(InfeasibleError):
            OneSum().work(asked, known, Limits())
        return
    OneSum().work(asked, known, Limits())
    assert known.all_closed()
    for target, bounds in zip(targets, known.bounds(), strict=True):
        values = {sum(a * x for a, x in zip(target, table, strict=True)) for table in tables}
        assert (bounds.lower.attained, bounds.upper.attained) == (min(values), max(values))
        assert bounds.convex
        assert values == set(range(min(values), max(values) + 1))


def test_many_columns_take_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 874: targets that cross each other are no network; where proofs are asked for, other steps go on."""
    monkeypatch.setattr(plan, "DENSE", 4)
    crossing = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]]
    asked = component(7, [0] * 4, [int(NO_UPPER)] * 4, crossing)
    found = plan.full(Highs()).bounds(asked, Limits())
    assert [use.step for use in found.uses] == ["one sum"]
    assert [(t.lower.attained, t.upper.attained) for t in found.targets] == [(0, 7)] * 3
    proved = plan.full(Highs()).bounds(asked, Limits(prove=True))
    assert len(proved.uses) > 1
    assert [(t.lower.outer, t.upper.outer) for t in proved.targets] == [(0, 7)] * 3


def test_other_shapes_are_left_alone() -> None:
    wide = component(5, [0, 0], [5, 5], [[1, 0]])
    for changed in (
        {"matrix": csr_array(np.array([[1, 2]]))},
        {"targets": csr_array(np.array([[1, -1]]))},
        {"upper": np.array([6])},
    ):
        other = Component(**{**wide.__dict__, **changed})
        assert not is_one_sum(other)
        known = know_nothing(other, Limits())
        before = known.closed()
        OneSum().work(other, known, Limits())
        assert known.closed() == before
