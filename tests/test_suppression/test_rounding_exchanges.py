"""Controlled rounding of large tables: a table that adds up is always in hand, and exchanges keep it so."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.clock import now
from tableseal.audit.model import Release
from tableseal.audit.progress import silent
from tableseal.audit.solvers import highs_models
from tableseal.suppression.protections import controlled_rounding, multiples_exact
from tableseal.suppression.protections.controlled_rounding import ControlledRounding, Relations, round_controlled
from tableseal.suppression.protections.exchanges import Exchanges
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.multiples import Part
from tableseal.suppression.protections.multiples_behind import Behind
from tableseal.suppression.protections.multiples_bound import least_change, multipliers
from tableseal.suppression.protections.subject import subject_of
from tests.support.tabulated import tabulated

LINKED: tuple[list[tuple[int, ...]], ...] = (
    [],
    [(0, 1, 2), (0, 1, 3)],
    [(0, 1), (1, 2), (2, 3)],
    [(0, 1, 2), (2, 3)],
    [(0, 1), (0, 2), (0, 3)],
    [(0, 1), (0, 2), (1, 2)],
    [(0, 1), (0, 2), (1, 2), (2, 3)],
)
"""Tables of an array of four axes, of which each knows some; all margins of each are shown."""


def drawn(data: st.DataObject) -> tuple[Release, int, np.random.Generator]:
    shape = data.draw(st.tuples(*[st.integers(2, 4)] * 3, st.integers(2, 3)))
    groups = [data.draw(st.integers(1, size - 1)) for size in shape]
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    margins = data.draw(st.sampled_from(LINKED))
    return tabulated(random.poisson(2, shape), groups, margins), data.draw(st.sampled_from([2, 3, 5])), random


def behind_of(release: Release, base: int) -> tuple[Relations, NDArray[np.int64], Part, Behind]:
    subject = subject_of(release)
    problem = Relations.of(subject, np.full(len(subject.cells), base))
    ((cells, part),) = problem.parts(problem.movable)
    behind = Behind.of(subject, cells, part, problem.low)
    assert behind is not None
    return problem, cells, part, behind


def started(part: Part, behind: Behind, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps above the lower neighbours, of cells and of base cells that no table lists."""
    start = behind.added(part, part.low + steps)
    start[: len(steps)] -= part.low
    return start


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_whatever_base_cells_are_they_add_up_and_linked_tables_agree(data: st.DataObject) -> None:
    """CONVENTION 1010."""
    release, base, random = drawn(data)
    _, cells, part, behind = behind_of(release, base)
    steps = behind.added(part, part.low + random.integers(0, 2, len(cells)))
    assert not (part.relations @ steps).any()
    assert (steps >= 0).all()


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_exchanges_keep_sums_and_what_is_told_of_them(data: st.DataObject) -> None:
    """CONVENTION 1011."""
    release, base, random = drawn(data)
    _, cells, part, behind = behind_of(release, base)
    assert behind.grids is not None
    start = started(part, behind, random.integers(0, 2, len(cells)))
    found = []
    for _ in range(2):
        exchanges = Exchanges(part, behind.grids, start)
        exchanges.anneal(Limits(), silent)
        found.append(exchanges.steps)
    assert (found[0] == found[1]).all()
    assert (part.relations @ found[0] == part.right).all()
    assert (found[0][len(cells) :] >= 0).all()
    start, steps = start[: len(cells)], found[0][: len(cells)]
    assert (part.low + steps >= 0).all()
    wrong = np.flatnonzero((steps > part.between) | (steps < 0))
    assert sorted(exchanges.places.wrong[: exchanges.places.told[0]].tolist()) == wrong.tolist()
    beyond = [int(np.maximum(np.maximum(x - part.between, -x), 0).sum()) for x in (start, steps)]
    assert (beyond[1], part.change(part.low + steps)) <= (beyond[0], part.change(part.low + start))


@pytest.mark.parametrize("margins", LINKED)
def test_no_time_at_all_is_enough_for_a_table_that_adds_up(
    margins: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 1010."""
    monkeypatch.setattr(multiples_exact, "EXACT", 1)
    monkeypatch.setattr(controlled_rounding, "EXACT", 1)
    subject = subject_of(tabulated(np.random.default_rng(1).poisson(3, (6, 4, 3, 3)), (3, 2), margins))
    tools = Tools(limits=Limits(deadline=now() - 1))
    changed = round_controlled(subject, ControlledRounding(Fraction(5)), tools)
    shown = changed.shown.units
    relations = subject.equations.matrix
    alone = np.diff(relations[:, len(shown) :].tocsr().indptr) == 0
    assert not (relations[:, : len(shown)] @ shown)[alone].any()
    assert (shown % 5 == 0).all()
    assert (shown >= 0).all()
    assert changed.optimised is not None
    assert changed.optimised.bound <= changed.optimised.distortion


def test_exchanges_from_the_worst_start_come_near_the_optimum_of_linked_tables() -> None:
    """CONVENTION 1011."""
    release = tabulated(np.random.default_rng(2).poisson(6, (6, 5, 3, 3)), (2, 2), [(0, 1, 2), (0, 1, 3)])
    subject = subject_of(release)
    best = round_controlled(subject, ControlledRounding(Fraction(5)), Tools()).optimised
    assert best is not None
    _, _, part, behind = behind_of(release, 5)
    assert behind.grids is not None
    exchanges = Exchanges(part, behind.grids, started(part, behind, part.between))
    exchanges.anneal(Limits(), silent)
    assert exchanges.places.told[0] <= 2  # of 269 cells beyond their neighbours
    assert part.change(part.low + exchanges.steps) <= 1.1 * best.distortion


def test_multipliers_that_a_limit_cuts_short_prove_a_bound_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1015."""
    release = tabulated(np.random.default_rng(2).poisson(6, (8, 6, 5)), (2, 2))
    _, _, part, _ = behind_of(release, 5)
    whole = least_change(part, multipliers(part, Limits()))
    monkeypatch.setattr(highs_models, "_STEPS", 200)
    short = least_change(part, multipliers(part, Limits()))
    best = round_controlled(subject_of(release), ControlledRounding(Fraction(5)), Tools()).optimised
    assert best is not None
    assert part.nearest < short <= best.distortion
    assert part.nearest < whole <= best.distortion
