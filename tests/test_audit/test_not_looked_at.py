"""What a report says of all that no rule judged, or that was not looked at: never an unqualified SAFE."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import public_copy, report_from_json, report_json
from tableseal.audit.report.called import called
from tableseal.audit.report.model import Report
from tableseal.audit.report.words import headline, verdict_line

ROWS = ["T", "k", "l", "m", "n"]


def report(status: list[str], values: list[int], **more: Any) -> Report:
    """A total and its parts."""
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ROWS[1:]}},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "a": ROWS,
                    "value": [None if s == "missing" else v for s, v in zip(status, values, strict=True)],
                    "truth": values,
                    "s": status,
                },
                "status": "s",
                "truth": "truth",
            }
        ],
        "policy": {"primary": [{"threshold": 5}]},
    }
    return audit(release_from_document(document | more)).report


@given(st.lists(st.integers(6, 30), min_size=4, max_size=4), st.lists(st.booleans(), min_size=5, max_size=5))
def test_missing_cells_that_can_be_computed_are_said(parts: list[int], missing: list[bool]) -> None:
    # CONVENTION 628
    found = report(["missing" if m else "" for m in missing], [sum(parts), *parts])
    one = sum(missing) == 1
    assert found.verdict == "safe"
    assert (called(found) == "safe as listed") == one
    assert ("1 cell marked missing can be computed, and no rule judged it" in headline(found)) == one
    assert verdict_line(found).startswith("SAFE as listed; 1 cell marked" if one else "SAFE: ")
    assert ("missing_computed" in {note.code for note in found.notes}) == one
    again = report_from_json(report_json(found))
    assert headline(again) == headline(found)
    assert "missing can be" not in headline(public_copy(found))
    asked = {"primary": [{"threshold": 5}], "require": {"implied": "judged"}}
    strict = report(["missing" if m else "" for m in missing], [sum(parts), *parts], policy=asked)
    assert strict.verdict == ("undecided" if one else "safe")
    assert headline(strict).startswith("Not judged to the end" if one else "This release may go out")


def test_of_those_that_would_be_sensitive_it_is_said() -> None:
    # CONVENTION 628
    found = report(["", "missing", "", "", ""], [39, 2, 10, 12, 15])
    assert verdict_line(found) == (
        "SAFE as listed; 1 cell marked missing can be computed (sensitive), and no rule judged it. This release may go "
        "out: every sensitive cell that is judged is protected."
    )
    (note,) = [note for note in found.notes if note.code == "missing_computed"]
    assert note.text.endswith("not judged: a=k. If readers must not know them, give them the status withheld.")


def left_out(**more: Any) -> dict[str, Any]:
    """A row of two classifications is left out."""
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "b": {"total": "T", "codes": ["x", "y"]}},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "a": ["T", "T", "T", "k", "k", "l", "l"],
                    "b": ["T", "x", "y", "T", "x", "T", "x"],
                    "value": [60, 30, 30, 30, 12, 30, 18],
                },
                "absent": {"leaves": "not_released"},
            }
        ],
        **more,
    }


@pytest.mark.parametrize(
    ("policy", "code", "first"),
    [
        ({}, None, "SAFE: "),
        (
            {"implied": "computed"},
            "implied_computed",
            "SAFE as listed; cells that no row lists were only looked for as",
        ),
        ({"require": {"protection": "false"}}, "implied_no_protection", "SAFE: "),
        ({"implied": "off"}, "implied_off", "SAFE as listed; cells that no row lists were not looked for"),
        ({"implied": "off", "require": {"implied": "judged"}}, "implied_required", "UNDECIDED: Not judged to the end"),
    ],
)
def test_settings_that_look_at_less_are_said(policy: dict[str, Any], code: str | None, first: str) -> None:
    # CONVENTION 505
    # CONVENTION 506
    document = left_out(policy={"primary": [{"threshold": 5}], **policy})
    found = audit(release_from_document(document)).report
    codes = {note.code for note in found.notes if note.code.startswith("implied_")}
    assert verdict_line(found).startswith(first)
    assert codes >= ({code} if code else set())
    assert code or not codes
    complete = report([""] * 5, [60, 10, 20, 14, 16], policy={"primary": [{"threshold": 5}], **policy})
    assert ("implied_computed" in {note.code for note in complete.notes}) is False
    assert ("implied_no_protection" in {note.code for note in complete.notes}) is False


@pytest.mark.parametrize(("knows", "absent", "count"), [(True, "not_released", 2), (True, "zero", 0), (False, "", 0)])
def test_rows_left_out_are_said_where_readers_know_the_rule(knows: bool, absent: str, count: int) -> None:
    # CONVENTION 628
    document = left_out(policy={"primary": [{"threshold": 5}]}, intruder={"knows_rule": knows})
    if absent:
        document["tables"][0]["absent"] = {"leaves": absent}
    if absent == "zero":
        document["tables"][0]["cells"]["value"] = [30, 30, 0, 12, 12, 18, 18]
    found = audit(release_from_document(document)).report
    assert sum(note.count for note in found.notes if note.code == "rule_of_rows_unknown") == count
