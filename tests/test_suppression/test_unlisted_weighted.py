"""Weighted counts that no row lists: judged by respondents or by weights, and protected where these are too few."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighted_releases import WeightedTable

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Status
from tableseal.audit.pipeline import audit
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.suppress import suppress

RULES: list[dict[str, Any]] = [
    {"threshold": 3},
    {"threshold": 4, "of": "weighted"},
    {"threshold": 3, "zeros": True},
]


@given(st.integers(0, 2**32), st.sampled_from(RULES), st.sampled_from(["count", "magnitude"]))
def test_what_is_left_out_is_judged_by_what_the_columns_add_up_to(seed: int, rule: dict[str, Any], kind: str) -> None:
    # CONVENTION 627
    drawn = WeightedTable(Random(seed))
    report = audit(release_from_document(drawn.document(rule, kind=kind))).report
    names = {tuple(code for _, code in cell.cell) for cell in report.implied if cell.verdict == "exposed"}
    single = {place for place in names if place in drawn.left_out}
    assert single == drawn.given_away(rule)
    assert report.verdict == "unsafe" or not single


@given(st.integers(0, 2**32), st.sampled_from(RULES[:2]))
def test_searches_keep_it_from_coming_out(seed: int, rule: dict[str, Any]) -> None:
    # CONVENTION 627
    drawn = WeightedTable(Random(seed))
    release = release_from_document(drawn.document(rule))
    result = suppress(release, costs=Costs("unit"), explain=False)
    if result.found.status == "infeasible":
        assert result.release is None
        return
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.report.implied == ()
    assert result.release is not None
    codes, status = result.release.tables[0].codes, result.release.tables[0].status
    listed = [tuple(result.release.cell_codes(row).values()) for row in codes]
    shown = [(a, b) for (a, b), s in zip(listed, status.tolist(), strict=True) if Status(s).released]
    for place in drawn.given_away(rule):
        low, high = drawn.possible(place, shown)
        assert high - low > 0.5


@pytest.mark.parametrize("value", [1200, 2, 0])
def test_one_respondent_is_protected_whatever_stands_for_them(value: int) -> None:
    # CONVENTION 627
    rows = [(a, b) for a in "ABCT" for b in "xyzT" if (a, b) != ("C", "x")]
    inner = {(a, b): (100 + 10 * i + j, 20) for i, a in enumerate("ABC") for j, b in enumerate("xyz")}
    inner["C", "x"] = (value, 1)

    def total(a: str, b: str, k: int) -> int:
        return sum(own[k] for (i, j), own in inner.items() if a in (i, "T") and b in (j, "T"))

    cells = {
        "a": [a for a, _ in rows],
        "b": [b for _, b in rows],
        "value": [total(a, b, 0) for a, b in rows],
        "n": [total(a, b, 1) for a, b in rows],
    }
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": list("ABC")}, "b": {"total": "T", "codes": list("xyz")}},
        "tables": [{"name": "t", "frequency": "n", "cells": cells, "absent": {"leaves": "not_released"}}],
        "policy": {"primary": [{"threshold": 3}]},
    }
    before = audit(release_from_document(document)).report
    assert [(cell.verdict, cell.lower) for cell in before.implied] == [("exposed", value)]
    result = suppress(release_from_document(document))
    assert result.report is not None
    assert (result.found.status, result.report.verdict, result.report.implied) == ("optimal", "safe", ())
    assert result.problem.unlisted == 1


def test_without_a_column_the_value_of_a_count_is_judged() -> None:
    # CONVENTION 627
    for seed in range(40):
        drawn = WeightedTable(Random(seed))
        for rule in RULES[:2]:
            found = audit(release_from_document(drawn.document(rule, column=False))).report
            count = found.summary.implied
            assert count is not None
            assert count.judged == count.computed
