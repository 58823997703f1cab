"""Tabular adjustment of large tables: exchanges keep all sums, and what cannot be is found and named before."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.progress import silent
from tableseal.suppression.protections.adjustment import choose as choosing
from tableseal.suppression.protections.adjustment.exchanged import exchanged
from tableseal.suppression.protections.adjustment.limits import moves_of
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.parts import parts
from tableseal.suppression.protections.adjustment.program import solve
from tableseal.suppression.protections.adjustment.reach import reach
from tableseal.suppression.protections.adjustment.weights import weights_of
from tableseal.suppression.protections.grid import Grids
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.subject import Subject, subject_of
from tableseal.suppression.protections.tabular_adjustment import TabularAdjustment, adjust, grids_behind
from tests.test_suppression.test_tabular_adjustment import fits, marked


def parts_of(subject: Subject, how: TabularAdjustment) -> list[tuple[Part, Grids]]:
    """With their grids."""
    bound = np.full(len(subject.cells), how.range, np.int64)
    moves = moves_of(subject, subject.sensitivity(None), how.share, bound)
    found = []
    for cells, part in parts(subject, moves, weights_of(subject, how.cost)):
        grids = grids_behind(subject, cells)
        assert grids is not None
        found.append((part, grids))
    return found


def outside(part: Part, moved: Ints) -> list[int]:
    return np.flatnonzero(~fits(part.moves, moved)).tolist()


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_exchanges_keep_all_sums_and_know_which_cells_are_outside(data: st.DataObject) -> None:
    """CONVENTION 1013: of single, nested and linked tables; the same again."""
    shape = data.draw(st.tuples(*[st.integers(2, 4)] * 3))
    groups = [data.draw(st.integers(1, size - 1)) for size in shape]
    margins = data.draw(st.sampled_from([[], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)]]))
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    values = np.ceil(np.exp(random.normal(4, 1, shape))).astype(np.int64) * (random.random(shape) > 0.1)
    how = TabularAdjustment(
        Fraction("0.5"), data.draw(st.integers(0, 6)), data.draw(st.sampled_from(["unit", "inverse"]))
    )
    subject = subject_of(
        marked(values, random.choice(9, 3, replace=False).tolist(), [3] * 3, groups=groups, margins=margins)
    )
    try:
        found = parts_of(subject, how)
    except InputError:
        return
    for part, grids in found:
        moved, wrong = exchanged(part, grids, Limits(), silent)
        assert (part.relations @ moved == 0).all()
        assert wrong.tolist() == outside(part, moved)
        assert (exchanged(part, grids, Limits(), silent)[0] == moved).all()


def test_exchanges_come_near_the_optimum_with_no_start() -> None:
    """CONVENTION 1013."""
    values = 40 + np.ceil(np.exp(np.random.default_rng(1).normal(4, 1, (5, 4, 3)))).astype(np.int64)
    subject = subject_of(marked(values, list(range(0, 90, 7)), [9] * 13, groups=(2, 2)))
    ((part, grids),) = parts_of(subject, TabularAdjustment(Fraction("0.5")))
    best = adjust(subject, TabularAdjustment(Fraction("0.5")), Tools()).optimised
    assert best is not None
    moved, wrong = exchanged(part, grids, Limits(), silent)
    assert not len(wrong)
    assert part.allows(moved)
    assert best.bound <= part.change(moved) <= 1.1 * best.distortion


@dataclass(frozen=True)
class Looks(Limits):
    """Time that is over after so many looks at the clock."""

    left: list[int] = field(default_factory=lambda: [100])

    def seconds_left(self) -> float:
        self.left[0] = max(0, self.left[0] - 1)
        return float(self.left[0])

    def share(self, part: float) -> "Looks":
        return self


def test_a_time_limit_makes_tries_fewer_and_is_told() -> None:
    """CONVENTION 1013."""
    values = np.random.default_rng(3).integers(40, 120, (4, 4, 3))
    subject = subject_of(marked(values, list(range(0, 60, 9)), [9] * 7, groups=(2,)))
    ((part, grids),) = parts_of(subject, TabularAdjustment(Fraction("0.5")))
    made = []
    for looks in (4, 1000):
        limits, rounds = Looks(left=[looks]), [0]
        moved, wrong = exchanged(part, grids, limits, lambda *_, count=rounds: count.__setitem__(0, count[0] + 1))
        assert (part.relations @ moved == 0).all()
        assert rounds[0] <= looks
        assert ("time" in limits.reached) == (looks == 4)
        assert part.allows(moved) or len(wrong)
        made.append(rounds[0])
    assert made[0] < made[1]


@given(st.lists(st.integers(1, 9), min_size=6, max_size=6), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_what_relations_leave_is_never_too_little(values: list[int], seed: int) -> None:
    """CONVENTION 1014: tables found by an integer program are within; none is found where a cell has no change left."""
    random = np.random.default_rng(seed)
    sensitive = random.choice(12, 4, replace=False).tolist()
    subject = subject_of(marked(np.array(values).reshape(2, 3), sensitive, random.integers(1, 4, 4).tolist()))
    try:
        found = parts_of(subject, TabularAdjustment(Fraction("0.4"), 2))
    except InputError:
        return
    for part, _ in found:
        own, answer = reach(part), solve(part, float("inf"), 1000)
        if own.stuck.any():
            assert answer.infeasible
        else:
            moved = answer.whole(part)
            assert moved is None or ((own.low <= moved) & (moved <= own.high)).all()


def test_cells_that_a_search_leaves_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1014."""
    monkeypatch.setattr(choosing, "EXACT", 10)
    monkeypatch.setattr(choosing, "exchanged", lambda part, *_: (np.zeros(len(part), np.int64), np.array([1, 2])))
    monkeypatch.setattr(choosing, "whole", lambda *_: None)
    subject = subject_of(marked(np.full((4, 4), 40), [0, 5], [9] * 2))
    with pytest.raises(LimitError, match=r"of 2 cells, the first a=\w+, b=\w+ in table \"t0\", no change within"):
        adjust(subject, TabularAdjustment(Fraction("0.5")), Tools())
