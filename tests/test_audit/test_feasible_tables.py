"""Posteriors over all tables that fit: exact counts against every table listed, sampling against counts."""

from dataclasses import replace
from itertools import product
from math import exp, factorial, log2, prod
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from oracle import read
from random_releases import Maker
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.lattice import Solutions, neighbours, shortened
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.linear.reduce import reduce
from tableseal.audit.measures.feasible_tables import Effort, Poisson, TablePosterior, table_posteriors
from tableseal.audit.measures.feasible_tables.count import count_tables
from tableseal.audit.measures.feasible_tables.diagnose import split_rhat_and_ess
from tableseal.audit.measures.feasible_tables.distribution import Distribution, added, jackknife, normalised
from tableseal.audit.measures.feasible_tables.sample import CHAINS, sample_tables, space_of
from tableseal.audit.measures.feasible_tables.start import starting_tables
from tableseal.audit.measures.feasible_tables.tidy import tidied
from tableseal.audit.measures.feasible_tables.walk import arrived, walk
from tableseal.audit.pipeline import audit
from tableseal.audit.prepare import Prepared, prepare
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
COUNT = Effort(10**6)


def bits_of(numbers: Any) -> float:
    shares = np.array(list(numbers), dtype=float)
    shares = shares[shares > 0] / shares.sum()
    return float(-(shares * np.log2(shares)).sum())


def random_component(seed: int) -> Component:
    """A few columns, equations and intervals that one table satisfies, sums of columns as targets."""
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(1, 5)), int(random.integers(1, 7))
    matrix = random.integers(-1, 2, (rows, columns)) * random.choice([1, 1, 1, 2], (rows, 1))
    high = random.integers(0, 5, columns)
    hidden = random.integers(0, high + 1)
    value = matrix @ hidden
    kind = random.integers(0, 4, rows)
    lower = np.where(kind == 3, NO_LOWER, value - kind * random.integers(0, 2, rows))
    upper = np.where(kind == 2, NO_UPPER, value + kind * random.integers(0, 2, rows))
    targets = np.vstack(
        [np.eye(columns, dtype=int), -np.eye(columns, dtype=int)[:1], random.integers(0, 2, (2, columns))]
    )
    targets = targets[np.abs(targets).sum(axis=1) > 0]
    return Component(csr_array(matrix), lower, upper, np.zeros(columns, np.int64), high, csr_array(targets))


def listed(component: Component) -> np.ndarray:
    """Every table of a small component."""
    box = [range(a, b + 1) for a, b in zip(component.column_lower, component.column_upper, strict=True)]
    points = np.array(list(product(*box)), dtype=np.int64)
    sums = points @ component.matrix.toarray().T
    return points[((sums >= component.lower) & (sums <= component.upper)).all(axis=1)]


@FEW
@given(SEEDS)
def test_counts_are_those_of_every_table_listed(seed: int) -> None:
    component = random_component(seed)
    tables = listed(component)
    found, used = count_tables(component, 10**6)
    assert found is not None
    assert found.tables == len(tables) > 0
    assert 0 < used <= 10**6
    for target, masses in zip(component.targets.toarray(), found.masses, strict=True):
        values = (tables @ target).tolist()
        counted = {masses.first + i: n for i, n in enumerate(masses.mass) if n}
        assert counted == {v: values.count(v) for v in set(values)}


@FEW
@given(SEEDS)
def test_tidying_keeps_all_tables(seed: int) -> None:
    component = random_component(seed)
    tidy = tidied(component)
    assert tidy is not None
    assert np.array_equal(listed(tidy), listed(component))


@FEW
@given(SEEDS, st.lists(st.floats(0.1, 5), min_size=6, max_size=6))
def test_prior_weights(seed: int, means: list[float]) -> None:
    component = random_component(seed)
    tables = listed(component)
    prior = Poisson(np.array(means))
    found, _ = count_tables(component, 10**6, prior.log_weight)
    assert found is not None
    weight = [prod(means[j] ** x * exp(-means[j]) / factorial(x) for j, x in enumerate(t)) for t in tables.tolist()]
    for target, masses in zip(component.targets.toarray(), found.masses, strict=True):
        d = normalised(masses.first, masses.mass)
        for value in set((tables @ target).tolist()):
            share = sum(w for w, t in zip(weight, tables, strict=True) if t @ target == value) / sum(weight)
            assert d.p[value - d.first] == pytest.approx(share, rel=1e-9)


