"""SAP of large tables: exact where affordable, else with a proved error; estimates; what the data cannot be."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sap_brute import margins, sap_by_inclusion_exclusion

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.measures.sap.attack import attack, with_total
from tableseal.audit.measures.sap.curve import curve, curve_of_tight
from tableseal.audit.measures.sap.definitions import Effort, resolved_sap, static_sap
from tableseal.audit.measures.sap.enclosure import enclose, enclose_terms, terms_of
from tableseal.audit.measures.sap.matrix_attack import bounds_if_rounded, of_counts
from tableseal.audit.measures.sap.network import network
from tableseal.audit.measures.sap.schemes import compare_schemes, parse_scheme
from tableseal.audit.measures.sap.sizes import parse_sizes
from tableseal.audit.measures.sap.unrecovered import exhausting_none, sample_counts, sample_counts_of_tight
from tableseal.audit.model import Rounding


def test_ten_thousand_cells_exactly() -> None:
    """All sizes at once; checked against the first two, which have short formulas, and the enclosures."""
    counts = np.random.default_rng(1).poisson(0.2, 10_000)
    tight = counts[counts > 0].tolist()
    total, ones, twos = sum(tight), tight.count(1), tight.count(2)
    unrecovered = sample_counts(exhausting_none(tight, total + 1), total, total)
    exact = [1 - Fraction(u, comb(total, n)) for n, u in enumerate(unrecovered)]
    assert exact[1] == Fraction(ones, total)
    assert exact[2] == 1 - Fraction(comb(total - ones, 2) - twos, comb(total, 2))
    assert exact[-1] == 1
    for value, (found, error) in zip(exact, enclose(tight, total, range(total + 1)), strict=True):
        assert abs(value - found) <= error <= 1e-15


@pytest.mark.parametrize("mean", [3, 100, 1000])
def test_a_million_units_with_a_proved_error(mean: int) -> None:
    """Against exact integers for small samples, and against a sample of all and of all but one."""
    counts = np.random.default_rng(mean).poisson(mean, 1_000_000 // mean)
    tight = counts[counts > 0][::7].tolist() + ([1, 2] if mean > 3 else [])
    total = int(counts.sum()) + 3
    sizes = (0, 1, 2, 30, 300, total // 2, total - 1, total)
    found = enclose(tight, total, sizes)
    assert max(error for _, error in found) < 1e-14
    small = [c for c in tight if c <= 300]
    unrecovered = sample_counts(exhausting_none(small, 301), total, 300)
    for n, (value, error) in zip(sizes[:5], found, strict=False):
        assert abs(1 - Fraction(unrecovered[n], comb(total, n)) - Fraction(value)) <= error + 1e-16
    assert [value for value, _ in found] == sorted(value for value, _ in found)
    assert found[-1][0] == 1


def test_few_cells_of_any_size() -> None:
    """Polynomials of a degree that nobody writes out, but of few terms; beyond, a limit and not all the memory."""
    total = 10**12 + 6
    found = enclose([10**12, 1, 2, 3], total, (1, total // 2, 10**12, total))
    assert max(error for _, error in found) < 1e-15
    assert Fraction(found[0][0]) == pytest.approx(Fraction(1, total))
    assert found[1][0] == pytest.approx(1 - Fraction(1, 2) * Fraction(3, 4) * Fraction(7, 8), abs=1e-9)
    assert [value for value, _ in found[2:]] == [1, 1]
    everything = [10**9 + k for k in range(40)]
    with pytest.raises(LimitError, match="ask for smaller n"):
        enclose(everything, sum(everything), (sum(everything),))
    counts = np.array([[10**12, 1], [2, 4]])
    for total_too in (False, True):
        problem = of_counts(counts, rounding=3, rounded_total=total_too).attack
        for measure in (static_sap, resolved_sap):
            assert measure(problem, (1, problem.total)).value[1] == 1


def test_samples_that_are_too_large_to_draw() -> None:
    # CONVENTION 263
    counts = np.full(25, 2 * 10**6)
    sums = margins((5, 5)) @ counts
    problem = attack(counts, rows=margins((5, 5)), row_low=sums, row_high=sums)
    with pytest.raises(LimitError, match="up to 1,000,000 units"):
        resolved_sap(problem, (3 * 10**7,))
    general = problem.known_in(np.arange(25) // 5)
    with pytest.raises(LimitError, match="up to 1,000,000 units"):
        resolved_sap(general, (3 * 10**7,))


def test_two_ways_to_enclose_agree() -> None:
    tight, total = [2, 5, 5, 60], 200
    q = exhausting_none(tight, total + 1)
    sizes = (0, 7, 59, 60, 100, 200)
    exact = sap_by_inclusion_exclusion(tight, total)
    for found in (enclose(tight, total, sizes), enclose_terms(terms_of(q), total, sizes)):
        for n, (value, error) in zip(sizes, found, strict=True):
            assert abs(exact[n] - value) <= error + 1e-16
    assert curve(q, total, sizes, "resolved", exact=True).exact == tuple(exact[n] for n in sizes)


def test_what_is_affordable() -> None:
    # CONVENTION 262
    assert curve_of_tight([1, 2], 1000, (0, 500, 1000), "static").exact is not None
    rough = curve_of_tight([1, 2], 10**6, (0, 500_000), "static")
    assert rough.exact is None
    assert 0 < rough.error < 1e-15
    assert rough.value[1] == pytest.approx(1 - 0.5 * 0.75, abs=1e-6)
    with pytest.raises(LimitError, match="billion digits"):
        curve_of_tight([1, 2], 10**6, (500_000,), "static", exact=True)
    huge = curve_of_tight([10**12], 10**13, (0, 3), "static")
    assert huge.exact == (0, 0)


def test_a_rounded_table_with_margins_of_a_hundred_cells() -> None:
    # CONVENTION 263
    counts = np.random.default_rng(4).poisson(2, (10, 10)).ravel()
    rows = margins((10, 10))
    low, high = bounds_if_rounded(rows @ counts, Rounding(5, "conventional"))
    problem = attack(counts, *bounds_if_rounded(counts, Rounding(5, "conventional")), rows, low, high)
    assert network(problem) is not None
    sizes = tuple(range(0, problem.total + 1, 5))
    first = resolved_sap(problem, sizes, Effort(replicates=300, seed=3))
    assert first == resolved_sap(problem, sizes, Effort(replicates=300, seed=3))
    assert first != resolved_sap(problem, sizes, Effort(replicates=300, seed=4))
    static = static_sap(problem, sizes)
    assert first.interval is not None
    for s, value, (a, b) in zip(static.value, first.value, first.interval, strict=True):
        assert s <= value
        assert 0 <= a <= value <= b <= 1
    assert list(first.value) == sorted(first.value)
    with pytest.raises(LimitError, match="out of exact reach"):
        resolved_sap(problem, sizes, Effort(exact=True))
    exact = resolved_sap(problem, (0, 1, 2, 3), Effort(replicates=1))
    assert exact.exact is not None
    short = resolved_sap(problem, (3, *sizes), Effort(replicates=300, seed=5))
    assert short.interval is not None
    assert short.interval[0][0] <= exact.value[3] <= short.interval[0][1]


def test_orders_are_drawn_without_replacement() -> None:
    from tableseal.audit.measures.sap.monte_carlo import _orders

    problem = attack(np.array([3, 0, 2, 95]))
    generator = np.random.Generator(np.random.PCG64(1))
    for top in (5, 60):  # both ways of drawing
        orders = _orders(problem, 4000, top, generator)
        taken = np.stack([(orders == g).sum(axis=1) for g in range(4)], axis=1)
        assert (taken <= [3, 0, 2, 95]).all()
        assert (orders[:, 0] == 0).mean() == pytest.approx(0.03, abs=0.012)
        assert (taken[:, 0] / top).mean() == pytest.approx(0.03, abs=0.006)


def test_schemes() -> None:
    """The mean over random roundings against all roundings listed."""
    counts = np.array([2, 5, 0, 3, 1])
    sizes = tuple(range(12))
    found = dict(compare_schemes(counts, [parse_scheme("random:3"), parse_scheme("conventional:3+total")], sizes))
    mean = [Fraction(0)] * 12
    risky = [c for c in counts.tolist() if c % 3 == 2]
    for down in range(2 ** len(risky)):
        tight = [c for i, c in enumerate(risky) if down >> i & 1]
        chance = Fraction(1, 3) ** len(tight) * Fraction(2, 3) ** (len(risky) - len(tight))
        mean = [m + chance * s for m, s in zip(mean, sap_by_inclusion_exclusion(tight, 11), strict=True)]
    assert found[parse_scheme("random:3")].exact == tuple(mean)
    low, high = bounds_if_rounded(counts, Rounding(3, "conventional"))
    total_low, total_high = (int(b[0]) for b in bounds_if_rounded(np.array([11]), Rounding(3, "conventional")))
    expected = resolved_sap(with_total(attack(counts, low, high), total_low, total_high), sizes)
    assert found[parse_scheme("conventional:3+total")] == expected
    for text in ("random:3+total", "stochastic:3", "up:1", "up"):
        with pytest.raises(InputError, match="rounding scheme"):
            parse_scheme(text)


@pytest.mark.parametrize(
    ("text", "total", "sizes"),
    [
        (None, 3, (0, 1, 2, 3)),
        (None, 5000, tuple(range(1001))),
        ("all", 2, (0, 1, 2)),
        ("5", 9, (5,)),
        ("0-10/5, 7", 99, (0, 5, 7, 10)),
    ],
)
def test_sizes(text: str | None, total: int, sizes: tuple[int, ...]) -> None:
    # CONVENTION 261
    assert parse_sizes(text, total) == sizes


@pytest.mark.parametrize("text", ["", "x", "3-1", "-1", "1-5/0", "0-99999999999", "1.5"])
def test_bad_sizes(text: str) -> None:
    with pytest.raises(InputError, match=r"^n "):
        parse_sizes(text, 10)


def test_bad_attacks() -> None:
    two = np.array([1, 2])
    for arguments, said in (
        ({"counts": np.array([1, -2])}, "cell 2: the count is negative"),
        ({"counts": np.array([], np.int64)}, "no cells"),
        ({"counts": two, "high": np.array([1, 1])}, "cell 2: the true count is not between"),
        ({"counts": np.array([2**61, 2**61])}, "2\\^62"),
    ):
        with pytest.raises(InputError, match=said):
            attack(**arguments)
    rows = margins((1, 2))
    with pytest.raises(InputError, match="statement 1"):
        attack(two, rows=rows, row_low=np.array([4, 1, 2]), row_high=np.array([9, 1, 2]))
    with pytest.raises(InputError, match="true total"):
        with_total(attack(two), 4, 9)
    for n in (-1, 4):
        with pytest.raises(InputError, match=rf"n = {n}: expected a sample size from 0 to N = 3"):
            static_sap(attack(two), (n,))
    with pytest.raises(InputError, match="no units"):
        static_sap(attack(np.array([0, 0])), (0,))
    with pytest.raises(InputError, match="row 1, column 2: the upper bound is below"):
        of_counts(np.array([[1, 2]]), upper=np.array([[1, 1]]))
    with pytest.raises(InputError, match="expected the same"):
        of_counts(np.array([[1, 2]]), upper=np.array([[1], [2]]))


@given(tight=st.lists(st.integers(0, 6), max_size=9), rest=st.integers(0, 9), data=st.data())
def test_few_sizes_are_counted_as_by_polynomials(tight: list[int], rest: int, data: st.DataObject) -> None:
    """Against the polynomials, and against every sample of one table."""
    total = sum(tight) + rest
    upto = data.draw(st.integers(0, total))
    found = sample_counts_of_tight(tight, total, upto)
    assert found == sample_counts(exhausting_none(tight, upto + 1), total, upto)
    if total <= 9:
        units = [cell for cell, count in enumerate([*tight, rest]) for _ in range(count)]
        for n, number in enumerate(found):
            held = [[sample.count(c) for c in range(len(tight))] for sample in combinations(units, n)]
            assert number == sum(all(a < b for a, b in zip(h, tight, strict=True)) for h in held)
