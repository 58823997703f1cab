"""Controlled rounding: it adds up, it is the nearest, and where nothing is, that is said."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.progress import silent
from tableseal.suppression.protections import multiples_exact, multiples_search
from tableseal.suppression.protections.controlled_rounding import ControlledRounding, Relations, round_controlled
from tableseal.suppression.protections.method import Changed, Optimised, Tools
from tableseal.suppression.protections.multiples_bound import least_change, multipliers
from tableseal.suppression.protections.multiples_guides import COLD, begun
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.random_controlled_rounding import (
    RandomControlledRounding,
    round_controlled_at_random,
)
from tableseal.suppression.protections.subject import Subject, subject_of
from tests.support.tabulated import tabulated

NOWHERE = np.array([[[0, 1], [1, 0]], [[1, 1], [1, 0]]])
"""Of base 2 no table of neighbouring multiples adds up: found by listing them all."""


def rounded(release: Release, base: int) -> tuple[Subject, Changed, Optimised]:
    subject = subject_of(release)
    changed = round_controlled(subject, ControlledRounding(Fraction(base)), Tools())
    assert changed.optimised is not None
    return subject, changed, changed.optimised


def best_of_all(subject: Subject, base: int, reach: int = 0) -> tuple[int, int] | None:
    """(steps beyond the neighbours, changes) of the best table of multiples, over all choices of base cells within
    `reach` of their neighbours; of those with the fewest steps beyond; None: no zero-restricted one."""
    forms, value = subject.system.matrix, subject.value[subject.system.cell]
    own = [
        int(forms.indices[forms.indptr[r]]) for r in range(forms.shape[0]) if forms.indptr[r + 1] == forms.indptr[r] + 1
    ]
    rows = [r for r in range(forms.shape[0]) if forms.indptr[r + 1] == forms.indptr[r] + 1]
    low, high = value // base, value // base + (value % base > 0)
    ranges: list[Any] = [None] * forms.shape[1]
    for column, row in zip(own, rows, strict=True):
        ranges[column] = range(max(0, low[row] - reach), high[row] + reach + 1)
    best: tuple[int, int] | None = None
    for steps in product(*ranges):
        sums = forms @ np.array(steps)
        beyond = int(np.maximum(np.maximum(low - sums, sums - high), 0).sum())
        if reach or not beyond:
            found = (beyond, int(np.abs(base * sums - value).sum()))
            best = found if best is None else min(best, found)
    return best


def beyond(subject: Subject, changed: Changed, base: int) -> int:
    steps = changed.shown.units // base
    low = subject.value // base
    high = low + (subject.value % base > 0)
    return int(np.maximum(np.maximum(low - steps, steps - high), 0).sum())


def refuse_what_does_not_add_up(subject: Subject, shown: NDArray[np.int64]) -> None:
    cells = subject.equations.cells
    assert subject.equations.matrix.shape[1] == cells
    assert not (subject.equations.matrix @ shown).any()


@given(st.lists(st.integers(0, 9), min_size=6, max_size=6), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_two_way_tables_against_all_of_them(values: list[int], base: int) -> None:
    """CONVENTION 714."""
    subject, changed, optimised = rounded(tabulated(np.array(values).reshape(2, 3)), base)
    assert best_of_all(subject, base) == (0, optimised.distortion)
    assert (optimised.status, optimised.bound) == ("optimal", optimised.distortion)
    assert np.abs(changed.shown.units - subject.value).sum() == optimised.distortion
    refuse_what_does_not_add_up(subject, changed.shown.units)


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_cubes_against_all_of_them(values: list[int], base: int) -> None:
    """CONVENTION 714 and 715: the nearest, or the fewest steps beyond."""
    subject, changed, optimised = rounded(tabulated(np.array(values).reshape(2, 2, 2)), base)
    found = best_of_all(subject, base)
    assert optimised.status == "optimal"
    refuse_what_does_not_add_up(subject, changed.shown.units)
    if found is None:
        assert optimised.proved.startswith("Proved: no table of neighbouring multiples adds up")
        least = best_of_all(subject, base, reach=1)
        assert least is not None
        assert (beyond(subject, changed, base), optimised.distortion) <= least
    else:
        assert (beyond(subject, changed, base), optimised.distortion) == found


def test_where_none_exists_it_is_proved_and_the_audit_knows_the_wider_intervals() -> None:
    """CONVENTION 715."""
    release = tabulated(NOWHERE)
    subject, changed, optimised = rounded(release, 2)
    assert best_of_all(subject, 2) is None
    assert best_of_all(subject, 2, reach=1) == (beyond(subject, changed, 2), optimised.distortion) == (1, 18)
    found = protect(release, ControlledRounding(Fraction(2)))
    assert found.statement.optimum is not None
    assert "1 cell beyond them" in found.statement.optimum.proved
    (rounding,) = {table.rounding.method for table in found.release.tables if table.rounding is not None}
    assert rounding == "ranges"
    assert all(c.lower is None or c.lower <= c.truth <= c.upper for c in found.report.cells)  # type: ignore[operator]


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_every_table_adds_up_over_nested_and_linked_classifications(data: st.DataObject) -> None:
    """CONVENTION 714."""
    shape = data.draw(st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(2, 3)))
    groups = [data.draw(st.integers(1, size - 1)) for size in shape]
    base = data.draw(st.sampled_from([2, 3, 5, 10]))
    linked = data.draw(st.sampled_from([[], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)], [(0, 1), (2,)]]))
    seed = data.draw(st.integers(0, 10**6))
    counts = np.random.default_rng(seed).poisson(base, shape)
    release = tabulated(counts, groups, linked)
    found = protect(release, ControlledRounding(Fraction(base)))
    shown = {
        tuple(found.release.cell_codes(codes).values()): value
        for table in found.release.tables
        for codes, value in zip(table.codes, table.value.units.tolist(), strict=True)
    }
    for v, hierarchy in enumerate(release.variables.values()):
        for parents in hierarchy.parents:
            for key, value in shown.items():
                at = hierarchy.index[key[v]]
                below = np.flatnonzero(parents == at) if at else np.flatnonzero(parents <= 0)
                below = below[below != 0]
                parts = [shown.get((*key[:v], hierarchy.codes[k], *key[v + 1 :])) for k in below.tolist()]
                if parts and None not in parts:
                    assert value == sum(filter(None, parts))
    assert all(value % base == 0 and value >= 0 for value in shown.values())
    assert audit(found.release).report == found.report


def test_large_parts_are_searched_and_say_their_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 716: the search that parts beyond the limit get, on one whose optimum is known."""
    counts = np.random.default_rng(3).poisson(3, (4, 4, 3))
    release = tabulated(counts, (2, 2))
    _, _, optimum = rounded(release, 3)
    monkeypatch.setattr(multiples_exact, "EXACT", 10)
    monkeypatch.setattr("tableseal.suppression.protections.controlled_rounding.EXACT", 10)
    subject, changed, optimised = rounded(release, 3)
    refuse_what_does_not_add_up(subject, changed.shown.units)
    assert optimised.distortion >= optimum.distortion
    assert optimised.bound <= optimum.distortion
    assert optimised.gap < 0.1
    assert beyond(subject, changed, 3) == 0
    again = rounded(release, 3)[1]
    assert (again.shown.units == changed.shown.units).all()
    assert multiples_search.SMALLEST < multiples_search.USUAL


