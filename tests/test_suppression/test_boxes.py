"""Patterns at once, of boxes around sensitive cells (CONVENTION 981)."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ticking import Ticking

from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.releases import to_protect
from cases.benchmarks.suppressors import placed
from cases.benchmarks.surveys import Drawn, Survey, drawn
from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.compiling import compiled
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression import rounds
from tableseal.suppression.attackers.watch import InsiderWatch
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search import boxes
from tableseal.suppression.search.boxes import with_boxes
from tableseal.suppression.search.kernels.boxing import boxed
from tableseal.suppression.search.kernels.rerouting import rerouted
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.repair import at_once
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress

SHAPES = (((3, 2), (3,)), ((4,), (2, 2), (3,)), ((5,),), ((1, 3), (2,)), ((2, 2), (1, 2), (1,)))


def posed(made: Drawn) -> Problem:
    return build_problem(to_protect(made.instance, made.cost), Policy(), Costs(), Highs())


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans(), st.sampled_from([3.0, 12.0]), st.booleans())
def test_what_boxes_show_is_protected(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool, mean: float, cheaper: bool
) -> None:
    """CONVENTION 981, 1071: as linear programs of another solver see it."""
    made = drawn("small", Survey(shape, turnover, mean), seed)
    if not made.instance.primary.any():
        return
    problem = posed(made)
    found = with_boxes(problem, problem.primary, problem.requirements, Limits() if cheaper else None)
    plain = with_boxes(problem, problem.primary, problem.requirements)
    assert problem.price(found.pattern) <= problem.price(plain.pattern)
    assert not (found.pattern & ~problem.primary & ~problem.may).any()
    missed = underprotected(made.instance, placed(made.instance, problem.release, problem.cells.codes[found.pattern]))
    assert missed.sum() <= (~found.shown).sum()
    if found.shown.all():
        assert not missed.any()


@pytest.mark.parametrize("turnover", [False, True])
def test_hierarchies_have_a_box_for_each_cell_at_a_small_part_of_the_cost_of_everything(turnover: bool) -> None:
    """CONVENTION 981."""
    for seed in range(1, 4):
        problem = posed(drawn("small", Survey(((3, 3), (3, 3), (3,)), turnover), seed))
        found = with_boxes(problem, problem.primary, problem.requirements)
        assert found.shown.all()
        assert problem.price(found.pattern) < problem.price(problem.primary | problem.may) / 5


def test_compiled_or_not_the_same_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed(drawn("small", Survey(((3, 3), (3, 3)), turnover=True), 1))
    compiled(boxed)
    compiled(rerouted)
    found = []
    for worth in (False, True):
        monkeypatch.setattr(boxes, "worth_compiling", lambda *_, worth=worth: worth)
        found.append(with_boxes(problem, problem.primary, problem.requirements, Limits()).pattern)
    assert np.array_equal(*found)


def test_a_box_that_breaks_a_relation_shows_nothing() -> None:
    """CONVENTION 981: every box is looked at in whole numbers, whatever proposes it."""
    problem = posed(drawn("small", Survey(((3, 3), (3, 3)), turnover=False), 1))
    equations = problem.equations
    matrix = equations.matrix.copy()
    matrix.data = matrix.data * np.arange(1, len(matrix.data) + 1)
    broken: Equations = replace(equations, matrix=matrix)
    found = with_boxes(replace(problem, equations=broken), problem.primary, problem.requirements)
    assert not found.shown.any()
    assert np.array_equal(found.pattern, problem.primary)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.sampled_from([2.0, 5.0, 12.0]))
def test_the_audit_finds_boxes_safe_against_contributors(
    seed: int, shape: tuple[tuple[int, ...], ...], mean: float
) -> None:
    """CONVENTION 981, 1081: only contributors of cells in a box, and of those that further boxes withhold."""
    made = drawn("small", Survey(shape, True, mean), seed)
    if not made.instance.primary.any():
        return
    engine, release = Highs(), to_protect(made.instance, made.cost, [made.given])
    problem = build_problem(release, Policy(), Costs(), engine)
    watch = InsiderWatch(problem, frozenset())
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine, watch)
    pattern = at_once(problem, oracle, problem.primary, Limits())
    if pattern is not None:
        answer = audit(protected_release(release, problem.cells, problem.primary, pattern))
        assert answer.report.verdict == "safe"


def test_a_box_leaves_alone_what_an_attacker_knows() -> None:
    """CONVENTION 981."""
    problem = posed(drawn("small", Survey(((3, 3), (3, 3), (3,)), turnover=True), 1))
    plain = with_boxes(problem, problem.primary, problem.requirements)
    for number, need in enumerate(problem.requirements[:20]):
        first = with_boxes(problem, problem.primary, [need]).tables[0]
        known = next(cell for cell in first.cells.tolist() if cell != need.cell)
        knowing = replace(need, attacker=Attacker("somebody", (known,)))
        other = with_boxes(problem, plain.pattern, [knowing], Limits() if number % 2 else None)
        assert other.shown.all()
        assert all(need.cell in table.cells and known not in table.cells for table in other.tables)


@pytest.mark.parametrize("turnover", [False, True])
@pytest.mark.parametrize("contributors", [False, True])
def test_a_search_without_time_ends_with_boxes_and_not_with_everything(turnover: bool, contributors: bool) -> None:
    """CONVENTION 981: safe by the audit."""
    made = drawn("small", Survey(((3, 3), (3,)), turnover), 2)

    def late(problem: Problem, tools: Tools) -> Found:
        while not tools.limits.out_of_time():
            pass
        return Found("unfinished", None, 0, 0)

    release = to_protect(made.instance, made.cost, [made.given] if contributors else None)
    limits = Ticking(looks=20.0)
    answer = suppress(release, search=late, method="late", time_limit=limits, explain=False)
    assert answer.verdict == "safe"
    assert not answer.found.last_resort
    everything = answer.problem.primary | answer.problem.may
    assert answer.found.cost < answer.problem.price(everything) / 3


@pytest.mark.parametrize("looks", [20.0, 2000.0])
def test_a_large_search_against_contributors_begins_with_boxes(looks: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1096: whether there is time for other ones afterwards or not."""
    made, order = drawn("small", Survey(((3, 3), (3,)), turnover=True), 2), list[str]()

    def boxing(*given: Any) -> Any:
        order.append("boxes")
        return at_once(*given)

    def late(problem: Problem, tools: Tools) -> Found:
        order.append("search")
        return Found("unfinished", None, 0, 0)

    monkeypatch.setattr(rounds, "BOXED_FIRST", 1)
    monkeypatch.setattr(rounds, "at_once", boxing)
    monkeypatch.setattr(rounds, "always_safe", lambda _: True)
    release = to_protect(made.instance, made.cost, [made.given])
    answer = suppress(release, search=late, method="late", time_limit=Ticking(looks=looks), explain=False)
    assert order[0] == "boxes"
    assert order.count("search") == 1
    assert answer.verdict == "safe"
    assert not answer.found.last_resort
    assert answer.found.cost < answer.problem.price(answer.problem.primary | answer.problem.may) / 3
