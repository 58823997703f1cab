"""Every step and method of the bounds engine against brute force and GLPK, on random components of every kind."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_components import Truth, permuted, random_component, table_component, truth_of
from scipy.sparse import csr_array

from tableseal.audit.bounds.certify import Rational, dual_bound, fitting
from tableseal.audit.bounds.component import Answer, Component, End, Limits, Multipliers, TargetBounds
from tableseal.audit.bounds.dense.witness_rounds import COARSE, FINE, Rounds
from tableseal.audit.bounds.kernels.simplex import feasible
from tableseal.audit.bounds.method import Method, Step
from tableseal.audit.bounds.networks.flows import Flows
from tableseal.audit.bounds.plan import full
from tableseal.audit.bounds.programs.few_tables import FewTables
from tableseal.audit.bounds.programs.gap import Gap
from tableseal.audit.bounds.programs.simplex import Simplex
from tableseal.audit.bounds.programs.split_trees import integer_point
from tableseal.audit.bounds.programs.whole_tables import WholeTables
from tableseal.audit.bounds.propagation.shuttle import Shuttle
from tableseal.audit.bounds.tableaux.dictionary import TOO_LARGE, build
from tableseal.audit.bounds.tableaux.inner_values import WIDTH, Fill
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.compiling import Runner
from tableseal.audit.linear.integers import NO_LOWER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)

STEPS: dict[str, Callable[[], Step]] = {
    "shuttle": Shuttle,
    "probe": lambda: FewTables(Highs()),
    "simplex": lambda: Simplex(Highs()),
    "flows": Flows,
    "rounds": lambda: Rounds(Highs()),
    "whole": lambda: WholeTables(Highs()),
    "tableau, plain": lambda: Tableau(compiled=False),
    "tableau, compiled": lambda: Tableau(compiled=True),
    "tableau, wide": lambda: Tableau(compiled=False, largest=1),
}
COMPLETE = [name for name in STEPS if name.startswith(("simplex", "tableau"))]
"""Steps that leave no linear programming value open."""


def method(*names: str) -> Method:
    """The steps of these names, one after another."""
    steps = tuple(STEPS[name]() for name in names)
    return Method("tried", lambda component, known: steps)


def closing(name: str) -> Method:
    """A step, and after it what closes integer ends."""
    steps = (STEPS[name](), Gap(Highs()), Fill(Highs()))
    return Method("tried", lambda component, known: steps)


def answer_of(tried: Method, component: Component, **limits: bool) -> Answer | None:
    """What the method answers, None: that there is no solution."""
    try:
        return tried.bounds(component, Limits(**limits))
    except InfeasibleError:
        return None


def minima(answer: Answer) -> list[tuple[End, int]]:
    """Every end with the sign that makes it a minimum, minima of all targets first."""
    lower = [(t.lower, 1) for t in answer.targets]
    return lower + [(t.upper, -1) for t in answer.targets]


def check_sound(component: Component, answer: Answer, truth: Truth) -> None:
    """Whatever is said is true."""
    forms = np.concatenate([component.targets.toarray(), -component.targets.toarray()])
    values = None if truth.tables is None else forms @ truth.tables.T
    for k, (end, sign) in enumerate(minima(answer)):
        lp = truth.lp[k]
        if end.lp is not None:
            assert lp is not None
            assert float(sign * end.lp) == pytest.approx(lp, abs=1e-6)
        if end.unlimited:
            assert lp is None
        if values is not None and values.shape[1]:
            least = int(values[k].min())
            assert end.outer is None or sign * end.outer <= least
            assert end.attained is None or sign * end.attained in values[k]
        if values is not None and values.shape[1] == 0:
            assert end.attained is None
        if end.continuous is not None and lp is not None:
            assert float(sign * end.continuous) >= lp - 1e-6
    for k, target in enumerate(answer.targets):
        if values is not None and values.shape[1]:
            different = len(np.unique(values[k]))
            assert target.at_least is None or target.at_least <= different
            assert target.at_most is None or target.at_most >= different


def check_proofs(component: Component, answer: Answer) -> None:
    """Multipliers prove outer ends, exactly; tables fit and attain what they are said to attain."""
    forms = np.concatenate([component.targets.toarray(), -component.targets.toarray()])
    if answer.tables:
        assert fitting(component, np.array(answer.tables)).all()
    for form, (end, sign) in zip(forms, minima(answer), strict=True):
        if end.attained is not None:
            assert end.table is not None
            assert form @ answer.tables[end.table] == sign * end.attained
        if isinstance(end.proof, Multipliers):
            y = np.zeros(component.matrix.shape[0], np.int64)
            y[end.proof.rows] = end.proof.numerator
            bound = dual_bound(component, form, Rational(y, end.proof.denominator))
            assert bound is not None
            assert end.outer is not None
            assert -(-bound.numerator // bound.denominator) >= sign * end.outer
            if end.lp is not None and sign * end.lp > bound:
                # What the column bounds prove for real tables needs no multipliers; rounded ones fall a little short.
                assert len(end.proof.rows) == 0 or end.proof.denominator in {2**COARSE, 2**FINE}


def essence(target: TargetBounds) -> tuple[object, ...]:
    """What must not depend on the order of rows and columns or on the method."""
    return tuple((end.lp, end.outer, end.unlimited) for end in (target.lower, target.upper))


@pytest.mark.parametrize("name", STEPS)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_steps_say_only_what_is_true(name: str, seed: int) -> None:
    component = random_component(seed)
    truth = truth_of(component)
    answer = answer_of(method(name), component, prove=True)
    if answer is None:
        # Without limits tables cannot be listed; an integer program then says whether there is one.
        nothing = np.zeros(component.matrix.shape[1], np.int64)
        listed = truth.tables if truth.tables is not None else integer_point(component, nothing, Highs(), Limits())
        assert not truth.feasible or listed is None or len(listed) == 0
    elif truth.feasible:
        check_sound(component, answer, truth)
        check_proofs(component, answer)


@pytest.mark.parametrize("name", COMPLETE)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_linear_ends_are_found(name: str, seed: int) -> None:
    component = random_component(seed)
    truth = truth_of(component)
    answer = answer_of(method(name), component, integer=False)
    assert (answer is not None) == truth.feasible
    if answer is not None:
        for (end, sign), lp in zip(minima(answer), truth.lp, strict=True):
            closed = end.outer is not None and end.outer == end.attained
            assert closed or (end.lp is None) == (lp is None)
            if end.lp is not None and lp is not None:
                assert float(sign * end.lp) == pytest.approx(lp, abs=1e-6)
            if lp is None and any(e.attained is not None for e, _ in minima(answer)):
                assert end.unlimited


@pytest.mark.parametrize("name", COMPLETE)
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_whole_ends_are_found(name: str, seed: int) -> None:
    component = random_component(seed)
    truth = truth_of(component)
    assume(truth.feasible and truth.tables is not None)
    answer = answer_of(closing(name), component)
    assert truth.tables is not None
    assert (answer is None) == (len(truth.tables) == 0)
    if answer is not None:
        for row, target in zip(component.targets.toarray(), answer.targets, strict=True):
            values = np.unique(truth.tables @ row)
            assert target.lower.outer == target.lower.attained == values[0]
            assert target.upper.outer == target.upper.attained == values[-1]
            if values[-1] - values[0] <= WIDTH:
                assert target.at_least == len(values)


@pytest.mark.parametrize("name", [*COMPLETE, "full"])
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_order_does_not_matter(name: str, seed: int) -> None:
    component = random_component(seed)
    tried = full(Highs()) if name == "full" else closing(name)
    first, second = answer_of(tried, component), answer_of(tried, permuted(component, seed))
    if first is None or second is None:
        assert first is second
    else:
        assert [essence(t) for t in first.targets] == [essence(t) for t in second.targets]


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, prove=st.booleans())
def test_plain_and_compiled_pivots_are_the_same(seed: int, prove: bool) -> None:
    component = random_component(seed)
    check_twins(component, prove)


@pytest.mark.parametrize("shape", [(12, 12), (5, 5, 5), (3, 3, 3, 3)])
@pytest.mark.parametrize("prove", [False, True])
def test_tables_of_several_variables(shape: tuple[int, ...], prove: bool) -> None:
    component = table_component(shape, 1)
    check_twins(component, prove)
    mine = answer_of(method("tableau, compiled"), component, prove=prove)
    other = answer_of(method("simplex"), component)
    assert mine is not None
    assert other is not None
    for (a, _), (b, _) in zip(minima(mine), minima(other), strict=True):
        assert a.lp is not None
        assert b.lp is None or a.lp == b.lp
        assert a.outer == b.outer or b.lp is None
    if prove:
        check_proofs(component, mine)


def check_twins(component: Component, prove: bool) -> None:
    plain, compiled = (answer_of(method(f"tableau, {name}"), component, prove=prove) for name in ("plain", "compiled"))
    if plain is None or compiled is None:
        assert plain is compiled
        return
    assert [t._replace(lower=unproved(t.lower), upper=unproved(t.upper)) for t in plain.targets] == [
        t._replace(lower=unproved(t.lower), upper=unproved(t.upper)) for t in compiled.targets
    ]
    assert np.array_equal(np.array(plain.tables), np.array(compiled.tables))
    for (a, _), (b, _) in zip(minima(plain), minima(compiled), strict=True):
        if isinstance(a.proof, Multipliers):
            assert isinstance(b.proof, Multipliers)
            assert a.proof.rows.tolist() == b.proof.rows.tolist()
            assert a.proof.numerator.tolist() == b.proof.numerator.tolist()
            assert a.proof.denominator == b.proof.denominator


def unproved(end: End) -> End:
    return end._replace(proof=None)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("largest", [1, 2])
def test_too_large_entries_are_noticed(compiled: bool, largest: int) -> None:
    """A search that a small limit stops says so, and what it has found until then is true."""
    component, run = table_component((5, 5, 5), 2), Runner(compiled)
    built = build(component, keep=False, largest=largest)
    assert built is not None
    order = np.arange(component.matrix.shape[0])
    assert run(feasible, run.arrays(built[0]), run.array(order)) == TOO_LARGE
    stopped = Tableau(compiled=compiled, largest=largest)
    tried = Method("tried", lambda c, known: (stopped, STEPS["simplex"]()))
    whole = answer_of(method("tableau, compiled"), component)
    answer = answer_of(tried, component)
    assert answer is not None
    assert whole is not None
    for (a, _), (b, _) in zip(minima(answer), minima(whole), strict=True):
        assert a.lp is None or a.lp == b.lp


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("far", [2**40, 2**53 + 1, 2**58 + 3, 2**60 + 5])
@pytest.mark.parametrize("times", [1, 3, 2**20])
def test_large_values_never_wrap(compiled: bool, far: int, times: int) -> None:
    """x + y = far, times x <= y, by hand: x from 0 to far / (times + 1)."""
    matrix = csr_array(np.array([[1, 1], [times, -1]]))
    component = Component(
        matrix,
        np.array([far, NO_LOWER]),
        np.array([far, 0]),
        np.array([0, 0]),
        np.array([far, far]),
        csr_array(np.eye(2, dtype=np.int64)),
    )
    answer = answer_of(Method("tried", lambda c, known: (Tableau(compiled=compiled),)), component)
    assert answer is not None
    x, y = answer.targets
    assert x.lower.lp in (0, None)
    assert y.upper.lp in (far, None)
    assert x.upper.lp in (Fraction(far, times + 1), None)
    assert y.lower.lp in (Fraction(far * times, times + 1), None)
    if far <= 2**53 + 1:
        assert None not in (x.upper.lp, y.lower.lp)


@pytest.mark.parametrize("seed", range(3))
def test_most_whole_ends_need_no_integer_program(seed: int) -> None:
    """Vertices of cubes are seldom whole; what the splits prove agrees with integer programs."""
    component = table_component((3, 3, 4), seed)
    mine, other = answer_of(method("tableau, plain"), component), answer_of(closing("simplex"), component)
    assert mine is not None
    assert other is not None
    closed = 0
    for (a, _), (b, _) in zip(minima(mine), minima(other), strict=True):
        closed += a.outer == a.attained
        if a.outer == a.attained:
            assert a.outer == b.outer
    assert closed >= 0.9 * len(minima(mine))


@pytest.mark.parametrize("compiled", [False, True])
def test_ends_that_need_not_be_closed_are_left(compiled: bool) -> None:
    """Decision mode: a vertex that goes far enough settles an end."""
    component = table_component((6, 6), 3)
    tried = Method("tried", lambda c, known: (Tableau(compiled=compiled),))
    whole = answer_of(tried, component)
    assert whole is not None
    best = np.array([sign * int(end.lp) for end, sign in minima(whole) if end.lp is not None])
    answer = tried.bounds(component, Limits(), enough=best + 1)
    for (end, sign), least in zip(minima(answer), best, strict=True):
        assert end.attained is not None
        assert sign * end.attained <= least + 1 or (end.outer is not None and sign * end.outer > least + 1)


def test_nobody_asks() -> None:
    """A component without targets is still checked."""
    component = table_component((3, 3), 4)
    nothing = csr_array((0, component.matrix.shape[1]), dtype=np.int64)
    assert answer_of(method("tableau, plain"), replace(component, targets=nothing)) is not None
    wrong = replace(component, targets=nothing, lower=component.lower + 100, upper=component.upper + 100)
    wrong = replace(wrong, lower=np.append(wrong.lower[:-1], 0), upper=np.append(wrong.upper[:-1], 0))
    assert answer_of(method("tableau, plain"), wrong) is None


def test_no_time() -> None:
    component = table_component((4, 4), 5)
    answer = method("tableau, plain").bounds(component, Limits(deadline=0.0))
    assert all(end.attained is None for end, _ in minima(answer))