def test_linked_tables_are_searched_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 714 and 716."""
    monkeypatch.setattr(multiples_exact, "EXACT", 1)
    monkeypatch.setattr("tableseal.suppression.protections.controlled_rounding.EXACT", 1)
    counts = np.random.default_rng(5).poisson(4, (4, 3, 3, 2))
    subject, changed, _ = rounded(tabulated(counts, (2,), [(0, 1, 2), (0, 1, 3)]), 5)
    refuse_what_does_not_add_up(subject, changed.shown.units)


def test_negative_values_have_neighbours_too() -> None:
    cells = {"a": ["a0", "a1", "T"], "value": [-7, 4, -3]}
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {"a": {"total": "T", "codes": ["a0", "a1"]}},
        "intruder": {"nonnegative": False},
        "tables": [{"name": "t", "cells": cells}],
    }
    _, changed, optimised = rounded(release_from_document(document), 5)
    assert changed.shown.units.tolist() in ([-5, -10, 5], [-5, -5, 0])  # total first
    assert optimised.status == "optimal"


def roundings(value: NDArray[np.int64], base: int) -> list[tuple[int, ...]]:
    """All zero-restricted tables (inner cells, then sums) of a table of two by two cells."""
    every = with_sums(value)
    low, high = every // base * base, -(-every // base) * base
    inner = product(*({int(a), int(b)} for a, b in zip(low[:4], high[:4], strict=True)))
    shown = [with_sums(np.array(steps)) for steps in inner]
    return [tuple(s.tolist()) for s in shown if ((s >= low) & (s <= high)).all()]


def with_sums(inner: NDArray[np.int64]) -> NDArray[np.int64]:
    a, b, c, d = inner.tolist()
    return np.array([a, b, c, d, a + b, c + d, a + c, b + d, a + b + c + d])


@given(st.lists(st.integers(0, 7), min_size=4, max_size=4), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_drawn_rounding_is_one_of_all_and_says_no_distance(values: list[int], seed: int) -> None:
    """CONVENTION 826 and 827."""
    release = tabulated(np.array(values).reshape(2, 2))
    found = protect(release, RandomControlledRounding(Fraction(3)), seed=seed)
    shown = found.release.tables[0]
    cells = {
        tuple(found.release.cell_codes(c).values()): v for c, v in zip(shown.codes, shown.value.units, strict=True)
    }
    order = [(a, b) for a in ("a0", "a1") for b in ("b0", "b1")]
    inner = np.array([cells[key] for key in order])
    assert tuple(with_sums(inner).tolist()) in roundings(np.array(values), 3)
    assert found.statement.optimum is None
    assert found.statement.seed == seed
    assert "near" not in found.statement.words


def test_every_rounding_is_drawn_by_some_seed() -> None:
    """CONVENTION 826: nothing that has the published table among its roundings is ruled out."""
    random = np.random.default_rng(1)
    for _ in range(2):
        values = random.integers(0, 6, 4)
        subject = subject_of(tabulated(values.reshape(2, 2)))
        seen = set()
        for seed in range(60):
            drawn = round_controlled_at_random(subject, RandomControlledRounding(Fraction(3)), Tools(seed))
            seen.add(tuple(drawn.shown.units.tolist()))
        assert len(seen) == len(roundings(values, 3))


def test_that_a_table_is_the_nearest_tells_more_than_its_intervals() -> None:
    """CONVENTION 825: why nobody is told; by all true tables of two by two cells behind 16 published ones, base 3."""
    possible: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    nearest: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for truth in product(range(6), repeat=4):
        value = np.array(truth)
        options = roundings(value, 3)
        distance = [int(np.abs(np.array(o) - with_sums(value)).sum()) for o in options]
        for option, own in zip(options, distance, strict=True):
            possible.setdefault(option, []).append(truth)
            if own == min(distance):
                nearest.setdefault(option, []).append(truth)
    published = [option for option in nearest if max(option[:4]) <= 3]
    narrower = [o for o in published if np.ptp(nearest[o], axis=0).sum() < np.ptp(possible[o], axis=0).sum()]
    assert (len(narrower), len(published)) == (7, 16)


@given(st.integers(0, 10**6), st.sampled_from([(3, 3, 2), (4, 3), (2, 2, 2, 2)]), st.integers(2, 6))
@settings(max_examples=15, deadline=None)
def test_bounds_of_multipliers_hold_whatever_they_are(seed: int, shape: tuple[int, ...], base: int) -> None:
    """CONVENTION 823."""
    random = np.random.default_rng(seed)
    subject, _, optimised = rounded(tabulated(random.poisson(4, shape)), base)
    problem = Relations.of(subject, np.full(len(subject.cells), base))
    parts = [part for _, part in problem.parts(problem.movable)]
    for scale in (0, 1, 3000):
        bound = sum(least_change(p, random.integers(-scale, scale + 1, p.relations.shape[0]), 3) for p in parts)
        assert bound <= optimised.distortion
    assert sum(least_change(p, multipliers(p, Limits()), 3) for p in parts) <= optimised.distortion


def test_messages_settle_all_but_few_relations() -> None:
    """CONVENTION 822."""
    counts = np.random.default_rng(4).poisson(5, (9, 8, 7))
    subject = subject_of(tabulated(counts, (3, 2)))
    problem = Relations.of(subject, np.full(len(subject.cells), 5))
    ((_, part),) = problem.parts(problem.movable)
    x = begun(part, COLD[0], Limits(), silent)
    off = part.relations @ x - part.right
    nearest = part.residual * 2 > part.base
    assert (off != 0).sum() < 0.05 * len(off) < (part.relations @ nearest.astype(np.int64) != part.right).sum()
    assert part.change(part.low + x) < 1.5 * part.nearest


def test_that_none_exists_is_proved_near_a_cell_beyond_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 824."""
    monkeypatch.setattr(multiples_exact, "EXACT", 1)
    monkeypatch.setattr("tableseal.suppression.protections.controlled_rounding.EXACT", 1)
    monkeypatch.setattr(multiples_search, "MIDDLE", 0)  # not by programs over the whole part
    subject, changed, optimised = rounded(tabulated(NOWHERE), 2)
    assert beyond(subject, changed, 2) >= 1
    assert optimised.proved.startswith("Proved: no table of neighbouring multiples adds up")
    assert optimised.bound <= optimised.distortion
