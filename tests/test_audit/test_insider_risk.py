"""Disclosure risk for a contributor, too close or not: Oganian & Domingo-Ferrer 2003, (22); CONVENTION 807."""

from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import cells, document, report, table

from tableseal.audit.io import release_from_document
from tableseal.audit.report import public_copy, render_html, report_from_json, report_json
from tableseal.audit.report.model import Report


def firms(first: int, second: int, number: int, low: int = 995, high: int = 1004, **more: Any) -> dict[str, Any]:
    """One withheld turnover of 1000, of which everybody knows the interval."""
    entry = table(["k"], [1000], status=["primary"], lower=[low], upper=[high], frequency=[number])
    entry["cells"] |= {"x1": [first], "x2": [second]}
    return document(entry | {"contributors": ["x1", "x2"]}, kind="magnitude", **more)


def audited(given: dict[str, Any]) -> Report:
    from tableseal.audit.pipeline import audit

    return audit(release_from_document(given)).report


def test_the_papers_cell_where_the_second_largest_is_not_too_close() -> None:
    """Section 4.5.4: the cell lies in [995, 1004], the second largest gave 400. The paper takes the largest as strictly
    larger, [401, 604]; here it may be equal, [400, 604]."""
    found = cells(audited(firms(500, 400, 3, intruder={"insiders": ["second"]})))["k"]
    assert found.insider is None
    known = found.insider_risk
    assert known is not None
    assert (known.whose, known.estimates) == ("largest", (400, 604))
    assert known.entropy_bits == pytest.approx(log2(205))
    assert known.risk == pytest.approx(1 / log2(205))
    assert found.risk == pytest.approx(1 / log2(10))  # outsiders, of the cell


def test_who_is_too_close_is_shown_as_well() -> None:
    found = cells(audited(firms(600, 400, 2)))["k"]
    assert found.insider is not None
    known = found.insider_risk
    assert known is not None
    assert (known.who, known.estimates) == (found.insider.who, found.insider.estimates)
    assert known.risk == pytest.approx(1 / log2(10))


def test_one_value_and_no_limit() -> None:
    single = cells(audited(firms(600, 400, 2, low=1000, high=1000)))
    assert single["k"].insider_risk is None  # outsiders know it: nothing is worse
    entry = table(["k"], [1000], status=["primary"], frequency=[3])
    entry["cells"] |= {"x1": [500], "x2": [400]}
    free = document(entry | {"contributors": ["x1", "x2"]}, kind="magnitude", intruder={"insiders": ["second"]})
    known = cells(audited(free))["k"].insider_risk
    assert known is not None
    assert (known.estimates[1], known.entropy_bits, known.risk) == (None, None, 0.0)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 12), st.integers(0, 9), st.integers(0, 9))
def test_the_estimate_holds_the_share_and_its_values_are_counted(
    first: int, second: int, third: int, below: int, above: int
) -> None:
    one, two, three = sorted((first, second, third), reverse=True)
    total = one + two + three
    low, high = max(0, total - below), total + above
    entry = table(["k"], [total], status=["primary"], lower=[low], upper=[high], frequency=[3])
    entry["cells"] |= {"x1": [one], "x2": [two]}
    found = cells(report(entry | {"contributors": ["x1", "x2"]}, kind="magnitude", intruder={"insiders": ["second"]}))
    known = found["k"].insider_risk if found else None
    if known is None:
        assert low == high
        return
    lower, upper = known.estimates
    assert lower is not None
    assert upper is not None
    assert lower <= one <= upper
    # By hand: the largest gives at least as much as the second, and what is left may be the third's, up to the second.
    possible = [
        x
        for x in range(high + 1)
        for rest in [range(two + 1)]
        if x >= two and any(low <= x + two + r <= high for r in rest)
    ]
    assert (lower, upper) == (min(possible), max(possible))
    bits = log2(len(possible))
    assert known.entropy_bits == pytest.approx(bits)
    assert known.risk == (pytest.approx(1 / bits) if bits else None)


def test_it_is_confidential_and_comes_back() -> None:
    given_ = firms(500, 400, 3, intruder={"insiders": ["second"]})
    found = audited(given_)
    assert report_from_json(report_json(found)) == found
    page = render_html(found, release_from_document(given_))
    assert "Risk for a contributor" in page
    assert f"{1 / log2(205):.4f}" in page
    (entry,) = [entry for entry in found.risk_panel if entry.measure == "insider_risk"]
    assert {f.name: f.value for f in entry.figures}["highest_risk"] == pytest.approx(1 / log2(205))
    public = public_copy(found)
    assert cells(public)["k"].insider_risk is None
    assert not any(entry.measure == "insider_risk" for entry in public.risk_panel)
    assert "contributor" not in report_json(public).replace("contributors know", "")


def test_counts_have_no_shares() -> None:
    found = cells(report(table(["k", "l", "T"], [2, 5, 7], status=["primary", "secondary", ""])))
    assert all(cell.insider_risk is None for cell in found.values() if cell.insider is None)
