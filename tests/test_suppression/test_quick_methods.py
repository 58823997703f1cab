"""The quick methods' turns in the search for the cheapest pattern."""

from random import Random
from typing import Any

import pytest
from full_releases import full_release
from hypothesis import given, settings
from hypothesis import strategies as st
from one_variable import POLICY, line
from ticking import Ticking

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.branch import cheapest
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.optimal import QUICK, TURNS, quick_patterns
from tableseal.suppression.search.planes import Planes
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress


def planes_of(looks: float) -> tuple[Planes, Ticking]:
    """Of a small table, before anything was found."""
    found: list[Planes] = []
    limits = Ticking(looks=looks)

    def search(problem: Problem, tools: Tools) -> Found:
        found.append(Planes(problem, tools))
        return Found("feasible", problem.primary | problem.may, 0, 0)

    suppress(line([1, 30, 5, 9]), policy=POLICY, search=search, method="none", explain=False)
    return found[0], limits


def test_a_method_that_takes_all_its_time_leaves_the_others_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 604: counted in looks at the clock."""
    had: list[float] = []

    def greedy(problem: Problem, tools: Tools) -> Found:
        had.append(tools.limits.seconds_left())
        while not tools.limits.out_of_time():
            pass
        return Found("unfinished", None, 0, 0)

    def unsuited(problem: Problem, tools: Tools) -> Found:
        had.append(tools.limits.seconds_left())
        raise InputError("not for this one")

    monkeypatch.setattr("tableseal.suppression.search.optimal.QUICK", (greedy, unsuited, greedy, greedy))
    planes, limits = planes_of(looks=1000.0)
    quick_patterns(planes, limits)
    assert len(had) == 4
    assert min(had) > 1000 * TURNS / 4 - 20
    assert had[2] > had[0] + 30  # what the second left over
    assert limits.seconds_left() > 1000 * (1 - TURNS) - 20


def test_what_a_method_finds_before_its_time_is_over_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 604."""

    def unfinished(problem: Problem, tools: Tools) -> Found:
        pattern = problem.primary.copy()
        pattern[problem.may.nonzero()[0][:1]] = True
        tools.keep(Found("feasible", pattern, problem.price(pattern), 0))
        return Found("unfinished", None, 0, 0)

    monkeypatch.setattr("tableseal.suppression.search.optimal.QUICK", (unfinished,))
    planes, limits = planes_of(looks=1000.0)
    quick_patterns(planes, limits)
    assert planes.best is not None
    assert planes.best.sum() == 2


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**40))
def test_without_a_proof_it_is_no_dearer_than_any_quick_method(seed: int) -> None:
    """CONVENTION 604: what the master problem would find afterwards is left out."""
    document: dict[str, Any] = full_release(Random(seed), base=12, largest=4)
    release = release_from_document(
        document | {"policy": {"primary": [{"threshold": 3}]}, "intruder": {"insiders": []}}
    )

    def no_proof(problem: Problem, tools: Tools) -> Found:
        found: list[Planes] = []

        def turn(planes: Planes, limits: Any) -> None:
            found.append(planes)
            quick_patterns(planes, limits)

        result = cheapest(problem, tools, turn)
        return found[0].found() if found else result

    best = suppress(release, search=no_proof, method="no proof", explain=False)
    for method in QUICK:
        try:
            other = suppress(release, search=method, method="other", explain=False)
        except InputError:
            continue
        assert (best.found.pattern is None) == (other.found.pattern is None)
        assert best.found.cost <= other.found.cost
