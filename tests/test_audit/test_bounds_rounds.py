"""Witness rounds against GLPK and every integer table listed; every real table is checked here again."""

from dataclasses import replace
from math import ceil
from random import Random

import glpk
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.audit.bounds import plan
from tableseal.audit.bounds.certify import Rational, dual_bound, satisfies
from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.dense import witness_rounds as rounds
from tableseal.audit.bounds.dense.unimodular import unit_basis
from tableseal.audit.bounds.dense.witness_rounds import Rounds
from tableseal.audit.bounds.knowledge import Knowledge, know_nothing
from tableseal.audit.bounds.programs.float_problem import as_floats
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.bounds.programs.whole_tables import WholeTables
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)


def three_way(seed: int, size: int, *, withheld: float = 0.6, offset: int = 0) -> Component:
    """A cube of counts with all two-way margins published and some cells withheld; two sums of cells are asked too."""
    random = np.random.default_rng(seed)
    truth = random.poisson(1.5, (size, size, size)) + offset
    cells = np.argwhere(random.random(truth.shape) < withheld)
    x = truth[tuple(cells.T)]
    index = np.concatenate(
        [axis * size * size + cells[:, (axis + 1) % 3] * size + cells[:, (axis + 2) % 3] for axis in range(3)]
    )
    at = np.tile(np.arange(len(cells)), 3)
    matrix = csr_array((np.ones(len(at), np.int64), (index, at)), shape=(3 * size * size, len(cells)))
    matrix = csr_array(matrix[np.flatnonzero(np.diff(matrix.indptr))])
    right = matrix @ x
    low, high = propagate(matrix, right, right, np.zeros(len(x), np.int64), np.full(len(x), NO_UPPER), integer=False)
    pairs = (random.random((2, len(cells))) < 0.2).astype(np.int64)
    targets = csr_array(np.vstack([np.eye(len(cells), dtype=np.int64), pairs[pairs.sum(axis=1) > 1]]))
    return Component(matrix, right, right, low, high, targets)


def with_intervals(component: Component, seed: int) -> Component:
    """Some rows known within a unit or two, one not at all from one side."""
    random = np.random.default_rng(seed)
    rows = len(component.lower)
    lower = component.lower - random.integers(0, 2, rows) * (random.random(rows) < 0.3)
    upper = component.upper + random.integers(0, 2, rows) * (random.random(rows) < 0.3)
    upper[0] = NO_UPPER
    return replace(component, lower=lower, upper=upper)


def found(component: Component, limits: Limits | None = None, enough: np.ndarray | None = None) -> Knowledge:
    known = know_nothing(component, limits or Limits(), enough)
    shown = known.witness_real

    def check(x: Rational) -> None:
        value = component.matrix.toarray().astype(object) @ x.numerator.astype(object)
        assert all(
            low == NO_LOWER or v >= low * x.denominator for v, low in zip(value, component.lower.tolist(), strict=True)
        )
        assert all(
            up == NO_UPPER or v <= up * x.denominator for v, up in zip(value, component.upper.tolist(), strict=True)
        )
        assert satisfies(component, x)
        shown(x)

    known.witness_real = check  # type: ignore[method-assign]
    Rounds(Highs()).work(component, known, limits or Limits())
    return known


def least(component: Component, form: np.ndarray) -> float:
    """Linear programming by GLPK."""
    columns = len(form)
    matrix = np.vstack([component.matrix.toarray(), np.eye(columns, dtype=np.int64)])
    lower = as_floats(np.concatenate([component.lower, component.column_lower]))
    upper = as_floats(np.concatenate([component.upper, component.column_upper]))
    value = glpk.minimise(matrix, lower, upper, np.full(columns, -np.inf), form)
    assert value is not None
    return value


def assert_right(component: Component, known: Knowledge) -> None:
    """Nothing proved is false, and nothing shown impossible."""
    for k, form in enumerate(np.vstack([known.asked.toarray(), -known.asked.toarray()])):
        value = least(component, form)
        assert known.proved[k] <= ceil(value - 1e-6)
        if known.lp[k] is not None:
            assert float(known.lp[k]) == pytest.approx(value, abs=1e-4)
        if known.continuous[k] is not None:
            assert float(known.continuous[k]) >= value - 1e-6
        if known.met[k]:
            assert known.continuous[k] is not None
            assert known.continuous[k] <= known.proved[k]


@settings(max_examples=8, deadline=None)
@given(SEEDS, st.booleans())
def test_cubes_with_all_margins(seed: int, intervals: bool) -> None:
    component = three_way(seed % 1000, 3, offset=(seed % 3) * 10**6)
    if intervals:
        component = with_intervals(component, seed % 1000)
    assert_right(component, found(component))


