"""Searches that run out of time: what they return is safe all the same, and they do not go on for long."""

from random import Random
from typing import Any

import numpy as np
import pytest
from companies import companies_document
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from one_variable import POLICY, line
from ticking import Ticking

from cases.benchmarks import unprotected
from cases.benchmarks.folder import DATA
from cases.benchmarks.releases import to_protect
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import COALITIONS, Oracle
from tableseal.audit.decision.settling import Settling
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.attackers.watch import InsiderWatch
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search.cover import cover
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress

SEEDS = st.integers(0, 2**40)
SOME = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def companies(seed: int) -> Problem:
    """Of a random release of companies, which are insiders."""
    release = release_from_document(companies_document(Random(seed), few=seed % 2 == 0))
    try:
        problem = build_problem(release, release.policy or Policy(), Costs(), Highs())
    except InputError:  # a sensitive cell is frozen
        assume(False)
        raise
    assume(problem.primary.any() and not problem.hopeless)
    return problem


@settings(SOME, max_examples=15)
@given(SEEDS, st.integers(0, 80), st.sampled_from(["optimal", "heuristic"]))
@example(446, 0, "optimal")
def test_whenever_the_time_is_over_the_pattern_is_safe(seed: int, looks: int, method: str) -> None:
    """CONVENTION 600: it is completed, if need be; a bound that was proved until then stays below it. Where nothing is
    safe, that is said."""
    problem = companies(seed)
    result = suppress(problem.release, method=method, time_limit=Ticking(looks=looks), explain=False)
    if result.found.pattern is None:
        assert result.found.status == "infeasible"
        assert suppress(problem.release, method=method, explain=False).found.status == "infeasible"
        return
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.bound <= result.found.cost


@settings(SOME, max_examples=15)
@given(SEEDS, st.integers(0, 12), st.sampled_from([0.0, 0.5, 1.0]))
def test_insiders_who_were_not_asked_in_time_are_not_said_to_find_nothing(seed: int, looks: int, share: float) -> None:
    """A watch that has nothing against a pattern has asked everybody."""
    problem, random = companies(seed), Random(seed)
    pattern = problem.primary | (problem.may & np.array([random.random() < share for _ in problem.may]))
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    assume(oracle.decide(pattern).safe)
    watch = InsiderWatch(problem, frozenset())
    for first in (True, False):
        if not watch(oracle, pattern, Ticking(looks=looks), first=first):
            made = protected_release(problem.release, problem.cells, problem.primary, pattern)
            assert audit(made).report.verdict == "safe"


def test_many_insiders_of_a_dense_table_are_not_asked_about_by_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers all that one attacker asks at once, in seconds, and there may be a thousand of them."""
    solved: list[int] = []
    settle = Settling._settle

    def counted(self: Settling, columns: Any, *told: Any) -> Any:
        solved.append(len(columns))
        return settle(self, columns, *told)

    monkeypatch.setattr("tableseal.audit.decision.movers.DENSE", 1)
    monkeypatch.setattr(Settling, "_settle", counted)
    instance, cost = unprotected.load(DATA, "f3d_6")
    problem = build_problem(to_protect(instance, cost, [{}]), POLICY, Costs(), Highs())
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    pattern, _ = cover(problem, oracle, problem.primary, Limits())
    assert pattern is not None
    assert problem.insiders.count(pattern) > 20
    solved.clear()
    assert problem.insiders.unmet(pattern, Limits(), helper=oracle)
    assert len(solved) <= 1 + COALITIONS  # outsiders, and all attackers in a few coalitions


def test_where_no_box_is_found_in_time_everything_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 600: its audit says whether it is safe."""
    monkeypatch.setattr("tableseal.suppression.rounds.at_once", lambda *_: None)

    def nothing(problem: Problem, tools: Any) -> Found:
        return Found("unfinished", None, 0, 0)

    result = suppress(line([1, 30, 5, 9]), policy=POLICY, search=nothing, method="nothing", time_limit=0.0)
    pattern = result.found.pattern
    assert pattern is not None
    assert (pattern == result.problem.primary | result.problem.may).all()
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.status == "feasible"
