"""Every search method on small releases of every kind, judged without the package: all tables listed, exact ranks."""

import copy
from random import Random
from typing import Any

import numpy as np
import pytest
from full_releases import full_release
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from patterns import cell_of, cube, determined, misses

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy
from tableseal.audit.rules import Threshold
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search.greedy_elimination import greedy_elimination
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.methods import METHODS, method_named
from tableseal.suppression.search.network import network
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.rank import Budget, Rank
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.sub_tables import sub_tables
from tableseal.suppression.suppress import suppress

SEEDS = st.integers(0, 2**40)
POLICY = Policy((Threshold(2),))
SAFE = ("network", "modular", "elimination", "rank")


def problem_of(document: dict[str, Any], costs: str = "column") -> Problem:
    return build_problem(release_from_document(document), POLICY, Costs(costs), Highs())  # type: ignore[arg-type]


def made(seed: int) -> tuple[dict[str, Any], Problem]:
    document = full_release(Random(seed), base=8, largest=4)
    document["intruder"] = {"insiders": []}
    note(str(document))
    problem = problem_of(document)
    assume(problem.primary.any())
    return document, problem


def tools(problem: Problem, seed: int = 0) -> Tools:
    return Tools(Oracle(problem.equations, problem.requirements, deciding(Highs())), Highs(), Limits(), seed=seed)


def found_by(name: str, problem: Problem) -> Found | None:
    """None: the method does not work for this release, and says so."""
    try:
        return METHODS[name](problem, tools(problem))
    except InputError:
        if name != "network":
            raise
        return None


@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_patterns_are_safe_and_cost_no_less_than_the_cheapest(seed: int) -> None:
    document, problem = made(seed)
    best = optimal(problem, tools(problem))
    for name in SAFE:
        found = found_by(name, problem)
        if found is None:
            continue
        assert found.status == ("infeasible" if best.pattern is None else "feasible"), name
        if found.pattern is None:
            continue
        assert found.guarantee == "intervals"
        assert (found.pattern >= problem.primary).all()
        assert not (found.pattern & ~problem.primary & ~problem.may).any()
        assert found.cost == problem.price(found.pattern) >= best.bound
        assert misses(document, problem, found.pattern) == [], name


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_elimination_protects_from_equations_and_from_nothing_more_is_withheld(seed: int) -> None:
    document, problem = made(seed)
    found = greedy_elimination(problem, tools(problem))
    if found.pattern is None:
        assert found.impossible is not None
        everything = problem.primary | problem.may
        assert cell_of(problem, found.impossible.cell) in determined(document, problem, everything)
        return
    assert found.guarantee == "exact disclosure"
    assert determined(document, problem, found.pattern) == []
    for cell in np.flatnonzero(found.pattern & ~problem.primary).tolist():
        without = found.pattern.copy()
        without[cell] = False
        assert determined(document, problem, without), f"{cell_of(problem, cell)} is withheld for nothing"


@settings(max_examples=4, deadline=None)
@given(SEEDS)
def test_same_seed_same_pattern_in_whatever_order_the_rows_come(seed: int) -> None:
    document, problem = made(seed)
    shuffled = copy.deepcopy(document)
    for table in shuffled["tables"]:
        order = list(range(len(table["cells"]["value"])))
        Random(seed).shuffle(order)
        table["cells"] = {name: [column[k] for k in order] for name, column in table["cells"].items()}
    other = problem_of(shuffled)
    for name in (*SAFE, "greedy-elimination", "rank-pure"):
        patterns = []
        for one in (problem, problem, other):
            found = found_by(name, one)
            chosen = None if found is None or found.pattern is None else np.flatnonzero(found.pattern).tolist()
            patterns.append(None if chosen is None else sorted(cell_of(one, c) for c in chosen))
        assert patterns[0] == patterns[1] == patterns[2], name


def test_a_method_that_there_is_not() -> None:
    with pytest.raises(InputError, match="optimal, heuristic, network"):
        method_named("best")


# ---------------------------------------------------------------- network


def crossed(
    values: list[list[int]], costs: list[list[int]] | None = None, required: int | None = None
) -> dict[str, Any]:
    """A two-way table with its margins; the first inner cell is sensitive."""
    x = np.array(values)
    full = np.block([[x.sum(), x.sum(axis=0)], [x.sum(axis=1)[:, None], x]])
    rows, columns = full.shape
    r, c = np.divmod(np.arange(full.size), columns)
    cells: dict[str, list[Any]] = {
        "a": ["T" if i == 0 else str(i) for i in r.tolist()],
        "b": ["T" if j == 0 else str(j) for j in c.tolist()],
        "value": full.ravel().tolist(),
        "s": ["primary" if (i, j) == (1, 1) else "" for i, j in zip(r.tolist(), c.tolist(), strict=True)],
    }
    table: dict[str, Any] = {"name": "t", "cells": cells, "status": "s"}
    if costs is not None:
        padded = np.pad(np.array(costs), ((1, 0), (1, 0)), constant_values=1000)
        cells["cost"] = padded.ravel().tolist()
        table["cost"] = "cost"
    if required is not None:
        cells["need"] = [required if s == "primary" else None for s in cells["s"]]
        table["protection"] = {"lower": "need", "upper": "need"}
    variables = {
        "a": {"total": "T", "codes": [str(k) for k in range(1, rows)]},
        "b": {"total": "T", "codes": [str(k) for k in range(1, columns)]},
    }
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": variables,
        "tables": [table],
        "intruder": {"insiders": []},
    }


