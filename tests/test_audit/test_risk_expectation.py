"""Exact expectations over all roundings, f-divergences, distributions of counts."""

import json
from itertools import product
from math import inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.api.cases import cases_folder
from tableseal.api.options.risk import RiskOptions
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.matrix import read_numbers
from tableseal.audit.measures.risk.distribution import distribution, parse_classes
from tableseal.audit.measures.risk.divergence import NAMES, divergence, parse_divergences
from tableseal.audit.measures.risk.hellinger import hellinger_counts, hellinger_shares
from tableseal.audit.measures.risk.measure import measure
from tableseal.audit.measures.risk.rounding_outcomes import rounding_outcomes
from tableseal.audit.measures.risk.table_risk import WEIGHTS, after, before, weigh
from tableseal.audit.model.count_table import Axis, CountTable
from tableseal.audit.report.risk import risk_json, risk_text

CASES = json.loads((Path(__file__).parents[1] / "data" / "risk_reference.json").read_text("utf-8"))
small = st.lists(st.integers(0, 7), min_size=2, max_size=6).filter(any)


def count_table(values: Any) -> CountTable:
    array = np.array(values)
    axes = tuple(Axis(f"v{k}", tuple(map(str, range(n)))) for k, n in enumerate(array.shape))
    index = np.flatnonzero(array)
    return CountTable(Place("t"), axes, index, array.ravel()[index])


def matrix(number: int) -> np.ndarray:
    path = cases_folder() / f"a14_tables/table{number}.csv"
    return read_numbers(path.read_text("utf-8"), path.name).astype(np.int64)


@given(small, st.integers(2, 5))
def test_outcomes_are_all_roundings_with_their_probability(values: list[int], base: int) -> None:
    """CONVENTION 808: R2 and HD by going through all 2^m roundings, cell by cell."""
    counts = np.array(values)
    pieces = rounding_outcomes(counts, base)
    assert pieces is not None
    found = list(pieces)
    tables, likely = np.concatenate([t for t, _ in found]), np.concatenate([p for _, p in found])
    assert likely.sum() == pytest.approx(1)
    assert likely @ tables.sum(axis=1) == pytest.approx(counts.sum())  # unbiased
    start, risk, distance, chance = before(counts, len(counts)), 0.0, 0.0, 0.0
    for up in product((0, 1), repeat=len(counts)):
        one = counts - counts % base + base * np.array(up)
        p = np.prod([c % base / base if u else 1 - c % base / base for c, u in zip(values, up, strict=True)])
        if p:
            chance += p
            risk += p * float(weigh(after(start, counts, one).terms, WEIGHTS))
            distance += p * float(hellinger_counts(counts, one))
    assert chance == pytest.approx(1)
    assert likely @ weigh(after(start, counts, tables).terms, WEIGHTS) == pytest.approx(risk, abs=1e-12)
    assert likely @ hellinger_counts(counts, tables) == pytest.approx(distance, abs=1e-12)


GONE_THROUGH = 80
"""Of the parts of the four tables."""

EXACT = [
    case for case in CASES if case["kind"] in ("mean_R2_random_rounding_base3", "mean_HD_counts_random_rounding_base3")
]


@pytest.mark.parametrize("case", EXACT, ids=lambda case: case["id"])
def test_the_published_means_lie_around_the_expectation(case: Any) -> None:
    """Antal, Shlomo & Elliot 2014, Tables 1 to 4: means of 1,000 roundings to base 3, wherever T(G) can be gone
    through; form a14-published is the one that the figures come from."""
    table, (kind, _, number) = matrix(case["input"]["table"]), case["input"]["part"].partition(" ")
    counts = (
        table.ravel() if kind == "whole" else table[int(number) - 1] if kind == "row" else table[:, int(number) - 1]
    )
    pieces = rounding_outcomes(counts, 3)
    if pieces is None:
        assert kind == "whole" or len(np.unique(counts[counts % 3 > 0])) > 7  # honestly too many
        return
    start, mean, squares = before(counts, len(counts)), 0.0, 0.0
    risk = case["kind"].startswith("mean_R2")
    for tables, likely in pieces:
        values = (
            weigh(after(start, counts, tables, "a14-published").terms, WEIGHTS)
            if risk
            else hellinger_counts(counts, tables)
        )
        mean += float(likely @ values)
        squares += float(likely @ values**2)
    deviation = sqrt(max(0.0, squares - mean**2))
    published = case["expected"]["published"] if risk else case["input"]["published"]
    assert abs(mean - published) <= 4 * deviation / sqrt(1000) + 5e-5
    simulated = case["expected"]["as_published_maxG_defect"] if risk else case["expected"]
    known = case["tolerance"]["reference_se"]
    assert abs(mean - simulated) <= 5 * (known["maxG"] if risk else known) + 6e-6  # printed digits


