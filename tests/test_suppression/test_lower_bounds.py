"""What no safe pattern costs less than, from blocks by themselves: never above the cheapest (CONVENTION 1075-1077)."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from elsewhere import Elsewhere
from hypothesis import given, settings
from hypothesis import strategies as st
from random_releases import Maker
from ticking import Ticking

from cases.benchmarks.releases import to_protect
from cases.benchmarks.surveys import Survey, drawn
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.clock import now
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.errors import TablesealError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy, Release
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.bounds import whole_blocks
from tableseal.suppression.bounds.bounding import bounded
from tableseal.suppression.bounds.cutting import cuts_alone
from tableseal.suppression.bounds.diving import dive
from tableseal.suppression.bounds.lower_bound import lower_bound, rising
from tableseal.suppression.comparison.compare import compare
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search.master import Row
from tableseal.suppression.suppress import suppress

SHAPES = (((3, 2), (3,)), ((4,), (2, 2)), ((2, 2), (3,), (2,)), ((3,), (3,)), ((2,), (2,), (2,)))


def posed(release: Release) -> Problem:
    return build_problem(release, release.policy or Policy(), Costs(), Highs())


def cheapest(problem: Problem, most: int) -> int | None:
    """What the cheapest safe pattern costs, by trying all in the order of their costs; None: too many, or none."""
    engine = Highs()
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine)
    cells = np.flatnonzero(problem.may & ~problem.primary).tolist()
    if len(cells) > most:
        return None
    choices = [c for k in range(len(cells) + 1) for c in combinations(cells, k)]
    for chosen in sorted(choices, key=lambda c: int(problem.cost[list(c)].sum())):
        pattern = problem.primary.copy()
        pattern[list(chosen)] = True
        if oracle.decide(pattern, Limits()).safe:
            return problem.price(pattern)
    return None


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans())
def test_no_bound_is_above_the_cheapest_pattern(seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool) -> None:
    """CONVENTION 1075: counts, turnover, hierarchies, decisions by hand, costs of nothing."""
    made, random = drawn("small", Survey(shape, turnover, mean=6.0), seed), Random(seed)
    if not made.instance.primary.any():
        return
    cost = np.array([random.choice([0, 1, 1, c]) if random.random() < 0.3 else c for c in made.cost.tolist()], float)
    problem = posed(to_protect(made.instance, cost))
    published = np.array([random.random() < 0.1 for _ in cost.tolist()])
    withheld = np.array([random.random() < 0.05 for _ in cost.tolist()]) & problem.may
    problem = replace(problem, primary=problem.primary | withheld, may=problem.may & ~published & ~withheld)
    engine, limits = Highs(), Limits()
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine)
    if not oracle.decide(problem.primary | problem.may, limits).safe:
        return
    bounds = list(rising(problem, engine, limits))
    release = to_protect(made.instance, cost)
    least = cheapest(problem, 9)
    if least is None and not (published.any() or withheld.any()):
        found = suppress(release, method="optimal", explain=False).found
        least = found.cost if found.status == "optimal" else None
    assert least is None or all(bound <= least for bound in bounds)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**40))
def test_no_bound_is_above_the_cheapest_pattern_of_a_drawn_release(seed: int) -> None:
    """CONVENTION 1075: linked tables, several measures, links, rounded cells, classifications grouped twice."""
    random = Random(seed)
    document = Maker(random, base=8, truths=100, damaged=0, rounded=20).document()
    document["policy"] = {"primary": [{"threshold": random.choice([2, 3, 4])}]}
    try:
        problem = posed(release_from_document(document))
    except TablesealError:
        return
    least = cheapest(problem, 8)
    assert least is None or lower_bound(problem, Highs(), Limits()) <= least


def table() -> Release:
    """A 3 x 3 table of counts of which the cheapest pattern is a square."""
    made = drawn("small", Survey(((3,), (3,)), turnover=False, mean=6.0), 5)
    return to_protect(made.instance, made.cost)


def test_quick_methods_say_what_no_pattern_costs_less_than() -> None:
    """CONVENTION 1076: and that nothing is cheaper where the bound is what they found."""
    release = table()
    best = suppress(release, method="optimal", explain=False)
    quick = suppress(release, method="heuristic", explain=False)
    assert quick.found.bound == 0
    told = bounded(quick)
    assert 0 < told.found.bound <= best.found.cost <= told.found.cost
    assert told.found.status == ("optimal" if told.found.bound == told.found.cost else "feasible")
    assert suppress(release, method="heuristic").found.bound == told.found.bound


@pytest.mark.parametrize(
    ("before", "left", "allowed"),
    [(0.1, None, 5.0), (100.0, None, 50.0), (0.1, 1_000.0, 5.0), (100.0, 1_000.0, 50.0), (100.0, 10.0, 7.0)],
)
def test_a_quick_answer_does_not_wait_long_for_its_bound(
    before: float, left: float | None, allowed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 1076: half of what everything before took, or 5 s, and 70% of what a limit has left."""
    quick = suppress(table(), method="heuristic", explain=False)
    limits = Limits() if left is None else Limits(now() + left)
    given: list[float] = []
    monkeypatch.setattr(
        "tableseal.suppression.bounds.bounding.lower_bound",
        lambda problem, solver, own, cost, executor: given.append(own.seconds_left()) or 0,
    )
    bounded(replace(quick, limits=limits, seconds=(("search", before),)))
    assert given == pytest.approx([allowed], abs=0.5)


