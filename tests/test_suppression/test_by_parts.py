"""Large tables: sub-tables by themselves, boxes first, and the cheapest of it (CONVENTION 982, 983)."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ticking import Ticking

from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.releases import to_protect
from cases.benchmarks.suppressors import placed
from cases.benchmarks.surveys import Drawn, drawn, farms
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.clock import now
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import alone
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search import modular as module
from tableseal.suppression.search import sub_tables
from tableseal.suppression.search.boxes import Boxed
from tableseal.suppression.search.by_parts import by_parts, without_dear_cells
from tableseal.suppression.search.in_hand import InHand
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.modular import modular
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.regions import protect_anew
from tableseal.suppression.search.repair import at_once
from tableseal.suppression.suppress import suppress

SHAPES = (
    ((3, 2), (3,)),
    ((2, 2, 2), (3,), (2,)),
    ((2, 2), (2, 2), (2,)),
    ((3, 2, 2), (2, 3)),
    ((4,), (2,), (2,), (2,)),
)


def posed(made: Drawn) -> tuple[Problem, Tools]:
    engine = Highs()
    problem = build_problem(to_protect(made.instance, made.cost), Policy(), Costs(), engine)
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine)
    return problem, Tools(oracle, engine, Limits())


def missed(made: Drawn, problem: Problem, pattern: np.ndarray) -> int:
    """How many cells are under-protected, as another solver sees it."""
    found = underprotected(made.instance, placed(made.instance, problem.release, problem.cells.codes[pattern]))
    return int(found.sum())


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans(), st.integers(0, 60) | st.none(), st.booleans())
def test_what_moves_in_one_block_or_small_grid_protects_on_the_whole(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool, looks: int | None, grids: bool
) -> None:
    """CONVENTION 982: whenever the time is over, as linear programs of another solver see it."""
    made = drawn("small", farms(shape, turnover=turnover), seed)
    if not made.instance.primary.any():
        return
    problem, tools = posed(made)
    limits = Limits() if looks is None else Ticking(looks=looks)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tableseal.suppression.search.by_parts.LARGE", 0 if grids else 10**6)
        hand = InHand(problem, tools.oracle.ends)
        by_parts(problem, tools.oracle, hand, limits)
    pattern = hand.pattern
    tools.oracle.learn(hand.tables)
    shown = tools.oracle.protected(pattern)
    assert np.flatnonzero(~shown).tolist() == np.unique(hand.ends.requirement[hand.missing]).tolist()
    assert not (pattern & ~problem.primary & ~problem.may).any()
    assert missed(made, problem, pattern) <= int((~shown).sum())
    whole = at_once(problem, tools.oracle, pattern, Limits(), hand, cheaper=seed % 2 == 0)
    assert whole is None or (missed(made, problem, whole) == 0 and hand.complete)
    assert not hand.complete or missed(made, problem, hand.pattern) == 0


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans(), st.integers(0, 40) | st.none(), st.booleans())
def test_regions_protected_anew_cost_no_more_and_protect_on_the_whole(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool, looks: int | None, small: bool
) -> None:
    """CONVENTION 1124: whenever the time is over, from boxes or from what blocks and small grids give."""
    made = drawn("small", farms(shape, turnover=turnover), seed)
    if not made.instance.primary.any():
        return
    problem, tools = posed(made)
    hand = InHand(problem, tools.oracle.ends)
    if seed % 2:
        by_parts(problem, tools.oracle, hand, Limits())
    if at_once(problem, tools.oracle, hand.pattern, Limits(), hand) is None:
        return
    before = problem.price(hand.pattern)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tableseal.suppression.search.regions.MOST", 30 if small else 400)
        protect_anew(problem, tools.oracle, hand, Limits() if looks is None else Ticking(looks=looks))
    assert problem.price(hand.pattern) <= before
    assert not len(hand.missing)
    assert not (hand.pattern & ~problem.primary & ~problem.may).any()
    assert missed(made, problem, hand.pattern) == 0
    times = np.zeros(len(problem.cost), np.int64)
    for table in (table for table in hand.table if table is not None):
        times[table.cells] += 1
        assert problem.equations.allow(table.cells, table.moves)
    assert np.array_equal(times, hand.used)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans(), st.integers(0, 40) | st.none())
def test_to_do_without_dear_cells_costs_no_more_and_protects_on_the_whole(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool, looks: int | None
) -> None:
    """CONVENTION 1127: whenever the time is over."""
    made = drawn("small", farms(shape, turnover=turnover), seed)
    if not made.instance.primary.any():
        return
    problem, tools = posed(made)
    hand = InHand(problem, tools.oracle.ends)
    if at_once(problem, tools.oracle, problem.primary, Limits(), hand) is None:
        return
    before = problem.price(hand.pattern)
    without_dear_cells(problem, tools.oracle, hand, Limits() if looks is None else Ticking(looks=looks))
    assert problem.price(hand.pattern) <= before
    assert hand.complete
    assert not (hand.pattern & ~problem.primary & ~problem.may).any()
    assert missed(made, problem, hand.pattern) == 0


@pytest.mark.parametrize("turnover", [False, True])
def test_regions_find_what_is_needed_no_longer(turnover: bool) -> None:
    """CONVENTION 1124: what boxes withhold for each end by itself, ends need together no longer."""
    made = drawn("small", farms(((3, 2), (3,)), turnover=turnover), 3)
    problem, tools = posed(made)
    hand = InHand(problem, tools.oracle.ends)
    assert at_once(problem, tools.oracle, problem.primary, Limits(), hand) is not None
    before = problem.price(hand.pattern)
    protect_anew(problem, tools.oracle, hand, Limits())
    best = optimal(problem, tools)
    assert best.status == "optimal"
    assert best.cost <= problem.price(hand.pattern) < before


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Every table is large."""
    monkeypatch.setattr(module, "QUICKLY", 0)
    monkeypatch.setattr("tableseal.suppression.search.optimal.LARGE", 0)
    monkeypatch.setattr(sub_tables, "MANY", 2)
    return monkeypatch


