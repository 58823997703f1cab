"""Flows against every integer table listed, against GLPK, and against themselves in another order."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

import glpk
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational, dual_bound, satisfies
from tableseal.audit.bounds.component import Answer, Component, Limits, Multipliers, TargetBounds
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.method import Method
from tableseal.audit.bounds.networks import flows
from tableseal.audit.bounds.networks.flows import Flows
from tableseal.audit.bounds.networks.matrix import network_of
from tableseal.audit.bounds.programs.float_problem import as_floats
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError

SEEDS = st.integers(0, 2**40)


def network_component(
    random: Random, *, nodes: int = 4, arcs: int = 7, most: int = 3, bounded: bool = True, long: bool = True
) -> Component:
    """Rows are nodes (with any signs), columns arcs between two of them or to nowhere; mostly with a solution."""
    nodes, arcs = random.randint(1, nodes), random.randint(1, arcs)
    matrix = np.zeros((nodes, arcs), np.int64)
    for a in range(arcs):
        ends = random.sample(range(nodes), min(nodes, random.choice([0, 1, 2, 2, 2])))
        for sign, node in zip((1, -1), ends, strict=False):
            matrix[node, a] = sign if random.random() < 0.9 or len(ends) == 2 else -sign
    matrix *= np.array([random.choice([1, -1]) for _ in range(nodes)])[:, None]
    low = np.array([random.choice([0, 0, 0, 1, -2]) for _ in range(arcs)])
    high = low + np.array([random.randint(1, most) for _ in range(arcs)])
    x = np.array([random.randint(a, b) for a, b in zip(low, high, strict=True)])
    lower = upper = matrix @ x
    lower = lower - np.array([random.choice([0, 0, 1, 5]) for _ in range(nodes)])
    upper = upper + np.array([random.choice([0, 0, 1, 5]) for _ in range(nodes)])
    if random.random() < 0.15:
        r = random.randrange(nodes)
        lower[r] = upper[r] = upper[r] + random.randint(-8, 8)
    for r in range(nodes):
        if random.random() < 0.1:
            lower[r] = NO_LOWER
        elif random.random() < 0.1:
            upper[r] = NO_UPPER
    if not bounded:
        low[[random.random() < 0.2 for _ in range(arcs)]] = NO_LOWER
        high[[random.random() < 0.4 for _ in range(arcs)]] = NO_UPPER
    targets = np.eye(arcs, dtype=np.int64)
    if long:
        sums = [[int(random.random() < 0.4) for _ in range(arcs)] for _ in range(random.randint(0, 2))]
        nested = [[int(c and random.random() < 0.6) for c in s] for s in sums]
        rows = [np.maximum(matrix[random.randrange(nodes)], 0).tolist()]
        targets = np.array([*targets.tolist(), *(s for s in (*sums, *nested, *rows) if sum(s) > 1)])
    return Component(csr_array(matrix), lower, upper, low, high, csr_array(targets))


def answer(component: Component, limits: Limits | None = None) -> Answer:
    """What flows alone make of it."""
    return Method("flows", lambda c, k: (Flows(),)).bounds(component, limits or Limits())


def ends(component: Component) -> list[tuple[int | None, int | None]] | None:
    """Outer ends, None if there is no solution; outer, attained and linear ends must be the same."""
    try:
        found = answer(component)
    except InfeasibleError:
        return None
    return [(closed(t, 0), closed(t, 1)) for t in found.targets]


def closed(target: TargetBounds, side: int) -> int | None:
    end = (target.lower, target.upper)[side]
    if end.unlimited:
        assert end.outer is None
        return None
    assert end.outer == end.attained == end.lp
    assert end.outer is not None
    return end.outer


def reachable(component: Component) -> np.ndarray:
    """Targets that are arcs of the network."""
    network = network_of(component)
    assert network is not None
    return network.target >= 0


def only_reachable(component: Component) -> Component:
    return replace(component, targets=csr_array(component.targets[np.flatnonzero(reachable(component))]))


def tables(component: Component) -> np.ndarray:
    """Every integer solution."""
    spans = [range(a, b + 1) for a, b in zip(component.column_lower, component.column_upper, strict=True)]
    every = np.array(list(product(*spans)), dtype=np.int64).reshape(-1, len(spans))
    value = every @ component.matrix.toarray().T
    return every[((value >= component.lower) & (value <= component.upper)).all(axis=1)]


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_equal_to_every_table_listed(seed: int) -> None:
    component = only_reachable(network_component(Random(seed)))
    listed = tables(component)
    found = ends(component)
    assert (found is None) == (len(listed) == 0)
    if found is not None:
        value = listed @ component.targets.toarray().T
        assert found == list(zip(value.min(axis=0), value.max(axis=0), strict=True))
        network = network_of(component)
        assert network is not None
        assert network.convex
        for k in range(value.shape[1]):  # every value in between is possible
            assert set(value[:, k]) == set(range(value[:, k].min(), value[:, k].max() + 1))


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_equal_to_linear_programming_without_bounds(seed: int) -> None:
    component = only_reachable(network_component(Random(seed), nodes=6, arcs=14, most=9, bounded=False))
    try:
        expected = [tuple(lp_ends(component, target)) for target in component.targets.toarray()]
    except ValueError:
        expected = None
    assert ends(component) == expected


def lp_ends(component: Component, target: np.ndarray) -> Iterator[int | None]:
    """Both ends by GLPK; column bounds are rows, to keep to what the helper takes."""
    columns = len(target)
    matrix = np.vstack([component.matrix.toarray(), np.eye(columns, dtype=np.int64)])
    lower = as_floats(np.concatenate([component.lower, component.column_lower]))
    upper = as_floats(np.concatenate([component.upper, component.column_upper]))
    for sign in (1, -1):
        least = glpk.minimise(matrix, lower, upper, np.full(columns, -np.inf), sign * target)
        yield None if least is None else sign * round(least)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_kept_proofs_and_tables_hold(seed: int) -> None:
    component = network_component(Random(seed), bounded=seed % 2 == 0)
    try:
        found = answer(component, Limits(prove=True))
    except InfeasibleError:
        return
    for target, row, arc in zip(found.targets, component.targets.toarray(), reachable(component), strict=True):
        for end, cost in ((target.lower, row), (target.upper, -row)):
            if not arc or end.unlimited:
                continue
            assert isinstance(end.proof, Multipliers)
            y = np.zeros(component.matrix.shape[0], np.int64)
            y[end.proof.rows] = end.proof.numerator
            assert end.outer is not None
            assert dual_bound(component, cost, Rational(y, 1)) == (end.outer if cost is row else -end.outer)
            assert end.table is not None
            table = found.tables[end.table]
            assert satisfies(component, Rational(table, 1))
            assert row @ table == end.attained


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_order_never_matters(seed: int) -> None:
    random = Random(seed)
    component = network_component(random, nodes=6, arcs=14, bounded=seed % 3 > 0)
    rows, columns = component.matrix.shape
    row, column = random.sample(range(rows), rows), random.sample(range(columns), columns)
    sign = np.array([random.choice([1, -1]) for _ in range(rows)])
    turned = [
        np.where(sign > 0, b, -o)[row]
        for b, o in ((component.lower, component.upper), (component.upper, component.lower))
    ]
    other = Component(
        csr_array((component.matrix.toarray() * sign[:, None])[row][:, column]),
        *turned,
        component.column_lower[column],
        component.column_upper[column],
        csr_array(component.targets[:, column]),
    )
    both = np.flatnonzero(reachable(component) & reachable(other))  # what rows lie in a sum may be chosen otherwise
    assert ends(replace(component, targets=csr_array(component.targets[both]))) == ends(
        replace(other, targets=csr_array(other.targets[both]))
    )


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.booleans())
def test_compiled_and_plain_give_the_same_tables(seed: int, bounded: bool) -> None:
    pytest.importorskip("numba")
    component = network_component(Random(seed), nodes=8, arcs=30, most=50, bounded=bounded)
    found = []
    for size in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(flows, "COMPILE", size)
            try:
                found.append(answer(component, Limits(prove=True)))
            except InfeasibleError:
                found.append(None)
    assert (found[0] is None) == (found[1] is None)
    if found[0] is not None and found[1] is not None:
        assert repr(found[0].targets) == repr(found[1].targets)
        assert [t.tolist() for t in found[0].tables] == [t.tolist() for t in found[1].tables]


def two_way(size: int, scale: int) -> Component:
    """A square table with all cells withheld and all margins `size * scale`."""
    cells = size * size
    at = np.arange(cells)
    rows, columns = at // size, size + at % size
    matrix = csr_array((np.ones(2 * cells, np.int64), (np.concatenate([rows, columns]), np.tile(at, 2))))
    margin = np.full(2 * size, size * scale)
    return Component(
        matrix,
        margin,
        margin,
        np.zeros(cells, np.int64),
        np.full(cells, size * scale),
        csr_array(np.eye(cells, dtype=int)),
    )


def test_many_ends_close_with_few_tables() -> None:
    """200 ends of a full 10 x 10 table: a table made from nothing brings up to ten cells to their maximum."""
    found = answer(two_way(10, 3), Limits(prove=True))
    assert all((t.lower.attained, t.upper.attained) == (0, 30) for t in found.targets)
    assert len(found.tables) <= 50


def test_values_too_large_for_64_bits_are_left_alone() -> None:
    known = know_nothing(component := two_way(4, 2**56), Limits())
    Flows().work(component, known, Limits())
    assert not known.in_hand
    assert len(known.open_integer()) == 32


def test_decision_mode_pushes_no_further_than_asked() -> None:
    component = two_way(5, 10)
    asked = np.full(50, NO_LOWER)
    asked[25] = -20  # is a value of 20 or more possible in the first cell?
    asked[0] = 10
    asked[26] = -60  # more than the margin: proved from the start
    result = Method("flows", lambda c, k: (Flows(),)).bounds(component, Limits(), enough=asked)
    assert result.targets[0].upper.attained is not None
    assert result.targets[0].upper.attained >= 20
    assert result.targets[0].lower.attained is not None
    assert result.targets[0].lower.attained <= 10
    assert result.uses[0].closed + component.targets.shape[0] >= 50


def test_out_of_time_leaves_ends_open() -> None:
    found = answer(two_way(5, 10), Limits(deadline=0.0))
    assert any(t.upper.attained != t.upper.outer for t in found.targets)
    assert all(t.upper.outer == 50 for t in found.targets)


def test_drifting_arcs_start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arcs without bounds never leave 64 bits, however much is pushed around them."""
    component = only_reachable(network_component(Random(5), nodes=6, arcs=14, bounded=False))
    expected = ends(component)
    monkeypatch.setattr(flows, "DRIFT", 1)
    assert ends(component) == expected


