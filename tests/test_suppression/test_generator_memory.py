"""The memory of a table generator, against all tables that explain the answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from small_cubes import MODULUS, base_of, by, one_of, random_question, tabulated, variable
from small_memories import MEDIUM, asked, ground_of, medium, same

from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.hypercube.question import Question, cells_of
from tableseal.suppression.generator.memory.answers import Remembered
from tableseal.suppression.generator.memory.memory import Against, Memory, judge, recall
from tableseal.suppression.generator.policy import ByCellKey, ByRounding, Method
from tableseal.suppression.generator.protection import Protection, protection_of, reach

VARIABLES = (variable("a", 2), variable("b", 3))
LARGEST = 4
METHODS: tuple[Method, ...] = (
    ByRounding(3),
    ByRounding(5),
    ByCellKey(1, Fraction(1, 2)),
    ByCellKey(2, Fraction(1)),
)
NARROW = (METHODS[0], METHODS[2])


def everything(shape: tuple[int, ...]) -> BaseCells:
    """All base cells, filled or not, in the order of the cube."""
    codes = tuple(code.ravel().astype(np.int32) for code in np.indices(shape))
    return BaseCells(codes, np.ones(len(codes[0]), np.int64), np.zeros(len(codes[0]), np.int64))


def explaining(answers: Sequence[Remembered], protection: Protection, shape: tuple[int, ...], most: int) -> np.ndarray:
    """int64 (tables x base cells): all tables with counts up to `most` that explain the answers: every cell may be
    shown as it is, and no two cells that are shown differently have the same units."""
    base = everything(shape)
    tables = np.stack(np.meshgrid(*[np.arange(most + 1)] * len(base), indexing="ij"), axis=-1).reshape(-1, len(base))
    cells: dict[tuple[int, ...], int] = {}
    for answer in answers:
        at = cells_of(answer.question, base)
        for cell, shown in enumerate(answer.shown.tolist()):
            inside = tuple(np.flatnonzero(at == cell).tolist())
            total = tables[:, list(inside)].sum(axis=1)
            tables = tables[protection.may_show(total, np.full(len(total), shown))]
            assert cells.setdefault(inside, shown) == shown
    different = list(cells.items())
    for k, (one, shown) in enumerate(different):
        for other, value in different[k + 1 :]:
            if shown != value:
                apart = sorted(set(one) ^ set(other))
                tables = tables[tables[:, apart].any(axis=1)]
    return tables


def disclosed(truth: np.ndarray, tables: np.ndarray, threshold: int, width: int) -> Iterator[tuple[int, ...]]:
    """Sets of base cells with a small count of which fewer than width + 1 counts are possible."""
    for chosen in product((False, True), repeat=len(truth)):
        inside = np.flatnonzero(chosen)
        if 1 <= truth[inside].sum() < threshold and len(np.unique(tables[:, inside].sum(axis=1))) <= width:
            yield tuple(inside.tolist())


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_no_small_set_is_the_only_one_that_fits(method: Method, width: int) -> None:
    """CONVENTION 1066: whatever sets an intruder forms, of all tables that explain all answers; and without a memory
    some come back, where changes are narrow."""
    shape, bare, given = (2, 3), 0, 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        truth = random.choice([0, 0, 1, 1, 2, 3, LARGEST], shape)
        ground = ground_of(base_of(truth, seed), method, width)
        memory, answers = Memory.empty(ground), list[Remembered]()
        for _ in range(25):
            answers.append(asked(ground, random_question(VARIABLES, random)))
            found = judge(memory, answers[-1])
            memory = found if isinstance(found, Memory) else memory
        given += len(memory.answers)
        tables = explaining(memory.answers, ground.protection, shape, LARGEST + width)
        assert (tables == truth.ravel()).all(axis=1).any()
        assert not list(disclosed(truth.ravel(), tables, ground.threshold, width))
        tables = explaining(answers, ground.protection, shape, LARGEST + width)
        bare += sum(1 for _ in disclosed(truth.ravel(), tables, ground.threshold, width))
    assert given
    if method in NARROW:
        assert bare


def holding(seed: int, method: Method, questions: int, width: int = 1, views: Fraction | None = None) -> Memory:
    random = np.random.default_rng(seed)
    memory = Memory.empty(ground_of(medium(seed), method, width, views))
    for _ in range(questions):
        found = judge(memory, asked(memory.ground, random_question(MEDIUM, random, 4)))
        memory = found if isinstance(found, Memory) else memory
    return memory


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_every_small_base_cell_has_another_table_in_hand(method: Method, width: int) -> None:
    """CONVENTION 1066: each is checked answer by answer, without what the memory has computed."""
    longest, alone = 0, 0
    for seed in range(3):
        memory = holding(seed, method, 25, width)
        ground, base = memory.ground, memory.ground.base
        cells = [cells_of(answer.question, base) for answer in memory.answers]
        totals = [tabulated(answer.question, base).count for answer in memory.answers]

        def explains(change: np.ndarray) -> bool:
            for answer, cell, total in zip(memory.answers, cells, totals, strict=True):  # noqa: B023
                moved = total.copy()
                np.add.at(moved, cell[cell >= 0], change[cell >= 0])
                if not ground.protection.may_show(moved, answer.shown).all():  # noqa: B023
                    return False
            return bool((base.count + change >= 0).all())  # noqa: B023

        for b in ground.small.tolist():
            found = {0}
            for change, units in _tables(memory, b):
                assert explains(change)
                assert (base.count[change * units < 0] >= ground.threshold).all()
                found.add(units)
                longest = max(longest, np.count_nonzero(change))
                alone += np.count_nonzero(change) == 1
            assert max(found) - min(found) >= width
    assert alone
    assert longest > 1 or method == METHODS[3]


def _tables(memory: Memory, b: int) -> Iterator[tuple[np.ndarray, int]]:
    """The tables in hand for a base cell, as changes, and by how much it changes."""
    size = len(memory.ground.base)
    for units in range(1, int(memory.up[b]) + 1):
        yield units * (np.arange(size) == b), units
    for units in range(1, int(memory.down_alone[b]) + 1):
        yield -units * (np.arange(size) == b), -units
    moves = memory.moves
    for k in np.flatnonzero(moves.at == b).tolist():
        change = np.zeros(size, np.int64)
        for member, sign in zip(moves.members[k].tolist(), moves.signs[k].tolist(), strict=True):
            if member >= 0:
                change[member] += sign * int(moves.units[k])
        yield change, int(change[b])


@pytest.mark.parametrize("method", METHODS[1:3], ids=str)
def test_a_memory_is_made_again_of_questions_and_shown_values(method: Method) -> None:
    """CONVENTION 1067: after a restart it answers and refuses as before."""
    memory = holding(3, method, 20, views=Fraction(3))
    again = recall(Memory.empty(memory.ground), memory.answers)
    assert same(memory, again)
    random = np.random.default_rng(50)
    for _ in range(20):
        answer = asked(memory.ground, random_question(MEDIUM, random, 4))
        assert isinstance(judge(memory, answer), Memory) == isinstance(judge(again, answer), Memory)


def test_what_answers_give_away_that_were_put_together_is_held_against_no_further_one() -> None:
    """CONVENTION 1067: two users pool; small counts that are lost by that do not stop every other table."""
    ground = ground_of(medium(3), METHODS[0])
    random = np.random.default_rng(3)
    answers = [asked(ground, random_question(MEDIUM, random, 4)) for _ in range(60)]
    pooled = recall(Memory.empty(ground), answers)
    assert pooled.lost.any()
    harmless = asked(ground, Question(()))
    assert harmless.identity not in [one.identity for one in answers]
    assert isinstance(judge(pooled, harmless), Memory)


def test_a_memory_is_not_changed_by_what_is_added_to_it() -> None:
    """Two further answers to the same memory, one after the other, know nothing of each other."""
    memory = holding(4, METHODS[1], 6)
    random = np.random.default_rng(8)
    one, other = (asked(memory.ground, random_question(MEDIUM, random)) for _ in range(2))
    held = memory.answered
    before = [grown.array.copy() for grown in (held.cells, held.more, held.count, held.order)]
    first, second = judge(memory, one), judge(memory, other)
    after = (held.cells.array, held.more.array, held.count.array, held.order.array)
    assert all((b == a).all() for b, a in zip(before, after, strict=True))
    for found, answer in ((first, one), (second, other)):
        assert isinstance(found, Memory)
        assert same(found, recall(Memory.empty(memory.ground), [*memory.answers, answer]))


def test_loops_are_the_same_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves, pairs and verdicts."""
    worth = "tableseal.suppression.generator.memory.memory.worth_compiling"
    monkeypatch.setattr(worth, lambda *_: False)
    plain = holding(5, METHODS[0], 18, views=Fraction(2))
    monkeypatch.setattr(worth, lambda *_: True)
    compiled = holding(5, METHODS[0], 18, views=Fraction(2))
    assert len(plain.answers) == len(compiled.answers)
    assert same(plain, compiled)
    assert plain.moves.members.tolist() == compiled.moves.members.tolist()
    assert len(plain.moves.at) > 0


