"""Large tables begin with their sub-tables (CONVENTION 897, 898, 900 and 1090 to 1092)."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from cases.benchmarks.families import Family, costs, generate
from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.releases import to_protect
from cases.benchmarks.suppressors import placed
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Policy
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.search import modular as quick
from tableseal.suppression.search import optimal as beginning
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.modular import modular
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.sub_tables import SubTables, sub_tables
from tableseal.suppression.suppress import suppress

FAMILY = Family(((3, 3), (3,), (3,)), mean=12, primary=2)


def posed(seed: int):  # type: ignore[no-untyped-def]
    made = generate("small", FAMILY, seed)
    instance = replace(made, withheld=made.primary)
    problem = build_problem(to_protect(instance, costs(made.dimensions, made.values)), Policy(), Costs(), Highs())
    return instance, problem


def tools(problem, told: list[Found] | None = None) -> Tools:  # type: ignore[no-untyped-def]
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    return Tools(oracle, Highs(), Limits(), keep=(told if told is not None else []).append)


@pytest.mark.parametrize("seed", range(3))
def test_proposals_are_safe_and_the_answer_is_the_cheapest_of_all_that_was_told(seed: int) -> None:
    instance, problem = posed(seed)
    told: list[Found] = []
    found = modular(problem, tools(problem, told))
    assert found.pattern is not None
    assert found.cost == problem.price(found.pattern) == min(f.cost for f in told)
    pattern = placed(instance, problem.release, problem.cells.codes[found.pattern])
    assert not underprotected(instance, pattern).any()
    again = modular(problem, tools(problem))
    assert again.pattern is not None
    assert np.array_equal(again.pattern, found.pattern)


@pytest.mark.parametrize("seed", range(3))
def test_a_proposal_that_follows_a_choice_in_parts_is_safe(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1092: by itself and among others, whose cheapest one is no dearer than it."""
    instance, problem = posed(seed)
    monkeypatch.setattr(quick, "GUIDED", 0)
    guides: list[np.ndarray] = []
    prices = SubTables.proposal
    monkeypatch.setattr(
        SubTables, "proposal", lambda self, price, *rest: guides.append(price) or prices(self, price, *rest)
    )
    every = modular(problem, tools(problem))
    plain = quick.STEPS * problem.cost.astype(np.float64)
    assert (guides[0] <= plain).all()
    assert (guides[0] < plain).any()
    assert np.array_equal(guides[1], plain)
    monkeypatch.setattr(quick, "TRIES", 1)
    alone = modular(problem, tools(problem))
    for found in (every, alone):
        assert found.pattern is not None
        pattern = placed(instance, problem.release, problem.cells.codes[found.pattern])
        assert not underprotected(instance, pattern).any()
    assert every.cost <= alone.cost


