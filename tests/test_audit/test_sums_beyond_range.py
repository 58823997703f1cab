"""Withheld sums that 64 bits cannot hold are refused, never wrapped."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from small import audited

from tableseal.audit.bounds.certify import Rational
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import NOTHING, know_nothing
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.integers import NO_UPPER

PARTS = ["1", "2", "3", "4", "5"]


def multiples(largest: int, factor: int) -> dict[str, Any]:
    """Five withheld parts that a link makes `factor` times a cell of up to `largest`, and their withheld sum G."""
    cells = {
        "a": [*PARTS, "y", "z", "G", "H", "T"],
        "value": [*[None] * 8, str(largest), None],
        "status": [*["withheld"] * 8, "published", "withheld"],
    }
    return {
        "tableseal": "1",
        "kind": "magnitude",
        "unit": "1",
        "variables": {"a": {"total": "T", "tree": {"G": PARTS, "H": ["y", "z"]}}},
        "tables": [{"name": "t", "value": "value", "status": "status", "cells": cells}],
        "links": [
            {"terms": [["1", {"a": part}], [str(-factor), {"a": "y"}]], "lower": "0", "upper": "0"} for part in PARTS
        ],
    }


@pytest.mark.parametrize("bounds", ["lp", "integer"])
def test_a_sum_beyond_64_bits_is_refused(bounds: str) -> None:
    with pytest.raises(LimitError, match="larger unit"):
        audited(multiples(2 * 10**12, 10**6), bounds=bounds)


def test_a_sum_within_64_bits_is_exact() -> None:
    (whole,) = [c for c in audited(multiples(10**8, 10**6)).cells if c.cell == (("a", "G"),)]
    assert (whole.lower, whole.upper, whole.attained) == (0, 5 * 10**14, (0, 5 * 10**14))


def test_tables_whose_sums_do_not_fit_show_nothing() -> None:
    two = csr_array(np.array([[1, -1]], dtype=np.int64))
    zero, none = np.zeros(1, np.int64), np.zeros(2, np.int64)
    component = Component(two, zero, zero, none, np.full(2, NO_UPPER), csr_array(np.array([[1, 1]], dtype=np.int64)))
    known = know_nothing(component, Limits())
    large = np.full(2, 2**61 + 1, dtype=np.int64)
    with pytest.raises(LimitError):
        known.witness(large)
    known.witness_real(Rational(large, 2))
    assert known.attained.tolist() == [NOTHING, NOTHING]
    assert known.continuous == [None, None]
    assert not known.in_hand
    with pytest.raises(LimitError):
        known.prove(0, 2**63, None)
