"""Shuttle over super-cells, and bounds in closed form, against every table listed and integer programs."""

from itertools import combinations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.plan import full, shuttle_only
from tableseal.audit.bounds.propagation import shuttle
from tableseal.audit.bounds.propagation.frechet import decomposable, first_bounds, frechet_bounds
from tableseal.audit.errors import LimitError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.propagate import InfeasibleError, form_bounds, propagate
from tableseal.audit.linear.reduce import reduce
from tableseal.audit.model import Release
from tableseal.audit.prepare import prepare
from tableseal.audit.progress import silent
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)


def shuttled(component: Component) -> list[tuple[int | None, int | None]]:
    return [(t.lower.outer, t.upper.outer) for t in shuttle_only().bounds(component, Limits()).targets]


def component(matrix: list[list[int]], lower: list[int], upper: list[int], targets: list[list[int]]) -> Component:
    columns = len(targets[0])
    low, high = np.zeros(columns, np.int64), np.full(columns, NO_UPPER)
    rows = np.array(matrix, dtype=np.int64)
    return Component(csr_array(rows), np.array(lower), np.array(upper), low, high, csr_array(np.array(targets)))


def test_a_withheld_subtotal_carries_a_bound() -> None:
    """a+b+c+d = 10 and c+d+e >= 7, e <= 1: then c+d >= 6, so a+b <= 4 - no single cell says so."""
    # CONVENTION 39
    rows = [[1, 1, 1, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]
    targets = [[0, 0, 1, 1, 0], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]]
    found = component(rows, [10, 7, 0], [10, NO_UPPER, 1], targets)
    assert shuttled(found) == [(6, 10), (0, 4), (0, 4)]
    low, high = propagate(found.matrix, found.lower, found.upper, found.column_lower, found.column_upper, integer=True)
    assert form_bounds(found.targets, low, high)[1].tolist() == [20, 20, 10]


@settings(max_examples=200)
@given(SEEDS)
def test_super_cells_cut_off_no_table_and_only_narrow(seed: int) -> None:
    random = Random(seed)
    columns, most = random.randint(2, 5), 3
    sets = [[random.choice([0, 1, 1]) for _ in range(columns)] for _ in range(random.randint(1, 5))]
    rows = np.array(
        [s if random.random() < 0.8 else [-v for v in s] for s in sets] + np.eye(columns, dtype=int).tolist()
    )
    x = np.array([random.randint(0, most) for _ in range(columns)])
    slack = [random.choice([0, 1]) for _ in sets]
    lower = np.concatenate([rows[: len(sets)] @ x - slack, np.zeros(columns, int)])
    upper = np.concatenate([rows[: len(sets)] @ x + slack, np.full(columns, most)])
    targets = [[random.choice([0, 1, 1]) for _ in range(columns)] for _ in range(4)]
    found = component(rows.tolist(), lower.tolist(), upper.tolist(), targets)
    grid = np.array(list(product(range(most + 1), repeat=columns)))
    sums = grid @ rows.T
    tables = grid[((sums >= lower) & (sums <= upper)).all(axis=1)]
    low, high = propagate(found.matrix, found.lower, found.upper, found.column_lower, found.column_upper, integer=True)
    plain = form_bounds(found.targets, low, high)
    for k, (least, greatest) in enumerate(shuttled(found)):
        values = tables @ np.array(targets[k])
        assert plain[0][k] <= least <= values.min()
        assert plain[1][k] >= greatest >= values.max()


def test_no_table_at_all() -> None:
    with pytest.raises(InfeasibleError):
        shuttled(component([[1, 1], [1, 1]], [3, 5], [3, 5], [[1, 1]]))


def test_without_bounds_nothing_is_claimed() -> None:
    free = component([[1, -1]], [0], [0], [[1, 1]])
    free = Component(free.matrix, free.lower, free.upper, np.full(2, NO_LOWER), free.column_upper, free.targets)
    assert shuttled(free) == [(None, None)]


