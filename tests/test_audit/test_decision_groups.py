"""Groups of open columns, found from what hangs together in every pattern: the same as from nothing."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.decision.equations import Equations


def equations(matrix: csr_array, always_open: np.ndarray) -> Equations:
    rows, columns = matrix.shape
    zero, nothing, none = (np.zeros(size, np.int64) for size in (columns, rows, 0))
    sides = nothing, nothing, zero, zero, zero
    return Equations(matrix, csr_array(matrix.T), matrix, *sides, always_open, columns, none)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 9), st.integers(1, 14), st.booleans())
def test_groups_are_connected_parts_in_the_order_of_their_columns(
    seed: int, rows: int, columns: int, less: bool
) -> None:
    """less: some columns that are always open are not among those asked for."""
    random = np.random.default_rng(seed)
    matrix = csr_array((random.random((rows, columns)) < 0.2).astype(np.int64))
    always = random.random(columns) < 0.4
    opened = (random.random(columns) < 0.6) if less else always | (random.random(columns) < 0.3)
    graph = nx.Graph()
    graph.add_nodes_from(("column", j) for j in np.flatnonzero(opened).tolist())
    for i, j in np.argwhere(matrix.toarray()).tolist():
        if opened[j]:
            graph.add_edge(("row", i), ("column", j))
    parts = [sorted(j for kind, j in part if kind == "column") for part in nx.connected_components(graph)]
    expected = np.full(columns, -1)
    for at, part in enumerate(sorted(filter(None, parts))):
        expected[part] = at
    assert equations(matrix, always).groups(opened).tolist() == expected.tolist()