def test_most_published_parts_can_be_gone_through() -> None:
    tables = [matrix(number) for number in (1, 2, 3, 4)]
    parts = [part for table in tables for part in (table.ravel(), *table, *table.T)]
    assert sum(rounding_outcomes(part, 3) is not None for part in parts) == GONE_THROUGH


def test_table_3_is_gone_through_as_a_whole_and_by_parts() -> None:
    options = RiskOptions(rounding=3, exact=True, replicates=5)
    found = measure(count_table(matrix(3)), options.settings())
    assert all(part.after is not None and part.after.outcomes for part in found.parts)
    assert all(part.after is not None and part.after.risk.error == 0 for part in found.parts)
    assert found.parts[0].after is not None
    assert found.parts[0].after.outcomes == 6144
    assert "exact expectations over all random roundings to base 3." in risk_text(found)
    drawn = measure(count_table(matrix(3)), RiskOptions(rounding=3, replicates=4000).settings())
    assert drawn.parts[0].after is not None
    apart = found.parts[0].after.risk.mean - drawn.parts[0].after.risk.mean
    assert abs(apart) <= 5 * drawn.parts[0].after.risk.error


def test_parts_with_too_many_outcomes_are_drawn() -> None:
    found = measure(count_table(matrix(1)), RiskOptions(rounding=3, exact=True, replicates=50).settings())
    whole = found.parts[0].after
    assert whole is not None
    assert whole.outcomes is None
    assert whole.risk.error > 0
    rows = [part.after for part in found.parts[1:] if part.after is not None]
    assert any(row.outcomes for row in rows)
    assert "else means over 50 random roundings" in risk_text(found)


def test_exact_by_the_definition_of_2015() -> None:
    counts = [0, 1, 2, 7, 12]
    found = measure(count_table(counts), RiskOptions(definition="s15-split", rounding=3, exact=True).settings())
    drawn = measure(count_table(counts), RiskOptions(definition="s15-split", rounding=3, replicates=3000).settings())
    one, many = found.parts[0].after, drawn.parts[0].after
    assert one is not None
    assert many is not None
    assert one.outcomes == 2 * 2 * 2
    assert abs(one.risk.mean - many.risk.mean) <= 5 * many.risk.error


# f-divergences


@given(small, small)
def test_divergences_as_they_are_written_out(first: list[int], second: list[int]) -> None:
    """Antal, Shlomo & Elliot 2014, (3.3) and what follows; chi-squared and total variation from their f."""
    n = min(len(first), len(second))
    f, g = np.array(first[:n]), np.array(second[:n])
    if not f.any() or not g.any():
        return
    p, q = f / f.sum(), g / g.sum()
    pairs = list(zip(p.tolist(), q.tolist(), strict=True))
    kl = sum(a * log(a / b) if b else inf for a, b in pairs if a)
    assert float(divergence("kl", f, g)) == pytest.approx(kl, abs=1e-12)
    assert float(divergence("reverse-kl", g, f)) == pytest.approx(kl, abs=1e-12)
    chi = sum((a - b) ** 2 / b if b else inf for a, b in pairs if a or b)
    assert float(divergence("chi-squared", f, g)) == pytest.approx(chi, abs=1e-12)
    assert float(divergence("total-variation", f, g)) == pytest.approx(np.abs(p - q).sum() / 2, abs=1e-12)
    assert float(divergence("hellinger-squared", f, g)) == pytest.approx(float(hellinger_shares(f, g)) ** 2, abs=1e-12)
    # Known inequalities: H^2 <= TV <= sqrt(2) H, Pinsker, KL <= log(1 + chi^2).
    tv, h2 = float(divergence("total-variation", f, g)), float(divergence("hellinger-squared", f, g))
    assert h2 <= tv + 1e-12
    assert tv <= sqrt(2 * h2) + 1e-7
    assert 2 * tv**2 <= kl + 1e-12
    assert kl <= log(1 + chi) + 1e-12


def test_relative_entropy_to_the_even_table_is_what_entropy_lacks() -> None:
    """Section 3.1: D(P||U) = log K - H(P)."""
    counts = np.array([4, 0, 5, 2])
    p = counts[counts > 0] / 11
    assert float(divergence("kl", counts, np.ones(4))) == pytest.approx(log(4) + float((p * np.log(p)).sum()))


def test_an_empty_table_has_nothing_in_common() -> None:
    empty = np.zeros(2, np.int64)
    found = {name: float(divergence(name, np.array([1, 2]), empty)) for name in NAMES}
    assert found["total-variation"] == found["hellinger-squared"] == 1
    assert found["kl"] == found["reverse-kl"] == found["chi-squared"] == inf