def test_the_time_of_an_audit_is_left_for_the_bound() -> None:
    """CONVENTION 1076: a limit is for all but the audit, which takes longer than what is left of large tables."""
    quick = suppress(table(), method="heuristic", explain=False, time_limit=20.0)
    assert 0.0 < quick.outcome.audited < 20.0
    late = replace(quick, limits=Limits(now()))
    assert bounded(replace(late, outcome=replace(quick.outcome, audited=0.0))).found.bound == 0
    assert bounded(replace(late, outcome=replace(quick.outcome, audited=10.0))).found.bound > 0


def test_no_time_no_bound() -> None:
    """CONVENTION 1076: what was found stands."""
    quick = suppress(table(), method="heuristic", explain=False)
    assert bounded(quick, Limits(0.0)) == quick


@pytest.mark.parametrize("looks", [1, 2, 5, 15, 40])
def test_what_is_proved_when_the_time_is_over_holds(looks: int) -> None:
    """CONVENTION 1075: whatever a limit ends: the program, a block, new prices."""
    made = drawn("small", Survey(((2, 2), (3,), (2,)), turnover=True, mean=6.0), 3)
    problem, engine = posed(to_protect(made.instance, made.cost)), Highs()
    whole = lower_bound(problem, engine, Limits())
    assert whole > 0
    assert all(bound <= whole for bound in rising(problem, engine, Ticking(looks=looks)))


def test_nothing_is_claimed_of_patterns_that_promise_less() -> None:
    """CONVENTION 1077: of those that only withstand equations, and of those that are chosen for rank."""
    for method in ("greedy-elimination", "rank"):
        found = suppress(table(), method=method, explain=False)
        assert bounded(found) is found


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans())
def test_one_bound_holds_for_all_methods_of_a_comparison(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool
) -> None:
    """CONVENTION 955: against the cheapest pattern; what costs no more than the bound is optimal."""
    made = drawn("small", Survey(shape, turnover, mean=6.0), seed)
    if not made.instance.primary.any():
        return
    release = to_protect(made.instance, made.cost)
    best = suppress(release, method="optimal", explain=False).found
    for outcome in compare(release, ["heuristic", "modular", "rank-pure"]).outcomes:
        found = outcome.found
        if found is None or found.pattern is None or found.guarantee != "intervals":
            continue
        assert best.status != "optimal" or found.bound <= best.cost
        assert (found.status == "optimal") == (found.cost == found.bound)


def test_workers_prove_what_one_process_proves(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 956: parts of the table are shared out, a batch at a time."""
    made = drawn("small", Survey(((5, 4), (4, 4)), turnover=True, mean=6.0), 6)
    problem = posed(to_protect(made.instance, made.cost))
    monkeypatch.setattr(whole_blocks, "BATCH", 50)
    alone = list(rising(problem, Highs(), Limits()))
    assert len(alone) > 2
    assert list(rising(problem, Highs(), Limits(), Elsewhere())) == alone


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans())
def test_a_dive_ends_where_no_block_asks_more(seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool) -> None:
    """CONVENTION 1128: whole cells that no cut breaks, for no less than the bound; nothing when time is over."""
    made = drawn("small", Survey(shape, turnover, mean=6.0), seed)
    if not made.instance.primary.any():
        return
    problem = posed(to_protect(made.instance, made.cost))
    pattern = dive(problem, Highs(), Limits())
    begun = cuts_alone(problem, Highs())
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    if pattern is None or begun is None:
        assert begun is None or not oracle.decide(problem.primary | problem.may, Limits()).safe
        return
    cutting, program = begun
    assert not (cutting.broken(pattern[cutting.candidates].astype(float), False, Limits()))
    assert not (pattern & ~problem.primary & ~problem.may).any()
    relaxed = program.solve(100.0)
    assert relaxed is not None
    assert problem.price(pattern) >= float(program.cost @ relaxed.share) - 1e-6
    assert dive(problem, Highs(), Ticking(looks=1)) is None


def test_a_round_takes_the_cuts_that_are_broken_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of large tables no program could take all at once."""
    made = drawn("small", Survey(((3, 2), (3,), (2,)), turnover=False, mean=6.0), 3)
    problem = posed(to_protect(made.instance, made.cost))
    begun = cuts_alone(problem, Highs())
    assert begun is not None
    cutting, program = begun
    relaxed = program.solve(100.0)
    assert relaxed is not None
    share = relaxed.share

    def missing(rows: list[Row]) -> list[float]:
        return sorted(row.right - float(row.weight @ share[row.candidates]) for row in rows)

    every = missing(cutting.broken(share, True, Limits()))
    assert len(every) > 3
    monkeypatch.setattr("tableseal.suppression.bounds.cutting.AT_ONCE", 3)
    assert missing(cutting.broken(share, True, Limits())) == every[-3:]
    best = suppress(to_protect(made.instance, made.cost), method="optimal", explain=False).found
    assert best.status == "optimal"
    assert 0 < lower_bound(problem, Highs(), Limits()) <= best.cost