def test_withheld_margins_are_arcs_too() -> None:
    """Row totals inside a withheld grand total: nested sums, with the columns published."""
    component = two_way(3, 4)
    rows = np.kron(np.eye(3, dtype=np.int64), np.ones(3, np.int64))
    targets = csr_array(np.vstack([np.eye(9, dtype=np.int64), rows[:2], rows[:2].sum(axis=0)]))
    columns_only = csr_array(component.matrix[3:])
    changed = Component(
        columns_only, component.lower[3:], component.upper[3:], component.column_lower, component.column_upper, targets
    )
    network = network_of(changed)
    assert network is not None
    assert network.convex
    found = ends(changed)
    assert found is not None
    assert found[-3:] == [(0, 36), (0, 36), (0, 36)]


def laminar_intervals(random: Random) -> Component:
    """A small table of two classifications of which sums are known within intervals: either over the levels of both, or
    over those of one, crossed with the other."""
    shape = random.choice([(2, 2), (2, 3), (3, 2), (1, 5)])
    count = shape[0] * shape[1]
    cells = np.arange(count).reshape(shape)
    crossed = random.random() < 0.5
    rows = []
    for axis in range(1 if crossed else 2):
        parts = [[k] for k in range(shape[axis])]
        groups = [*parts]
        while len(parts) > 1:
            k = random.randrange(len(parts) - 1)
            parts[k : k + 2] = [parts[k] + parts[k + 1]]
            groups.append(parts[k])
        for group in groups:
            lines = np.take(cells, group, axis=axis)
            rows.append(lines.ravel().tolist())
            if crossed:
                rows += [column.tolist() for column in lines.T]
    rows = random.sample(rows, random.randint(1, len(rows)))
    matrix = np.array([[int(c in row) for c in range(count)] for row in rows])
    x = np.array([random.randint(0, 2) for _ in range(count)])
    below, above = (np.array([random.choice([0, 1, 1, 2]) for _ in rows]) for _ in range(2))
    both = (below == 0) & (above == 0)
    above[both] = 1
    targets = np.array([*np.eye(count, dtype=np.int64).tolist(), *(r for r in matrix.tolist() if sum(r) > 1)])
    return Component(
        csr_array(matrix),
        matrix @ x - below,
        matrix @ x + above,
        np.zeros(count, np.int64),
        np.full(count, 2),
        csr_array(targets),
    )


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_levels_known_within_intervals_are_networks(seed: int) -> None:
    """Rounded totals of rounded totals: every value between the ends is possible, and no solver is needed."""
    component = laminar_intervals(Random(seed))
    network = network_of(component)
    assert network is not None
    assert network.convex
    value = tables(component) @ component.targets.toarray().T
    assert ends(component) == list(zip(value.min(axis=0), value.max(axis=0), strict=True))
    for k in range(value.shape[1]):
        assert set(value[:, k]) == set(range(value[:, k].min(), value[:, k].max() + 1))
