"""Tables of whole units block by block."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.dense.relax_and_fix import RelaxAndFix
from tableseal.audit.bounds.dense.witness_rounds import FACES, NEAR
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.clock import now
from tableseal.audit.solvers.highs import Highs
from tests.test_audit.test_bounds_rounds import found, least, three_way


@pytest.mark.parametrize(("seed", "size", "withheld"), [(1, 4, 0.6), (2, 8, 0.4), (3, 10, 0.35)])
def test_some_table_of_a_cube(seed: int, size: int, withheld: float) -> None:
    """One table in hand, and nothing attained but what it shows."""
    component = three_way(seed, size, withheld=withheld, offset=seed * 10**6)
    known = know_nothing(component, Limits(prove=True))
    RelaxAndFix(Highs()).work(component, known, Limits(prove=True))
    table = known.tables[0]
    assert satisfies(component, Rational(table, 1))
    value = known.asked @ table
    assert np.array_equal(known.attained, np.concatenate([value, -value]))


def test_where_many_ends_are_reached_comes_first() -> None:
    """Within given column bounds, the first that hold a whole table; bounds that hold none cost a try."""
    component = three_way(2, 8, withheld=0.4)
    some = know_nothing(component, Limits(prove=True))
    RelaxAndFix(Highs()).work(component, some, Limits(prove=True))
    fixed = np.arange(component.matrix.shape[1]) % 2 == 0
    wanted = some.tables[0]
    low, high = component.column_lower, component.column_upper
    known = know_nothing(component, Limits(prove=True))
    known.faces = [(low, low), (np.where(fixed, wanted, low), np.where(fixed, wanted, high))]
    RelaxAndFix(Highs()).work(component, known, Limits(prove=True))
    assert satisfies(component, Rational(known.tables[0], 1))
    assert np.array_equal(known.tables[0][fixed], wanted[fixed])


def test_rounds_say_where_to_look() -> None:
    """A real table of the component lies within each of the bounds, and at as many of its own."""
    component = three_way(9, 6, withheld=0.8)
    known = found(component)
    assert len(known.faces) == FACES
    for low, high in known.faces:
        assert (low >= component.column_lower).all()
        assert (high <= component.column_upper).all()
        assert 0 < (low == high).mean() < 1
        inside = replace(component, column_lower=low, column_upper=high)
        assert least(inside, np.zeros(len(low))) == 0


def test_where_only_fractions_fit() -> None:
    """Three columns, at least one and a half together, at most one of any two."""
    pairs = csr_array(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.int64))
    ones = np.ones(3, np.int64)
    component = Component(
        pairs, np.array([1, 1, 1, 0]), np.array([1, 1, 1, 3]), 0 * ones, ones, csr_array(np.eye(3, dtype=np.int64))
    )
    known = know_nothing(component, Limits())
    RelaxAndFix(Highs()).work(component, known, Limits())
    assert not known.in_hand


def test_a_table_in_hand_is_enough() -> None:
    """No program is asked: there is no engine to ask."""
    component = three_way(1, 3)
    known = know_nothing(component, Limits())
    known.in_hand = True
    RelaxAndFix(None).work(component, known, Limits())  # type: ignore[arg-type]
    known.in_hand = False
    RelaxAndFix(None).work(component, known, Limits(integer=False))  # type: ignore[arg-type]
    assert not known.in_hand


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tables_near_points_attain_further_ends(seed: int) -> None:
    """Beside a first table those near vertices: nothing is attained but what they show."""
    component = three_way(seed, 6, withheld=0.6, offset=seed * 10**6)
    problem, shift = solver_problem(component)
    warm, random = Highs().warm(problem), np.random.default_rng(seed)
    points = [warm.minimise(random.standard_normal(len(shift))).x for _ in range(NEAR)]
    counts = []
    for further in (False, True):
        known = know_nothing(component, Limits(prove=True))
        known.near = [np.floor(x).astype(np.int64) + shift for x in points if x is not None]
        RelaxAndFix(Highs(), further=further).work(component, known, Limits(prove=True))
        values = np.array([known.asked @ table for table in known.tables])
        assert all(satisfies(component, Rational(table, 1)) for table in known.tables)
        assert np.array_equal(known.attained, np.concatenate([values.min(axis=0), -values.max(axis=0)]))
        counts.append(int(known.attained.sum()))
    assert counts[1] < counts[0]  # minima of targets and of their negatives


def test_out_of_time_nothing_further_is_looked_for() -> None:
    component = three_way(2, 8, withheld=0.4)
    known = know_nothing(component, Limits())
    known.in_hand, known.near = True, [np.zeros(component.matrix.shape[1], np.int64)]
    RelaxAndFix(None, further=True).work(component, known, Limits(deadline=now() - 1))  # type: ignore[arg-type]
    assert known.in_hand
