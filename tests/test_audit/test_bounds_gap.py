"""Whole ends beyond rounding: cuts and splits in the exact dictionary, and trees of splits on a warm model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.kernels.cuts import with_cuts
from tableseal.audit.bounds.kernels.fixing import narrowed, reduced_costs
from tableseal.audit.bounds.kernels.simplex import feasible
from tableseal.audit.bounds.kernels.whole_ends import duplicate
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.programs.gap import Gap
from tableseal.audit.bounds.programs.split_trees import Splits, close_gap
from tableseal.audit.bounds.tableaux.dictionary import (
    BUDGET,
    DETERMINANT,
    DONE,
    ROWS,
    Aim,
    Dictionary,
    Frame,
    build,
)
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.compiling import Runner
from tableseal.audit.linear.integers import NO_LOWER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)


def triangles(count: int) -> Component:
    """Disjoint triangles of columns, at most one of any two: 3/2 a triangle for real values, 1 for whole ones."""
    pairs = csr_array(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]]))
    matrix = csr_array(block_diag([pairs] * count, format="csr")).astype(np.int64)
    columns = 3 * count
    ones = np.ones(columns, np.int64)
    return Component(
        csr_array(matrix), np.full(columns, NO_LOWER), ones, 0 * ones, ones, csr_array(ones.reshape(1, -1))
    )


def test_cuts_close_what_would_take_splits_without_end() -> None:
    """At most 1 of 12 triangles at a time: 18 for real values, 2^12 boxes for splits alone."""
    component = triangles(12)
    known = know_nothing(component, Limits())
    Tableau(compiled=False).work(component, known, Limits())
    assert known.lp[1] == -18
    assert known.proved[1] == known.attained[1] == -12


def test_trees_of_splits_on_one_warm_model() -> None:
    """Without cuts, and few enough triangles for splits."""
    component = triangles(3)
    known = know_nothing(component, Limits())
    Gap(Highs()).work(component, known, Limits())
    assert known.proved[1] == known.attained[1] == -3
    assert known.proved[0] == known.attained[0] == 0


def small(seed: int) -> tuple[Component, np.ndarray]:
    """A component with entries from 1 to 3, so that few vertices are whole, and all its tables."""
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(1, 3)), int(random.integers(3, 5))
    matrix = random.integers(0, 4, (rows, columns))
    matrix[0] = np.maximum(matrix[0], 1)
    middle = matrix @ random.integers(0, 4, columns)
    lower = middle - random.integers(0, 3, rows)
    high = random.integers(2, 6, columns)
    component = Component(
        csr_array(matrix), lower, middle, np.zeros(columns, np.int64), high, csr_array(np.eye(columns, dtype=np.int64))
    )
    tables = np.stack(np.meshgrid(*(np.arange(h + 1) for h in high)), axis=-1).reshape(-1, columns)
    value = tables @ matrix.T
    return component, tables[((value >= lower) & (value <= middle)).all(axis=1)]


def first_vertex(component: Component) -> tuple[Dictionary, Frame] | None:
    """A dictionary of a first table; None if there is none."""
    built = build(component, keep=False)
    assert built is not None
    run, frame = Runner(compiled=False), built[1]
    d = run.arrays(built[0])
    return (d, frame) if run(feasible, d, run.array(frame.order)) == DONE else None


def distances(component: Component, d: Dictionary, frame: Frame, table: np.ndarray) -> np.ndarray:
    """How far each variable of a table is from where it is measured (columns, rows, sums)."""
    long = component.targets.toarray()[frame.target >= sum(component.matrix.shape)]
    x = np.concatenate([table, component.matrix @ table, long @ table])
    w = frame.sign * (x - frame.origin)
    return np.asarray(np.where(d.up[: len(w)], np.array(d.span[: len(w)]) - w, w))


@settings(max_examples=200, deadline=None)
@given(seed=SEEDS)
def test_every_table_satisfies_every_cut(seed: int) -> None:
    component, tables = small(seed)
    found = first_vertex(component)
    if found is None:
        assert len(tables) == 0
        return
    d, frame = found
    D, variables = d.state[DETERMINANT], len(d.span)
    if not any(b % D for b in d.beta[: d.state[ROWS]]):
        return
    cut = with_cuts(d, Aim(0, 0, 1, 0), variables)
    new = np.flatnonzero(np.array(cut.basic) >= variables)
    T, beta = np.array(cut.T).reshape(len(cut.basic), -1)[new], np.array(cut.beta)[new]
    assert (beta < 0).all(), "the vertex itself breaks each"
    for table in tables:
        z = distances(component, d, frame, table)[cut.nonbasic]
        slack = beta + T @ z
        assert (slack >= 0).all()
        assert (slack % D == 0).all()


@settings(max_examples=200, deadline=None)
@given(seed=SEEDS, sign=st.sampled_from([1, -1]), gap=st.integers(0, 3))
def test_what_is_left_holds_every_better_table(seed: int, sign: int, gap: int) -> None:
    """Columns that are taken out have the same value in all tables with less than `best`."""
    component, tables = small(seed)
    found = first_vertex(component)
    if found is None:
        return
    d, frame = found
    w = frame.sign[: frame.columns] * (tables - frame.origin[: frame.columns])
    for variable in range(frame.columns):
        d, frame = duplicate(found[0]), found[1]
        d.state[BUDGET] = 1000
        aim = Aim(0, variable, sign, 0)
        cost, value = reduced_costs(d, aim)
        if min(cost, default=0) < 0:
            continue  # not a minimum of this one
        best = -(-value // d.state[DETERMINANT]) + gap
        fixed = [0] * frame.columns
        refuted, left = narrowed(d, aim, best, fixed)
        better = w[sign * w[:, variable] < best]
        if refuted:
            assert len(better) == 0
            continue
        gone = np.setdiff1d(np.arange(frame.columns), left.basic + left.nonbasic)
        assert (better[:, gone] == np.array(fixed)[gone]).all()
        assert (better <= np.array(left.span[: frame.columns])).all()


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS, boxes=st.lists(st.sampled_from([0, 1, 4]), min_size=1, max_size=4))
def test_whole_ends_against_all_tables(seed: int, boxes: list[int]) -> None:
    """However cuts and splits take turns, nothing false is proved."""
    component, tables = small(seed)
    known = know_nothing(component, Limits())
    try:
        Tableau(compiled=False, boxes=tuple(boxes)).work(component, known, Limits())
    except InfeasibleError:
        assert len(tables) == 0
        return
    if len(tables):
        least = np.concatenate([tables.min(axis=0), -tables.max(axis=0)])
        assert (known.proved <= least).all()
        assert (known.attained >= least).all()


@settings(max_examples=100, deadline=None)
@given(seed=SEEDS, effort=st.sampled_from([0, 2_500, 10_000, 50_000]))
def test_a_limit_of_effort_proves_nothing_false(seed: int, effort: int) -> None:
    """CONVENTION 975: what is open then has its outer end proved and its attained end in hand, the same every time."""
    component, tables = small(seed)
    found = []
    for _ in range(2):
        known = know_nothing(component, Limits())
        try:
            Tableau(compiled=False, effort=effort).work(component, known, Limits())
        except InfeasibleError:
            assert len(tables) == 0
            return
        found.append((known.proved.tolist(), known.attained.tolist()))
        if len(tables):
            least = np.concatenate([tables.min(axis=0), -tables.max(axis=0)])
            assert (known.proved <= least).all()
            assert (known.attained >= least).all()
    assert found[0] == found[1]


@pytest.mark.parametrize("effort", [0, 3_000, 30_000])
def test_a_limit_of_effort_counts_the_same_compiled(effort: int) -> None:
    """CONVENTION 975: what is reached does not depend on who runs it."""
    component, found = triangles(12), []
    for compiled in (False, True):
        known = know_nothing(component, Limits())
        Tableau(compiled=compiled, effort=effort).work(component, known, Limits())
        assert known.lp[1] == -18
        assert -18 <= known.proved[1] < -12 <= known.attained[1]
        found.append((known.proved.tolist(), known.attained.tolist()))
    assert found[0] == found[1]


def test_splits_are_limited_for_all_ends_together() -> None:
    """CONVENTION 975: what is proved then is an outer end."""
    component, splits = triangles(3), Splits(left=2)
    known = know_nothing(component, Limits())
    known.witness(np.zeros(9, np.int64))
    close_gap(component, known, 1, Highs(), Limits(), splits)
    assert splits.left == 0
    assert -5 <= known.proved[1] <= -3
    before = int(known.proved[1])
    close_gap(component, known, 1, Highs(), Limits(), splits)
    assert known.proved[1] == before


def test_columns_taken_out_at_their_upper_bound_count_once() -> None:
    """By listing every table: 18 is the largest sum, with the first column at its upper bound."""
    component = Component(
        csr_array(np.array([[-1, 1, 1, 2, 1], [0, -1, 2, 1, 0]])),
        np.array([10, 0]),
        np.array([10, 0]),
        np.array([0, 0, 0, -1, 0]),
        np.array([3, 15, 8, 7, 15]),
        csr_array(np.array([[1, 1, 1, 0, 1]])),
    )
    known = know_nothing(component, Limits())
    Tableau(compiled=False, boxes=(0, 0, 4)).work(component, known, Limits())
    assert known.proved[1] == known.attained[1] == -18


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("keep", [False, True])
def test_parity_that_no_real_value_shows(compiled: bool, keep: bool) -> None:
    """2 x + 2 y + z = 5 and z <= 4, by hand: z is 1 or 3, from 0 for real values."""
    component = Component(
        csr_array(np.array([[2, 2, 1]])),
        np.array([5]),
        np.array([5]),
        np.zeros(3, np.int64),
        np.array([2, 2, 4]),
        csr_array(np.eye(3, dtype=np.int64)),
    )
    limits = Limits(prove=keep)
    known = know_nothing(component, limits)
    Tableau(compiled=compiled).work(component, known, limits)
    assert known.lp[2] == 0
    assert (known.proved[2], known.attained[2]) == (1, 1)
    assert (known.proved[5], known.attained[5]) == (-3, -3)


def test_no_whole_table_at_all() -> None:
    """2 x + 2 y + 2 z = 5: real tables, and no whole one."""
    component = Component(
        csr_array(np.array([[2, 2, 2]])),
        np.array([5]),
        np.array([5]),
        np.zeros(3, np.int64),
        np.full(3, 2),
        csr_array(np.eye(3, dtype=np.int64)),
    )
    with pytest.raises(InfeasibleError):
        Tableau(compiled=False).work(component, know_nothing(component, Limits()), Limits())