def test_more_tables_than_64_bits_hold() -> None:
    """20 rows of 9 units over 6 columns without column totals: C(14, 5) ways each."""
    matrix = csr_array(np.kron(np.eye(20, dtype=np.int64), np.ones((1, 6), np.int64)))
    value = np.full(20, 9)
    component = Component(
        matrix, value, value, np.zeros(120, np.int64), np.full(120, 9), csr_array(np.eye(1, 120, dtype=np.int64))
    )
    found, _ = count_tables(component, 10**5)
    assert found is not None
    assert found.tables == 2002**20
    assert [m * 2002 // found.tables for m in found.masses[0].mass] == [715, 495, 330, 210, 126, 70, 35, 15, 5, 1]


def test_too_much_work_is_refused() -> None:
    component = random_component(1)
    found, used = count_tables(component, 2)
    assert found is None
    assert used <= 2


# ---------------------------------------------------------------- whole releases


def prepared(document: dict[str, Any]) -> Prepared:
    release = release_from_document(document)
    return prepare(release, merge_cells(release)[0])


def posteriors(document: dict[str, Any], effort: Effort, **more: Any) -> tuple[TablePosterior | None, ...]:
    ready = prepared(document)
    reduced = reduce(ready.differenced, nonnegative=ready.system.nonnegative)
    return table_posteriors(reduced, ready.system.forms, effort, Highs(), **more)


@settings(FEW, max_examples=25)
@given(SEEDS)
def test_releases_against_every_table_listed(seed: int) -> None:
    """CONVENTION 320: the tables are those of the package's own base cells, listed here from the unreduced system."""
    document = Maker(Random(seed)).document()
    note(str(document))
    try:
        ready = prepared(document)
        reduced = reduce(ready.differenced, nonnegative=ready.system.nonnegative)
    except (InputError, InfeasibleError):
        assume(False)
    system = ready.system
    oracle = replace(
        read(document),
        matrix=system.matrix.toarray().astype(float),
        lower=np.where(system.lower == NO_LOWER, -np.inf, system.lower),
        upper=np.where(system.upper == NO_UPPER, np.inf, system.upper),
    )
    tables = oracle.tables()
    assume(tables is not None and len(tables))
    values = np.rint(tables @ system.forms.T.toarray()).astype(int)
    found = table_posteriors(reduced, system.forms, COUNT, Highs())
    for k, one in enumerate(found):
        assert one is not None
        assert one.method == "exact"
        numbers = np.unique(values[:, k], return_counts=True)
        assert one.bits == pytest.approx(bits_of(numbers[1]), abs=1e-9)
        assert one.ci == (one.bits, one.bits)
        assert len(tables) % one.tables == 0
        shares = {one.distribution.first + i: p for i, p in enumerate(one.distribution.p) if p > 0}
        assert shares == {int(v): pytest.approx(n / len(tables)) for v, n in zip(*numbers, strict=True)}


@settings(FEW, max_examples=12)
@given(SEEDS)
def test_sampling_agrees_with_counting(seed: int) -> None:
    document = Maker(Random(seed), base=8).document()
    note(str(document))
    try:
        exact = posteriors(document, COUNT)
        sampled = posteriors(document, Effort(0, samples=1024, seed=1))
    except (InputError, InfeasibleError):
        assume(False)
    for one, other in zip(exact, sampled, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None and other.rhat is not None and other.rhat < 1.05 and other.ess > 200:
            assert other.bits == pytest.approx(one.bits, abs=0.12)
            assert other.ci[0] <= other.bits <= other.ci[1]
            assert other.tables is None


def square(*, values: tuple[int, ...] = (9, 14, 20, 18, 14, 11)) -> dict[str, Any]:
    """3 x 3 with nothing but its margins."""
    axis = {"total": "T", "codes": ["1", "2", "3"]}
    inner = [(a, b) for a in "123" for b in "123"]
    rows = [a for a, _ in inner] + ["1", "2", "3", "T", "T", "T"]
    columns = [b for _, b in inner] + ["T", "T", "T", "1", "2", "3"]
    cells = {"r": rows, "c": columns, "value": [None] * 9 + list(values), "s": ["primary"] * 9 + ["published"] * 6}
    return {
        "tableseal": 1,
        "title": "Margins only",
        "kind": "count",
        "variables": {"r": axis, "c": axis},
        "tables": [{"name": "t", "status": "s", "cells": cells}],
    }


def test_confidence_intervals_cover() -> None:
    """Of 95% intervals from 5 seeds most hold the exact entropy, and they are narrow."""
    exact = posteriors(square(), COUNT)
    held = []
    for seed in range(5):
        for one, other in zip(exact, posteriors(square(), Effort(0, samples=512, seed=seed)), strict=True):
            assert one is not None
            assert other is not None
            assert other.ci[1] - other.ci[0] < 0.5
            assert other.rhat < 1.2
            held.append(other.ci[0] <= one.bits <= other.ci[1])
    assert np.mean(held) > 0.85


def test_sampling_with_a_prior() -> None:
    """CONVENTION 321: with equal means every way to put the units into the cells is equally likely."""
    prior = Poisson(np.ones(9))
    exact = posteriors(square(values=(2, 3, 4, 3, 3, 3)), COUNT, prior=prior)
    sampled = posteriors(square(values=(2, 3, 4, 3, 3, 3)), Effort(0, samples=4096, seed=3), prior=prior)
    # Hypergeometric: 3 of the 9 units are in the first column, 2 in the first row.
    assert exact[0] is not None
    assert exact[0].distribution.p.tolist() == pytest.approx([15 / 36, 18 / 36, 3 / 36])
    for one, other in zip(exact, sampled, strict=True):
        assert one is not None
        assert other is not None
        assert other.bits == pytest.approx(one.bits, abs=0.05)


@given(SEEDS)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_a_walk_arrives_where_it_would_with_all_that_it_keeps(seed: int) -> None:
    component = random_component(seed)
    start = starting_tables(component, 2, Highs(), seed, Limits())
    assume(start is not None)
    assert start is not None
    space, coordinates = space_of(component)
    kept = walk(space, start @ coordinates.T, 10, np.random.default_rng(seed), Limits())
    found = arrived(space, start @ coordinates.T, 20, np.random.default_rng(seed), Limits())
    assert kept is not None
    assert found is not None
    assert found.tolist() == kept.trace[-1].tolist()


def test_same_seed_same_digits_and_other_seed_others() -> None:
    """CONVENTION 322."""
    effort = Effort(0, samples=256, seed=5)
    first, again, other = (posteriors(square(), e) for e in (effort, effort, replace(effort, seed=6)))
    assert [p.bits for p in first if p] == [p.bits for p in again if p]
    assert [p.bits for p in first if p] != [p.bits for p in other if p]


def test_no_limit_no_entropy() -> None:
    """CONVENTION 320: without a limit there are endlessly many tables, and no uniform distribution over them."""
    document = square()
    table = document["tables"][0]["cells"]
    table["value"][9], table["s"][9] = None, "secondary"
    table["value"][12], table["s"][12] = None, "secondary"
    found = posteriors(document, replace(COUNT, samples=64))
    assert found[0] is None


def test_deadline_is_obeyed() -> None:
    ready = prepared(square())
    reduced = reduce(ready.differenced, nonnegative=True)
    assert set(table_posteriors(reduced, ready.system.forms, COUNT, Highs(), Limits(deadline=0.0))) == {None}
    whole = Component(
        ready.system.matrix,
        ready.system.lower,
        ready.system.upper,
        np.zeros(9, np.int64),
        np.full(9, 20),
        csr_array(np.eye(9, dtype=np.int64)),
    )
    assert sample_tables(whole, 64, 0, Highs(), Limits(deadline=0.0)) is None


def test_no_samples_where_moves_have_large_numbers() -> None:
    random = np.random.default_rng(3)
    matrix = random.integers(-(10**6), 10**6, (4, 12))
    right = matrix @ np.ones(12, np.int64)
    columns = np.zeros(12, np.int64), np.ones(12, np.int64)
    component = Component(csr_array(matrix), right, right, *columns, csr_array(np.eye(12, dtype=np.int64)))
    assert sample_tables(component, 64, 0, Highs(), Limits()) is None


def test_posterior_is_far_from_uniform_over_values() -> None:
    """The first cell of [[?, ?], [?, ?]] x 6 has 10 values, but large ones leave the others little to vary."""
    found = posteriors(square(values=(9, 30, 30, 23, 23, 23)), COUNT)
    assert found[0] is not None
    p = found[0].distribution.p
    assert len(p) == 10
    assert p[0] > 5 * p[9]
    assert found[0].bits < log2(10)


def test_audits_count_small_components_and_sample_when_asked() -> None:
    """CONVENTION 323."""
    release = release_from_document(square())
    assert all(c.over_tables is not None and c.over_tables.method == "exact" for c in audit(release).report.cells)
    none = audit(release, entropy=Effort(10)).report
    assert all(c.over_tables is None for c in none.cells)
    sampled = audit(release, entropy=Effort(10, samples=128, seed=2)).report
    assert all(c.over_tables is not None and c.over_tables.method == "sampled" for c in sampled.cells)


# ---------------------------------------------------------------- parts


@FEW
@given(SEEDS)
def test_moves_generate_the_whole_lattice(seed: int) -> None:
    """A basis of the kernel that has no common factor: its largest minors have greatest common divisor 1."""
    from sympy import ZZ, Matrix
    from sympy.matrices.normalforms import smith_normal_form

    random = np.random.default_rng(seed)
    matrix = random.integers(-3, 4, (int(random.integers(1, 5)), int(random.integers(1, 8))))
    basis = Solutions(csr_array(matrix)).moves()
    count = matrix.shape[1] - np.linalg.matrix_rank(matrix)
    room = random.integers(0, 9, matrix.shape[1])
    for one in (basis, shortened(basis, room)):
        assert one.shape == (count, matrix.shape[1])
        assert not (matrix @ one.T.toarray()).any()
        if count:
            invariants = smith_normal_form(Matrix(one.toarray().tolist()), domain=ZZ)
            assert all(abs(invariants[i, i]) == 1 for i in range(count))
    assert not (matrix @ neighbours(basis, 9).T.toarray()).any()


def test_two_way_moves_are_rectangles() -> None:
    rows = [np.kron(np.eye(5, dtype=int)[i], np.ones(7, int)) for i in range(5)]
    columns = [np.kron(np.ones(5, int), np.eye(7, dtype=int)[j]) for j in range(7)]
    basis = Solutions(csr_array(np.array(rows + columns))).moves()
    assert set(np.diff(basis.indptr)) == {4}


def test_sums_of_independent_pieces() -> None:
    coin, die = Distribution(0, np.full(2, 0.5)), Distribution(1, np.full(6, 1 / 6))
    both = added([coin, die, Distribution(10, np.ones(1))])
    assert both is not None
    assert both.first == 11
    assert both.p.tolist() == pytest.approx([1 / 12, *[1 / 6] * 5, 1 / 12])
    assert both.bits() == pytest.approx(bits_of([1, 2, 2, 2, 2, 2, 1]))
    coarse = Distribution(0, np.full(4, 0.25), step=8)
    assert coarse.bits() == 5.0
    assert added([coarse, Distribution(3, np.ones(1))]) is not None
    assert added([coarse, coin]) is None


def test_jackknife_removes_the_bias_of_small_samples() -> None:
    random = np.random.default_rng(0)
    plain, freed = [], []
    for _ in range(200):
        batches = random.multinomial(8, np.full(16, 1 / 16), size=16)
        total = batches.sum(axis=0)
        whole = bits_of(total)
        plain.append(whole)
        freed.append(jackknife(whole, [bits_of(total - b) for b in batches], 9.0)[0])
    assert abs(np.mean(freed) - 4) < abs(np.mean(plain) - 4) / 3


def test_diagnostics() -> None:
    random = np.random.default_rng(0)
    draws, chains = 400, 8
    independent = random.integers(0, 100, (draws, chains))
    stuck = independent // 10 + 100 * np.arange(chains)
    slow = np.cumsum(random.integers(-1, 2, (draws, chains)), axis=0)
    still = np.zeros((draws, chains), int)
    apart = still + np.arange(chains)
    rhat, ess = split_rhat_and_ess(np.stack([independent, stuck, slow, still, apart], axis=2))
    assert abs(rhat[0] - 1) < 0.01
    assert ess[0] > 0.8 * draws * chains
    assert rhat[1] > 10
    assert rhat[2] > 1.2
    assert ess[2] < 100
    assert (rhat[3], ess[3]) == (1, chains)
    assert rhat[4] == np.inf


def test_chains_that_cannot_meet_by_short_moves_still_do() -> None:
    """The lattice of 2 x = y + z in a box: the basis alone does not connect all tables, sums of it do."""
    matrix = csr_array(np.array([[2, -1, -1, 0], [0, 0, 1, -3]]))
    zero = np.zeros(2, np.int64)
    component = Component(
        matrix, zero, zero, np.zeros(4, np.int64), np.array([6, 9, 9, 3]), csr_array(np.eye(4, dtype=int))
    )
    tables = listed(component)
    found = sample_tables(component, 2048, 0, Highs(), Limits())
    assert found is not None
    assert len(found[0].without) == CHAINS
    for j, one in enumerate(found):
        numbers = np.bincount(tables[:, j])
        assert one.whole.p[: len(numbers)].tolist() == pytest.approx((numbers / len(tables)).tolist(), abs=0.03)


def test_wide_ranges_are_put_into_bins() -> None:
    """x + y = 99,999: every value equally likely, more than are told apart."""
    component = Component(
        csr_array(np.array([[1, 1]])),
        np.array([99_999]),
        np.array([99_999]),
        np.zeros(2, np.int64),
        np.full(2, 99_999),
        csr_array(np.eye(2, dtype=np.int64)),
    )
    found = sample_tables(component, 512, 0, Highs(), Limits())
    assert found is not None
    assert found[0].whole.step > 1
    assert found[0].whole.bits() == pytest.approx(log2(100_000), abs=1e-3)
