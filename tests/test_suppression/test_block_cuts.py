"""Open cells in classes, how far they can move, and the cuts of blocks that say so (CONVENTION 1075)."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from cases.benchmarks.releases import to_protect
from cases.benchmarks.surveys import Survey, drawn
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.ends import Ends, ends_of
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Policy
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.bounds.block_cuts import BlockCuts, _Questions
from tableseal.suppression.bounds.blocks import blocks
from tableseal.suppression.bounds.classes import classes
from tableseal.suppression.bounds.opened import Opened
from tableseal.suppression.bounds.whole_multiples import whole_multiples
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.search.master import Row

SEEDS = st.integers(0, 2**40)
PLAIN = Runner(compiled=False)
SHAPES = (((3, 2), (3,)), ((4,), (2, 2)), ((3,), (3,)), ((2,), (2,), (2,)))


def relations_of(seed: int) -> csr_array:
    """Few cells in each of some relations, with coefficients of 1, -1 and sometimes more."""
    random = Random(seed)
    rows, columns = random.randint(1, 7), random.randint(1, 9)
    matrix = np.zeros((rows, columns), np.int64)
    for row in matrix:
        for cell in random.sample(range(columns), random.randint(0, min(columns, 4))):
            row[cell] = random.choice([1, 1, 1, -1, -1, 2, -3])
    return csr_array(matrix)


def farthest(relations: csr_array, low: NDArray[np.float64], high: NDArray[np.float64], cell: int, way: int) -> float:
    """How far a cell can move, its own limits aside, by another solver."""
    cost = np.zeros(len(low))
    cost[cell] = 1.0 if way == 1 else -1.0
    limits = [(None, None) if c == cell else pair for c, pair in enumerate(zip(low, high, strict=True))]
    found = linprog(cost, A_eq=relations.toarray(), b_eq=np.zeros(relations.shape[0]), bounds=limits)
    return np.inf if found.status == 3 else -float(found.fun)


@settings(deadline=None, max_examples=200)
@given(SEEDS)
def test_classes_move_as_relations_say(seed: int) -> None:
    """Every move that keeps the relations is one of classes, and the other way round."""
    relations = relations_of(seed)
    found, count = classes(csr_array(relations.astype(np.float64))), relations.shape[1]
    moves = found.leader >= 0
    by_class = np.zeros((count, count))
    by_class[np.flatnonzero(moves), found.leader[moves]] = found.ratio[moves]
    leaders = np.unique(found.leader[moves])
    assert (found.ratio[leaders] == 1).all()
    assert not np.intersect1d(found.left.indices, np.setdiff1d(np.arange(count), leaders)).size
    assert (np.diff(found.left.indptr)[np.diff(found.left.indptr) > 0] >= 3).all()
    left = found.left.toarray()[:, leaders]
    freedom = len(leaders) - (np.linalg.matrix_rank(left) if left.size else 0)
    assert freedom == count - np.linalg.matrix_rank(relations.toarray())
    kernel = np.linalg.svd(left)[2][np.linalg.matrix_rank(left) :].T if left.size else np.eye(len(leaders))
    assert np.allclose(relations @ by_class[:, leaders] @ kernel, 0.0)
    assert len(found.relation) == len(found.cell) == len(set(found.cell.tolist())) == count - len(leaders)


@settings(deadline=None, max_examples=200)
@given(SEEDS)
def test_what_falls_short_does_so_and_says_why(seed: int) -> None:
    """Beside another solver; multipliers say in whole numbers what the move of a cell is made of."""
    random, relations = Random(seed), relations_of(seed)
    count = relations.shape[1]
    low, high = (np.array([random.choice([0.0, 0.25, 0.5, 1.0, 1.0]) for _ in range(count)]) for _ in range(2))
    # Who is asked may go that far itself.
    asked = np.concatenate([np.flatnonzero(low == 1.0), np.flatnonzero(high == 1.0)])
    way = np.repeat([1, -1], [np.count_nonzero(low == 1.0), np.count_nonzero(high == 1.0)])
    opened = Opened(relations, PLAIN)
    short = opened.short(-low, high, asked, way, np.ones(len(asked)), Limits())
    reach = [farthest(relations, -low, high, c, w) for c, w in zip(asked.tolist(), way.tolist(), strict=True)]
    missed = [k for k, far in enumerate(reach) if far < 1.0 - 2e-3]
    assert set(missed) <= set(short.number.tolist()) <= {k for k, far in enumerate(reach) if far < 1.0}
    # Where one other cell stops it, that is enough to know; elsewhere it is said exactly.
    several = np.diff(short.made.indptr) > 1
    assert (short.reached >= np.array(reach)[short.number] - 1e-6).all()
    assert short.reached[several] == pytest.approx(np.array(reach)[short.number][several], abs=1e-6)
    held = csr_array(opened.multipliers(asked[short.number], short.made) @ relations).toarray()
    for row, made, cell, far, goes in zip(
        held, short.made.toarray(), asked[short.number], short.reached, way[short.number], strict=True
    ):
        assert row[cell] != 0
        shares = -row / row[cell]
        shares[cell] = 0.0
        assert shares == pytest.approx(made, abs=1e-6)
        room = np.where((shares > 0) == (goes == -1), high, low)
        assert float(np.abs(shares) @ room) == pytest.approx(far, abs=1e-6)


def test_fractions_with_large_denominators_are_found() -> None:
    """Also where one denominator of a row is 7 and another one 11 and 13; not where a row is no fraction at all."""
    values = [Fraction(3, 7), Fraction(-5, 143), Fraction(2)]
    floats = np.array([[float(value) for value in values], [2**0.5, 1.0, 0.0], [0.5, 0.0, -1.0]])
    row, column, whole = whole_multiples(floats)
    assert [int(w) for r, w in zip(row, whole, strict=True) if r == 0] == [int(value * 1001) for value in values]
    assert [(int(c), int(w)) for r, c, w in zip(row, column, whole, strict=True) if r == 2] == [(0, 1), (2, -2)]


def posed(seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool) -> Problem | None:
    made = drawn("small", Survey(shape, turnover, mean=6.0), seed)
    if not made.instance.primary.any():
        return None
    release = to_protect(made.instance, made.cost)
    return build_problem(release, release.policy or Policy(), Costs(), Highs())


def two_ways(ends: Ends, random: Random) -> Ends:
    """The same with some ends that either way does for, and some that ask for a width."""
    kind = np.zeros(len(ends), np.int64)
    kind[random.sample(range(len(ends)), min(2, len(ends)))] = random.choice([1, 1, 2])
    down, up = (np.array([random.choice([0, 1, 2, 12]) for _ in range(len(ends))], np.int64) for _ in range(2))
    far = np.maximum(ends.distance, 1)
    return Ends(
        ends.requirement,
        ends.cell,
        np.where(kind == 0, ends.sign, 0),
        np.select([kind == 0, kind == 1], [ends.down, down], far),
        np.select([kind == 0, kind == 1], [ends.up, up], far),
        kind == 1,
        None,
        ends.attacker,
        ends.wide,
    )


def some_of_them(
    multipliers: Callable[..., csr_array], random: Random
) -> Callable[[Opened, NDArray[np.int64], csr_array], csr_array]:
    """Multipliers of which some rows are missing."""

    def told(opened: Opened, asked: NDArray[np.int64], made: csr_array) -> csr_array:
        kept = np.array([random.random() < 0.7 for _ in range(made.shape[0])], np.int64)
        return csr_array(multipliers(opened, asked, made).multiply(kept[:, None]))

    return told


def meets(problem: Problem, ends: Ends, pattern: NDArray[np.bool_]) -> bool:
    """Whether every end is met by a pattern, by another solver: relations of all blocks together."""
    equations = problem.equations
    inside = np.flatnonzero(pattern)
    relations = equations.short.toarray()[:, inside]
    value, least, most = (a[inside] for a in (equations.value, equations.column_lower, equations.column_upper))
    low, high = (np.where(np.abs(a) >= 2**61, b, a - value) for a, b in ((least, -1e7), (most, 1e7)))
    for cell, sign, down, up, either in zip(ends.cell, ends.sign, ends.down, ends.up, ends.either, strict=True):
        reach = []
        for way in (1, -1):
            cost = np.where(inside == cell, float(way), 0.0)
            bounds = list(zip(low.tolist(), high.tolist(), strict=True))
            found = linprog(cost, A_eq=relations, b_eq=np.zeros(len(relations)), bounds=bounds)
            reach.append(-float(found.fun) + 1e-6)
        far = [reach[0] >= down, reach[1] >= up]
        if sign != 0 and not far[0 if sign == 1 else 1]:
            return False
        if sign == 0 and not (any(far) if either else sum(reach) >= max(down, up)):
            return False
    return True


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.sampled_from(SHAPES), st.booleans())
def test_no_safe_pattern_breaks_a_cut(seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool) -> None:
    """Cuts of ends that choices break which withhold cells in part; of both ways, of either, and of widths; also where
    floats do not tell all multipliers."""
    problem, random = posed(seed % 10**6, shape, turnover), Random(seed)
    if problem is None:
        return
    equations = problem.equations
    ends = two_ways(ends_of(problem.requirements, equations.value, equations.cells), random)
    cuts = BlockCuts(problem, blocks(problem), ends, PLAIN)
    place = np.arange(len(problem.cost))
    found: list[Row] = []
    for _ in range(4):
        share = np.array([random.choice([0.0, 0.0, 0.3, 0.5, 1.0]) for _ in place.tolist()])
        share = np.where(problem.primary, 1.0, np.where(problem.may, share, 0.0))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Opened, "multipliers", some_of_them(Opened.multipliers, random))
            rows = list(cuts.broken(share, place, besides=False, limits=Limits()))
        assert all(float(row.weight @ share[row.candidates]) < row.right for row in rows)
        found += rows
    for chance in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        open_ones = np.array([random.random() < chance for _ in place.tolist()])
        pattern = problem.primary | (problem.may & open_ones)
        if meets(problem, ends, pattern):
            assert all(float(row.weight @ pattern[row.candidates]) >= row.right - 1e-9 for row in found)


@pytest.mark.parametrize("either", [False, True])
def test_two_ways_give_a_cut_only_if_both_are_known(either: bool) -> None:
    """Where floats tell of one way alone, the other one may be how the end is met."""
    problem = posed(5, ((3,), (3,)), False)
    assert problem is not None
    ends = ends_of(problem.requirements, problem.equations.value, problem.equations.cells)
    ends = replace(ends, sign=0 * ends.sign, either=np.full(len(ends), either))
    cuts = BlockCuts(problem, blocks(problem), ends, PLAIN)
    zero, one = np.zeros(2, np.int64), np.ones(2, np.int64)
    asked = _Questions(zero, np.array([1, -1]), one, zero, zero)
    weight = csr_array(np.ones((2, len(problem.cost))))
    for told in product([False, True], repeat=2):
        pair, found = cuts._not_met(asked, np.zeros(2), weight, np.array(told))
        assert len(pair) == found.shape[0] == int(all(told))


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.sampled_from(SHAPES), st.booleans())
def test_every_pattern_that_is_not_safe_breaks_a_cut(
    seed: int, shape: tuple[tuple[int, ...], ...], turnover: bool
) -> None:
    """Of a table that is one block: whole cells, some of them withheld."""
    problem, random = posed(seed % 10**6, shape, turnover), Random(seed)
    if problem is None:
        return
    equations = problem.equations
    everything = np.arange(len(problem.cost)), np.flatnonzero(np.diff(equations.short.indptr))
    ends = ends_of(problem.requirements, equations.value, equations.cells)
    cuts = BlockCuts(problem, [everything], ends, PLAIN)
    oracle = Oracle(equations, problem.requirements, deciding(Highs()), Highs())
    for chance in (0.2, 0.5, 0.8, 1.0):
        chosen = np.array([random.random() < chance for _ in everything[0].tolist()])
        pattern = problem.primary | (problem.may & chosen)
        rows = list(cuts.broken(pattern.astype(np.float64), everything[0], besides=False, limits=Limits()))
        if not (problem.primary | problem.may)[ends.cell].all():
            continue
        assert bool(rows) == (not oracle.decide(pattern, Limits()).safe) or not possible(oracle, problem)


def possible(oracle: Oracle, problem: Problem) -> bool:
    """Whether everything withheld is safe."""
    return oracle.decide(problem.primary | problem.may, Limits()).safe


@settings(deadline=None, max_examples=10)
@given(SEEDS, st.sampled_from(SHAPES[:2]))
def test_a_cheapest_pattern_breaks_no_cut_of_cells_that_are_withheld_for_others(
    seed: int, shape: tuple[tuple[int, ...], ...]
) -> None:
    """By trying all patterns of few cells: among the cheapest there is one that keeps all of these cuts."""
    problem, random = posed(seed % 10**6, shape, False), Random(seed)
    if problem is None:
        return
    cells = np.flatnonzero(problem.may & ~problem.primary)
    cells = np.array(sorted(random.sample(cells.tolist(), min(9, len(cells)))), np.int64)
    equations = problem.equations
    oracle = Oracle(equations, problem.requirements, deciding(Highs()), Highs())
    ends = ends_of(problem.requirements, equations.value, equations.cells)
    cuts, place = BlockCuts(problem, blocks(problem), ends, PLAIN), np.arange(len(problem.cost))
    safe: list[NDArray[np.bool_]] = []
    for chosen in product([False, True], repeat=len(cells)):
        pattern = problem.primary.copy()
        pattern[cells[np.array(chosen, np.bool_)]] = True
        if oracle.decide(pattern, Limits()).safe:
            safe.append(pattern)
    if not safe:
        return
    least = min(problem.price(pattern) for pattern in safe)
    small = min((p for p in safe if problem.price(p) == least), key=np.count_nonzero)
    assert not list(cuts.broken(small.astype(np.float64), place, besides=True, limits=Limits()))
