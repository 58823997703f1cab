"""Searches for secondary cells against every pattern there is, on small releases of every kind."""

import itertools
from random import Random

import numpy as np
import pytest
from full_releases import full_release
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import parts
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import Threshold
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search.cover import clean_up, cover
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.relations import Tied
from tableseal.suppression.suppress import suppress

SEEDS = st.integers(0, 2**40)
POLICY = Policy((Threshold(2),))
MOST = 11
"""Cells that may be withheld, so that every pattern can be tried."""


def small_problem(seed: int) -> Problem:
    random = Random(seed)
    document = full_release(random, base=9, largest=5)
    document["intruder"] = {"insiders": []}
    note(str(document))
    try:
        problem = build_problem(release_from_document(document), POLICY, Costs(), Highs())
    except InputError:
        assume(False)
        raise
    assume(problem.primary.sum() > 0 and problem.may.sum() <= MOST)
    return problem


def cheapest(problem: Problem) -> int | None:
    """Least cost of a safe pattern, by trying all of them; None: none is safe."""
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    may = np.flatnonzero(problem.may).tolist()
    patterns = []
    for size in range(len(may) + 1):
        for chosen in itertools.combinations(may, size):
            pattern = problem.primary.copy()
            pattern[list(chosen)] = True
            patterns.append((problem.price(pattern), chosen, pattern))
    for cost, _, pattern in sorted(patterns, key=lambda p: p[:2]):
        if oracle.decide(pattern).safe:
            return cost
    return None


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_what_requirements_have_taken_is_safe_by_itself(seed: int) -> None:
    problem = small_problem(seed)
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    wide = problem.primary | problem.may
    narrowed, shown = oracle.narrowed(wide, problem.primary, problem.cost.astype(np.float64), Limits())
    alone = Oracle(problem.equations, problem.requirements, deciding(Highs()))
    if not shown:  # some requirement needs a table that linear programs do not give
        assume(False)
        return
    assert not (narrowed & ~wide).any()
    assert not (problem.primary & ~narrowed).any()
    assert alone.decide(narrowed).safe


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_optimal_is_the_cheapest_of_all_patterns(seed: int) -> None:
    problem = small_problem(seed)
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    found = optimal(problem, Tools(oracle, Highs(), Limits()))
    best = cheapest(problem)
    if best is None:
        assert found.status == "infeasible"
        assert found.impossible in problem.requirements
        return
    assert (found.status, found.cost, found.bound) == ("optimal", best, best)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_what_is_returned_passes_an_audit_and_needs_each_cell(seed: int) -> None:
    problem = small_problem(seed)
    result = suppress(problem.release, method="heuristic", policy=POLICY)
    if result.found.pattern is None:
        assert result.found.status == "infeasible"
        return
    assert result.report is not None
    assert result.report.verdict == "safe"
    for cell, needing in result.needed_by.items():
        assert needing, f"cell {cell} is withheld for nothing"
        without = result.found.pattern.copy()
        without[cell] = False
        report = audit(
            protected_release(problem.release, problem.cells, problem.primary, without), policy=POLICY
        ).report
        assert report.verdict == "unsafe"


def test_a_start_pattern_is_kept_and_cleaned() -> None:
    cells = {"a": ["T", "1", "2", "3", "4"], "value": [20, 1, 5, 6, 8]}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["1", "2", "3", "4"]}},
        "tables": [{"name": "t", "cells": cells}],
        "intruder": {"insiders": []},
    }
    problem = build_problem(release_from_document(document), POLICY, Costs("unit"), Highs())
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    pattern, impossible = cover(problem, oracle, problem.primary, Limits())
    assert impossible is None
    assert pattern is not None
    assert problem.price(clean_up(problem, oracle, np.ones(5, np.bool_), Limits())) == problem.scale


@given(SEEDS)
def test_parts_answer_as_the_whole_does(seed: int) -> None:
    """Any cells of a safe pattern published: their parts say what the whole says, and no other part fails."""
    problem = small_problem(seed)
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    pattern, _ = cover(problem, oracle, problem.primary, Limits())
    if pattern is None:
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tableseal.audit.decision.parts.SPARSE", 0)
        found = parts(oracle, pattern)
    assert sorted(c for part in found for c in part.cells.tolist() if pattern[c]) == np.flatnonzero(pattern).tolist()
    assert sorted(q for part in found for q in part.asked) == list(range(len(problem.requirements)))
    rng = np.random.default_rng(seed)
    secondary = np.flatnonzero(pattern & ~problem.primary)
    for count in range(1, min(len(secondary), 4) + 1):
        fewer = pattern.copy()
        fewer[rng.choice(secondary, count, replace=False)] = False
        by_part = np.zeros(len(problem.requirements), np.bool_)
        for part in found:
            by_part[list(part.asked)] = part.oracle.decide(fewer[part.cells]).protected
        whole = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs()).decide(fewer)
        assert by_part.tolist() == whole.protected.tolist()


@given(SEEDS, st.sampled_from([0, 10**9]))
def test_a_clean_pattern_needs_each_cell(seed: int, sparse: int) -> None:
    """In parts or as a whole; and what relations of two cells say is needed, is."""
    problem = small_problem(seed)
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    pattern, _ = cover(problem, oracle, problem.primary, Limits())
    if pattern is None:
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tableseal.audit.decision.parts.SPARSE", sparse)
        clean = clean_up(problem, oracle, pattern, Limits())
    fresh = Oracle(problem.equations, problem.requirements, deciding(Highs()))
    assert not (clean & ~pattern).any()
    assert fresh.decide(clean).safe
    tied = Tied(problem.equations, fresh.ends.cell).needed(pattern)
    for kept, cells in ((clean, clean), (pattern, tied)):
        for cell in np.flatnonzero(cells & ~problem.primary).tolist():
            without = kept.copy()
            without[cell] = False
            assert not fresh.decide(without).safe


@pytest.mark.parametrize(("word", "message"), [("b=1", "variables are a"), ("a=9", 'no code "9"'), ("a", 'no code ""')])
def test_unknown_cells_to_prefer_are_named(word: str, message: str) -> None:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "1", "2"], "value": [6, 1, 5]}}],
    }
    with pytest.raises(InputError, match=message):
        build_problem(release_from_document(document), POLICY, Costs(prefer=(word,)), Highs())
