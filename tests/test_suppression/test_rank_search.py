"""Searches for rank decrease: the setting and the figures of Oganian & Domingo-Ferrer 2003, sections 4.5, and brute
force."""

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.report.model import RankFigures
from tableseal.suppression.search.elimination import elimination
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.rank import Budget, Rank
from tableseal.suppression.search.rank_greedy import grow
from tableseal.suppression.search.rank_space import counted_cells, decrease, dependencies_among
from tableseal.suppression.search.result import Found, RankTaken, most_rank_words
from tableseal.suppression.search.tradeoff import pareto, tradeoff
from tableseal.suppression.suppress import suppress

Row = tuple[str, int, int]
"""A released cell: its table and its two categories; -1: the margin."""

AXES = {"AS": (0, 1), "AR": (0, 2), "SR": (1, 2)}
CROSSING = (("AS", 0, 0), ("AR", 0, 0), ("SR", 0, 0))
"""The primaries of section 4.5: the first cell of each table."""


def linked(shape: tuple[int, int, int], primaries: tuple[Row, ...], *, margins: bool) -> dict[str, Any]:
    """Three linked tables of one population; counts of 3 to 11, fixed."""
    x = np.random.default_rng(1).integers(3, 12, shape)
    tables = []
    for name, (a, b) in AXES.items():
        first, second = name
        cells: dict[str, list[Any]] = {first: [], second: [], "value": [], "s": []}
        first_margin = -1 if margins else 0
        for i, j in itertools.product(range(first_margin, shape[a]), range(first_margin, shape[b])):
            at: list[Any] = [slice(None)] * 3
            at[a], at[b] = (slice(None) if i < 0 else i), (slice(None) if j < 0 else j)
            cells[first].append("T" if i < 0 else f"{first}{i}")
            cells[second].append("T" if j < 0 else f"{second}{j}")
            cells["value"].append(int(x[tuple(at)].sum()))
            cells["s"].append("primary" if (name, i, j) in primaries else "")
        tables.append({"name": name, "cells": cells, "status": "s"})
    variables = {v: {"total": "T", "codes": [f"{v}{k}" for k in range(n)]} for v, n in zip("ASR", shape, strict=True)}
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": tables, "intruder": {"insiders": []}}


def problem_of(document: dict[str, Any]) -> Problem:
    return build_problem(release_from_document(document), Policy(), Costs("unit"), Highs())


def tools(problem: Problem) -> Tools:
    return Tools(Oracle(problem.equations, problem.requirements, deciding(Highs())), Highs(), Limits())


def position(problem: Problem, row: Row) -> int:
    """Position of a released cell."""
    name, i, j = row
    wanted = dict.fromkeys("ASR", "T") | {v: f"{v}{k}" for v, k in zip(name, (i, j), strict=True) if k >= 0}
    codes = [h.index[wanted[v]] for v, h in problem.release.variables.items()]
    return int(np.flatnonzero((problem.cells.codes == codes).all(axis=1))[0])


def pattern_of(problem: Problem, rows: list[Row]) -> NDArray[np.bool_]:
    pattern = problem.primary.copy()
    pattern[[position(problem, row) for row in rows]] = True
    return pattern


@pytest.mark.parametrize("margins", [False, True])
def test_the_144_patterns(margins: bool) -> None:
    """Twelve cells, three squares: 4, 5, 6 or 7 for 0 to 3 aligned variables without margins; with margins always 3."""
    problem = problem_of(linked((3, 4, 3), CROSSING, margins=margins))
    vectors = dependencies_among(problem, counted_cells(problem, margins=True))
    seen: Counter[tuple[int, int]] = Counter()
    for a, s, b, r, t, q in itertools.product((1, 2), (1, 2, 3), (1, 2), (1, 2), (1, 2, 3), (1, 2)):
        ends = {"AS": (a, s), "AR": (b, r), "SR": (t, q)}
        rows = [(name, i, j) for name, (u, v) in ends.items() for i in (0, u) for j in (0, v)]
        aligned = (a == b) + (s == t) + (r == q)
        seen[aligned, decrease(vectors, pattern_of(problem, rows))] += 1
    assert sum(seen.values()) == 144
    assert all(taken == (3 if margins else 4 + aligned) for aligned, taken in seen)


