"""Preliminary rules of a table generator against brute force, and the nearest tables that pass."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from small_cubes import base_of, by, groups, one_of, random_question, tabulated, variable

from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.nearest import nearest
from tableseal.suppression.generator.policy import ByRounding, GeneratorPolicy, Limit, Rules
from tableseal.suppression.generator.rules import areas_of, judge_asked, judge_held
from tableseal.suppression.generator.table import coarser, levels_above, only, without_axis

VARIABLES = (
    variable("a", 4, [0, 0, 1, 1]),
    variable("place", 3, areas=True),
    variable("b", 6, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]),
)
SHAPE = (4, 3, 6)


def cube_of(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.poisson(random.gamma(0.3, 6.0, SHAPE))


LIMITS = st.one_of(st.none(), st.fractions(0, 1, max_denominator=12))
COUNTS = st.one_of(st.none(), st.integers(0, 60).map(Fraction), st.fractions(0, 9, max_denominator=7))


@given(st.integers(0, 10**6), *[COUNTS] * 4, *[LIMITS] * 4, st.integers(2, 6))
def test_rules_on_counts_are_those_of_a_plain_count(
    seed: int,
    population: Fraction | None,
    area_population: Fraction | None,
    mean: Fraction | None,
    area_mean: Fraction | None,
    small: Fraction | None,
    area_small: Fraction | None,
    zeros: Fraction | None,
    area_zeros: Fraction | None,
    threshold: int,
) -> None:
    """CONVENTION 1062: every area by itself, then what is left; cell by cell, in fractions."""
    random = np.random.default_rng(seed)
    table = tabulated(random_question(VARIABLES, random), base_of(cube_of(seed)))
    limits = {
        "population": Limit(population, area_population),
        "mean_cell": Limit(mean, area_mean),
        "small": Limit(small, area_small),
        "zeros": Limit(zeros, area_zeros),
    }
    policy = GeneratorPolicy(ByRounding(3), threshold, Rules(**limits))  # type: ignore[arg-type]
    areas = areas_of(table.question, table.count, VARIABLES)
    judged = judge_held(areas, policy)
    counts = table.count.reshape(table.question.shape)
    places = [range(len(table.question.axes[axis].codes)) for axis in areas.axes]
    parts = {}
    for area, at in enumerate(product(*places)):
        index: list[slice | int] = [slice(None)] * counts.ndim
        for axis, code in zip(areas.axes, at, strict=True):
            index[axis] = code
        parts[area] = counts[tuple(index)].ravel().tolist()
        codes = tuple(table.question.axes[axis].codes[code] for axis, code in zip(areas.axes, at, strict=True))
        assert areas.codes(area) == codes
    blocked = {area: _broken(part, limits, "area", threshold) for area, part in parts.items()}
    assert judged.blocked_areas.tolist() == [bool(blocked[area]) for area in parts]
    told = {(one.rule, one.area): one for one in judged.areas}
    assert set(told) == {(rule, areas.codes(area)) for area in parts for rule in blocked[area]}
    for area in parts:
        for rule in blocked[area]:
            assert np.isclose(told[rule, areas.codes(area)].found, float(_found(parts[area], rule, threshold)))
    left = [count for area, part in parts.items() if not blocked[area] for count in part]
    assert [one.rule for one in judged.whole] == (_broken(left, limits, "table", threshold) if left else [])


def _found(part: list[int], rule: str, threshold: int) -> Fraction:
    match rule:
        case "population":
            return Fraction(sum(part))
        case "mean_cell":
            return Fraction(sum(part), len(part))
        case "small":
            return Fraction(sum(1 for count in part if 1 <= count < threshold), len(part))
    return Fraction(part.count(0), len(part))


def _broken(part: list[int], limits: dict[str, Limit], which: str, threshold: int) -> list[str]:
    broken = []
    for rule, limit in limits.items():
        own = getattr(limit, which)
        found = _found(part, rule, threshold)
        if own is not None and (found < own if rule in ("population", "mean_cell") else found > own):
            broken.append(rule)
    return broken


def test_more_than_may_be_asked_is_told_at_once() -> None:
    """CONVENTION 1061."""
    rules = Rules(variables=1, filters=0, codes=5, cells=20, custom_groups=False)
    question = Question((by(VARIABLES, 2), groups(0, [0, 1, 1, -1])), (one_of(VARIABLES, 1, 0),))
    found = judge_asked(question, VARIABLES, rules)
    told = [(one.rule, one.variable, one.found, one.allowed) for one in found]
    assert told == [
        ("variables", None, 2, 1),
        ("filters", None, 1, 0),
        ("codes", "b", 6, 5),
        ("custom_groups", "a", 2, 0),
    ]
    assert judge_asked(question, VARIABLES, Rules()) == ()


def test_groups_that_are_codes_of_one_level_are_nobody_s_own() -> None:
    """CONVENTION 1061: some codes of a level, too; a part of a code is none, nor are codes of two levels."""
    rules = Rules(custom_groups=False)
    for own, allowed in (
        (groups(2, [0, 0, 0, 1, 1, 1]), True),
        (groups(2, [1, 1, 1, 0, 0, 0]), True),
        (groups(2, [-1, -1, 0, 0, -1, -1]), True),
        (groups(2, [0, -1, -1, -1, 1, -1]), True),
        (groups(2, [0, 0, 0, 1, -1, -1]), False),
        (groups(2, [0, 0, 1, 1, 1, 1]), False),
    ):
        assert (judge_asked(Question((own,)), VARIABLES, rules) == ()) == allowed


@given(st.integers(0, 10**6))
def test_coarser_tables_are_those_that_would_be_tabulated(seed: int) -> None:
    """CONVENTION 1063: a level coarser, a variable fewer, some groups alone: counts and keys."""
    random = np.random.default_rng(seed)
    base = base_of(cube_of(seed))
    table = tabulated(random_question(VARIABLES, random), base)
    made = []
    for k, axis in enumerate(table.question.axes):
        made += [coarser(table, k, level) for level in levels_above(axis, VARIABLES[axis.variable])]
        if len(table.question.axes) > 1:
            made.append(without_axis(table, k))
        made.append(only(table, k, random.random(len(axis.codes)) < 0.7))
    for one in made:
        if one.question.size:
            again = tabulated(one.question, base)
            assert (again.count == one.count).all()
            assert (again.key == one.key).all()


def test_nearest_tables_keep_most_cells_and_pass() -> None:
    """CONVENTION 1063."""
    table = tabulated(Question((by(VARIABLES, 1), by(VARIABLES, 2))), base_of(cube_of(5)))
    policy = GeneratorPolicy(ByRounding(3), rules=Rules(cells=10))

    def judge(one: object) -> tuple[bool, None]:
        return judge_asked(one.question, VARIABLES, policy.rules) == (), None  # type: ignore[attr-defined]

    found = nearest(table, VARIABLES, judge)
    assert [(one.cells, [(s.kind, s.variable, s.level) for s in one.steps]) for one in found] == [
        (9, [("coarser", "b", "level1")]),
        (6, [("dropped", "place", None)]),
        (3, [("dropped", "b", None)]),
    ]
    assert nearest(table, VARIABLES, lambda one: (False, None)) == ()
    areas = np.array([False, True, False])
    assert nearest(table, VARIABLES, lambda one: (one.question.size == 12, areas))[0].steps[0].areas == ("place1",)
    assert nearest(table, VARIABLES, judge, effort=0) == ()
