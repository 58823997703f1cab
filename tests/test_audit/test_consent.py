"""Cells that are published by agreement of their contributors: judged by no rule, with their reason in the report."""

from dataclasses import replace
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, policy_from_document, release_from_document
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.report.model import Report
from tableseal.audit.report.public import public_copy
from tableseal.audit.report.text import render_text
from tableseal.audit.together import Member, combine

REASON = "letter of 3 May"
AGREED = {"cell": {"region": "A"}, "reason": REASON, "by": "Firm X"}
RULES: list[dict[str, Any]] = [
    {"threshold": 3},
    {"p_percent": 10},
    {"pq": {"p": 10, "q": 60}},
    {"dominance": {"n": 1, "k": 80}},
]


def release(status: str = "", rule: dict[str, Any] | None = None, **more: Any) -> Release:
    cells = {
        "region": ["A", "B", "C", "Total"],
        "value": [100, 100, 100, 300],
        "firms": [1, 5, 6, 12],
        "top1": [100, 40, 30, 100],
        "top2": [None, 20, 20, 40],
        "status": [status, "", "", ""],
    }
    table = {"name": "t", "cells": cells, "frequency": "firms", "contributors": ["top1", "top2"], "status": "status"}
    return release_from_document(
        {
            "tableseal": 1,
            "kind": "magnitude",
            "unit": 1,
            "variables": {"region": {"total": "Total", "codes": ["A", "B", "C"]}},
            "tables": [table],
            "policy": {"primary": [rule or {"threshold": 3}]},
            **more,
        }
    )


def report(*arguments: Any, **more: Any) -> Report:
    return audit(release(*arguments, **more)).report


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_no_rule_judges_a_cell_published_by_consent(rule: dict[str, Any]) -> None:
    # CONVENTION 563
    assert report(rule=rule).verdict == "unsafe"
    for status in ("", "must_publish", "frozen", "consent"):
        found = report(status, rule, consent=[AGREED])
        assert (found.verdict, found.cells) == ("safe", ())
    assert report("consent", rule).verdict == "safe"


def test_the_reason_is_in_the_report_and_not_in_its_public_copy() -> None:
    # CONVENTION 563
    found = report(consent=[AGREED])
    assert [n.code for n in found.notes if "consent" in n.code] == ["consent"]
    assert f"cell region=A is published by consent, judged by no rule: {REASON} (by Firm X)" in render_text(
        found, colour=False, width=200, limit=None
    )
    assert REASON not in str(public_copy(found))
    silent = report("consent")
    assert [(n.code, n.count) for n in silent.notes if "consent" in n.code] == [("consent_unexplained", 1)]


@pytest.mark.parametrize(
    ("day", "until", "verdict"),
    [
        ("2026-11-28", "2026-11-28", "safe"),
        ("2026-11-28", "2026-11-27", "unsafe"),
        (None, "1999-12-31", "safe"),
        ("2026-11-28", None, "safe"),
    ],
)
@pytest.mark.parametrize("status", ["", "consent", "must_publish"])
def test_consent_that_has_ended_is_held_against_the_date_of_the_release_alone(
    day: str | None, until: str | None, verdict: str, status: str
) -> None:
    # CONVENTION 564
    found = report(
        status, consent=[AGREED | ({} if until is None else {"until": until})], **({"date": day} if day else {})
    )
    assert found.verdict == verdict
    ended = [note.text for note in found.notes if note.code == "consent_ended"]
    assert len(ended) == (verdict == "unsafe")
    assert all("2026-11-27" in text and REASON in text for text in ended)
    if day is None:
        assert any("not checked" in note.text for note in found.notes)


def test_canonical_json_keeps_consent() -> None:
    first = release("consent", consent=[AGREED | {"until": "2027-01-31"}], date="2026-11-28")
    again = release_from_document(canonical_document(first))
    assert (again.consents, again.day) == (first.consents, first.day)
    assert canonical_document(again) == canonical_document(first)
    assert audit(again).report.verdict == "safe"