def test_three_primaries_take_one_away_and_nine_secondaries_at_most_six_more() -> None:
    """Section 4.5.3: -1 for the primaries, -7 for the best twelve cells; here proved over all patterns of twelve."""
    problem = problem_of(linked((3, 4, 3), CROSSING, margins=False))
    vectors = dependencies_among(problem, counted_cells(problem, margins=True))
    assert decrease(vectors, problem.primary) == 1
    found = Rank(Budget(cells=9), pure=True)(problem, tools(problem))
    assert found.pattern is not None
    assert found.guarantee == "none"
    assert int(found.pattern.sum()) == 12
    assert decrease(vectors, found.pattern) == found.most_rank == 7


@pytest.mark.parametrize("margins", [False, True])
def test_rank_without_the_margins_is_that_of_the_paper(margins: bool) -> None:
    """CONVENTION 420: released margins do not count if they are left out of the rank."""
    problem = problem_of(linked((3, 4, 3), CROSSING, margins=margins))
    counted = counted_cells(problem, margins=False)
    assert int(counted.sum()) == 12 + 9 + 12
    vectors = dependencies_among(problem, counted)
    rows: list[Row] = [(name, i, j) for name in AXES for i in (0, 1) for j in (0, 1)]
    assert decrease(vectors, pattern_of(problem, rows)) == 7
    if margins:
        more = pattern_of(problem, [*rows, ("AS", -1, -1), ("AS", -1, 0)])
        assert decrease(vectors, more) == 7


@pytest.mark.parametrize("budget", [1, 2, 3, 4, 5, 6])
def test_as_much_rank_as_all_patterns_of_27_linked_cells(budget: int) -> None:
    """CONVENTION 422: every choice of so many of the other 25 cells, by dense ranks."""
    problem = problem_of(linked((3, 3, 3), (("AS", 0, 0), ("AR", 1, 1)), margins=False))
    vectors = dependencies_among(problem, counted_cells(problem, margins=True))
    dense = np.zeros((len(vectors), len(problem.cells)))
    for k, vector in enumerate(vectors):
        dense[k, list(vector)] = list(vector.values())
    chosen = np.array(list(itertools.combinations(np.flatnonzero(problem.may).tolist(), budget)))
    primary = np.tile(np.flatnonzero(problem.primary), (len(chosen), 1))
    stacked = dense[:, np.hstack([primary, chosen])].transpose(1, 0, 2)
    most = budget + 2 - min(int(np.linalg.matrix_rank(part).min()) for part in np.array_split(stacked, 20) if len(part))
    found = Rank(Budget(cells=budget), pure=True)(problem, tools(problem))
    assert found.pattern is not None
    assert decrease(vectors, found.pattern) == found.most_rank == most
    candidates = np.flatnonzero(problem.may)
    greedy = grow(vectors, problem.primary, candidates, problem.cost, lambda a, more: min(len(more), budget - len(a)))
    assert decrease(vectors, greedy) == most, "greedy alone finds as much"


def counterexample(costs: list[list[int]] | None = None) -> Problem:
    """A two-way table whose first inner cell has small neighbours and, further off, large ones."""
    x = np.array([[2, 1, 1, 40], [1, 30, 30, 30], [1, 30, 30, 30], [40, 30, 30, 50]])
    full = np.block([[x.sum(), x.sum(axis=0)], [x.sum(axis=1)[:, None], x]])
    r, c = np.divmod(np.arange(25), 5)
    cells = {
        "a": ["T" if i == 0 else f"a{i}" for i in r.tolist()],
        "b": ["T" if j == 0 else f"b{j}" for j in c.tolist()],
        "value": full.ravel().tolist(),
        "s": ["primary" if (i, j) == (1, 1) else "" for i, j in zip(r.tolist(), c.tolist(), strict=True)],
    }
    variables = {v: {"total": "T", "codes": [f"{v}{k}" for k in range(1, 5)]} for v in "ab"}
    tables = [{"name": "t", "cells": cells, "status": "s"}]
    return problem_of(
        {"tableseal": 1, "kind": "count", "variables": variables, "tables": tables, "intruder": {"insiders": []}}
    )


def inner(problem: Problem, *places: tuple[int, int]) -> NDArray[np.bool_]:
    pattern = problem.primary.copy()
    for i, j in places:
        pattern[np.flatnonzero((problem.cells.codes == (i, j)).all(axis=1))] = True
    return pattern


