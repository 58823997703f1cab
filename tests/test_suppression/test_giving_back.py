"""What patterns do not need, part by part in kernels: the same as cell by cell."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cases.benchmarks.releases import to_protect
from cases.benchmarks.surveys import Survey, drawn
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Policy
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search.cover import clean_up
from tableseal.suppression.search.giving_back import GivingBack

SHAPES = (((3, 2), (3,)), ((4,), (2, 2)), ((2, 2), (3,), (2,)))


def posed(seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool) -> tuple[Problem, Oracle]:
    """A drawn table and what knows nothing of it yet."""
    made = drawn("small", Survey(shape, turnover), seed)
    assume(made.instance.primary.any())
    problem = build_problem(to_protect(made.instance, made.cost), Policy(), Costs(), Highs())
    return problem, Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())


TABLES = (st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans())


@settings(deadline=None, max_examples=12)
@given(*TABLES, st.integers(0, 10**6))
def test_it_leaves_what_is_left_cell_by_cell(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool, other: int
) -> None:
    """Of any safe pattern; what is left is safe by an oracle that has learnt nothing from it."""
    problem, oracle = posed(seed, shape, turnover)
    everything = problem.primary | problem.may
    pattern = everything & (problem.primary | (np.random.default_rng(other).random(len(everything)) < 0.8))
    if not oracle.decide(pattern).safe:
        return
    assert GivingBack.suits(oracle)
    lean = clean_up(problem, oracle, pattern, Limits())
    assert posed(seed, shape, turnover)[1].decide(lean).safe
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(GivingBack, "suits", lambda oracle: False)
        slow = clean_up(problem, posed(seed, shape, turnover)[1], pattern, Limits())
    assert np.flatnonzero(lean).tolist() == np.flatnonzero(slow).tolist()


@settings(deadline=None, max_examples=6)
@given(*TABLES)
def test_what_it_shows_is_true_and_what_it_has_seen_it_knows(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool
) -> None:
    """Tables that it teaches show nothing that is not so; a part is looked at once."""
    problem, oracle = posed(seed, shape, turnover)
    everything = problem.primary | problem.may
    back = GivingBack(problem, oracle)
    back.show(everything)
    assert not (oracle.protected(everything) & ~posed(seed, shape, turnover)[1].decide(everything).protected).any()
    first = back.lean(everything, Limits())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tableseal.suppression.search.giving_back.give_back", None)
        again = back.lean(everything, Limits())
    if oracle.protected(everything).all():
        assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