def test_nearly_all_ends_of_cubes_are_closed() -> None:
    """Of a single cube more may be left: what is rare is rare among many."""
    known = [found(with_intervals(three_way(seed, 3), seed) if seed % 2 else three_way(seed, 3)) for seed in range(20)]
    assert sum(len(k.open_linear()) for k in known) <= 0.02 * sum(len(k.met) for k in known)


def test_every_end_of_a_cube_is_closed() -> None:
    component = three_way(7, 5)
    known = found(component)
    assert_right(component, known)
    assert len(known.open_linear()) == 0
    assert known.met.mean() > 0.9
    assert known.closed() == known.met.sum()


@pytest.mark.parametrize("central", [10, 3000])
def test_proofs_hold(monkeypatch: pytest.MonkeyPatch, central: int) -> None:
    monkeypatch.setattr(rounds, "CENTRAL", central)
    component = three_way(5, 4)
    known = found(component, Limits(prove=True))
    for k, form in enumerate(np.vstack([known.asked.toarray(), -known.asked.toarray()])):
        proof = known.proofs[k]
        assert isinstance(proof, Multipliers)
        y = np.zeros(component.matrix.shape[0], np.int64)
        y[proof.rows] = proof.numerator
        bound = dual_bound(component, form, Rational(y, proof.denominator))
        assert bound is not None
        assert ceil(bound) == known.proved[k]


def test_same_seed_same_tables() -> None:
    component = three_way(11, 4)
    first, second = found(component), found(component)
    assert first.continuous == second.continuous
    assert first.proved.tolist() == second.proved.tolist()


def test_decision_mode_asks_for_no_more() -> None:
    component = three_way(3, 4)
    full = found(component)
    half = full.targets
    enough = np.full(2 * half, NO_LOWER)
    wide = np.flatnonzero(full.met & (full.proved < -2))  # maxima above 2: is 2 possible?
    enough[wide] = -2
    known = found(component, enough=enough)
    assert known.met[wide].all()
    for k in wide.tolist():
        assert known.continuous[k] is not None
        assert known.continuous[k] <= -2


def test_out_of_time_changes_nothing() -> None:
    known = found(component := three_way(3, 4), Limits(deadline=0.0))
    assert not known.met.any()
    assert know_nothing(component, Limits()).proved.tolist() == known.proved.tolist()


def test_values_too_large_for_fractions_are_left_alone() -> None:
    """2^50 units leave too few bits for fractions: no table, and what is proved stays right."""
    near, far = three_way(3, 3), three_way(3, 3, offset=2**50)
    moved = replace(
        near,
        lower=near.lower + near.matrix.sum(axis=1) * 2**50,
        upper=near.upper + near.matrix.sum(axis=1) * 2**50,
        column_lower=near.column_lower + 2**50,
        column_upper=near.column_upper + 2**50,
    )
    assert far.lower.tolist() == moved.lower.tolist()
    known = found(moved)
    assert all(c is None for c in known.continuous)
    cells = near.matrix.shape[1]
    assert (known.proved[:cells] - 2**50 <= [ceil(least(near, form)) for form in np.eye(cells)]).all()


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_basis_solves_every_right_side(seed: int) -> None:
    """Rank and determinant against exact elimination."""
    random = Random(seed)
    rows, columns = random.randint(1, 6), random.randint(1, 8)
    matrix = np.array([[random.choice([0, 0, 1, 1, -1, 2, 3]) for _ in range(columns)] for _ in range(rows)])
    allowed = np.array([random.random() < 0.8 for _ in range(columns)])
    chosen_rows, chosen_columns, determinant = unit_basis(csr_array(matrix), allowed)
    assert allowed[chosen_columns].all()
    assert len(chosen_rows) == np.linalg.matrix_rank(matrix[:, allowed]) if allowed.any() else len(chosen_rows) == 0
    if len(chosen_rows):
        square = matrix[np.ix_(chosen_rows, chosen_columns)]
        assert determinant == round(abs(np.linalg.det(square)))
        assert determinant > 0


@settings(max_examples=60, deadline=None)
@given(SEEDS)
@example(210)  # a pivot is begun that numbers are too large for
def test_bases_of_large_numbers(seed: int) -> None:
    """Where 64 bits end, whole numbers without limit go on."""
    random = Random(seed)
    size = random.randint(2, 4)
    numbers = [0, 1, -1, 3, 2**20 + 1, -(2**31), 2**45 + 7, 2**61]
    matrix = np.array([[random.choice(numbers) for _ in range(size)] for _ in range(size)])
    rows, columns, determinant = unit_basis(csr_array(matrix), np.ones(size, np.bool_))
    if len(rows):
        square = matrix[np.ix_(rows, columns)].tolist()
        assert determinant == abs(determinant_of(square)) > 0
    if len(rows) < size:
        assert determinant_of(matrix.tolist()) == 0


