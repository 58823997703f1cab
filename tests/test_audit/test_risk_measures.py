"""R1, R2 and Hellinger: properties, conventions and bad input."""

import doctest
from math import log, sqrt
from types import ModuleType
from typing import get_args

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.measures.risk import hellinger, information, log_linear, split_risk, table_risk
from tableseal.audit.measures.risk.assess_risk import RiskFormula, assess
from tableseal.audit.measures.risk.hellinger import hellinger_counts, hellinger_shares, utility
from tableseal.audit.measures.risk.information import conditional_entropy, entropy
from tableseal.audit.measures.risk.table_risk import (
    WEIGHTS,
    After,
    Before,
    Form,
    after,
    before,
    check_weights,
    weigh,
)
from tableseal.audit.model.count_table import Axis, CountTable
from tableseal.suppression.protections.random_rounding import random_rounding

counts = st.integers(0, 12)
pairs = st.integers(2, 8).flatmap(
    lambda k: st.tuples(st.lists(counts, min_size=k, max_size=k).filter(any), st.lists(counts, min_size=k, max_size=k))
)


def both(original: list[int], protected: list[int], form: Form = "uncertainty") -> tuple[Before, After]:
    start = before(np.array(original), len(original))
    return start, after(start, np.array(original), np.array(protected), form)


def table(values: list[list[int]]) -> CountTable:
    array = np.array(values)
    axes = tuple(
        Axis(name, tuple(str(k + 1) for k in range(n))) for name, n in zip(("row", "column"), array.shape, strict=True)
    )
    index = np.flatnonzero(array)
    return CountTable(Place("t"), axes, index, array.ravel()[index])


@given(pairs)
def test_conditional_entropy_is_that_of_the_joint_distribution_less_that_of_the_protected_table(
    pair: tuple[list[int], list[int]],
) -> None:
    """H(X|Y) = H(X,Y) - H(Y) with the probabilities of Theorem 4, in whole numbers: N*M individuals."""
    f, g = pair
    n, m = sum(f), sum(g)
    assume(m > 0)
    before_, after_ = [m * x for x in f], [n * y for y in g]
    stays = [min(x, y) for x, y in zip(before_, after_, strict=True)]
    moves = n * m - sum(stays)
    joint = np.zeros((len(f), len(f)))
    for i, x in enumerate(before_):
        for j, y in enumerate(after_):
            joint[i, j] = stays[i] if i == j else (x - stays[i]) * (y - stays[j]) / max(moves, 1)
    assert np.allclose(joint.sum(axis=1), before_)
    assert np.allclose(joint.sum(axis=0), after_)
    expected = entropy(joint.ravel()) - entropy(np.array(g))
    assert abs(float(conditional_entropy(np.array(f), np.array(g)) - expected)) < 1e-9


@given(pairs)
def test_protection_never_raises_the_risk_in_the_two_sound_forms(pair: tuple[list[int], list[int]]) -> None:
    for form in ("uncertainty", "ratio"):
        start, end = both(*pair, form)
        assert (end.terms <= start.terms + 1e-12).all()
        assert 0 <= end.conditional <= start.entropy


@given(pairs)
def test_what_is_reported_as_conditional_entropy_is_one_in_every_form(pair: tuple[list[int], list[int]]) -> None:
    assert len({float(both(*pair, form)[1].conditional) for form in get_args(Form)}) == 1


