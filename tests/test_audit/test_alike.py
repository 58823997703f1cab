"""Sets that are told apart by sums of random numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.linear.marks import alike


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), max_size=12))
def test_equal_sums_are_one_group_in_the_order_of_appearance(sums: list[tuple[int, int]]) -> None:
    first, group = alike(np.array(sums, np.int64).reshape(len(sums), 2))
    known = list(dict.fromkeys(sums))
    assert first.tolist() == [sums.index(one) for one in known]
    assert group.tolist() == [known.index(one) for one in sums]
