"""Linear programming values of many ends read and write like a list, whichever way they are kept."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.bounds.linear_values import LinearValues

COUNT = 5
VALUES = st.one_of(
    st.none(),
    st.integers(-20, 20).map(Fraction),
    st.fractions(-20, 20, max_denominator=6),
    st.sampled_from([2**62 - 1, 2**62, 2**70, -(2**62) + 1, -(2**62), -(2**70)]).map(Fraction),
)
WRITES = st.lists(
    st.one_of(
        st.tuples(st.integers(0, COUNT - 1), VALUES),
        st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(-9, 9)), unique_by=lambda write: write[0]),
    ),
    max_size=12,
)


@given(writes=WRITES)
def test_reads_what_was_written(writes: list) -> None:
    values, expected = LinearValues(COUNT), [None] * COUNT
    for write in writes:
        if isinstance(write, tuple):
            values[write[0]] = expected[write[0]] = write[1]
        else:
            values.know(np.array([k for k, _ in write], np.intp), np.array([v for _, v in write], np.int64))
            for k, v in write:
                expected[k] = v
    assert [values[k] for k in range(COUNT)] == expected
    assert values.unknown().tolist() == [v is None for v in expected]
    sign = np.array([1, -1, 1, -1, -1])
    listed = values.listed(sign)
    assert listed == [None if v is None else s * v for s, v in zip(sign.tolist(), expected, strict=True)]
    assert all(v is None or isinstance(v, Fraction) for v in listed)