def test_a_question_again_is_answered_again() -> None:
    """CONVENTION 1067: whatever else has been answered since, and it is no further view of anything."""
    memory = holding(6, METHODS[2], 15, views=Fraction(2))
    for answer in memory.answers:
        assert judge(memory, answer) is memory


def test_an_answer_gives_no_more_than_its_cells() -> None:
    """reach: by how much a cell may be larger and smaller, against all counts and keys."""
    for method in METHODS:
        protection = protection_of(method, MODULUS, 4)
        keys = np.arange(3000)
        for count in range(12):
            found = {n: set(protection.shown(np.full(3000, n), keys).tolist()) for n in range(count + 4)}
            for shown in found[count]:
                more, fewer = reach(protection, np.array([count]), np.array([shown]), 3)
                for steps, sign in ((more, 1), (fewer, -1)):
                    expected = 0
                    while expected < 3 and shown in found.get(count + sign * (expected + 1), set()):
                        expected += 1
                    assert steps[0] == expected


def equations(memory: Memory) -> np.ndarray:
    """int64 (answered cells x base cells): which base cells each adds up, those of the same units once."""
    base = memory.ground.base
    rows = set()
    for answer in memory.answers:
        at = cells_of(answer.question, base)
        rows |= {tuple((at == cell).tolist()) for cell in np.unique(at[at >= 0]).tolist()}
    return np.array(sorted(rows), np.int64)


