"""Spaces of vectors that shrink, against dense ranks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tableseal.audit.measures.rank import PRIME
from tableseal.audit.measures.subspace import Subspace

SEEDS = st.integers(0, 2**40)


def left(basis: NDArray[np.int64], gone: list[int]) -> NDArray[np.float64]:
    """Basis of the combinations of the rows that are zero at some coordinates, over the real numbers."""
    if not gone:
        return basis.astype(float)
    _, sizes, vectors = np.linalg.svd(basis[:, gone].T)
    rank = int((sizes > 1e-9).sum())
    kept: NDArray[np.float64] = vectors[rank:] @ basis
    return kept


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_what_is_left_and_which_coordinates_go_together(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(1, 6)), int(random.integers(1, 8))
    basis = random.integers(-2, 3, (rows, columns))
    basis = basis[: np.linalg.matrix_rank(basis)] if np.linalg.matrix_rank(basis) == rows else np.eye(rows, columns)
    basis = basis[: np.linalg.matrix_rank(basis)].astype(np.int64)
    space = Subspace(({c: int(v) for c, v in enumerate(row)} for row in basis), PRIME)
    order = random.permutation(columns).tolist()
    for k in range(columns + 1):
        dense = left(basis, order[:k])
        assert space.dimension == len(dense)
        for c in range(columns):
            assert bool(space.users(c)) == bool((np.abs(dense[:, c]) > 1e-9).any())
            for d in range(c):
                pair = dense[:, [c, d]]
                together = (
                    np.abs(pair).max(axis=0, initial=0.0).min() > 1e-9 and np.linalg.matrix_rank(pair, tol=1e-9) == 1
                )
                assert space.parallel(c, d) == together
                assert (bool(space.users(c)) and space.column(c) == space.column(d)) == together
        if k < columns:
            moved = bool(space.users(order[k]))
            given_up = space.vanish(order[k])
            assert (order[k] in given_up) == moved
