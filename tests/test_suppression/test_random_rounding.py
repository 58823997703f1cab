"""Roundings that draw: unbiased by exact expectation over all draws, and what adds up."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.random_rounding import RandomRounding, random_rounding, round_at_random
from tableseal.suppression.protections.semi_controlled_rounding import (
    SemiControlledRounding,
    round_semi_controlled,
    systematic,
)
from tableseal.suppression.protections.subject import subject_of
from tests.support.tabulated import tabulated


class Every:
    """A generator that gives the same number everywhere: with each of 0, ..., base - 1, all draws of one cell."""

    def __init__(self, number: int) -> None:
        self.number = number

    def integers(self, low: int, high: int, size: tuple[int, int]) -> np.ndarray:
        assert low <= self.number < high
        return np.full(size, self.number)


@given(st.lists(st.integers(-20, 40), min_size=1, max_size=6), st.integers(2, 9))
def test_random_rounding_keeps_every_expectation(values: list[int], base: int) -> None:
    """S15 section 3.2: over all draws that a cell can have, each equally likely."""
    counts = np.array(values)
    every = [random_rounding(counts, base, Every(k))[0] for k in range(base)]  # type: ignore[arg-type]
    assert (sum(every) == base * counts).all()
    assert all((np.abs(shown - counts) < base).all() and not (shown % base).any() for shown in every)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=5), st.integers(2, 7), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_semi_controlled_rounding_keeps_every_expectation(values: list[int], base: int, codes: int) -> None:
    """CONVENTION 717: over every start and every order by chance, all equally likely; nothing is simulated."""
    counts = np.array(values)
    strata = np.arange(len(values)) % codes
    total = np.zeros(len(values), np.int64)
    orders = list(permutations(range(len(values))))
    for start in range(base):
        for order in orders:
            shown = systematic(counts, base, start, strata, np.array(order))
            total += shown
            assert (np.abs(shown - counts) < base).all()
            assert not (shown % base).any()
            for code in range(codes):  # each code, and all together, are roundings of their sums
                own = strata == code
                assert abs(int(shown[own].sum() - counts[own].sum())) < base
            assert abs(int(shown.sum() - counts.sum())) < base
            for residual in range(1, base):  # quotas: expectations, rounded down or up
                same = (counts % base == residual) & (strata == 0)
                up = int((shown[same] > counts[same]).sum())
                assert abs(Fraction(up) - Fraction(int(same.sum()) * residual, base)) < 1
    assert (total == counts * base * len(orders)).all()


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5, 7]))
@settings(max_examples=30, deadline=None)
def test_every_level_adds_up_to_the_total_and_one_margin_is_kept(seed: int, base: int) -> None:
    """CONVENTION 717: nested classifications; the margin of `a` adds up at every level of it."""
    counts = np.random.default_rng(seed).poisson(base, (4, 3))
    subject = subject_of(tabulated(counts, (2,)))
    changed = round_semi_controlled(subject, SemiControlledRounding(Fraction(base), "a"), Tools(seed))
    shown = dict(zip(map(tuple, names(subject)), changed.shown.units.tolist(), strict=True))
    leaves, groups = [f"a{k}" for k in range(4)], {"ag0": ["a0", "a1"], "ag1": ["a2", "a3"]}
    for a in (*leaves, *groups, "T"):
        assert shown[a, "T"] == sum(shown[a, f"b{k}"] for k in range(3))
    for group, parts in groups.items():
        assert shown[group, "T"] == sum(shown[a, "T"] for a in parts)
    assert shown["T", "T"] == sum(shown[a, "T"] for a in leaves) == sum(shown["T", f"b{k}"] for k in range(3))
    assert abs(shown["T", "T"] - counts.sum()) < base


def names(subject: object) -> list[list[str]]:
    release, cells = subject.release, subject.cells  # type: ignore[attr-defined]
    return [list(release.cell_codes(codes).values()) for codes in cells.codes]


def test_without_a_variable_the_total_is_kept_all_the_same() -> None:
    counts = np.random.default_rng(1).poisson(4, (5, 4))
    subject = subject_of(tabulated(counts))
    for seed in range(20):
        changed = round_semi_controlled(subject, SemiControlledRounding(Fraction(5)), Tools(seed))
        shown = dict(zip(map(tuple, names(subject)), changed.shown.units.tolist(), strict=True))
        inner = sum(shown[f"a{i}", f"b{j}"] for i in range(5) for j in range(4))
        assert shown["T", "T"] == inner == sum(shown[f"a{i}", "T"] for i in range(5))


def test_a_variable_that_is_none() -> None:
    subject = subject_of(tabulated(np.ones((2, 2), np.int64)))
    with pytest.raises(InputError, match="no such variable"):
        round_semi_controlled(subject, SemiControlledRounding(Fraction(3), "aa"), Tools())


def test_the_same_cell_is_shown_alike_in_every_table() -> None:
    """CONVENTION 711."""
    counts = np.random.default_rng(2).poisson(4, (3, 3, 2))
    both = subject_of(tabulated(counts, margins=[(0, 1), (1, 2)]))
    changed = round_at_random(both, RandomRounding(Fraction(3)), Tools(5))
    assert len(both.cells) < sum(len(table.codes) for table in both.release.tables)
    assert len(changed.shown) == len(both.cells)
