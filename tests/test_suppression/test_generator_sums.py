"""Sums of measures in a table generator: which are given, how they change, and what the memory keeps out of reach."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from contributed import Record, cube_of
from hypothesis import given, settings
from hypothesis import strategies as st
from small_cubes import by, one_of, random_question, variable

from tableseal.audit.errors import InputError, Place
from tableseal.audit.hypercube.model import HeldCells
from tableseal.audit.hypercube.question import Question, cells_of
from tableseal.audit.hypercube.tabulate import tabulate
from tableseal.audit.rules.dominance import Dominance
from tableseal.audit.rules.largest import OfLargest
from tableseal.audit.rules.pq import PQ
from tableseal.suppression.generator.memory.contributors import Contributors, Known, Subjects
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.held import holding
from tableseal.suppression.generator.memory.kept import kept_of, remembered_of
from tableseal.suppression.generator.memory.memory import Memory, recall
from tableseal.suppression.generator.policy import (
    ByCellKey,
    GeneratorPolicy,
    Limit,
    MeasureRule,
    MemoryRule,
    Rules,
)
from tableseal.suppression.generator.protection import protection_of
from tableseal.suppression.generator.result import Answer, Refusal
from tableseal.suppression.generator.steps import Generator, answered
from tableseal.suppression.generator.sums import Sums, refuse_measures, sensitive_sums
from tableseal.suppression.generator.table import Table, as_table, coarser, only, without_axis

VARIABLES = (variable("a", 3, [0, 0, 1]), variable("place", 2, areas=True), variable("b", 2))
SIZES = (3, 2, 2)
RULES: tuple[OfLargest, ...] = (PQ(Fraction(10)), PQ(Fraction(20), coalition=2), Dominance(1, Fraction(80)))
RULES = (*RULES, Dominance(2, Fraction(85)), Dominance(3, Fraction(90)))
RULE = MeasureRule(Fraction(1, 5), 3, Fraction(2), (PQ(Fraction(10)),), 2)


def records_of(seed: int, number: int = 40, *, negative: bool = False) -> list[Record]:
    """Firms of very different sizes; every third belongs to a holding that has others, here and there."""
    random = np.random.default_rng(seed)
    found = []
    for k in range(number):
        leaves = tuple(int(random.integers(size)) for size in SIZES)
        who = int(random.integers(4)) if random.random() < 0.3 else 10 + k
        value = int(np.exp(random.normal(5, 2))) * (-1 if negative and random.random() < 0.3 else 1)
        found.append((leaves, who, value))
    return found


def asked(question: Question, cube: HeldCells) -> Table:
    return as_table(question, tabulate(question, cube), 2**16)


def random_sums(random: np.random.Generator, axes: int = 3) -> Question:
    return replace(random_question(VARIABLES, random, axes), measure="turnover")


def given_in(records: Sequence[Record]) -> dict[int, int]:
    """Contributor -> what it gives in all."""
    found: dict[int, int] = {}
    for _, who, value in records:
        found[who] = found.get(who, 0) + value
    return found


def is_sensitive(gives: Sequence[int], rule: MeasureRule) -> bool:
    """By the definitions, in fractions."""
    sizes = sorted(map(abs, gives), reverse=True)
    if 0 < len(sizes) < rule.respondents:
        return True
    for one in rule.rules:
        if isinstance(one, Dominance):
            if sum(sizes[: one.n]) > one.k / 100 * sum(sizes):
                return True
        elif isinstance(one, PQ) and sizes and sum(sizes[1 + one.coalition :]) < one.p / one.q * sizes[0]:
            return True
    return False


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(RULES), st.integers(1, 4))
def test_rules_judge_sums_as_they_judge_records(seed: int, negative: bool, rule: OfLargest, respondents: int) -> None:
    """CONVENTION 1111. Of the table that was asked for, and of coarser ones that are made of it."""
    random, records = np.random.default_rng(seed), records_of(seed, negative=negative)
    cube, policy = cube_of(SIZES, records, 4), replace(RULE, rules=(rule,), respondents=respondents)
    table = asked(random_sums(random), cube)
    tables = [table]
    for k, axis in enumerate(table.question.axes):
        if len(table.question.axes) > 1:
            tables.append(without_axis(table, k))
        if axis.variable == 0 and len(axis.codes) == 3:
            tables.append(coarser(table, k, VARIABLES[0].levels[0]))
        if len(axis.codes) > 1:
            tables.append(only(table, k, np.arange(len(axis.codes)) != 1))
    for one in tables:
        assert one.contributions is not None
        assert one.total is not None
        found = sensitive_sums(one.contributions, "turnover", policy)
        inside = members(one.question, records)
        for cell, own in enumerate(inside):
            gives = given_in(own)
            assert found[cell] == is_sensitive(list(gives.values()), policy)
            assert one.total[cell] == sum(gives.values())
            assert one.count[cell] == len(own)


def members(question: Question, records: Sequence[Record]) -> list[list[Record]]:
    """The records of each cell."""
    codes = tuple(np.array([leaves[at] for leaves, _, _ in records], np.int32) for at in range(len(SIZES)))
    whole = cube_of(SIZES, list(records)).held
    at = cells_of(question, replace(whole, codes=codes, count=np.ones(len(records), np.int64)))
    return [
        [record for record, own in zip(records, at.tolist(), strict=True) if own == cell]
        for cell in range(question.size)
    ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RULES), st.integers(1, 3), st.booleans())
def test_the_largest_contributor_of_every_sensitive_set_is_protected(
    seed: int, rule: OfLargest, respondents: int, negative: bool
) -> None:
    """CONVENTION 1112. All sets of base cells, whatever an intruder singles out."""
    records = records_of(seed, 14, negative=negative)
    cube, policy = cube_of(SIZES, records, 4), replace(RULE, rules=(rule,), respondents=respondents)
    contributions = cube.held.contributions
    assert contributions is not None
    subjects = Subjects.of(contributions, "turnover", policy)
    places = list(zip(*(column.tolist() for column in cube.held.codes), strict=True))
    where: dict[int, set[int]] = {}
    for leaves, who, _ in records:
        where.setdefault(who, set()).add(places.index(leaves))
    for size in range(1, len(places) + 1):
        for chosen in combinations(range(len(places)), size):
            gives = given_in([one for one in records if places.index(one[0]) in chosen])
            if is_sensitive(list(gives.values()), policy) and any(gives.values()):
                leader = max(gives, key=lambda who: abs(gives[who]))
                if len(where[leader]) == 1:
                    (cell,) = where[leader]
                    assert subjects.protected[cell]
                    assert subjects.gives[cell] == abs(gives[leader])
    assert len(subjects.numbers) == sum(len(cells) > 1 for cells in where.values())
    assert subjects.protected[len(places) :].all()


def test_the_same_sum_is_shown_alike_and_never_changed_by_more_than_is_told() -> None:
    """CONVENTION 1113. By keys, whatever the table; unbiased, with the variance that is stated; not below 0."""
    sums = Sums.of(RULE, 7)
    keys = np.arange(50_000)
    total, largest = np.full(50_000, 50_000), np.full(50_000, 10_000)
    shown = sums.shown("turnover", total, largest, keys)
    assert np.array_equal(shown, sums.shown("turnover", total, largest, keys))
    changes = (shown - total) / 10_000
    assert abs(changes.mean()) < 5 * sums.change.deviation / len(keys) ** 0.5
    assert changes.std() == pytest.approx(sums.change.deviation, rel=0.02)
    assert sums.change.deviation**2 == pytest.approx(0.04 * (2 + 1 / 48), rel=1e-6)
    assert np.abs(changes).max() <= sums.change.reach == pytest.approx(0.65)
    assert len(np.unique(shown)) > 10_000  # no steps
    other = sums.shown("profit", total, largest, keys)
    assert abs(np.corrcoef(shown, other)[0, 1]) < 0.03
    alone = np.arange(1, 1000)
    assert (sums.shown("turnover", alone, alone, alone) >= 0).all()
    nothing = np.zeros(9, np.int64)
    assert not sums.shown("turnover", nothing, nothing, np.arange(9)).any()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"share": Fraction(1, 2)}, "expected a share of at most 0.3077"),
        ({"share": Fraction(0)}, "above 0"),
        ({"variance": Fraction(100)}, "variance"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(changed: dict[str, Fraction], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        refuse_measures(replace(RULE, **changed), Place("policy"))  # type: ignore[arg-type]


# --- the memory -------------------------------------------------------------------------------------------------------


def told(
    cube: HeldCells, rule: MeasureRule, questions: Sequence[Question]
) -> tuple[Contributors, Known, list[np.ndarray]]:
    """What is known after answers to all of these, whatever the policy allows; and what was shown."""
    sums = Sums.of(rule, 11)
    found = Contributors(cube.held, "turnover", rule)
    protection = protection_of(ByCellKey(3, Fraction(1)), 2**16, 3)
    ground = Ground(cube.held, protection, 3, MemoryRule())
    known, shown = Known.nothing(found.subjects), []
    for question in questions:
        table = asked(question, cube)
        assert table.total is not None
        assert table.contributions is not None
        shown.append(sums.shown("turnover", table.total, table.contributions.largest("turnover")[:, 0], table.key))
        known, _ = found.with_answer(ground.marks, known, question, shown[-1], sums.change)
    return found, known, shown


def subject_records(cube: HeldCells, records: Sequence[Record], found: Contributors) -> list[list[int]]:
    """Positions of the records of each subject; of base cells without one none."""
    places = list(zip(*(column.tolist() for column in cube.held.codes), strict=True))
    where: dict[int, list[int]] = {}
    for k, (_, who, _) in enumerate(records):
        where.setdefault(who, []).append(k)
    single: list[list[int]] = [[] for _ in places]
    several = []
    for own in where.values():
        cells = {places.index(records[k][0]) for k in own}
        if len(cells) > 1:
            several.append(own)
            continue
        (cell,) = cells
        if abs(sum(records[k][2] for k in own)) > abs(sum(records[k][2] for k in single[cell])):
            single[cell] = own
    profiles = sorted(several, key=lambda own: profile(own, records, places))
    assert len(profiles) == len(found.subjects.numbers)
    return [*single, *profiles]


def profile(own: Sequence[int], records: Sequence[Record], places: Sequence[tuple[int, ...]]) -> bytes:
    """By which contributors with several cells are numbered."""
    cells = sorted({places.index(records[k][0]) for k in own})
    rows = [(cell, sum(records[k][2] for k in own if places.index(records[k][0]) == cell)) for cell in cells]
    return np.array(rows, np.int64).tobytes()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_no_estimate_is_nearer_and_no_smaller_interval_is_left_than_the_memory_says(seed: int, negative: bool) -> None:
    """CONVENTION 1112. Least squares over all answers, and all else known besides; by hand from the records."""
    random = np.random.default_rng(seed)
    records = records_of(seed, 12, negative=negative)
    cube = cube_of(SIZES, records)
    questions = [random_sums(random) for _ in range(5)]
    found, known, shown = told(cube, RULE, [*questions, questions[0]])
    change, values = Sums.of(RULE, 11).change, np.array([value for _, _, value in records], np.float64)
    rows: dict[tuple[int, ...], tuple[float, float]] = {}
    for question, answer in zip(questions, shown, strict=False):
        for cell, own in enumerate(members(question, list(enumerate_records(records)))):
            inside = tuple(k for _, k, _ in own)
            if inside:
                largest = max(abs(v) for v in given_in([records[k] for k in inside]).values())
                rows[inside] = (largest, float(answer[cell]) - float(values[list(inside)].sum()))
    matrix = np.array([[float(k in inside) for k in range(len(records))] for inside in rows]).reshape(len(rows), -1)
    deviation = np.array([max(change.deviation * largest - 0.5, 0) for largest, _ in rows.values()])
    use = deviation > 0
    weighted = matrix[use] / deviation[use][:, None]
    inverse = np.linalg.pinv(weighted.T @ weighted)
    spanned = inverse @ weighted.T @ weighted
    for subject, own in enumerate(subject_records(cube, records, found)):
        if not own or not found.subjects.protected[subject]:
            continue
        x = np.zeros(len(records))
        x[own] = values[own]
        seen = matrix @ x
        if (seen[deviation == 0] != 0).any():
            assert known.precision[subject] == np.inf
            continue
        precision = float(((seen[use] / deviation[use]) ** 2).sum())
        assert known.precision[subject] == pytest.approx(precision)
        for _ in range(4):  # sets that hold some of it: least squares are no nearer
            chosen = (random.random(len(records)) < 0.5).astype(float)
            held = float(chosen @ x)
            if held and np.allclose(spanned @ chosen, chosen):
                assert float(chosen @ inverse @ chosen) >= held**2 / known.precision[subject] * (1 - 1e-6)
        ends = -known.less[subject], min(known.more[subject], 3)
        if subject < len(cube.held) and values[own].sum() < 0:  # the sign of these is not kept
            ends = -known.more[subject], known.less[subject]
        for more in np.linspace(*ends, 7):
            other = values + more * x
            for inside, (_, moved) in rows.items():
                gives: dict[int, float] = {}
                for k in inside:
                    gives[records[k][1]] = gives.get(records[k][1], 0.0) + other[k]
                total = float(other[list(inside)].sum()) - float(values[list(inside)].sum())
                assert abs(moved - total) <= change.reach * max(map(abs, gives.values())) + 0.5001
    again, known_again, _ = told(cube, RULE, questions)
    assert np.array_equal(known_again.precision, known.precision)  # the same question adds nothing
    assert np.array_equal(again.beyond(known_again), found.beyond(known))


def enumerate_records(records: Sequence[Record]) -> list[Record]:
    """The same with numbers in place of contributors."""
    return [(leaves, k, value) for k, (leaves, _, value) in enumerate(records)]


def generator(
    cube: HeldCells, rule: MeasureRule = RULE, memory: MemoryRule | None = None
) -> tuple[Generator, Memory | None]:
    rules = Rules(population=Limit(area=Fraction(2)))
    policy = GeneratorPolicy(ByCellKey(3, Fraction(2)), 2, rules, memory=memory, measures=rule)
    protection = protection_of(policy.protection, 2**16, 5)
    sums = Sums.of(rule, 5)
    made = Generator(VARIABLES, policy, protection, sums, {"turnover": Fraction(1)})
    return made, None if memory is None else Memory.empty(Ground.of(cube.held, protection, policy))


ALL = Question((by(VARIABLES, 1),), (), "turnover")


def test_areas_whose_sums_few_contributors_make_up_are_left_out() -> None:
    """CONVENTION 1111."""
    spread: list[Record] = [((k % 3, 0, k % 2), k, 100 + k) for k in range(30)]
    cube = cube_of(SIZES, [*spread, *(((0, 1, 0), 100 + k, 10**6 if k == 0 else 1) for k in range(9))])
    made, _ = generator(cube)
    found, _ = answered(asked(ALL, cube), made)
    assert isinstance(found, Answer)
    assert found.left_out == ("place1",)
    assert found.figures.risk is None
    assert found.figures.within == pytest.approx(0.65)
    assert found.measure == "turnover"
    refused, _ = answered(asked(Question((by(VARIABLES, 2),), (one_of(VARIABLES, 1, 1),), "turnover"), cube), made)
    assert isinstance(refused, Refusal)
    assert [one.rule for one in refused.held] == ["contributions"]
    without, _ = answered(asked(ALL, cube), replace(made, sums=None))
    assert isinstance(without, Refusal)
    assert without.reason == "measure"


def test_differences_with_and_without_a_contributor_come_to_an_end() -> None:
    """CONVENTION 1112. Many sums with one large firm and without it: the mean of the differences stays as wide as the
    policy says, and what was answered before is answered again; also by whoever remembers it anew."""
    random = np.random.default_rng(4)
    records: list[Record] = [
        (tuple(int(random.integers(size)) for size in SIZES), k, int(random.integers(500, 1500))) for k in range(300)
    ]
    records.append(((2, 0, 1), 1000, 3000))
    records = [one for one in records if one[0] != (2, 0, 1) or one[1] == 1000]  # alone in its base cell
    cube = cube_of(SIZES, records)
    made, memory = generator(cube, memory=MemoryRule(error=None))
    assert memory is not None
    refused = 0
    for _ in range(300):
        whole = random_sums(random, 2)
        found, memory = answered(asked(whole, cube), made, memory, effort=0)
        if isinstance(found, Refusal):
            refused += found.reason == "memory"
            assert found.memory is None or found.memory.contributors or found.memory.cells
        assert memory is not None
    assert refused >= 3
    contributors = memory.ground.contributors["turnover"]
    assert not contributors.beyond(memory.known["turnover"]).any()
    firm = next(k for k, codes in enumerate(zip(*cube.held.codes, strict=True)) if codes == (2, 0, 1))
    assert contributors.subjects.protected[firm]
    assert memory.known["turnover"].precision[firm] <= 100 * (1 + 1e-9)
    own, *others = holding(memory, firm, VARIABLES).contributions  # CONVENTION 1123
    assert (own.measure, own.several, own.protected, own.least) == ("turnover", False, True, 0.1)
    assert own.error is not None
    assert own.error**-2 == pytest.approx(memory.known["turnover"].precision[firm])
    assert own.span is not None
    assert own.span >= own.width == float(RULE.width)
    assert not others
    (before,) = holding(Memory.empty(memory.ground), firm, VARIABLES).contributions
    assert (before.error, before.span) == (None, None)
    random, free = np.random.default_rng(5), replace(RULE, error=None, width=Fraction(1, 10**6))
    assert told(cube, free, [random_sums(random, 2) for _ in range(300)])[1].precision[firm] > 110
    for answer in memory.answers:
        again, after = answered(asked(answer.question, cube), made, memory, effort=0)
        assert isinstance(again, Answer)
        assert after is memory
    kept = [remembered_of(kept_of(answer, VARIABLES), VARIABLES) for answer in memory.answers]
    anew = recall(Memory.empty(memory.ground), kept)
    assert np.array_equal(anew.known["turnover"].precision, memory.known["turnover"].precision)
    assert np.array_equal(anew.occupied, memory.occupied)


def test_sums_tell_that_somebody_is_there() -> None:
    """CONVENTION 1112. Base cells with a small count that sums hold may not become empty in a table in hand."""
    records: list[Record] = [((k % 3, k % 2, 0), k, 1000 + k) for k in range(60)] + [((0, 0, 1), 100, 900)]
    cube = cube_of(SIZES, records)
    made, memory = generator(cube, replace(RULE, error=None), MemoryRule(error=None))
    assert memory is not None
    found, after = answered(asked(ALL, cube), made, memory)
    assert isinstance(found, Answer)
    assert after is not None
    assert after.occupied.sum() == 1
    assert after.answered.starts == (0,)  # nothing is known of counts besides


def test_answers_under_another_policy_count_as_they_were_changed_then() -> None:
    """CONVENTION 1112. A sum that was changed otherwise is another view; where no sums are given any more, they say
    still that somebody is there."""
    records = records_of(3)
    cube = cube_of(SIZES, records)
    wide, narrow = RULE, replace(RULE, share=Fraction(1, 10))
    kept = []
    for rule in (wide, narrow):
        made, memory = generator(cube, replace(rule, error=None, rules=(), respondents=1), MemoryRule(error=None))
        found, memory = answered(asked(ALL, cube), made, memory)
        assert isinstance(found, Answer)
        assert memory is not None
        kept += [remembered_of(kept_of(answer, VARIABLES), VARIABLES) for answer in memory.answers]
    assert kept[0].change != kept[1].change
    one, both, later = (recall(Memory.empty(memory.ground), some) for some in (kept[:1], kept, kept[1:]))
    sure = np.isfinite(both.known["turnover"].precision)
    alone = one.known["turnover"].precision + later.known["turnover"].precision
    assert both.known["turnover"].precision[sure] == pytest.approx(alone[sure])
    without = recall(Memory.empty(replace(memory.ground, contributors={})), kept)
    assert not without.known
    assert np.array_equal(without.occupied, both.occupied)