def secondaries(problem: Problem, found: Found) -> set[tuple[str, ...]]:
    assert found.pattern is not None
    return {cell_of(problem, c)[1] for c in np.flatnonzero(found.pattern & ~problem.primary).tolist()}


def test_a_rectangle_through_the_cheapest_corner() -> None:
    problem = problem_of(crossed([[5, 6, 7], [8, 9, 9], [6, 7, 8]], [[1, 9, 2], [9, 9, 9], [3, 9, 1]]))
    found = network(problem, tools(problem))
    assert secondaries(problem, found) == {("1", "3"), ("3", "1"), ("3", "3")}


def test_a_longer_cycle_where_it_is_cheaper() -> None:
    costs = [[1, 1, 100], [100, 1, 1], [1, 100, 1]]
    problem = problem_of(crossed([[5, 6, 7], [8, 9, 9], [6, 7, 8]], costs))
    found = network(problem, tools(problem))
    assert secondaries(problem, found) == {("1", "2"), ("2", "2"), ("2", "3"), ("3", "3"), ("3", "1")}


def test_further_cycles_where_one_is_too_narrow() -> None:
    """The sensitive cell must move by 6; cells of 4 carry no more than 4 around one rectangle."""
    values = [[20, 4, 4], [4, 9, 9], [9, 9, 9]]
    for required, count in ((4, 3), (6, 5)):
        problem = problem_of(crossed(values, [[1, 1, 1], [1, 1, 1], [1, 1, 1]], required))
        found = network(problem, tools(problem))
        assert len(secondaries(problem, found)) >= count
        assert misses(crossed(values), problem, found.pattern if found.pattern is not None else problem.primary) == []


def test_insiders_come_in_where_outsiders_find_out_nothing() -> None:
    """Four ones hide each other from the reader; whoever is one of them computes the others."""
    document = crossed([[1, 1, 5], [1, 1, 6], [7, 8, 9]])
    document["intruder"] = {}
    document["tables"][0]["cells"]["s"] = ["primary" if v == 1 else "" for v in document["tables"][0]["cells"]["value"]]
    result = suppress(release_from_document(document), method="network")
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.cost > 0


def test_three_ways_are_no_network() -> None:
    problem = problem_of(cube())
    with pytest.raises(InputError, match="at most one has levels"):
        network(problem, tools(problem))


# ---------------------------------------------------------------- sub-tables


def test_sub_tables_from_the_top_down() -> None:
    tree = {"total": "T", "tree": {"A": ["1", "2"], "B": ["3", "4"]}}
    flat = {"total": "T", "codes": ["x", "y"]}
    rows = [(a, b) for a in "TAB1234" for b in "Txy"]
    value = dict.fromkeys("1234", 3) | {"A": 6, "B": 6, "T": 12}
    cells = {
        "a": [a for a, _ in rows],
        "b": [b for _, b in rows],
        "value": [value[a] * (2 if b == "T" else 1) for a, b in rows],
    }
    problem = problem_of(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": tree, "b": flat},
            "tables": [{"name": "t", "cells": cells}],
        }
    )
    parts = sub_tables(problem)
    codes = [sorted({cell_of(problem, c)[1][0] for c in part.cells.tolist()}) for part in parts]
    assert [part.depth for part in parts] == [0, 1, 1]
    assert codes == [["A", "B", "T"], ["1", "2", "A"], ["3", "4", "B"]]
    assert all(len(part.cells) == 9 for part in parts)


# ---------------------------------------------------------------- budgets


@pytest.mark.parametrize("text", ["12", "cells=-1", "cells=1.5", "money=3", "cost=x", "cells=1/0", ""])
def test_budgets_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match=r"expected cells=NUMBER, cost=NUMBER or both"):
        Budget.parse(text)


def test_budgets() -> None:
    assert Budget.parse("cells=12") == Budget(12, None)
    assert Budget.parse("cost=5.5, cells=3") == Budget(3, Budget.parse("cost=11/2").cost)


def test_a_budget_below_the_cheapest_safe_pattern_says_what_that_costs() -> None:
    """CONVENTION 421."""
    problem = problem_of(crossed([[5, 6, 7], [8, 9, 9], [6, 7, 8]], [[1, 9, 2], [9, 9, 9], [3, 9, 1]]))
    with pytest.raises(InputError, match="3 secondary cells at a cost of 6"):
        Rank(Budget(cells=2))(problem, tools(problem))
    inside = Rank(Budget(cells=3))(problem, tools(problem))
    assert secondaries(problem, inside) == {("1", "3"), ("3", "1"), ("3", "3")}
