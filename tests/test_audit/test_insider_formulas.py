"""What contributors work out of each other (Oganian & Domingo-Ferrer 2003, section 4.5.4)."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tableseal.audit.attackers.estimates import Estimate, largest_seen_by, second_seen_by_largest, too_close

contributions = st.lists(st.integers(0, 10**6) | st.integers(0, 5), min_size=2, max_size=8).map(
    lambda xs: sorted(xs, reverse=True)
)
slack = st.integers(0, 50) | st.none()


def test_the_papers_example() -> None:
    # CONVENTION 41
    """It does not say how many contribute: of many the largest need not give more than the second does."""
    strictly_larger = replace(largest_seen_by([400], 10), least=401)
    assert strictly_larger(995, 1004) == (401, 604)


def test_two_contributors_know_each_other_within_the_interval() -> None:
    assert largest_seen_by([400], 2)(995, 1004) == Estimate(400)(995, 1004) == (595, 604)
    assert second_seen_by_largest(600, 2)(995, 1004) == (395, 404)


def test_no_limit() -> None:
    assert Estimate(5)(None, None) == (None, None)
    assert largest_seen_by([5], 3)(None, None) == (5, None)
    assert second_seen_by_largest(5, 3)(None, None) == (0, 5)


@given(contributions, slack, slack)
def test_the_true_amount_is_inside_the_estimate(xs: list[int], below: int | None, above: int | None) -> None:
    total, n = sum(xs), len(xs)
    lo = None if below is None else total - below
    hi = None if above is None else total + above
    for (low, high), truth in (
        (Estimate(xs[1], among=n - 1)(lo, hi), xs[0]),
        (largest_seen_by([xs[1]], n)(lo, hi), xs[0]),
        (second_seen_by_largest(xs[0], n)(lo, hi), xs[1]),
    ):
        assert low is None or low <= truth
        assert high is None or truth <= high


ESTIMATES = st.builds(
    Estimate,
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(1, 4),
    st.none() | st.integers(0, 20),
    st.none() | st.integers(20, 50),
)


@given(ESTIMATES, st.integers(0, 40), st.sampled_from([0, 5, 10, 60]))
def test_an_estimate_is_not_too_close_if_the_cell_reaches_far_enough(estimate: Estimate, target: int, p: int) -> None:
    # CONVENTION 42
    """And it is if either end misses that by a unit; unless what is known whatever the cell may be is too close."""
    assume(not too_close(estimate(None, None), target, Fraction(p)))
    low, high = estimate.reach(target, Fraction(p))
    assert not too_close(estimate(low, high), target, Fraction(p))
    assert too_close(estimate(low + 1, None), target, Fraction(p))
    assert too_close(estimate(None, high - 1), target, Fraction(p))


@given(st.integers(0, 60), st.integers(0, 8), st.integers(0, 20), st.integers(2, 4))
def test_the_estimates_are_the_tightest(lo: int, width: int, own: int, n: int) -> None:
    # CONVENTION 41
    """Brute force over all contributions of whole units; as tight as the paper's simpler bound, or tighter."""
    hi = lo + width

    # The second largest sees: x1 >= own, the n - 2 others each between 0 and own.
    largest = [x for x in range(own, hi + 1) if x + own <= hi and x + (n - 1) * own >= lo]
    low, high = largest_seen_by([own], n)(lo, hi)
    if largest:
        assert (low, high) == (largest[0], largest[-1])
        assert low is not None
        assert low >= Fraction(lo - own, n - 1)
    # The largest sees: x2 <= own, the n - 2 others each between 0 and x2.
    second = [x for x in range(own + 1) if own + x <= hi and own + (n - 1) * x >= lo]
    if second:
        assert second_seen_by_largest(own, n)(lo, hi) == (second[0], second[-1])


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
    assert too_close((low, high), target, Fraction(10)) is close


def test_too_close_is_exact() -> None:
    # CONVENTION 42
    target = 10**30
    assert too_close((None, target + target // 10 - 1), target, Fraction(10))
    assert not too_close((None, target + target // 10), target, Fraction(10))
