"""What contributors work out of each other (Oganian & Domingo-Ferrer 2003, section 4.5.4)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.attackers.formulas import largest_seen_by_second, others, second_seen_by_largest, too_close

contributions = st.lists(st.integers(0, 10**6) | st.integers(0, 5), min_size=2, max_size=8).map(
    lambda xs: sorted(xs, reverse=True)
)
slack = st.integers(0, 50) | st.none()


def test_the_papers_example() -> None:
    # CONVENTION 41
    assert largest_seen_by_second(995, 1004, 400, None, strictly_larger=True) == (401, 604)


def test_two_contributors_know_each_other_within_the_interval() -> None:
    assert largest_seen_by_second(995, 1004, 400, 2) == others(995, 1004, 400) == (595, 604)
    assert second_seen_by_largest(995, 1004, 600, 2) == (395, 404)


def test_no_limit() -> None:
    assert others(None, None, 5) == (None, None)
    assert largest_seen_by_second(None, None, 5, 3) == (5, None)
    assert second_seen_by_largest(None, None, 5, 3) == (0, 5)
    assert second_seen_by_largest(8, None, 5, None) == (1, 5)


@pytest.mark.parametrize("n", [0, 1])
def test_a_single_contributor_has_no_second(n: int) -> None:
    for formula in (largest_seen_by_second, second_seen_by_largest):
        with pytest.raises(ValueError, match="no second largest"):
            formula(0, 10, 5, n)


@given(contributions, slack, slack, st.booleans())
def test_the_true_amount_is_inside_the_estimate(
    xs: list[int], below: int | None, above: int | None, knows_n: bool
) -> None:
    total = sum(xs)
    lo = None if below is None else total - below
    hi = None if above is None else total + above
    n = len(xs) if knows_n else None
    for (low, high), truth in (
        (others(lo, hi, xs[1]), total - xs[1]),
        (largest_seen_by_second(lo, hi, xs[1], n), xs[0]),
        (second_seen_by_largest(lo, hi, xs[0], n), xs[1]),
    ):
        assert low is None or low <= truth
        assert high is None or truth <= high
    if xs[0] > xs[1]:
        low, _ = largest_seen_by_second(lo, hi, xs[1], n, strictly_larger=True)
        assert low is not None
        assert low <= xs[0]


@given(st.integers(0, 60), st.integers(0, 8), st.integers(0, 20), st.integers(2, 4))
def test_the_estimates_are_the_tightest(lo: int, width: int, own: int, n: int) -> None:
    # CONVENTION 41
    """Brute force over all contributions of whole units; as tight as the paper's simpler bound, or tighter."""
    hi = lo + width

    # The second largest sees: x1 >= own, the n - 2 others each between 0 and own.
    largest = [x for x in range(own, hi + 1) if x + own <= hi and x + (n - 1) * own >= lo]
    low, high = largest_seen_by_second(lo, hi, own, n)
    if largest:
        assert (low, high) == (largest[0], largest[-1])
        assert low is not None
        assert low >= Fraction(lo - own, n - 1)
    # The largest sees: x2 <= own, the n - 2 others each between 0 and x2.
    second = [x for x in range(own + 1) if own + x <= hi and own + (n - 1) * x >= lo]
    if second:
        assert second_seen_by_largest(lo, hi, own, n) == (second[0], second[-1])


@pytest.mark.parametrize(
    ("low", "high", "target", "close"),
    [
        (401, 604, 600, True),  # 604 < 660
        (401, 604, 549, False),  # 604 > 603.9, 401 < 494.1
        (401, 604, 550, True),  # 604 < 605
        (90, None, 100, False),  # exactly at the limit is not too close
        (91, None, 100, True),
        (None, 110, 100, False),
        (None, 109, 100, True),
        (None, None, 100, False),
        (0, 0, 0, False),
        (-110, None, -100, False),
        (-109, None, -100, True),
    ],
)
def test_too_close(low: int | None, high: int | None, target: int, close: bool) -> None:
    # CONVENTION 42
    assert too_close(low, high, target, Fraction(10)) is close


def test_too_close_is_exact() -> None:
    # CONVENTION 42
    target = 10**30
    assert too_close(None, target + target // 10 - 1, target, Fraction(10))
    assert not too_close(None, target + target // 10, target, Fraction(10))
