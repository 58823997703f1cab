"""Patterns of the searches on benchmark tables: safe by GLPK, optimal as known, the same each time, kept on the way."""

from dataclasses import replace

import numpy as np
import pytest

from cases.benchmarks import folder
from cases.benchmarks.instance import Instance
from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.releases import to_protect
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.pool import Pool
from tableseal.audit.model import Policy
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.result import Found

OPTIMA = {"f2d_30": 18, "f2d_30s": 50, "f3d_6": 295, "fh2d_mid": 666, "mh2d_mid": 502_806, "fh3d_small": 1_449}
"""Found by others too, where they finish (tau-ARGUS and our own first prototype)."""


def tools(problem: Problem) -> Tools:
    engine = Highs()
    return Tools(Oracle(problem.equations, problem.requirements, deciding(engine), engine), engine, Limits())


def setting(name: str) -> tuple[Instance, Problem]:
    instance = folder.load(folder.DATA, name)
    made = to_protect(instance, folder.costs(folder.DATA, instance))
    return instance, build_problem(made, Policy(), Costs(), Highs())


def of_instance(instance: Instance, problem: Problem, pattern: np.ndarray) -> np.ndarray:
    """The pattern in the instance's own order: releases list its cells row by row."""
    result = np.zeros(len(pattern), np.bool_)
    result[problem.cells.row[pattern]] = True
    return result


@pytest.mark.parametrize("name", OPTIMA)
def test_known_optima_are_found_proved_and_pass_an_independent_audit(name: str) -> None:
    instance, problem = setting(name)
    found = optimal(problem, tools(problem))
    assert (found.status, found.cost, found.bound) == ("optimal", OPTIMA[name], OPTIMA[name])
    assert found.pattern is not None
    assert not underprotected(instance, of_instance(instance, problem, found.pattern)).any()


@pytest.mark.parametrize("name", ["f3d_6", "mh2d_mid"])
def test_each_pattern_on_the_way_is_safe_and_better_and_the_last_is_the_answer(name: str) -> None:
    instance, problem = setting(name)
    kept: list[Found] = []
    found = heuristic(problem, replace(tools(problem), keep=kept.append))
    assert found.pattern is not None
    assert found.cost == kept[-1].cost
    assert [f.cost for f in kept] == sorted({f.cost for f in kept}, reverse=True)
    for one in kept:
        assert one.pattern is not None
        assert not underprotected(instance, of_instance(instance, problem, one.pattern)).any()


def test_the_check_sees_what_is_missing() -> None:
    instance, problem = setting("f3d_6")
    found = optimal(problem, tools(problem))
    assert found.pattern is not None
    for cell in np.flatnonzero(found.pattern & ~problem.primary)[:5].tolist():
        without = found.pattern.copy()
        without[cell] = False
        assert underprotected(instance, of_instance(instance, problem, without)).any()


def test_the_same_pattern_each_time() -> None:
    _, problem = setting("fh2d_mid")
    patterns = [search(problem, tools(problem)).pattern for search in (optimal, optimal, heuristic, heuristic)]
    for one, other in (patterns[:2], patterns[2:]):
        assert one is not None
        assert other is not None
        assert (one == other).all()


def test_at_the_limit_there_is_the_best_pattern_so_far() -> None:
    _, problem = setting("fh3d_small")
    kept: list[Found] = []
    late = False

    class Soon(Limits):
        """Out of time as soon as a pattern is in hand."""

        def out_of_time(self) -> bool:
            return late

    def keep(found: Found) -> None:
        nonlocal late
        kept.append(found)
        late = True

    found = optimal(problem, replace(tools(problem), keep=keep, limits=Soon()))
    assert found.status == "feasible"
    assert found.pattern is not None
    assert kept[0].pattern is not None
    assert (found.pattern == kept[0].pattern).all()
    assert found.bound <= OPTIMA["fh3d_small"] <= found.cost


def test_cuts_in_hand_say_which_cells_are_needed() -> None:
    pool = Pool(5)
    assert pool.add(Cut(np.array([0, 1, 2]), np.array([2, 1, 1]), 2))
    assert not pool.add(Cut(np.array([0, 1, 2]), np.array([2, 1, 1]), 2))
    pattern = np.array([False, True, True, True, False])
    assert np.flatnonzero(pool.needed(pattern)).tolist() == [1, 2]
    pattern[0] = True
    assert not pool.needed(pattern).any()
    assert not pool.breaks(pattern)
    pattern[[0, 1]] = False
    assert pool.breaks(pattern)
    assert not pool.needed(pattern).any()