def determinant_of(square: list[list[int]]) -> int:
    """By the first row."""
    if not square:
        return 1
    minors = ([row[:j] + row[j + 1 :] for row in square[1:]] for j in range(len(square)))
    terms = enumerate(zip(square[0], minors, strict=True))
    return sum((-1) ** j * entry * determinant_of(minor) for j, (entry, minor) in terms)


def test_targets_become_columns() -> None:
    component = with_intervals(three_way(2, 3), 4)
    equations = as_equations(component)
    assert (equations.lower == equations.upper).all()
    assert (np.diff(equations.targets.indptr) == 1).all()
    random = np.random.default_rng(0)
    x = random.integers(0, 5, component.matrix.shape[1])
    interval = component.lower != component.upper
    value = component.matrix @ x
    sums = component.targets[np.diff(component.targets.indptr) > 1]
    whole = np.concatenate([x, value[interval], sums @ x])
    assert (equations.matrix @ whole)[: len(value)][interval].tolist() == [0] * int(interval.sum())
    assert (equations.targets @ whole).tolist() == (component.targets @ x).tolist()


def test_dense_components_rest_on_real_tables(monkeypatch: pytest.MonkeyPatch) -> None:  # CONVENTION 340
    """The plan's choice by size: rounds, no integer program for each end, one table of whole units."""
    component = three_way(9, 5, withheld=0.7)
    monkeypatch.setattr(plan, "DENSE", 10)
    monkeypatch.setattr(plan, "TABLEAU", 0)
    answer = plan.full(Highs()).bounds(component, Limits())
    assert [use.step for use in answer.uses] == ["witness rounds", "simplex", "relax and fix", "integer programs"]
    for target, form in zip(answer.targets, component.targets.toarray(), strict=True):
        for end, sign in ((target.lower, 1), (target.upper, -1)):
            assert end.outer is not None
            assert end.attained is not None  # by the one table at least
            assert sign * end.outer == ceil(least(component, sign * form) - 1e-6)
            reached = end.attained if end.continuous is None else end.continuous
            assert sign * reached <= sign * end.outer
    monkeypatch.setattr(plan, "WHOLE", 9)
    steps = [use.step for use in plan.full(Highs()).bounds(component, Limits()).uses]
    assert steps == ["witness rounds", "simplex", "relax and fix"]


def test_linked_components_are_left_to_simplex(monkeypatch: pytest.MonkeyPatch) -> None:  # CONVENTION 340
    """Whose columns stand in more than three relations each: the ends are those of the cube that is linked."""
    cube = three_way(9, 5, withheld=0.7)
    random = np.random.default_rng(9)
    columns = cube.matrix.shape[1]
    link = random.integers(0, 6, columns)
    further = csr_array((np.ones(columns, np.int64), (link, np.arange(columns))), shape=(6, columns))
    # Sums that say no more than the bounds of the columns do, so that any table of the cube fits.
    component = replace(
        cube,
        matrix=csr_array(np.vstack([cube.matrix.toarray(), further.toarray()])),
        lower=np.concatenate([cube.lower, np.zeros(6, np.int64)]),
        upper=np.concatenate([cube.upper, further @ np.minimum(cube.column_upper, 1000)]),
    )
    monkeypatch.setattr(plan, "DENSE", 10)
    monkeypatch.setattr(plan, "TABLEAU", 0)
    answer = plan.full(Highs()).bounds(component, Limits())
    assert [use.step for use in answer.uses] == ["simplex", "integer programs"]
    for target, form in zip(answer.targets, component.targets.toarray(), strict=True):
        for end, sign in ((target.lower, 1), (target.upper, -1)):
            assert end.outer is not None
            assert end.attained is not None
            assert sign * end.outer == ceil(least(cube, sign * form) - 1e-6)
    monkeypatch.setattr(plan, "LINKED", 9)
    assert [use.step for use in plan.full(Highs()).bounds(component, Limits()).uses] == ["simplex"]


def test_joint_programs_attain_proved_ends() -> None:
    """After propagation alone most ends are proved; whole tables reach most of them, several at a time."""
    component = three_way(21, 5)
    known = know_nothing(component, Limits(prove=True))
    WholeTables(Highs()).work(component, known, Limits())
    assert known.in_hand
    attained = known.proved == known.attained
    assert attained.mean() > 0.7
    assert len(known.tables) < attained.sum() / 2
    for table in known.tables:
        assert satisfies(component, Rational(table, 1))
    for k in np.flatnonzero(attained).tolist():
        assert known.cost(k) @ known.tables[known.table_of[k]] == known.proved[k]


def test_contradictions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds find no point and leave the proof to the simplex step."""
    component = three_way(4, 4)
    lower = component.lower.copy()
    lower[0] += 1
    wrong = replace(component, lower=lower, upper=np.maximum(component.upper, lower))
    monkeypatch.setattr(plan, "DENSE", 10)
    with pytest.raises(InfeasibleError):
        plan.full(Highs()).bounds(wrong, Limits())