@pytest.mark.parametrize("views", [Fraction(2), Fraction(6)])
def test_no_small_set_is_known_better_than_allowed_by_least_squares(views: Fraction) -> None:
    """CONVENTION 1068: of all linear estimates of any small set, the best one; in hand is a direction for each base
    cell that says so, and with every answer it is what the answers see of it."""
    given = refused = 0
    for seed in range(4):
        memory = Memory.empty(ground_of(medium(seed), ByCellKey(5, Fraction(2)), views=views))
        random = np.random.default_rng(seed)
        for _ in range(40):
            found = judge(memory, asked(memory.ground, random_question(MEDIUM, random, 4)))
            refused += isinstance(found, Against) and len(found.seen) > 0
            memory = found if isinstance(found, Memory) else memory
        given += len(memory.answers)
        ground, rows = memory.ground, equations(memory)
        gram = (rows.T @ rows).astype(np.float64)
        inverse = np.linalg.pinv(gram, hermitian=True)
        seen = inverse @ gram
        ones = [b for b in ground.small.tolist() if ground.base.count[b] == 1]
        sets = [[b] for b in ground.small.tolist()] + [list(pair) for pair in combinations(ones, 2)]
        for some in sets:
            total = np.zeros(len(gram))
            total[some] = 1
            if np.abs(seen @ total - total).max() < 1e-6:  # else nothing is known of it
                assert total @ inverse @ total >= (1 - 1e-9) / float(views)
        count = ground.base.count
        for at, b in enumerate(ground.small.tolist()):
            moved = np.zeros(len(gram))
            members, entries = memory.estimates.direction(ground, at)
            moved[members] = entries
            assert moved[b] == 1
            assert not moved[(count < ground.threshold - count[b]) & (np.arange(len(gram)) != b)].any()
            assert ((rows @ moved) ** 2).sum() == memory.estimates.known[at] <= float(views) + 1e-9
    assert given > 8
    assert refused


def small_sets(count: np.ndarray, threshold: int) -> Iterator[list[int]]:
    """All sets of base cells with a total below the threshold."""
    small = np.flatnonzero(count < threshold).tolist()
    for size in range(1, threshold):
        yield from (list(some) for some in combinations(small, size) if count[list(some)].sum() < threshold)


@pytest.mark.parametrize("threshold", [2, 5])
def test_with_any_threshold_no_small_set_is_known_better_and_little_is_refused_in_vain(threshold: int) -> None:
    """CONVENTION 1068: every small set against least squares. An answer is refused only where the best direction of all
    would be beyond the limit, too, but for a twentieth."""
    variables, views = (variable("a", 3), variable("b", 4, [0, 0, 1, 1]), variable("c", 3)), Fraction(3)
    refused = 0
    for seed in range(2):
        random = np.random.default_rng(seed)
        base = base_of(random.poisson(random.gamma(0.5, 8.0, (3, 4, 3))), seed)
        memory = Memory.empty(ground_of(base, ByCellKey(5, Fraction(2)), 1, views, threshold=threshold))
        for _ in range(20):
            answer = asked(memory.ground, random_question(variables, random, 3))
            found = judge(memory, answer)
            if isinstance(found, Memory):
                memory = found
                continue
            for b in found.seen.tolist():
                refused += 1
                rows = equations(replace(memory, answers=(*memory.answers, answer)))
                free = (base.count >= threshold - base.count[b]) & (np.arange(len(base)) != b)
                best = np.linalg.lstsq(rows[:, free], rows[:, b], rcond=None)[0]
                assert ((rows[:, b] - rows[:, free] @ best) ** 2).sum() > 0.95 * float(views)
        rows = equations(memory)
        inverse = np.linalg.pinv(rows.T @ rows, hermitian=True)
        for some in small_sets(base.count, threshold):
            total = np.zeros(len(base))
            total[some] = 1
            if np.abs(inverse @ (rows.T @ (rows @ total)) - total).max() < 1e-6:
                assert total @ inverse @ total >= (1 - 1e-9) / float(views)
    assert refused


def test_the_same_cells_again_are_no_further_view() -> None:
    """CONVENTION 1068: changes of the same units are one."""
    memory = Memory.empty(ground_of(medium(1), ByCellKey(5, Fraction(2)), views=Fraction(4)))
    own = Question((by(MEDIUM, 1),), (one_of(MEDIUM, 0, 0),))
    again = Question((by(MEDIUM, 0), by(MEDIUM, 1)))  # the same cells, and those of other areas
    for question, most in ((own, 1), (again, 1)):
        found = judge(memory, asked(memory.ground, question))
        assert isinstance(found, Memory)
        memory = found
        assert memory.estimates.known.max() == most