def test_more_rank_and_less_entropy() -> None:
    """Two rows of three small cells take rank 2 and leave 4 values; one wide rectangle takes 1 and leaves 43."""
    problem = counterexample()
    vectors = dependencies_among(problem, counted_cells(problem, margins=True))
    narrow = inner(problem, (1, 2), (1, 3), (2, 1), (2, 2), (2, 3))
    wide = inner(problem, (1, 4), (4, 1), (4, 4))

    def bits(pattern: NDArray[np.bool_]) -> float:
        report = audit(protected_release(problem.release, problem.cells, problem.primary, pattern)).report
        (cell,) = (c for c in report.cells if c.status == "primary")
        assert report.verdict == "safe"
        assert cell.entropy_bits is not None
        return cell.entropy_bits

    assert decrease(vectors, narrow) == 2 > decrease(vectors, wide) == 1
    assert bits(narrow) == pytest.approx(np.log2(4))
    assert bits(wide) == pytest.approx(np.log2(43))


def test_safe_rank_is_the_most_of_all_safe_patterns() -> None:
    """Every pattern of up to five secondaries among the eight cells beside the sensitive one."""
    problem = counterexample()
    places = [p for p in itertools.product((1, 2, 3), (1, 2, 3)) if p != (1, 1)]
    may = inner(problem, *places) & ~problem.primary
    problem = replace(problem, may=may)
    vectors = dependencies_among(problem, counted_cells(problem, margins=True))
    oracle = tools(problem).oracle
    best = -1
    for size in range(6):
        for chosen in itertools.combinations(np.flatnonzero(may).tolist(), size):
            pattern = problem.primary.copy()
            pattern[list(chosen)] = True
            if oracle.decide(pattern).safe:
                best = max(best, decrease(vectors, pattern))
    found = Rank(Budget(cells=5))(problem, tools(problem))
    assert found.pattern is not None
    assert found.guarantee == "intervals"
    assert oracle.decide(found.pattern).safe
    assert decrease(vectors, found.pattern) == found.most_rank == best == 2
    inner_vectors = dependencies_among(problem, counted_cells(problem, margins=False))
    assert found.rank == RankTaken(2, decrease(inner_vectors, found.pattern), margins=True)
    assert most_rank_words(found) == "no safe pattern within the budget takes more rank than 2"


@pytest.mark.parametrize("margins", [True, False])
def test_the_rank_that_is_maximised_is_told_apart_from_the_other(margins: bool) -> None:
    """CONVENTION 603: in words and in the document; both are those of the pattern that is found."""
    method = Rank(Budget(cells=5), margins=margins)
    result = suppress(counterexample().release, method="rank", search=method)
    pattern, problem = result.found.pattern, result.problem
    assert pattern is not None
    taken = [decrease(dependencies_among(problem, counted_cells(problem, margins=m)), pattern) for m in (True, False)]
    told = suppression_report(result).rank
    assert told == RankFigures(
        taken[0], taken[1], "with_margins" if margins else "without_margins", result.found.most_rank
    )
    assert result.found.rank is not None
    assert result.found.rank.maximised == taken[not margins]
    text = suppression_text(result, limit=None)
    words = [f"{taken[0]} with margins", f"{taken[1]} without margins"]
    words[not margins] += " (maximised)"
    assert f"Rank taken from the released system: {', '.join(words)}." in text
    if result.found.most_rank is not None:
        assert result.found.most_rank == taken[not margins]
        assert "No safe pattern within the budget takes more rank" in text


def test_unsafe_patterns_are_not_counted_among_safe_ones() -> None:
    """CONVENTION 603: the words say which patterns were looked at."""
    pure = Found("feasible", None, 0, 0, guarantee="none", rank=RankTaken(3, 1, margins=False), most_rank=1)
    assert most_rank_words(pure) == "no pattern, safe or not, within the budget takes more rank without margins than 1"


def test_the_curve_holds_safe_points_none_of_which_beats_another() -> None:
    problem = counterexample()
    cheapest = elimination(problem, tools(problem)).pattern
    assert cheapest is not None
    points = tradeoff(problem, [cheapest], Highs(), Limits(), steps=4)
    assert len(points) > 2
    assert points == pareto(list(reversed(points)))
    oracle = tools(problem).oracle
    for point in points:
        assert oracle.decide(point.pattern).safe
        assert point.cost == problem.price(point.pattern)
        assert not any(other.beats(point) for other in points)
    again = tradeoff(problem, [cheapest], Highs(), Limits(), steps=4)
    assert [(p.cost, p.rank, p.least_bits, p.pattern.tolist()) for p in again] == [
        (p.cost, p.rank, p.least_bits, p.pattern.tolist()) for p in points
    ]
    assert tradeoff(problem, [], Highs(), Limits()) == ()
    assert points[0].cost == min(p.cost for p in points)
    assert max(p.least_bits for p in points) > points[0].least_bits