@pytest.mark.parametrize("remembered", [0, 10**6])
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("turnover", [False, True])
def test_large_tables_are_never_dearer_than_boxes_and_safe_whatever_the_time(
    large: pytest.MonkeyPatch, largest: int, turnover: bool, remembered: int
) -> None:
    """CONVENTION 982, 983, 1070, 1125: sub-tables that are too large for calls, such for which these take long,
    and tables whose own tables are not remembered."""
    large.setattr("tableseal.suppression.search.repair.REMEMBERED", remembered)
    large.setattr(sub_tables, "LARGER", largest * 10**6)
    large.setattr(sub_tables, "LARGEST", 0)
    large.setattr(sub_tables, "is_small", lambda relations, cells, *, largest=0: relations * cells <= largest)
    made = drawn("small", farms(((2, 2, 2), (3,), (2,)), turnover=turnover), 1)
    problem, tools = posed(made)
    boxes = InHand(problem, tools.oracle.ends)
    union = at_once(problem, tools.oracle, problem.primary, Limits(), boxes)
    assert union is not None
    assert problem.price(boxes.pattern) <= problem.price(union)
    for method in (modular, optimal):
        for looks in (25, 400):
            release = to_protect(made.instance, made.cost)
            answer = suppress(release, search=method, time_limit=Ticking(looks=looks), explain=False)
            assert answer.verdict == "safe"
            assert answer.found.cost <= problem.price(boxes.pattern)
            if answer.found.shown is not None:
                assert answer.release is not None
                at_an_end = audit(answer.release, time_limit=0.0, handed=answer.found.shown).report
                assert all(cell.verdict == "protected" for cell in at_an_end.cells if cell.sensitive)
            assert remembered or answer.found.shown is not None


