"""Rounding that can never meet a threshold (CONVENTION 592)."""

from typing import Any

import pytest

from tableseal.audit import audit
from tableseal.audit.io import release_from_document
from tableseal.audit.report import public_copy, render_text
from tableseal.audit.rules.too_fine import CODE


def document(rounding: dict[str, Any], value: list[int], truth: list[int], **more: Any) -> dict[str, Any]:
    cells = {"a": ["x", "y", "T"], "value": value, "truth": truth}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y"]}},
        "tables": [{"name": "t", "cells": cells, "truth": "truth", "rounding": rounding}],
        "policy": {"primary": [{"threshold": 5}]} | more.pop("policy", {}),
    } | more


def noted(rounding: dict[str, Any], *, threshold: int, **more: Any) -> bool:
    """Whether a table of zeros rounded like that is said to be never protected."""
    policy = {"primary": [{"threshold": threshold}], **more.pop("policy", {})}
    release = release_from_document(document(rounding, [0, 0, 0], [0, 0, 0], policy=policy, **more))
    return any(note.code == CODE for note in audit(release).report.notes)


def possible(rounding: dict[str, Any], shown: int) -> set[int]:
    """True values behind a published one, by the definition of each method."""
    base, values = rounding["base"], range(400)
    match rounding["method"]:
        case "conventional":
            return {v for v in values if (v + base // 2) // base * base == shown}
        case "random" | "controlled":
            return {v for v in values if abs(v - shown) < base and shown % base == 0}
        case "up":
            return {v for v in values if -(-v // base) * base == shown}
        case "down":
            return {v for v in values if v // base * base == shown}
        case "midpoint":
            return {v for v in values if (0 if v == 0 else -(-v // base) * base - base // 2) == shown}
        case _:
            kept = {v for v in values if v >= base and v == shown}
            return kept | set(range(base)) if shown == 0 else kept | set(range(1, base)) if shown == base else kept


@pytest.mark.parametrize("method", ["conventional", "random", "controlled", "up", "down", "midpoint", "small"])
@pytest.mark.parametrize("base", [2, 3, 4, 5, 7, 10, 11, 12])
@pytest.mark.parametrize("threshold", [2, 3, 5, 10])
def test_it_is_said_exactly_where_no_published_value_leaves_what_is_required(
    method: str, base: int, threshold: int
) -> None:
    rounding = {"base": base, "method": method}
    behind = [possible(rounding, shown) for shown in range(threshold + 2 * base)]
    small = set(range(1, threshold))
    meets = not any(len(found) > 1 and found & small for found in behind)
    meets |= any(found & small and set(range(threshold + 1)) <= found for found in behind)
    assert noted(rounding, threshold=threshold) == (not meets)


def test_where_nothing_is_required_nothing_is_said() -> None:
    rounding = {"base": 3, "method": "random"}
    assert noted(rounding, threshold=5)
    assert not noted(rounding, threshold=5, policy={"require": {"protection": False}})
    assert not noted(rounding, threshold=5, policy={"primary": [{"threshold": 5, "protection_percent": 10}]})


def test_it_stands_before_the_verdict_and_the_advice_is_no_search() -> None:
    report = audit(release_from_document(document({"base": 3, "method": "random"}, [3, 9, 12], [2, 9, 11]))).report
    first, _, following, *_ = render_text(report, colour=False, width=100, limit=None).splitlines()
    assert first.startswith("UNSAFE: Rounding can never meet the threshold here")
    assert following.startswith("Next: round more coarsely")
    assert "tableseal suppress sees to the rest" in following
    assert not any(note.code == CODE for note in public_copy(report).notes)


def test_a_table_that_is_safe_needs_no_such_beginning() -> None:
    report = audit(release_from_document(document({"base": 3, "method": "random"}, [9, 9, 18], [9, 8, 17]))).report
    assert report.verdict == "safe"
    assert render_text(report, colour=False, width=100, limit=None).startswith("SAFE: This release may go out")


def test_top_coding_rounds_no_small_count() -> None:
    rounding = {"base": 1, "method": "conventional", "top": 40}
    report = audit(release_from_document(document(rounding, [2, 40, 40], [2, 47, 49]))).report
    first, _, following, *_ = render_text(report, colour=False, width=100, limit=None).splitlines()
    assert first.startswith("UNSAFE: This release must not go out")
    assert following.startswith("Next: find further cells to withhold: tableseal suppress")


def test_no_search_is_recommended_for_rounded_cells_that_exact_ones_give_away() -> None:
    """Small counts alone are rounded: 20 - 18 = 2."""
    release = document({"base": 5, "method": "small"}, [0, 18, 20], [2, 18, 20], policy={"primary": [{"threshold": 4}]})
    report = audit(release_from_document(release)).report
    assert [cell.verdict for cell in report.cells] == ["exposed"]
    assert "\nNext: round more coarsely" in render_text(report, colour=False, width=100, limit=None)