@pytest.mark.parametrize("seed", range(3))
def test_proposals_end_after_so_many_questions(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1090: counted from where it began; what there is by then is safe and no cheaper."""
    _, problem = posed(seed)
    every = modular(problem, tools(problem))
    made: list[float] = []
    plain = quick.SubTables.proposal

    def counted(self, price, caution, limits):  # type: ignore[no-untyped-def]
        made.append(caution)
        return plain(self, price, caution, limits)

    monkeypatch.setattr(quick.SubTables, "proposal", counted)
    monkeypatch.setattr(quick, "QUESTIONS", -1)
    monkeypatch.setattr(quick, "CELLS_A_QUESTION", -1)
    first = modular(problem, tools(problem))
    assert len(made) == 1
    assert first.pattern is not None
    assert first.cost >= every.cost
    assert tools(problem).oracle.decide(first.pattern).safe
    made.clear()
    monkeypatch.setattr(quick, "QUESTIONS", 10**9)
    asked = tools(problem)
    asked.oracle.decide(problem.primary)
    before = asked.oracle.questions
    assert modular(problem, asked).cost == every.cost
    assert len(made) == quick.TRIES
    assert asked.oracle.questions >= before > 0


@pytest.mark.parametrize("seed", range(3))
def test_sub_tables_that_are_protected_again_make_nothing_dearer(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1091: of a proposal, and of the answer, which is safe."""
    _, problem = posed(seed)
    own = tools(problem)
    tables, price = SubTables(problem, own), quick.STEPS * problem.cost.astype(np.float64)
    pattern = tables.proposal(price, quick.CAUTION[0], Limits())
    before = pattern.copy()
    other = tables.again(pattern, tables.batches(1)[0], price, quick.CAUTION[0])
    assert np.array_equal(pattern, before)
    assert problem.price(other) <= problem.price(pattern)
    assert not (problem.primary & ~other).any()
    assert not (other & ~problem.primary & ~problem.may).any()
    assert sorted(number for batch in tables.batches(3) for number in batch) == list(range(len(sub_tables(problem))))
    found = modular(problem, own)
    assert found.pattern is not None
    assert tools(problem).oracle.decide(found.pattern).safe
    monkeypatch.setattr(SubTables, "again", lambda self, pattern, *_: pattern)
    assert found.cost <= modular(problem, tools(problem)).cost


def test_the_optimum_is_the_same_whatever_it_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    _, problem = posed(1)
    before = beginning.optimal(problem, tools(problem))
    monkeypatch.setattr(beginning, "LARGE", 1)
    after = beginning.optimal(problem, tools(problem))
    assert before.status == after.status == "optimal"
    assert before.cost == after.cost


def test_what_is_proposed_again_withstands_more_and_what_comes_of_it_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 900: contributors who are alone in a cell, asked as they become known; audited on the whole."""
    asked: list[int] = []
    plain = quick.best_proposal

    def counted(problem, tools, tables):  # type: ignore[no-untyped-def]
        asked.append(len(problem.requirements))
        assert not tools.oracle.watched
        return plain(problem, tools, tables)

    monkeypatch.setattr(quick, "best_proposal", counted)
    instance, _ = posed(1)
    made = generate("small", FAMILY, 1)
    release = to_protect(instance, costs(made.dimensions, made.values), [{}])
    result = suppress(release, method="modular", explain=False)
    assert result.verdict == "safe"
    assert asked == sorted(asked)
    assert asked[0] > len(result.problem.requirements)


@dataclass(frozen=True)
class UntilTold(Limits):
    """Time until the first pattern is told."""

    told: list[Suppression] = field(default_factory=list)

    def seconds_left(self) -> float:
        return 0.0 if self.told else 3600.0

    def out_of_time(self) -> bool:
        return bool(self.told)

    def share(self, part: float) -> "UntilTold":
        return self


@pytest.mark.parametrize("method", ["optimal", "modular"])
def test_the_first_proposal_is_safe_before_anything_is_proposed_again(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 900: a search that ends then has a pattern, and not everything withheld."""
    monkeypatch.setattr(beginning, "LARGE", 1)
    made, limits = generate("small", FAMILY, 1), UntilTold()
    release = to_protect(replace(made, withheld=made.primary), costs(made.dimensions, made.values), [{}])
    result = suppress(release, method=method, time_limit=limits, keep=limits.told.append, explain=False)
    assert [told.verdict for told in limits.told] == [result.verdict] == ["safe"]
    assert not result.found.last_resort
    assert result.found.cost == limits.told[0].found.cost
    assert result.problem.insiders.count(result.problem.primary) > 0


def test_a_search_without_a_pattern_is_completed_from_where_it_began() -> None:
    """CONVENTION 900."""
    given: list[np.ndarray] = []

    def search(problem, tools: Tools) -> Found:  # type: ignore[no-untyped-def]
        start = problem.primary | problem.may
        start[np.flatnonzero(problem.may)[:1]] = False
        given.append(start)
        return Found("unfinished", None, 0, 0, start=start)

    instance, problem = posed(1)
    result = suppress(to_protect(instance, problem.cost.astype(float)), search=search, method="none", explain=False)
    assert result.verdict == "safe"
    assert result.found.pattern is not None
    assert (result.found.pattern >= given[0]).all()