@pytest.mark.parametrize("turnover", [False, True])
def test_cells_without_a_box_are_shown_in_small_grids(turnover: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 981, 982: safe as linear programs of another solver see it, with no program over the whole."""
    made = drawn("small", farms(((2, 2, 2), (3,), (2,)), turnover=turnover), 1)
    problem, tools = posed(made)
    nothing = Boxed(problem.primary, np.zeros(len(problem.requirements), np.bool_), ())
    monkeypatch.setattr("tableseal.suppression.search.repair.FEW", len(problem.requirements))
    monkeypatch.setattr("tableseal.suppression.search.repair.with_boxes", lambda *_: nothing)
    monkeypatch.setattr(Oracle, "widened", lambda *_: None)
    pattern = at_once(problem, tools.oracle, problem.primary, Limits())
    assert pattern is not None
    assert not (pattern & ~problem.primary & ~problem.may).any()
    assert missed(made, problem, pattern) == 0
    assert tools.oracle.protected(pattern).all()


@pytest.mark.parametrize(("larger", "separately"), [(True, True), (False, False)])
def test_blocks_come_where_calls_may_take_long(large: pytest.MonkeyPatch, larger: bool, separately: bool) -> None:
    """CONVENTION 982."""
    large.setattr(sub_tables, "is_small", lambda relations, cells, *, largest=0: largest > 0 or not larger)
    looked: list[bool] = []
    by_blocks = module.by_parts
    large.setattr(module, "by_parts", lambda *a, **k: looked.append(True) or by_blocks(*a, **k))
    problem, tools = posed(drawn("small", farms(((2, 2, 2), (3,), (2,)), turnover=False), 1))
    found = modular(problem, replace(tools, limits=Limits(now() + 100)))
    assert found.pattern is not None
    assert bool(looked) == separately


@pytest.mark.parametrize("turnover", [False, True])
@pytest.mark.parametrize("remembered", [0, 10**6])
def test_blocks_come_where_tables_are_remembered(large: pytest.MonkeyPatch, remembered: int, turnover: bool) -> None:
    """CONVENTION 1126: or where boxes do not show everything; safe in any case."""
    large.setattr("tableseal.suppression.search.repair.REMEMBERED", remembered)
    large.setattr(sub_tables, "is_small", lambda relations, cells, *, largest=0: largest > 0)
    looked: list[bool] = []
    by_blocks = module.by_parts
    large.setattr(module, "by_parts", lambda *a, **k: looked.append(True) or by_blocks(*a, **k))
    made = drawn("small", farms(((2, 2, 2), (3,), (2,)), turnover=turnover), 1)
    for incomplete in (False, True):
        if incomplete:
            large.setattr(InHand, "complete", property(lambda hand: False))
        problem, tools = posed(made)
        looked.clear()
        found = modular(problem, replace(tools, limits=Limits(now() + 100)))
        assert found.pattern is not None
        assert missed(made, problem, found.pattern) == 0
        assert bool(looked) == (incomplete or remembered > 0)


def test_models_of_a_part_are_gone_with_it() -> None:
    """Of a table of 241,080 cells thousands of parts are asked, with a linear program in each."""
    problem, tools = posed(drawn("small", farms(((3, 2), (3,)), turnover=False), 3))
    gc.disable()
    try:
        part = alone(tools.oracle, np.flatnonzero(problem.primary | problem.may), [0])
        everything, cost = np.ones(len(part.cells), np.bool_), problem.cost[part.cells].astype(np.float64)
        part.oracle.narrowed(everything, problem.primary[part.cells], cost, Limits())
        assert part.oracle.movers is not None
        models = weakref.ref(part.oracle.movers._models)
        assert models() is not None
        del part
        assert models() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("turnover", [False, True])
def test_large_tables_of_counts_begin_with_blocks_chosen_together(large: pytest.MonkeyPatch, turnover: bool) -> None:
    """CONVENTION 1128: where all ends ask for as much, and there is time; safe on the whole in any case."""
    large.setattr(sub_tables, "is_small", lambda relations, cells, *, largest=0: largest > 0)
    large.setattr(module, "GUIDED", 0)
    dived, plain = list[bool](), module.dive
    large.setattr(module, "dive", lambda *a: dived.append(True) or plain(*a))
    made = drawn("small", farms(((2, 2, 2), (3,), (2,)), turnover=turnover), 1)
    for seconds, begins in ((100.0, not turnover), (module.PACE / 2, False)):
        problem, tools = posed(made)
        dived.clear()
        left = Limits(now() + seconds * max(1.0, len(problem.cost) if seconds < 1 else 1.0))
        found = modular(problem, replace(tools, limits=left))
        assert found.pattern is not None
        assert missed(made, problem, found.pattern) == 0
        assert bool(dived) == begins
