"""SAP against every table and every sample listed, on random small releases."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sap_brute import feasible_tables, margins, sap_by_inclusion_exclusion, sap_by_listing
from scipy.sparse import csr_array, vstack

from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.measures.sap import definitions
from tableseal.audit.measures.sap.attack import Attack, attack
from tableseal.audit.measures.sap.definitions import Effort, exactly, resolved_sap, static_sap
from tableseal.audit.measures.sap.enclosure import enclose
from tableseal.audit.measures.sap.network import network
from tableseal.audit.model import Rounding
from tableseal.audit.model.rounding import rounding_interval

SHAPES = st.sampled_from([(2, 2), (2, 3), (4,)])


def rounded(values: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Trivial bounds of values rounded conventionally."""
    return rounding_interval((2 * values + base) // (2 * base) * base, Rounding(base, "conventional"), True)


@st.composite
def attacks(draw: st.DrawFn, *, crossing: bool = True) -> Attack:
    """Small tables with exact or rounded margins, perhaps rounded cells, perhaps a sum that crosses the margins."""
    shape = draw(SHAPES)
    cells = int(np.prod(shape))
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=cells, max_size=cells)), np.int64)
    counts[draw(st.integers(0, cells - 1))] += 0 if counts.any() else 1
    while counts.sum() > 7:
        counts[np.argmax(counts)] -= 1
    rows = margins(shape) if len(shape) == 2 else csr_array(np.array([[1, 1, 1, 1], [1, 1, 0, 0]]))
    if crossing and draw(st.booleans()):
        rows = csr_array(vstack([rows, np.array([[1] + [0] * (cells - 2) + [1]])]))
    sums = rows @ counts
    low, high = (sums, sums) if draw(st.booleans()) else rounded(sums, 3)
    if draw(st.booleans()):
        return attack(counts, *rounded(counts, 3), rows, low, high)
    return attack(counts, rows=rows, row_low=low, row_high=high)


def sizes(problem: Attack) -> tuple[int, ...]:
    return tuple(range(problem.total + 1))


def listed(problem: Attack) -> Any:
    tables = feasible_tables(problem.low, problem.high, problem.rows, problem.row_low, problem.row_high)
    return sap_by_listing(problem.counts, tables, problem.groups, problem.sampled.tolist(), problem.targets.tolist())


@settings(max_examples=60, deadline=None)
@given(attacks(), st.data())
def test_resolved_is_what_listing_gives(problem: Attack, data: st.DataObject) -> None:
    """Also for chosen targets, and where units are drawn from a part of the table only (conditional tables)."""
    cells = len(problem.counts)
    flags = st.lists(st.booleans(), min_size=cells, max_size=cells).map(lambda f: np.array(f, np.bool_))
    kind = data.draw(st.sampled_from(["all", "targets", "among"]))
    if kind == "targets":
        problem = problem.aimed_at(data.draw(flags.filter(lambda f: bool(f.any()))))
    elif kind == "among":
        problem = problem.among(data.draw(flags.filter(lambda f: bool(problem.counts[f].sum() > 0))))
    resolved, static = resolved_sap(problem, sizes(problem)), static_sap(problem, sizes(problem))
    assert resolved.exact is not None
    assert static.exact is not None
    assert list(resolved.exact) == listed(problem)
    assert all(r >= s for r, s in zip(resolved.exact, static.exact, strict=True))
    for curve in (resolved.exact, static.exact):
        assert list(curve) == sorted(curve)  # more knowledge never recovers less


@settings(max_examples=15, deadline=None)
@given(attacks(crossing=False))
def test_a_network_and_the_general_engine_agree(problem: Attack) -> None:
    net = network(problem)
    assert net is not None
    by_network = exactly(problem, net, sizes(problem), exact=False)
    static = static_sap(problem, sizes(problem))
    with patch.object(definitions, "network", lambda _: None):
        assert static_sap(problem, sizes(problem)).exact == static.exact
        by_engine = exactly(problem, None, sizes(problem), exact=False)
    assert by_network is not None
    assert by_engine is not None
    assert by_network.sap.exact == by_engine.sap.exact


@settings(max_examples=25, deadline=None)
@given(attacks(), st.integers(0, 3))
def test_units_known_in_part_are_taken_from_their_margins(problem: Attack, way: int) -> None:
    # CONVENTION 264
    cells = len(problem.counts)
    labels = np.arange(cells) // 2 if way % 2 else np.arange(cells) % 2
    partly = problem.known_in(labels.astype(np.int64))
    resolved, static = resolved_sap(partly, sizes(partly)), static_sap(partly, sizes(partly))
    assert resolved.exact is not None
    assert static.exact is not None
    assert list(resolved.exact) == listed(partly)
    assert all(r >= s for r, s in zip(resolved.exact, static.exact, strict=True))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=6).filter(lambda c: sum(x for x, _ in c))
)
def test_polynomial_is_inclusion_exclusion_is_listing(cells: list[tuple[int, bool]]) -> None:
    counts = np.array([c for c, _ in cells], np.int64)
    high = np.array([c if tight else c + 2 for c, tight in cells], np.int64)
    problem = attack(counts, high=high)
    found = static_sap(problem, sizes(problem))
    assert found.exact is not None
    tight = [c for c, is_tight in cells if is_tight]
    assert list(found.exact) == sap_by_inclusion_exclusion(tight, int(counts.sum()))
    assert resolved_sap(problem, sizes(problem)).exact == found.exact
    if np.prod(high + 1) < 3000 and counts.sum() < 12:
        assert list(found.exact) == listed(problem)
    for exact, (value, error) in zip(found.exact, enclose(tight, problem.total, sizes(problem)), strict=True):
        assert abs(exact - value) <= error + 1e-16


@settings(max_examples=12, deadline=None)
@given(attacks())
def test_an_estimate_covers_the_exact_value(problem: Attack) -> None:
    """Pointwise intervals of confidence 1 - 1e-9, so that no run of this test fails by chance."""
    exact = resolved_sap(problem, sizes(problem))
    with patch.object(definitions, "exactly", lambda *_, **__: None):
        estimated = resolved_sap(problem, sizes(problem), Effort(replicates=200, seed=1, confidence=1 - 1e-9))
    assert estimated.interval is not None
    assert exact.exact is not None
    for value, (low, high), middle in zip(exact.exact, estimated.interval, estimated.value, strict=True):
        assert low - 1e-12 <= value <= high + 1e-12
        assert abs(value - middle) <= estimated.error
    static = static_sap(problem, sizes(problem))
    assert all(e >= s for e, s in zip(estimated.value, static.value, strict=True))


@pytest.mark.parametrize("counts", [[[2, 0], [0, 2]], [[1, 1], [1, 1]]])
def test_a_network_is_recognised(counts: list[list[int]]) -> None:
    flat = np.array(counts).ravel()
    rows = margins((2, 2))
    total = csr_array(np.ones((1, 4), np.int64))
    twice = csr_array(vstack([rows, total, rows]))  # equal sums count once
    sums = twice @ flat
    assert network(attack(flat, rows=twice, row_low=sums - 1, row_high=sums)) is not None
    diagonal = csr_array(vstack([rows, np.array([[1, 0, 0, 1]])]))
    sums = diagonal @ flat
    assert network(attack(flat, rows=diagonal, row_low=sums, row_high=sums)) is None


def test_no_upper_bound_is_never_tight() -> None:
    problem = attack(np.array([1, 2]), high=np.array([1, NO_UPPER]))
    assert static_sap(problem, (0, 1, 3)).exact == (0, pytest.approx(1 / 3), 1)
