"""What is best of two safe patterns in every part of the table (CONVENTION 980)."""

from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cases.benchmarks.families import Family, costs, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.releases import to_protect
from cases.benchmarks.suppressors import placed
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Policy
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search.combining import best_parts, cheaper
from tableseal.suppression.search.cover import cover

FAMILIES = (Family(((5, 4), (4,)), mean=15, primary=2), Family(((4, 3), (3, 3)), mean=20, primary=1))


def posed(seed: int, family: Family) -> tuple[Instance, Problem, Oracle] | None:
    """A table of counts with an oracle; None: nothing in it is sensitive."""
    made = generate("small", family, seed)
    if not made.primary.any():
        return None
    instance = replace(made, withheld=made.primary)
    cost = costs(made.dimensions, made.values)
    problem = build_problem(to_protect(instance, cost), Policy(), Costs(), Highs())
    return instance, problem, Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())


def safe_ones(problem: Problem, oracle: Oracle, seed: int) -> list[NDArray[np.bool_]]:
    """Safe patterns at prices that have little to do with each other; none if not even everything is safe."""
    draw, patterns = np.random.default_rng(seed), []
    for _ in range(3):
        price = np.exp(draw.normal(0, 0.5, len(problem.cost))) * problem.cost
        pattern, _ = cover(problem, oracle, problem.primary, Limits(), price)
        if pattern is not None:
            patterns.append(pattern)
    return patterns


@settings(deadline=None, max_examples=6)
@given(st.integers(0, 10**6), st.sampled_from(FAMILIES))
def test_the_best_of_two_safe_patterns_in_every_part_is_safe(seed: int, family: Family) -> None:
    """CONVENTION 980: safe as linear programs of another solver see it, and no dearer than either."""
    made = posed(seed, family)
    if made is None:
        return
    instance, problem, oracle = made
    patterns = safe_ones(problem, oracle, seed)
    for best, other in combinations(patterns, 2):
        both = best_parts(problem, best, other)
        assert problem.price(both) <= min(problem.price(best), problem.price(other))
        assert not underprotected(instance, placed(instance, problem.release, problem.cells.codes[both])).any()
        assert np.array_equal(cheaper(problem, oracle, best, other, Limits()), both) or problem.price(
            both
        ) == problem.price(best)


def test_two_patterns_are_put_together_where_neither_is_the_cheaper_one_everywhere() -> None:
    """CONVENTION 980."""
    cheaper_than_both = 0
    for seed in range(4):
        made = posed(seed, FAMILIES[0])
        if made is not None:
            _, problem, oracle = made
            for one, other in combinations(safe_ones(problem, oracle, seed), 2):
                found = cheaper(problem, oracle, one, other, Limits())
                cheaper_than_both += problem.price(found) < min(problem.price(one), problem.price(other))
    assert cheaper_than_both


def test_what_tables_do_not_show_to_be_safe_is_not_taken() -> None:
    """CONVENTION 980: two patterns that are not safe: a mixture of them is no answer."""
    for seed in range(4):
        made = posed(seed, FAMILIES[0])
        if made is not None:
            _, problem, oracle = made
            one = problem.primary
            for cell in np.flatnonzero(problem.may)[:10].tolist():
                other = one.copy()
                other[cell] = True
                found = cheaper(problem, oracle, other, one, Limits())
                assert np.array_equal(found, one)  # the cheaper one, as it is