@pytest.mark.parametrize(
    "module", [information, hellinger, table_risk, split_risk, log_linear], ids=lambda module: module.__name__
)
def test_examples_in_the_documentation(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_published_form_can_raise_it() -> None:
    start, end = both([0, 1, 2], [1, 3, 0], "a14-published")
    r1, r2 = (float(weigh(x.terms, WEIGHTS)) for x in (start, end))
    assert (round(r1, 4), round(r2, 4)) == (0.4593, 0.5070)


@given(pairs, st.integers(1, 5))
def test_a_proportional_table_leaves_nothing_open(pair: tuple[list[int], list[int]], times: int) -> None:
    f = np.array(pair[0])
    assert conditional_entropy(f, times * f) == 0
    assert hellinger_shares(f, times * f) < 1e-15


@given(pairs, st.sampled_from(get_args(Form)))
def test_values_are_finite_and_bounded(pair: tuple[list[int], list[int]], form: Form) -> None:
    f, g = (np.array(x) for x in pair)
    start, end = both(*pair, form)
    assert ((start.terms >= 0) & (start.terms <= 1)).all()
    assert np.isfinite(end.terms).all()
    assert (end.terms >= 0).all()
    distance = float(hellinger_counts(f, g))
    assert distance <= sqrt((f.sum() + g.sum()) / 2) + 1e-12
    assert 0 <= hellinger_shares(f, g) <= 1
    assert utility(np.array(distance), start.total) == 1 - distance / sqrt(f.sum())  # CONVENTION 1019


@given(pairs, st.integers(1, 50), st.randoms(use_true_random=False), st.sampled_from(get_args(Form)))
def test_zeros_need_no_list_and_order_is_nothing(
    pair: tuple[list[int], list[int]], padding: int, random: object, form: Form
) -> None:
    f, g = pair
    cells = len(f) + padding
    short = before(np.array(f), cells)
    padded_f, padded_g = f + [0] * padding, g + [0] * padding
    order = list(range(cells))
    random.shuffle(order)  # type: ignore[attr-defined]
    moved_f, moved_g = np.array(padded_f)[order], np.array(padded_g)[order]
    full = before(moved_f, cells)
    assert np.allclose(short.terms, full.terms, atol=1e-12)
    one = after(short, np.array(f), np.array(g), form).terms
    assert np.allclose(one, after(full, moved_f, moved_g, form).terms, atol=1e-12)
    assert hellinger_counts(np.array(f), np.array(g)) == pytest.approx(hellinger_counts(moved_f, moved_g), abs=1e-12)


@given(pairs)
def test_scale_matters_to_the_size_term_only(pair: tuple[list[int], list[int]]) -> None:
    """Counts of 10^12 and more."""
    f, g = (np.array(x, dtype=np.int64) for x in pair)
    small, large = before(f, len(f)), before(f * 10**12, len(f))
    assert np.allclose(small.terms[:2], large.terms[:2], atol=1e-12)
    assert large.terms[2] == pytest.approx((1 + log(f.sum() * 10.0**12) / 2) / sqrt(f.sum() * 10.0**12))
    one, many = after(small, f, g), after(large, f * 10**12, g * 10**12)
    assert np.allclose(one.terms[:2], many.terms[:2], atol=1e-12)
    assert hellinger_counts(f * 10**12, g * 10**12) == pytest.approx(10**6 * hellinger_counts(f, g))


@given(
    st.lists(st.tuples(st.integers(10**9, 10**12), st.integers(-3, 3)), min_size=2, max_size=5),
)
def test_large_counts_that_hardly_differ(cells: list[tuple[int, int]]) -> None:
    f = [count for count, _ in cells]
    g = [count + change for count, change in cells]
    mpmath.mp.dps = 60
    n, m = sum(f), sum(g)
    p, q = [mpmath.mpf(x) / n for x in f], [mpmath.mpf(y) / m for y in g]
    s = [min(x, y) for x, y in zip(p, q, strict=True)]
    r = 1 - sum(s)

    def term(x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
        return -x * mpmath.log(x / y) if x > mpmath.mpf(10) ** -50 else mpmath.mpf(0)

    exact = sum(term(a, b) for a, b in zip(s, q, strict=True))
    exact += sum(term(a - b, r) for a, b in zip(p, s, strict=True))
    exact += sum(term(b - a, b) for a, b in zip(s, q, strict=True))
    assert abs(float(conditional_entropy(np.array(f), np.array(g)) - float(exact))) < 1e-13
    distance = mpmath.sqrt(sum((mpmath.sqrt(x) - mpmath.sqrt(y)) ** 2 for x, y in zip(f, g, strict=True)) / 2)
    assert float(hellinger_counts(np.array(f), np.array(g))) == pytest.approx(float(distance), rel=1e-12, abs=1e-15)


def test_many_versions_at_once_are_many_single_ones() -> None:
    f = np.array([5, 0, 1, 8, 2])
    versions = random_rounding(f, 5, np.random.default_rng(1), 20)
    start = before(f, 7)
    for form in get_args(Form):
        together = after(start, f, versions, form)
        for k, version in enumerate(versions):
            alone = after(start, f, version, form)
            assert (together.terms[k] == alone.terms).all()
            assert together.conditional[k] == alone.conditional


@pytest.mark.parametrize(
    ("original", "protected", "form", "terms"),
    [
        ([3, 2, 1], [3, 3, 0], "uncertainty", {0: 0.0}),  # no zero before
        ([3, 0, 3], [3, 3, 3], "uncertainty", {0: 0.0}),  # no zero stayed
        ([3, 0, 3], [3, 0, 3], "uncertainty", {0: 1 / 3}),  # nothing changed
        ([1, 2, 0], [0, 0, 0], "uncertainty", {1: 0.0}),
        ([1, 2, 0], [0, 0, 0], "ratio", {1: 0.0}),
        ([1, 2, 0], [0, 0, 0], "a14-published", {1: 0.0}),
        ([0, 4, 0], [0, 3, 0], "uncertainty", {1: 1.0}),
        ([0, 4, 0], [0, 0, 0], "uncertainty", {1: 1.0}),
        ([0, 4, 0], [0, 3, 0], "ratio", {1: 0.0}),
        ([0, 4, 0], [3, 3, 0], "a14-published", {1: 0.0}),
    ],
)
def test_degenerate_tables(original: list[int], protected: list[int], form: Form, terms: dict[int, float]) -> None:
    """CONVENTION 244."""
    _, end = both(original, protected, form)
    for place, value in terms.items():
        assert end.terms[place] == pytest.approx(value, abs=1e-15)


def test_an_empty_protected_table_has_nothing_in_common_with_the_original() -> None:
    """CONVENTION 244."""
    f, nothing = np.array([1, 2]), np.array([0, 0])
    assert hellinger_shares(f, nothing) == 1
    assert conditional_entropy(f, nothing) == entropy(f)


def test_the_l2_form() -> None:
    start, _ = both([3, 0, 1], [3, 0, 3])
    assert weigh(start.terms, None) == pytest.approx(sqrt((start.terms**2).sum() / 3))


@pytest.mark.parametrize(
    ("values", "said"),
    [([[5]], "one cell"), ([[0, 0], [0, 0]], "N = 0")],
)
def test_tables_without_risk(values: list[list[int]], said: str) -> None:
    """CONVENTION 243."""
    with pytest.raises(InputError, match=said):
        assess(table(values), RiskFormula())


def test_parts_without_risk_say_why() -> None:
    """CONVENTION 243."""
    whole, *parts = assess(table([[1, 0, 2], [3, 0, 1]]), RiskFormula())
    assert whole.risk is not None
    undefined = [part for part in parts if part.undefined]
    assert [dict(part.where) for part in undefined] == [{"column": "2"}]
    assert "N = 0" in str(undefined[0].undefined)
    assert undefined[0].risk is None


def test_slices() -> None:
    """CONVENTION 246: each row and each column is measured as a table of its own."""
    values = [[4, 5, 0], [2, 0, 6]]
    protected = np.array([3, 6, 3, 6])  # beside 4, 5, 2, 6
    parts = {tuple(part.where.items()): part for part in assess(table(values), RiskFormula(), [protected[None]])}
    assert len(parts) == 1 + 2 + 3
    start, end = both([4, 5, 0], [3, 6, 0])
    row = parts[("row", "1"),]
    assert row.risk == float(weigh(start.terms, WEIGHTS))
    assert row.after is not None
    assert row.after.risk.mean == float(weigh(end.terms, WEIGHTS))
    assert row.after.distance.mean == float(hellinger_counts(np.array([4, 5]), np.array([3, 6])))
    assert len(assess(table([[4, 5, 0]]), RiskFormula())) == 1  # a single line has no parts


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ((0.1, 0.8), "found 2, expected 3"),
        ((0.5, 0.5, 0.5), "sum to 1.5"),
        ((1.2, -0.1, -0.1), "negative"),
        ((float("nan"), 0.5, 0.5), "negative"),
    ],
)
def test_wrong_weights(weights: tuple[float, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_weights(weights, 3)


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=6), st.integers(2, 7), st.integers(0, 2**32))
def test_random_rounding(values: list[int], base: int, seed: int) -> None:
    """CONVENTION 252: to a neighbouring multiple; in pieces or at once, the draws are the same."""
    original = np.array(values)
    found = random_rounding(original, base, np.random.default_rng(seed), 6)
    assert (found % base == 0).all()
    assert (np.abs(found - original) < base).all()
    assert (found[:, original % base == 0] == original[original % base == 0]).all()
    again = np.random.default_rng(seed)
    pieces = [random_rounding(original, base, again, n) for n in (1, 3, 2)]
    assert (np.concatenate(pieces) == found).all()


def test_random_rounding_is_unbiased() -> None:
    values = np.array([0, 1, 2, 3, 4])
    found = random_rounding(values, 3, np.random.default_rng(5), 20_000)
    # sd of one draw is at most 1.5: five standard errors
    assert (np.abs(found.mean(axis=0) - values) < 5 * 1.5 / sqrt(20_000)).all()


def test_rounding_needs_a_base() -> None:
    with pytest.raises(InputError, match="base 1"):
        random_rounding(np.array([1]), 1, np.random.default_rng(0))


@given(st.lists(counts, min_size=1, max_size=8))
def test_few_cells_have_the_entropy_that_many_have(few: list[int]) -> None:
    """To the last digit: plain Python for few cells, scipy for many."""
    rows = information.SMALL // len(few) + 1
    one, many = information.shares(np.array([few])), information.shares(np.array([few] * rows))
    assert (information.entr(many) == information.entr(one)).all()
