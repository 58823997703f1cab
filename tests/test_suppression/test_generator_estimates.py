"""What the memory of a table generator does to find directions soon, against plain least squares."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_cubes import random_question
from small_memories import MEDIUM, asked, ground_of, medium, same

from tableseal.audit.compiling import Runner, compiled
from tableseal.suppression.generator.memory import estimates, pursuit
from tableseal.suppression.generator.memory.inverse import Inverse, Inverses
from tableseal.suppression.generator.memory.memory import LOOPS, Memory, judge, recall
from tableseal.suppression.generator.memory.nearby import RIDGE
from tableseal.suppression.generator.memory.warm import load_loops
from tableseal.suppression.generator.policy import ByCellKey, ByRounding

PLAIN = Runner(False)


def matrix_of(rows: np.ndarray) -> np.ndarray:
    """float64 (rows of A x base cells). rows: int32 (base cells x answers), which row each is in; 0: none."""
    found = np.zeros((int(rows.max(initial=0)), len(rows)))
    for b, own in enumerate(rows.tolist()):
        for row in own:
            if row:
                found[row - 1, b] = 1
    return found


@st.composite
def rows_of_answers(draw: st.DrawFn) -> np.ndarray:
    """int32 (base cells x answers): as `Estimates.rows` has them."""
    base_cells, answers = draw(st.integers(2, 7)), draw(st.integers(1, 5))
    rows, number = np.zeros((base_cells, answers), np.int32), 0
    for a in range(answers):
        own = np.array(draw(st.lists(st.integers(0, 3), min_size=base_cells, max_size=base_cells)))
        used = np.unique(own[own > 0])
        rows[:, a] = np.where(own > 0, number + 1 + np.searchsorted(used, own), 0)
        number += len(used)
    return rows


@given(rows_of_answers(), st.data())
def test_an_inverse_that_grows_is_the_one_from_the_beginning(rows: np.ndarray, data: st.DataObject) -> None:
    """CONVENTION 1121: with further answers, and with further members; its step leads to least squares."""
    answers = data.draw(st.integers(0, rows.shape[1]))
    old = data.draw(st.integers(1, len(rows) - 1))
    members = np.arange(len(rows), dtype=np.int32)
    one = Inverse.of(members[:old], np.ascontiguousarray(rows[:old, :answers]), PLAIN)
    grown = one.with_answers(rows[:old], PLAIN).with_members(members[old:], rows, PLAIN)
    a = matrix_of(rows)
    equations = a.T @ a + RIDGE * np.eye(len(rows))
    assert grown.members.tolist() == members.tolist()
    assert grown.answers == rows.shape[1]
    assert np.allclose(grown.matrix @ equations, np.eye(len(rows)), atol=1e-6)
    target = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=len(a), max_size=len(a))), float)
    begin = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=len(rows), max_size=len(rows))), float)
    best = begin + grown.step(a.T @ (a @ begin + target), begin)
    assert np.allclose(equations @ best, -a.T @ target, atol=1e-6)


@pytest.mark.parametrize("seed", [1, 2])
def test_inverses_that_are_kept_change_nothing(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """CONVENTION 1121: with none kept answers and refusals are the same, and after a restart. What is said to be known
    is what the direction in hand says, exactly, and within the limit."""
    for name in ("ADDED", "ADDED_TO_BEST"):  # so that gradients are not enough
        monkeypatch.setattr(pursuit, name, 3)
    monkeypatch.setattr(estimates, "BLOCKWISE", 1000)
    views = Fraction(2)

    def told() -> tuple[Memory, list[bool]]:
        memory = Memory.empty(ground_of(medium(seed), ByCellKey(5, Fraction(2)), views=views))
        random, given = np.random.default_rng(seed), list[bool]()
        for _ in range(40):
            found = judge(memory, asked(memory.ground, random_question(MEDIUM, random, 4)))
            given.append(isinstance(found, Memory))
            memory = found if isinstance(found, Memory) else memory
        return memory, given

    memory, given = told()
    held = memory.estimates
    assert held.best
    assert not all(given)
    a = matrix_of(held.rows.array)
    for at in held.best:
        direction = np.zeros(a.shape[1])
        members, entries = held.direction(memory.ground, at)
        direction[members] = entries
        assert ((a @ direction) ** 2).sum() == held.known[at] <= float(views) + 1e-9
    assert same(memory, recall(Memory.empty(memory.ground), memory.answers))
    monkeypatch.setattr(Inverses, "keep", lambda *_: None)
    again, without = told()
    assert without == given
    assert same(memory, again)


def test_loops_are_loaded_before_the_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1122: afterwards nothing is compiled for an answer."""
    load_loops()
    before = {loop: len(compiled(loop).signatures) for loop in LOOPS}
    assert all(before.values())
    monkeypatch.setattr(pursuit, "ADDED", 3)
    monkeypatch.setattr(estimates, "BLOCKWISE", 8)
    for method in (ByCellKey(5, Fraction(2)), ByRounding(3)):
        memory = Memory.empty(ground_of(medium(1), method, views=Fraction(2)))
        random = np.random.default_rng(1)
        for _ in range(25):
            found = judge(memory, asked(memory.ground, random_question(MEDIUM, random, 4)))
            memory = found if isinstance(found, Memory) else memory
    assert before == {loop: len(compiled(loop).signatures) for loop in LOOPS}
