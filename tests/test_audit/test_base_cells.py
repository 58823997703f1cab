"""Base cells of cells, and places of cells: large inputs take other ways than small ones, to the same end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.linear import base
from tableseal.audit.linear.base import BaseTable, distinct
from tableseal.audit.linear.keys import Lookup


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), variables=st.integers(1, 4))
def test_listed_compiled_or_not(seed: int, variables: int) -> None:
    """Some codes cover nothing of a table, some all of it."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 5, variables)
    codes = random.integers(1, 6, variables)
    atoms = tuple(csr_array((random.random((c, n)) < 0.6).astype(np.int64)) for c, n in zip(codes, sizes, strict=True))
    order = random.permutation(variables + 1)[:variables]
    table = BaseTable(0, tuple(order.tolist()), atoms, int(random.integers(0, 100)))
    cells = np.zeros((int(random.integers(0, 30)), variables + 1), np.int32)
    cells[:, order] = random.integers(0, codes, (len(cells), variables))
    found = []
    for least in (1 << 60, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(base, "WORTH_COMPILING", least)
            found.append(table.expand(cells))
    grid = [[atom.toarray()[code] for atom, code in zip(atoms, row, strict=True)] for row in cells[:, order].tolist()]
    expected = [table.offset + np.flatnonzero(_crossed(own)) for own in grid]
    for column, size in found:
        assert column.tolist() == [c for own in expected for c in own.tolist()]
        assert size.tolist() == [len(own) for own in expected]


def _crossed(own: list[np.ndarray]) -> np.ndarray:
    result = np.ones(1, np.int64)
    for axis in own:
        result = np.multiply.outer(result, axis).ravel()
    return result


@given(st.lists(st.integers(0, 60), max_size=30), st.lists(st.integers(-5, 2**40), max_size=30), st.booleans())
def test_keys_are_found_densely_or_sorted(keys: list[int], asked: list[int], far: bool) -> None:
    own = np.array([key + (2**50 if far else 0) for key in keys], np.int64)
    wanted = np.concatenate([own, np.array(asked, np.int64)])
    places = own.tolist()
    expected = [places.index(key) if key in places else -1 for key in wanted.tolist()]
    assert Lookup.of(own).find(wanted).tolist() == expected


@given(st.integers(0, 2**32), st.sampled_from([1, 3, 16, 17, 40, 70]))
def test_patterns_are_told_apart(seed: int, variables: int) -> None:
    away = np.random.default_rng(seed).random((25, variables)) < 0.3
    patterns, kind = distinct(away)
    assert (patterns[kind] == away).all()
    assert len({tuple(row) for row in patterns.tolist()}) == len(patterns) == len({tuple(row) for row in away.tolist()})
