"""Sparse matrices put together by ourselves are those that scipy would make."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, vstack

from tableseal.audit import sparse

small = st.integers(-3, 3)


@st.composite
def matrices(draw: st.DrawFn, columns: int | None = None) -> csr_array:
    """Any small matrix: entries in any order, places with several entries, zeros that are stored."""
    width = draw(st.integers(0, 5)) if columns is None else columns
    lengths = draw(st.lists(st.integers(0, 4 if width else 0), max_size=6))
    count = sum(lengths)
    indices = draw(st.lists(st.integers(0, max(width - 1, 0)), min_size=count, max_size=count))
    data = draw(st.lists(small, min_size=count, max_size=count))
    indptr = np.cumsum([0, *lengths])
    return sparse.csr(
        np.array(data, np.int64), np.array(indices, np.int64), indptr.astype(np.int64), (len(lengths), width)
    )


def matrices_of_rows(rows: int) -> st.SearchStrategy[csr_array]:
    """Matrices of so many rows."""
    return matrices(rows).map(sparse.transposed)


@pytest.fixture(params=["plain", "scipy"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small matrices as they are handled, and as large ones are."""
    if request.param == "scipy":
        monkeypatch.setattr(sparse, "SMALL", -1)


def same(found: csr_array, expected: csr_array) -> None:
    """A complete matrix of scipy's, of the same shape, types and numbers, which scipy computes with."""
    found.check_format(full_check=True)
    assert vars(found).keys() >= vars(csr_array((1, 1))).keys()
    assert found.shape == expected.shape
    assert found.indices.dtype == found.indptr.dtype
    assert found.data.dtype == expected.data.dtype
    assert (found.toarray() == expected.toarray()).all()
    assert (found @ np.arange(found.shape[1]) == expected @ np.arange(found.shape[1])).all()


def test_the_scipy_that_is_installed_is_the_one_we_know() -> None:
    """Where it is not, matrices are made by its constructor, which is slower: then the list in the module is to be
    looked at again."""
    assert sparse._AS_EXPECTED


@given(matrices())
def test_a_matrix_of_arrays_is_that_of_scipys_constructor(matrix: csr_array) -> None:
    made = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    assert vars(matrix).keys() == vars(made).keys()
    assert matrix.indices.dtype == made.indices.dtype
    same(matrix, made)


def test_an_unknown_scipy_is_asked_to_make_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse, "_AS_EXPECTED", False)
    one, place = np.ones(1, np.int64), np.zeros(1, np.int64)
    same(sparse.csr(one, place, np.array([0, 1]), (1, 2)), csr_array(np.array([[1, 0]])))


@pytest.mark.usefixtures("either")
class TestParts:
    @given(matrices(), st.data())
    def test_rows(self, matrix: csr_array, data: st.DataObject) -> None:
        rows = matrix.shape[0]
        at = np.array(data.draw(st.lists(st.integers(0, rows - 1)) if rows else st.just([])), np.int64)
        same(sparse.rows_at(matrix, at), csr_array(matrix[at]))

    @given(matrices())
    def test_transposed(self, matrix: csr_array) -> None:
        found = sparse.transposed(matrix)
        same(found, csr_array(matrix.T.tocsr()))
        row = sparse.row_of_entries(found)
        order = list(zip(row.tolist(), found.indices.tolist(), strict=True))
        assert order == sorted(order)

    @given(st.integers(0, 4).flatmap(lambda inner: st.tuples(matrices(inner), matrices_of_rows(inner))))
    def test_multiplied(self, factors: tuple[csr_array, csr_array]) -> None:
        one, other = factors
        same(sparse.multiplied(one, other), csr_array(one @ other))

    @given(matrices())
    def test_entries_in_any_order(self, matrix: csr_array) -> None:
        order = np.random.default_rng(1).permutation(matrix.nnz)
        row, column, data = sparse.row_of_entries(matrix)[order], matrix.indices[order], matrix.data[order]
        found = sparse.from_entries(row, column, data, matrix.shape)
        same(found, csr_array((data, (row, column)), shape=matrix.shape))
        assert found.has_canonical_format


@given(st.integers(0, 4).flatmap(lambda columns: st.lists(matrices(columns), min_size=1, max_size=4)))
def test_stacked(parts: list[csr_array]) -> None:
    same(sparse.stacked(parts), csr_array(vstack(parts, format="csr")))


@given(matrices())
def test_some_entries(matrix: csr_array) -> None:
    for choose in _CHOICES:
        wanted = choose(matrix)
        row = sparse.row_of_entries(matrix)[wanted]
        expected = csr_array((matrix.data[wanted], (row, matrix.indices[wanted])), shape=matrix.shape)
        same(sparse.entries(matrix, wanted), expected)
    left = sparse.without_zeros(matrix)
    assert left.data.all()
    assert (left.toarray() == matrix.toarray()).all()


_CHOICES: tuple[Callable[[csr_array], np.ndarray], ...] = (
    lambda matrix: matrix.data > 0,
    lambda matrix: np.ones(matrix.nnz, np.bool_),
    lambda matrix: np.zeros(matrix.nnz, np.bool_),
)


def test_no_rows() -> None:
    same(sparse.empty(3), csr_array((0, 3), dtype=np.int64))


@given(st.data(), st.integers(0, 12))
def test_a_product_in_parts_is_the_product(data: st.DataObject, at_once: int) -> None:
    one = data.draw(matrices())
    other = data.draw(matrices_of_rows(one.shape[1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "AT_ONCE", at_once)
        parts = list(sparse.products(one, other))
    assert len(parts) <= max(1, one.shape[0])
    same(sparse.stacked(parts), sparse.multiplied(one, other))