def test_many_sums_are_not_compared() -> None:
    # CONVENTION 39
    rows = [[1, 1, 1, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]
    found = component(rows, [10, 7, 0], [10, NO_UPPER, 1], [[0, 0, 1, 1, 0]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuttle, "MOST_NESTED", 2)
        assert shuttled(found) == [(0, 20)]


@settings(max_examples=60)
@given(SEEDS)
def test_closed_form_is_sharp(seed: int) -> None:
    """Against integer programs, for chains, stars and margins that share nothing."""
    random = Random(seed)
    axes = random.choice(
        [[(0,), (1,)], [(0, 1), (1, 2)], [(0, 1), (2,)], [(0, 1), (1, 2), (1, 3)], [(0, 1), (1, 2), (2, 3)]]
    )
    shape = tuple(random.randint(2, 3) for _ in range(1 + max(a for c in axes for a in c)))
    table = np.array([random.choice([0, 0, 1, 2, 5]) for _ in range(int(np.prod(shape)))]).reshape(shape)
    margins = {c: table.sum(axis=tuple(a for a in range(len(shape)) if a not in c)) for c in axes}
    lower, upper = frechet_bounds(shape, margins)
    rows, right = [], []
    for c, margin in margins.items():
        for index in np.ndindex(margin.shape):
            row = np.zeros(shape)
            row[tuple(index[c.index(a)] if a in c else slice(None) for a in range(len(shape)))] = 1
            rows.append(row.ravel())
            right.append(margin[index])
    cell = random.randrange(table.size)
    for sign, ends in ((1, lower), (-1, upper)):
        cost = np.zeros(table.size)
        cost[cell] = sign
        best = milp(cost, constraints=LinearConstraint(np.array(rows), right, right), integrality=1, bounds=Bounds(0))
        assert round(best.fun * sign) == ends.ravel()[cell]


@given(st.sets(st.sets(st.integers(0, 5), max_size=4).map(lambda axes: tuple(sorted(axes))), min_size=1, max_size=7))
@settings(max_examples=200, deadline=None)
def test_decomposable_margins_are_the_cliques_of_a_chordal_graph(margins: set[tuple[int, ...]]) -> None:
    import networkx as nx

    maximal = {m for m in margins if not any(set(m) < set(other) for other in margins)}
    graph = nx.Graph()
    for clique in maximal:
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    chordal = nx.is_chordal(graph) and {tuple(sorted(c)) for c in nx.find_cliques(graph)} == maximal - {()}
    found = decomposable(list(margins))
    assert (found is not None) == chordal
    if found is not None:
        cliques, tree = found
        assert cliques == sorted(maximal)
        assert len(tree) == len(cliques) - 1
        for axis in {axis for clique in cliques for axis in clique}:  # running intersection
            joined = nx.Graph([(a, b) for a, b, common in tree if axis in common])
            own = {k for k, clique in enumerate(cliques) if axis in clique}
            assert len(own) == 1 or (nx.is_connected(joined) and set(joined) == own)


def test_what_is_decomposable() -> None:
    assert decomposable([(0, 1), (1, 2), (0, 2)]) is None  # chordal, but the clique is no margin
    assert decomposable([(0, 1), (1, 2), (2, 3), (0, 3)]) is None  # a cycle of four
    assert decomposable([(0, 1), (1,), (1, 2)]) == ([(0, 1), (1, 2)], [(0, 1, (1,))])
    with pytest.raises(ValueError, match="decomposable"):
        frechet_bounds((2, 2, 2), {c: np.ones((2, 2), np.int64) for c in ((0, 1), (1, 2), (0, 2))})
    with pytest.raises(InfeasibleError):
        frechet_bounds((2, 2), {(0,): np.array([1, 2]), (1,): np.array([1, 3])})
    with pytest.raises(ValueError, match="no margin"):
        frechet_bounds((2, 2), {(0,): np.array([1, 2])})
    with pytest.raises(LimitError):
        frechet_bounds((2, 2), {(0,): np.array([2**61, 0]), (1,): np.array([0, 2**61])})


def margins_only(table: np.ndarray, axes: list[tuple[int, ...]], *, first: bool = False) -> Release:
    """A release of some margins of a table, whose own cells are listed without values; `first`: but for the first."""
    d = table.ndim
    rows = [([f"c{i}" for i in index], None, "secondary") for index in np.ndindex(table.shape)]
    if first:
        rows[0] = rows[0][0], str(int(table.flat[0])), "published"
    for kept in sorted({part for c in axes for k in range(len(c) + 1) for part in combinations(c, k)}):
        margin = np.asarray(table.sum(axis=tuple(a for a in range(d) if a not in kept)))
        for index in np.ndindex(margin.shape):
            place = dict(zip(kept, index, strict=True))
            codes = [f"c{place[a]}" if a in place else "T" for a in range(d)]
            rows.append((codes, str(int(margin[index])), "published"))
    columns = {f"v{a}": [codes[a] for codes, *_ in rows] for a in range(d)}
    cells = {**columns, "n": [value for _, value, _ in rows], "status": [status for *_, status in rows]}
    document = {
        "tableseal": "1",
        "title": "margins",
        "kind": "count",
        "variables": {f"v{a}": {"total": "T", "codes": [f"c{i}" for i in range(s)]} for a, s in enumerate(table.shape)},
        "tables": [{"name": "t", "cells": cells, "value": "n", "status": "status"}],
    }
    return release_from_document(document, folder=Path(), source="margins")


def intervals(release: Release, *, closed_form: bool, exact: bool = False) -> list[tuple[int | None, int | None]]:
    prepared = prepare(release, merge_cells(release)[0])
    first = first_bounds(prepared.system) if closed_form else None
    reduced = reduce(prepared.differenced, nonnegative=True, first=first)
    method = full(Highs()) if exact else shuttle_only()
    found = bound_forms(reduced, prepared.system.forms, method, Limits(), silent)
    return [(b.lower.outer, b.upper.outer) for b in found.bounds]


@settings(max_examples=12)
@given(SEEDS)
def test_the_shuttle_starts_from_the_closed_form(seed: int) -> None:
    """Never wider than without it, and for cells of the table as sharp as integer programs."""
    # CONVENTION 39
    random = Random(seed)
    axes = random.choice([[(0,), (1,), (2,)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]])
    shape = tuple(random.randint(2, 3) for _ in range(1 + max(a for c in axes for a in c)))
    table = np.array([random.choice([0, 0, 1, 2, 30]) for _ in range(int(np.prod(shape)))]).reshape(shape)
    release = margins_only(table, axes)
    started, alone = intervals(release, closed_form=True), intervals(release, closed_form=False)
    assert all(a[0] <= s[0] and s[1] <= a[1] for s, a in zip(started, alone, strict=True))
    assert started == intervals(release, closed_form=False, exact=True)


def test_the_closed_form_is_tighter_with_three_margins() -> None:
    """90 of 100 are of the first code of each variable: at least 70 are of all three, where rows alone say 60."""
    table = np.zeros((2, 2, 2), np.int64)
    table[0, 0, 0], table[1, 0, 0], table[0, 1, 0], table[0, 0, 1] = 70, 10, 10, 10
    release = margins_only(table, [(0,), (1,), (2,)])
    assert intervals(release, closed_form=False)[0] == (60, 90)
    assert intervals(release, closed_form=True)[0] == (70, 90)


def test_where_no_closed_form_is_used() -> None:
    """A released cell of the table itself, or margins that are not decomposable."""
    table = np.arange(8).reshape(2, 2, 2)
    cyclic, chain = margins_only(table, [(0, 1), (1, 2), (0, 2)]), margins_only(table, [(0, 1), (1, 2)], first=True)
    for release in (cyclic, chain):
        assert first_bounds(prepare(release, merge_cells(release)[0]).system) is None
