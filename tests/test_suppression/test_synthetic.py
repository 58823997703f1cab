"""Synthetic tables."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Intruder
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.synthetic import Synthetic
from tests.support.surveyed import values
from tests.support.tabulated import tabulated


@given(st.lists(st.integers(0, 9), min_size=12, max_size=12), st.integers(0, 99))
@settings(max_examples=8, deadline=None)
def test_margins_stay_and_nothing_else_is_told(counts: list[int], seed: int) -> None:
    """CONVENTION 763: the shown table adds up, and depends on margins alone: any true table with the same ones gives
    it for the same seed."""
    table = np.array(counts).reshape(3, 4)
    found = protect(tabulated(table, groups=(1, 2)), Synthetic(), seed=seed)
    shown, truth = values(found, "value"), values(found, "truth")
    inner = {(f"a{i}", f"b{j}") for i in range(3) for j in range(4)}
    assert all(shown[cell] == truth[cell] for cell in shown if cell not in inner)
    assert all(shown[a, "T"] == sum(shown[a, f"b{j}"] for j in range(4)) for a in ("a0", "a1", "a2"))
    assert all(shown["T", b] == sum(shown[f"a{i}", b] for i in range(3)) for b in ("b0", "b1", "b2", "b3"))
    assert min(shown.values()) >= 0
    other = table.copy()
    if other[0, 0] and other[1, 1]:  # another table with the same margins
        other[[0, 1], [0, 1]] -= 1
        other[[0, 1], [1, 0]] += 1
        assert values(protect(tabulated(other, groups=(1, 2)), Synthetic(), seed=seed), "value") == shown


def test_every_table_with_the_margins_comes_up() -> None:
    """Of a 2 by 2 table with margins 3 there are four."""
    release = tabulated(np.array([[1, 2], [2, 1]]))
    seen = Counter(values(protect(release, Synthetic(), seed=seed), "value")["a0", "b0"] for seed in range(14))
    assert set(seen) == {0, 1, 2, 3}


def test_tables_that_are_none() -> None:
    release = tabulated(np.array([[1, 2], [2, 1]]))
    with pytest.raises(InputError, match="may be negative"):
        protect(replace(release, intruder=Intruder(nonnegative=False)), Synthetic())
    alone = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": [{"name": "t", "cells": {"a": ["k", "l"], "value": [4, 5]}, "absent": {"leaves": "not_released"}}],
    }
    with pytest.raises(InputError, match="in no total, so that nothing bounds"):
        protect(release_from_document(alone), Synthetic())
