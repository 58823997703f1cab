"""Bounds that two rows chase outward for ever stay so small that sums over them fit 64 bits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.errors import LimitError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.pipeline import audit

COEFFICIENTS = st.sampled_from([0, 1, -1, 2, -3, 309, -307, 1693, -2000, 10**6, -(10**9)])


@given(
    st.lists(st.lists(COEFFICIENTS, min_size=4, max_size=4), min_size=2, max_size=6),
    st.lists(st.integers(-5, 5), min_size=6, max_size=6),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
)
def test_sums_over_propagated_bounds_fit(rows: list[list[int]], needed: list[int], start: list[int]) -> None:
    # CONVENTION 654
    matrix = csr_array(np.array(rows, np.int64))
    lower = np.array(needed[: len(rows)], np.int64)
    upper, ends = np.full(len(rows), NO_UPPER), np.full(4, NO_UPPER)
    try:
        low, high = propagate(matrix, lower, upper, np.array(start, np.int64), ends, integer=True)
    except InfeasibleError:
        return
    for bound in (low, high):
        product(matrix, np.where(np.abs(bound) < abs(NO_LOWER), bound, 0))  # raises LimitError if a sum might not fit


def test_a_share_of_a_total_without_limit_is_no_limit_of_the_program() -> None:
    # CONVENTION 654: an end was held that no table has, and its bounds ran away
    value = [None, None, None, None, None, 0, None, 8, None, None, 8]
    hidden = ["withheld" if v is None else "" for v in value]
    cells = {
        "a": ["1", "1", "2", "2", "3", "3", "T", "T", "T", "G", "G"],
        "b": ["y", "T", "y", "T", "x", "y", "x", "y", "T", "x", "y"],
        "value": value,
        "s": hidden,
        "true": [7, 8, 1, 3, 2, 0, 5, 8, 13, 3, 8],
    }
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {
            "a": {"total": "T", "tree": {"G": ["1", "2"], "3": None}},
            "b": {"total": "T", "codes": ["x", "y"]},
        },
        "tables": [{"name": "t", "cells": cells, "status": "s", "truth": "true", "absent": {"leaves": "not_released"}}],
        "statistics": [
            {
                "name": "share",
                "kind": "percent",
                "of": {"a": "T"},
                "decimals": 1,
                "cells": {"a": ["1", "3", "3"], "b": ["x", "y", "T"], "value": ["20.0", "0.0", "15.4"]},
            }
        ],
        "policy": {"primary": [{"threshold": 2}]},
        "intruder": {"insiders": []},
    }
    try:
        audit(release_from_document(document))
    except LimitError as error:
        raise AssertionError(error) from None