def test_divergences_in_the_result() -> None:
    options = RiskOptions(rounding=3, exact=True, divergence="total-variation,kl")
    found = measure(count_table([1, 5, 9]), options.settings())
    end = found.parts[0].after
    assert end is not None
    kl, tv = end.divergences
    assert (kl.name, tv.name) == ("kl", "total-variation")
    assert kl.value is None
    assert kl.infinite == pytest.approx(2 / 3)  # the one becomes a zero
    by_hand = sum(
        p * float(divergence("total-variation", np.array([1, 5, 9]), np.array([a, b, 9])))
        for a, b, p in ((0, 3, 2 / 9), (0, 6, 4 / 9), (3, 3, 1 / 9), (3, 6, 2 / 9))
    )
    assert tv.value is not None
    assert tv.value.mean == pytest.approx(by_hand)
    assert "kl: infinite in 0.6667 of all versions" in risk_text(found)
    assert json.loads(risk_json(found))["whole"]["after"]["divergences"][0]["value"] is None
    plain = json.loads(risk_json(measure(count_table([1, 5, 9]), RiskOptions(rounding=3, replicates=3).settings())))
    assert not {"divergences", "outcomes"} & plain["whole"]["after"].keys()
    assert "distribution" not in plain


@pytest.mark.parametrize("text", ["", "kl,kl", "js"])
def test_divergences_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="kl, reverse-kl"):
        parse_divergences(text)


def test_options_without_effect_are_refused() -> None:
    for options in (RiskOptions(exact=True), RiskOptions(divergence="kl")):
        with pytest.raises(InputError, match="no effect"):
            measure(count_table([1, 5]), options.settings())


# Distributions of counts


def from_frequencies(sizes: dict[int, int]) -> CountTable:
    return count_table(np.repeat(list(sizes), list(sizes.values())))


def test_the_hypercube_as_table_1_prints_it() -> None:
    """Shlomo, Antal & Elliot 2015, Table 1: cells by count, of 245,700."""
    table = from_frequencies({0: 226_939, 1: 4_028, 2: 2_112, 4: 2_964, 7: 1_664, 10: 720, 11: 7_273})
    found = distribution(table, parse_classes("hypercube"))
    assert [(part.least, part.most) for part in found.classes] == [
        (0, 0), (1, 1), (2, 2), (3, 5), (6, 8), (9, 10), (11, None),
    ]  # fmt: skip
    assert [part.cells for part in found.classes] == [226_939, 4_028, 2_112, 2_964, 1_664, 720, 7_273]
    assert [round(100 * part.share, 1) for part in found.classes] == [92.4, 1.6, 0.9, 1.2, 0.7, 0.3, 3.0]
    assert sum(part.cells for part in found.classes) == 245_700


@pytest.mark.parametrize(
    ("cells", "numbers", "shares"),
    [
        (2_457, [1_534, 44, 35, 27, 20, 17, 780], [62.4, 1.8, 1.4, 1.1, 0.8, 0.7, 31.7]),
        (210, [49, 14, 2, 5, 4, 1, 135], [23.3, 6.7, 1.0, 2.4, 1.9, 0.5, 64.3]),
        (585, [275, 16, 9, 3, 9, 5, 268], [47.0, 2.7, 1.5, 0.5, 1.5, 0.9, 45.8]),
        (234, [84, 9, 4, 6, 1, 4, 126], [35.9, 3.8, 1.7, 2.6, 0.4, 1.7, 53.8]),
    ],
)
def test_the_four_requests_as_table_2_prints_them(cells: int, numbers: list[int], shares: list[float]) -> None:
    """Shlomo, Antal & Elliot 2015, Table 2. The paper prints 31.8 for 780 of 2,457 and 3.9, 53.9 for 9 and 126 of 234:
    each a tenth above what its numbers give (31.75, 3.85, 53.85)."""
    found = distribution(
        from_frequencies(dict(zip([0, 1, 2, 3, 4, 5, 17], numbers, strict=True))), (0, 1, 2, 3, 4, 5, 6)
    )
    assert [part.cells for part in found.classes] == numbers
    assert sum(numbers) == cells
    assert [100 * part.share for part in found.classes] == pytest.approx(shares, abs=0.051)
    assert parse_classes("tables") == (0, 1, 2, 3, 4, 5, 6)


@given(small, st.sets(st.integers(1, 9), max_size=4))
def test_classes_hold_every_cell_once(values: list[int], more: set[int]) -> None:
    starts = (0, *sorted(more))
    found = distribution(count_table(values), starts)
    assert sum(part.cells for part in found.classes) == len(values)
    for part in found.classes:
        assert part.cells == sum(part.least <= v <= (inf if part.most is None else part.most) for v in values)
    assert found.mean == pytest.approx(sum(values) / len(values))


def test_the_protected_table_beside_it() -> None:
    options = RiskOptions(distribution="0,1,3")
    found = measure(count_table([0, 1, 2, 8]), options.settings(protected=count_table([0, 0, 3, 9])))
    assert found.distribution is not None
    assert [(part.cells, part.after) for part in found.distribution.classes] == [(1, 2), (2, 0), (1, 2)]
    assert "3 and over" in risk_text(found)


@pytest.mark.parametrize("text", ["", "1,2", "0,2,2", "0,x", "table"])
def test_classes_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="smallest count of each class"):
        parse_classes(text)