def test_consent_holds_for_the_cell_whatever_table_says_so_and_together_with_other_releases() -> None:
    # CONVENTION 563
    one, other = release("consent", consent=[AGREED]), release()
    for members in ([one, other], [other, one]):
        merged = combine([Member(f"r{k}", m) for k, m in enumerate(members)], title="", policy=one.policy)
        assert audit(merged).report.verdict == "safe"


def test_a_withheld_cell_with_consent_is_judged_by_no_rule_either() -> None:
    # CONVENTION 563
    found = report("secondary", consent=[AGREED])
    [cell] = found.cells
    assert (cell.verdict, cell.sensitive, found.verdict) == ("exposed", False, "safe")
    assert report("primary", consent=[AGREED]).verdict == "unsafe"


def test_rounded_cells_with_consent_are_not_sensitive() -> None:
    table = {"name": "t", "cells": {"a": ["k", "l"], "value": [5, 5]}, "rounding": {"base": 5, "method": "up"}}
    exact = {"name": "u", "cells": {"a": ["k"], "value": [4]}, "absent": {"leaves": "not_released"}}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": [table, exact],
    }
    assert audit(release_from_document(document)).report.verdict == "unsafe"
    agreed = {"consent": [{"cell": {"a": "k"}, "reason": "r", "by": "b"}]}
    assert audit(release_from_document(document | agreed)).report.verdict == "safe"


def test_consent_beside_missing_data_is_no_error() -> None:
    # CONVENTION 563
    bare = release("consent")
    table = bare.tables[0]
    firms = table.frequency
    assert firms is not None
    known = firms.known.copy()
    known[0] = False
    without = replace(bare, tables=(replace(table, frequency=replace(firms, known=known)),))
    assert audit(without).report.verdict == "safe"
    with pytest.raises(InputError, match="needs"):
        audit(replace(without, tables=(replace(without.tables[0], status=table.status * 0),)))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"cell": {"region": "X"}, "reason": "r", "by": "b"}, "X"),
        ({"cell": {"area": "A"}, "reason": "r", "by": "b"}, "no variable"),
        ({"cell": {"region": "A"}, "reason": " ", "by": "b"}, "reason: is empty"),
        ({"cell": {"region": "A"}, "reason": "r"}, "by: is missing"),
        ({"cell": {"region": "A"}, "reason": "r", "by": "b", "until": "soon"}, "expected a date such as"),
        ({"cell": {"region": "A"}, "reason": "r", "by": "b", "measure": "m"}, "no measure"),
    ],
)
def test_entries_that_cannot_be_used(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        release(consent=[entry])


def test_a_cell_that_no_table_has_or_that_is_named_twice() -> None:
    with pytest.raises(InputError, match="another entry names this cell"):
        release(consent=[AGREED, AGREED])
    codes = {"total": "Total", "codes": ["A", "B", "C", "D"]}
    with pytest.raises(InputError, match="no table of the release has this cell"):
        release(consent=[AGREED | {"cell": {"region": "D"}}], variables={"region": codes})


def test_statuses_that_release_a_value_come_first() -> None:
    """Comparisons with FROZEN and SECONDARY decide what is released and what is withheld."""
    assert [s for s in Status if s.released] == [s for s in Status if s <= Status.FROZEN]
    assert {Status.PUBLISHED, Status.CONSENT, Status.MUST_PUBLISH, Status.FROZEN} == {s for s in Status if s.released}
    assert [s for s in Status if s.withheld] == [Status.SECONDARY, Status.WITHHELD, Status.PRIMARY]


def test_a_policy_given_apart_does_not_judge_it_either() -> None:
    rules = policy_from_document({"primary": [{"threshold": 5}]})
    assert audit(release("consent"), policy=rules).report.verdict == "safe"
