"""Elimination, propagation, junction trees and network matrices against plain brute force."""

from itertools import combinations, product
from random import Random

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.networks.matrix import network_signs
from tableseal.audit.linear.base import junction_tree
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError, form_bounds, propagate

SEEDS = st.integers(0, 2**40)


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_propagation_cuts_off_no_solution(seed: int) -> None:
    random = Random(seed)
    rows, columns, most = random.randint(1, 4), random.randint(1, 4), 4
    matrix = np.array([[random.choice([0, 1, 1, -1, 2]) for _ in range(columns)] for _ in range(rows)])
    lower = matrix @ np.array([random.randint(0, most) for _ in range(columns)])
    upper = lower + np.array([random.choice([0, 0, 1, 3]) for _ in range(rows)])
    if random.random() < 0.3:
        lower, upper = lower + 1, upper + 1
    lower = np.where([random.random() < 0.2 for _ in range(rows)], NO_LOWER, lower)
    upper = np.where([random.random() < 0.2 for _ in range(rows)], NO_UPPER, upper)
    start = np.zeros(columns, dtype=np.int64), np.full(columns, most)
    for halves, integer in ((1, True), (2, False)):
        grid = np.array(list(product(range(halves * most + 1), repeat=columns)))
        sums = grid @ matrix.T
        good = ((lower == NO_LOWER) | (sums >= halves * lower)) & ((upper == NO_UPPER) | (sums <= halves * upper))
        points = grid[good.all(axis=1)]
        try:
            low, high = propagate(csr_array(matrix), lower, upper, *start, integer=integer)
        except InfeasibleError:
            assert len(points) == 0
            continue
        assert (points >= halves * low).all()
        assert (points <= halves * high).all()
        forms = np.array([[random.choice([0, 1, 1]) for _ in range(columns)] for _ in range(3)])
        form_low, form_high = form_bounds(csr_array(forms), low, high)
        assert (points @ forms.T >= halves * form_low).all()
        assert (points @ forms.T <= halves * form_high).all()


def test_propagation_without_bounds() -> None:
    """One missing bound in a row leaves only the column that misses it to be tightened."""
    row = csr_array(np.array([[1, 1]]))
    low, high = propagate(
        row, np.array([3]), np.array([5]), np.array([0, NO_LOWER]), np.array([2, NO_UPPER]), integer=True
    )
    assert (low.tolist(), high.tolist()) == ([0, 1], [2, 5])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.frozensets(st.integers(0, 5), max_size=4), min_size=1, max_size=6, unique=True), st.randoms())
def test_junction_trees(edges: list[frozenset[int]], random: Random) -> None:
    cliques, tree = junction_tree(edges, [random.randint(1, 9) for _ in range(6)])
    # Every set of variables has a home, and no clique lies in another.
    assert all(any(edge <= set(c) for c in cliques) for edge in edges)
    assert not any(set(a) < set(b) for a in cliques for b in cliques)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(cliques)))
    graph.add_edges_from((a, b) for a, b, _ in tree)
    assert nx.is_tree(graph)
    for a, b, common in tree:
        assert set(common) == set(cliques[a]) & set(cliques[b])
    # Running intersection: the cliques that hold a variable hang together.
    for v in range(6):
        holders = [i for i, c in enumerate(cliques) if v in c]
        assert not holders or nx.is_connected(graph.subgraph(holders))


def totally_unimodular(matrix: np.ndarray) -> bool:
    rows, columns = matrix.shape
    return all(
        round(np.linalg.det(matrix[np.ix_(r, c)])) in (-1, 0, 1)
        for k in range(1, min(rows, columns) + 1)
        for r in combinations(range(rows), k)
        for c in combinations(range(columns), k)
    )


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_network_matrices_are_totally_unimodular(seed: int) -> None:
    random = Random(seed)
    shape = random.randint(1, 4), random.randint(1, 5)
    matrix = np.array(
        [
            [random.choice([0, 0, 1, -1, 1, 2 if random.random() < 0.1 else 0]) for _ in range(shape[1])]
            for _ in range(shape[0])
        ]
    )
    expected = any(
        all(_at_most_one_each(column) for column in (np.array(signs)[:, None] * matrix).T)
        for signs in product((1, -1), repeat=shape[0])
    )
    assert (network_signs(csr_array(matrix.T)) is not None) == expected
    if expected:
        assert totally_unimodular(matrix)


def _at_most_one_each(column: np.ndarray) -> bool:
    used = column[column != 0].tolist()
    return used in ([], [1], [-1]) or sorted(used) == [-1, 1]
