"""The nearest additive table, against all tables."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.suppression.protections.cell_keys.additive import Asked, least_range, nearest_additive

TWO_BY_TWO = np.array(  # inner cells a b / c d, row sums, column sums, total
    [
        [1, 1, 0, 0, -1, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, -1, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, -1, 0, 0],
        [0, 1, 0, 1, 0, 0, 0, -1, 0],
        [0, 0, 0, 0, 1, 1, 0, 0, -1],
        [0, 0, 0, 0, 0, 0, 1, 1, -1],
    ]
)


def margins(inner: tuple[int, ...]) -> np.ndarray:
    a, b, c, d = inner
    return np.array([a, b, c, d, a + b, c + d, a + c, b + d, a + b + c + d])


def asked(inner: tuple[int, ...], target: list[int], widest: int, never: int, *, zeros_stay: bool = True) -> Asked:
    truth = margins(inner)
    return Asked(
        matrix=csr_array(TWO_BY_TWO.astype(np.int64)),
        right=np.zeros(len(TWO_BY_TWO), np.int64),
        truth=truth,
        target=np.array(target),
        published=np.ones(len(truth), np.bool_),
        stays=np.zeros(len(truth), np.bool_),
        range=widest,
        never=never,
        zeros_stay=zeros_stay,
    )


def allowed(of: Asked, most: int) -> list[np.ndarray]:
    """Every additive table that is allowed."""
    found = []
    for inner in product(range(most + 1), repeat=4):
        shown = margins(inner)
        fits = np.abs(shown - of.truth) <= of.range
        fits &= (shown == 0) | (shown > of.never)
        if of.zeros_stay:
            fits &= (of.truth > 0) | (shown == 0)
        if fits.all():
            found.append(shown)
    return found


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_nothing_is_nearer(data: st.DataObject) -> None:
    """CONVENTION 746: the smallest distance of all tables, or none of them is within the range; and the least range."""
    inner = tuple(data.draw(st.lists(st.integers(0, 4), min_size=4, max_size=4)))
    widest = data.draw(st.integers(0, 3))
    never = data.draw(st.integers(0, 3))
    truth = margins(inner)
    target = [max(0, int(n) + data.draw(st.integers(-3, 3))) for n in truth]
    problem = asked(inner, target, widest, never, zeros_stay=data.draw(st.booleans()))
    fits = allowed(problem, 8)
    found = nearest_additive(problem, Limits())
    if not fits:
        assert found is None
    else:
        assert found is not None
        assert found.distortion == found.bound == min(int(np.abs(t - target).sum()) for t in fits)
        assert any((t == found.shown).all() for t in fits)
    least = least_range(problem, Limits())
    assert allowed(replace(problem, range=least), 4 + least)
    assert least == 0 or not allowed(replace(problem, range=least - 1), 4 + least)


def test_no_table_within_the_range_and_the_least_range() -> None:
    """1 and 2 are never published, so each 1 becomes 0 within a range of 1; the total of 2 cannot follow, and with a
    range of 2 it can."""
    problem = asked((1, 0, 0, 1), [0] * 9, 1, 2)
    assert nearest_additive(problem, Limits()) is None
    assert least_range(problem, Limits()) == 2
    found = nearest_additive(replace(problem, range=2), Limits())
    assert found is not None
    assert not found.shown.any()


def test_what_no_relation_holds_is_as_near_as_can_be() -> None:
    truth = np.array([5, 2])
    problem = Asked(
        matrix=csr_array((0, 2), dtype=np.int64),
        right=np.zeros(0, np.int64),
        truth=truth,
        target=np.array([7, 2]),
        published=np.ones(2, np.bool_),
        stays=np.zeros(2, np.bool_),
        range=3,
        never=2,
    )
    found = nearest_additive(problem, Limits())
    assert found is not None
    assert found.shown.tolist() == [7, 3]
    assert (found.distortion, found.bound) == (1, 1)


@pytest.mark.parametrize("seed", range(3))
def test_larger_tables_add_up_within_the_range(seed: int) -> None:
    """12 x 8 with margins, and base cells that no table shows: two columns of each row are put together."""
    random = np.random.default_rng(seed)
    inner = random.poisson(3, (12, 8))
    names = {("i", r, c): None for r in range(12) for c in range(8)}
    columns = {
        name: k for k, name in enumerate([*names, *(("r", r) for r in range(12)), *(("c", c) for c in range(8)), "t"])
    }
    rows = [[*(("i", r, c) for c in range(8)), ("r", r)] for r in range(12)]
    rows += [[*(("i", r, c) for r in range(12)), ("c", c)] for c in range(8)]
    rows += [[*(("r", r) for r in range(12)), "t"], [*(("c", c) for c in range(8)), "t"]]
    matrix = np.zeros((len(rows), len(columns)), np.int64)
    for k, row in enumerate(rows):
        for name in row[:-1]:
            matrix[k, columns[name]] = 1
        matrix[k, columns[row[-1]]] = -1
    truth = np.concatenate([inner.ravel(), inner.sum(axis=1), inner.sum(axis=0), [inner.sum()]]).astype(np.int64)
    hidden = np.zeros(len(truth), np.bool_)
    hidden[[columns["i", r, c] for r in range(12) for c in (0, 1)]] = True
    target = np.maximum(0, truth + random.integers(-2, 3, len(truth)))
    problem = Asked(
        csr_array(matrix), np.zeros(len(rows), np.int64), truth, target, ~hidden, np.zeros(len(truth), np.bool_), 3, 1
    )
    found = nearest_additive(problem, Limits())
    assert found is not None
    assert (matrix @ found.shown == 0).all()
    assert (np.abs(found.shown - truth)[~hidden] <= 3).all()
    assert not ((found.shown == 1) & ~hidden).any()
    assert found.bound == found.distortion
    assert (found.shown >= 0).all()
