"""What a pattern does not withstand, with companies and holdings as insiders: as an audit of that pattern says."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from companies import companies_document
from hypothesis import HealthCheck, assume, example, given, note, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.separation import Separation
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.naming import full_name
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.attackers.lasting import Lasting
from tableseal.suppression.attackers.watch import InsiderWatch
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search.lifted import Lifted
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.planes import Planes
from tableseal.suppression.search.relations import Lonely
from tableseal.suppression.suppress import suppress

SEEDS = st.integers(0, 2**40)
SOME = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
MOST = 14
"""Cells that may be withheld besides."""


def random_problem(seed: int) -> Problem:
    """Of a random release of companies."""
    document = companies_document(Random(seed), few=seed % 2 == 0)
    note(str(document))
    release = release_from_document(document)
    try:
        problem = build_problem(release, release.policy or Policy(), Costs(), Highs())
    except InputError:  # a sensitive cell is frozen
        assume(False)
        raise
    assume(problem.primary.any() and problem.may.sum() <= MOST)
    return problem


def names(problem: Problem, cells: Sequence[int]) -> set[tuple[str, ...]]:
    """Codes of cells."""
    return {tuple(problem.release.cell_codes(problem.cells.codes[cell]).values()) for cell in cells}


def failing(problem: Problem, pattern: NDArray[np.bool_]) -> set[tuple[str, ...]]:
    """Codes of the sensitive cells that an audit finds fault with, but for what ranks alone say (CONVENTION 625)."""
    made = protected_release(problem.release, problem.cells, problem.primary, pattern)
    report = audit(replace(made, policy=problem.policy)).report
    bad = [r for r in report.cells if r.verdict in ("exposed", "underprotected") and r.reason != "ranks"]
    found = {tuple(c for _, c in r.cell) for r in bad}
    return found & names(problem, np.flatnonzero(problem.primary).tolist())


@settings(SOME, max_examples=25)
@given(SEEDS, st.sampled_from([0.3, 0.6, 0.9, 1.0]))
@example(104, 0.9)
@example(249, 0.6)
@example(753, 0.6)  # contributors of a withheld cell that anybody can compute
def test_a_search_finds_fault_with_the_cells_that_an_audit_does(seed: int, share: float) -> None:
    """Whatever the pattern: an insider and a cell hang together in the eyes of both or of neither."""
    problem, random = random_problem(seed), Random(seed)
    pattern = problem.primary | (problem.may & np.array([random.random() < share for _ in problem.may]))
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    missed = np.flatnonzero(~oracle.decide(pattern).protected).tolist()
    unmet = problem.insiders.unmet(pattern, Limits(), exact=True)
    found = [problem.requirements[q].cell for q in missed] + [u.requirement.cell for u in unmet]
    assert names(problem, found) == failing(problem, pattern)


@settings(SOME, max_examples=6)
@given(SEEDS)
@example(21)  # an insider and sensitive cells that only a withheld total joins
@example(104)  # an insider whose books tell of a cell that anybody can compute
def test_a_cell_is_needed_by_those_that_fail_without_it(seed: int) -> None:
    """CONVENTION 447."""
    problem = random_problem(seed)
    result = suppress(problem.release, method="heuristic")
    pattern = result.found.pattern
    assume(pattern is not None)
    assert pattern is not None
    safe = failing(problem, pattern) == set()
    for cell, needing in result.needed_by.items():
        without = pattern.copy()
        without[cell] = False
        assert names(problem, needing) == failing(problem, without)
        without[list(result.idle)] = False
        assert needing or cell in result.idle or not safe or failing(problem, without)


@settings(SOME, max_examples=8)
@given(SEEDS, st.sampled_from(["heuristic", "optimal"]))
@example(38, "heuristic")
@example(328, "optimal")
def test_where_nothing_protects_a_cell_from_an_insider_that_is_said(seed: int, method: str) -> None:
    """CONVENTION 441: a pattern is safe, but for what nothing can help; or it is said what is in the way, and not even
    everything that may be withheld is enough."""
    problem = random_problem(seed)
    result = suppress(problem.release, method=method, explain=False)
    everything = problem.primary | problem.may
    if result.found.pattern is not None:
        assert failing(problem, result.found.pattern) == set()
        return
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    conflict = result.conflict
    assert names(problem, [conflict.requirement.cell]) <= failing(problem, everything)
    assert full_name(problem.release, problem.cells, conflict.requirement.cell) in conflict.text


def test_as_much_of_an_attack_is_sure_as_outsiders_must_not_find_out() -> None:
    """CONVENTION 446."""
    outsiders = Requirement(0, lower=467, upper=519)
    lasting = Lasting([outsiders], np.array([True, True]), np.array([493, 115]))
    for lower, upper, sure in ((456, 280, 467), (480, None, 480), (None, 519, None)):
        need = Requirement(0, lower, upper, attacker=Attacker(known=(1,)))
        assert lasting.part(need) == replace(need, lower=sure)
    assert lasting.part(Requirement(0, width=80)).width == 52


def all_patterns(problem: Problem) -> Iterator[NDArray[np.bool_]]:
    """Every pattern that is allowed."""
    free = np.flatnonzero(problem.may)
    for chosen in itertools.product([False, True], repeat=len(free)):
        pattern = problem.primary.copy()
        pattern[free[list(chosen)]] = True
        yield pattern


@settings(SOME, max_examples=6)
@given(SEEDS, st.sampled_from([0.0, 0.5, 1.0]))
def test_every_safe_pattern_meets_what_is_said_to_be_sure(seed: int, share: float) -> None:
    """CONVENTION 446: what a watch says of one pattern, by auditing all others."""
    problem, random = random_problem(seed), Random(seed)
    assume(problem.may.sum() <= 5 and not problem.hopeless)
    watch = InsiderWatch(problem, frozenset())
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    pattern = problem.primary | (problem.may & np.array([random.random() < share for _ in problem.may]))
    sure = [b for b in watch(oracle, pattern, Limits(), first=False) if b.requirement.sure]
    assume(sure)
    judge = Oracle(problem.equations, [b.requirement for b in sure], deciding(Highs()))
    for other in all_patterns(problem):
        if not failing(problem, other):
            assert judge.decide(other).safe
            assert all(b.cut is None or b.cut.holds(other) for b in sure)


@settings(SOME, max_examples=8)
@given(SEEDS)
def test_every_safe_pattern_meets_cuts_lifted_to_who_knows_cells(seed: int) -> None:
    """CONVENTION 1082: of patterns that withhold cells in part, by auditing all whole ones."""
    problem, draw = random_problem(seed), np.random.default_rng(seed)
    assume(problem.may.sum() <= 5 and not problem.hopeless)
    watch = InsiderWatch(problem, frozenset())
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs(), watch)
    blamed = oracle.blamed()
    assert blamed is not None
    separation = Separation(problem.equations, problem.requirements, oracle.ends, Highs(), blamed.needs)
    lonely, of_search = Lonely(problem.equations), Lifted(blamed, problem.primary | problem.may)
    for relation, cell in lonely.asked(problem.asked):
        of_search.learn(cell, lonely.cut(relation, cell))
    lifted: list[Cut] = []
    for _ in range(4):
        share = np.where(problem.primary, 1.0, problem.may * draw.choice([0.0, 0.2, 0.5, 1.0], len(problem.may)))
        separation.cuts(share, Limits())
        for cell, cut in separation.roots:
            of_search.learn(cell, cut)
        found = of_search.broken(share)
        assert all((cut.weight * share[cut.cells]).sum() < cut.right for cut in found)
        lifted += found
    assume(lifted)
    for other in all_patterns(problem):
        if not all(cut.holds(other) for cut in lifted):
            assert failing(problem, other)


@settings(SOME, max_examples=4)
@given(SEEDS)
def test_cuts_are_lifted_where_bounds_are_proved_of_tables_that_are_not_large(seed: int) -> None:
    """CONVENTION 1082."""
    problem, draw = random_problem(seed), np.random.default_rng(seed)
    share = np.where(problem.primary, 1.0, problem.may * draw.choice([0.0, 0.5, 1.0], len(problem.may)))

    def found(lifting: bool, largest: int) -> int:
        """Cuts of that pattern."""
        watch = InsiderWatch(problem, frozenset())
        oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs(), watch)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("tableseal.suppression.search.planes.LIFTED", largest)
            return Planes(problem, Tools(oracle, Highs(), Limits()), lifting=lifting).separate(share, Limits())

    plain = found(False, len(share))
    assert found(True, len(share) - 1) == plain
    assume(found(True, len(share)) != plain)


@settings(SOME, max_examples=4)
@given(SEEDS)
@example(1163)  # holdings, of which nothing withstands somebody who knows all cells of one
def test_no_pattern_below_a_bound_is_safe(seed: int) -> None:
    """Whoever has books that tell of what: all patterns are audited."""
    problem = random_problem(seed)
    assume(problem.may.sum() <= 5 and not problem.hopeless)
    result = suppress(problem.release, method="optimal", explain=False)
    found = result.found
    for pattern in all_patterns(problem):
        if found.pattern is None or problem.price(pattern) < found.bound:
            assert failing(problem, pattern)
    assert found.status != "optimal" or found.cost == found.bound
