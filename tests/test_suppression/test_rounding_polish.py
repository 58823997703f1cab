"""Controlled rounding: any zero-restricted table, and nearer ones from a table in hand."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import silent
from tableseal.suppression.protections import controlled_rounding, multiples_exact, multiples_kernel, multiples_search
from tableseal.suppression.protections.controlled_rounding import ControlledRounding, Relations, round_controlled
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.multiples import Chosen, Part
from tableseal.suppression.protections.multiples_behind import Behind
from tableseal.suppression.protections.multiples_exact import choose
from tableseal.suppression.protections.multiples_guides import guides
from tableseal.suppression.protections.multiples_kernel import Among, near_guides
from tableseal.suppression.protections.multiples_polish import polished
from tableseal.suppression.protections.subject import Subject, subject_of
from tests.support.tabulated import tabulated

LINKED = [(0, 1, 2), (0, 1, 3)]


def part_of(subject: Subject, base: int) -> Part:
    """The largest part of a release."""
    problem = Relations.of(subject, np.full(len(subject.cells), base))
    return max((part for _, part in problem.parts(problem.open)), key=lambda part: len(part.value))


def farthest(part: Part) -> Chosen:
    """The zero-restricted choice with the largest changes: the nearest one of what is mirrored between neighbours."""
    mirrored = np.where(part.residual > 0, (part.low + 1) * part.base - part.residual, part.value)
    found = choose(replace(part, value=mirrored), Limits())
    return Chosen("none" if found.steps is None else "feasible", found.steps, part.nearest, found.unrestricted)


@given(st.lists(st.integers(0, 3), min_size=12, max_size=12), st.sampled_from([2, 3]))
@settings(max_examples=25, deadline=None)
def test_a_table_between_the_neighbours_is_found_or_proved_not_to_exist(values: list[int], base: int) -> None:
    """CONVENTION 1021."""
    subject = subject_of(tabulated(np.array(values).reshape(2, 2, 3)))
    if not (subject.value % base).any():
        return
    part = part_of(subject, base)
    guided = guides(part, np.full(len(part.value), -1), Limits(), silent)
    found, best = near_guides(part, guided, Limits(), silent), choose(part, Limits())
    assert (found.status == "infeasible") == best.unrestricted == farthest(part).unrestricted
    assert (found.x is None) == (best.steps is None)
    if found.x is not None:
        assert part.adds_up(part.low + found.x)
        assert np.isin(found.x, [0, 1]).all()


@given(st.integers(0, 10**6), st.sampled_from([3, 5]))
@settings(max_examples=4, deadline=None)
def test_what_is_in_hand_becomes_nearer_and_still_adds_up(seed: int, base: int) -> None:
    """CONVENTION 1020."""
    part = part_of(subject_of(tabulated(np.random.default_rng(seed).poisson(4, (4, 3, 3)), (2,))), base)
    start = farthest(part)
    if start.steps is None:
        return
    best, found = choose(part, Limits()), polished(part, start, Limits(), silent)
    assert best.steps is not None
    assert found.steps is not None
    assert part.adds_up(found.steps)
    assert np.isin(found.steps - part.low, [0, 1]).all()
    assert part.change(best.steps) <= part.change(found.steps) <= part.change(start.steps)


def test_choices_that_are_not_proved_to_be_the_nearest_become_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1020."""
    subject = subject_of(tabulated(np.random.default_rng(4).poisson(4, (4, 3, 3)), (2,)))
    best = round_controlled(subject, ControlledRounding(Fraction(5)), Tools()).optimised
    monkeypatch.setattr(controlled_rounding, "choose", lambda part, limits: farthest(part))
    nearer = round_controlled(subject, ControlledRounding(Fraction(5)), Tools()).optimised
    assert best is not None
    assert nearer is not None
    start = farthest(part_of(subject, 5))
    assert start.steps is not None
    assert best.distortion <= nearer.distortion < part_of(subject, 5).change(start.steps)
    assert nearer.bound <= best.distortion


def test_large_parts_without_a_table_between_the_neighbours_in_hand_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1021."""
    monkeypatch.setattr(multiples_exact, "EXACT", 1)
    monkeypatch.setattr(controlled_rounding, "EXACT", 1)
    subject = subject_of(tabulated(np.random.default_rng(5).poisson(4, (4, 3, 3, 2)), (2,), LINKED))
    optimised = round_controlled(subject, ControlledRounding(Fraction(3)), Tools()).optimised
    assert optimised is not None
    assert optimised.proved.startswith("Every cell is shown as one of its two neighbouring multiples")


@given(st.integers(0, 10**6), st.sampled_from([3, 5]), st.sampled_from([[], LINKED]))
@settings(max_examples=8, deadline=None)
def test_what_is_shown_is_the_best_of_all_steps(seed: int, base: int, margins: list[tuple[int, ...]]) -> None:
    """CONVENTION 691, 692, 693."""
    shape = (4, 3, 3, 2) if margins else (4, 4, 3)
    subject = subject_of(tabulated(np.random.default_rng(seed).poisson(4, shape), (2,), margins))
    seen: list[tuple[int, int]] = []

    def noted(part: Part, x: NDArray[np.int64] | None) -> None:
        if x is not None and not (part.relations @ x - part.right).any():
            cells = len(part.value)
            beyond = np.maximum(np.maximum(x[:cells] - part.between, -x[:cells]), 0)
            seen.append((int(beyond.sum()), part.change(part.low + x[:cells])))

    def recording_guides(part: Part, *rest: Any) -> list[NDArray[np.int64]]:
        found = guides(part, *rest)
        for x in found:
            noted(part, x)
        return found

    def recording_kernel(part: Part, *rest: Any) -> Among:
        found = near_guides(part, *rest)
        noted(part, found.x)
        return found

    problem = Relations.of(subject, np.full(len(subject.cells), base))
    cells, part = max(problem.parts(problem.movable), key=lambda found: len(found[0]))
    behind = Behind.of(subject, cells, part, problem.low)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiples_search, "guides", recording_guides)
        patch.setattr(multiples_search, "near_guides", recording_kernel)
        patch.setattr(multiples_kernel, "TURNS", 3)
        found = multiples_search.searched(part, np.full(len(cells), -1), part.nearest, False, behind, Tools())
    assert found.steps is not None
    further = np.maximum(np.maximum(found.steps - part.low - part.between, part.low - found.steps), 0)
    assert all((int(further.sum()), part.change(found.steps)) <= one for one in seen)
    assert found.bound <= part.change(found.steps)
