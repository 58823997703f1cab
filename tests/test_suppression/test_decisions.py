"""Decisions by hand, and last period's pattern."""

from typing import Any

import pytest
from one_variable import POLICY, line, withheld

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.decisions import decisions_from_document
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.report.model import LastPeriodFigures
from tableseal.suppression.suppress import suppress


def test_a_cell_kept_by_hand_stays_and_one_accepted_goes() -> None:
    """CONVENTION 442: decisions bind the search and are reported with reason, name and date."""
    hand = {"reason": "headline figure", "name": "A. Officer", "date": "2026-11-28"}
    decisions = decisions_from_document(
        {
            "decisions": [
                {"decision": "keep_published", "cell": {"a": "3"}, **hand},
                {"decision": "accept", "cell": {"a": "2"}, **hand},
            ]
        }
    )
    result = suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions)
    assert withheld(result) == {"2"}
    assert result.found.status == "optimal"
    assert result.found.cost == 30 * result.problem.scale
    written = suppression_report(result)
    (first, second) = written.decisions
    assert (first.decision, first.cell, first.reason) == ("accept", (("a", "2"),), "headline figure")
    assert (second.decision, second.name, second.date) == ("keep_published", "A. Officer", "2026-11-28")
    assert written.cells[0].accepted
    text = suppression_text(result, limit=None)
    assert "3: kept published by A. Officer, 2026-11-28: headline figure" in text
    assert "accepted by hand" in text


def decide(decision: dict[str, Any]) -> Suppression:
    decisions = decisions_from_document({"decisions": [decision]})
    return suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions)


HAND = {"reason": "r", "name": "n", "date": "2026-01-31"}


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ({"decision": "keep_published", "cell": {"a": "1"}, **HAND}, "sensitive and cannot be kept published"),
        ({"decision": "accept", "cell": {"a": "T"}, **HAND}, r"\(must_publish\) is none that may be withheld"),
        ({"decision": "accept", "cell": {"b": "T"}, **HAND}, 'no variable "b"; there are a'),
        ({"decision": "accept", "cell": {"a": "7"}, **HAND}, 'a has no code "7"'),
        ({"decision": "accept", "cell": {"a": "2"}, "measure": "n", **HAND}, 'no measure "n"'),
        ({"decision": "accept", "cell": {"a": "2"}, **HAND, "date": "yesterday"}, 'found "yesterday", expected a date'),
        ({"decision": "accept", "cell": {"a": "2"}, **HAND, "reason": " "}, "reason: is empty"),
        ({"decision": "accept", "cell": {"a": "2"}, "reason": "r", "name": "n"}, "date: is missing"),
        ({"decision": "allow", "cell": {"a": "2"}, **HAND}, "expected keep_published, accept"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_decisions_that_make_no_sense(decision: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decide(decision)


def test_two_people_who_disagree() -> None:
    both = [{"decision": d, "cell": {"a": "2"}, **HAND} for d in ("accept", "keep_published")]
    with pytest.raises(InputError, match="n and n have decided differently"):
        suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions_from_document({"decisions": both}))


def test_cells_kept_by_hand_may_leave_no_pattern() -> None:
    kept = [{"decision": "keep_published", "cell": {"a": c}, **HAND} for c in "234"]
    decisions = decisions_from_document({"decisions": kept})
    result = suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions)
    assert result.conflict is not None
    assert "a=2 (kept published by decision)" in result.conflict.text
    assert "a=T (must be published)" in result.conflict.text


def test_a_pattern_stays_near_last_period() -> None:
    """CONVENTION 443: cells withheld last period are ten times cheaper; how many changed is reported."""
    now = line([1, 30, 5, 9])
    before = line([1, 32, 6, 8], ["primary", "secondary", "", ""])
    result = suppress(now, policy=POLICY, last=before)
    assert withheld(result) == {"2"}
    assert result.changes is not None
    assert (result.changes.kept, result.changes.new, result.changes.returned) == (2, 0, 0)
    assert suppression_report(result).last_period == LastPeriodFigures(factor=10, kept=2, new=0, returned=0)
    other = line([1, 32, 6, 8], ["primary", "", "", "secondary"])
    far = suppress(now, policy=POLICY, last=other, costs=Costs(avoid=("a=4", "a=2")))
    assert withheld(far) == {"3"}
    assert far.changes is not None
    assert (far.changes.kept, far.changes.new, far.changes.returned) == (1, 1, 1)


def test_a_last_period_of_something_else_is_refused() -> None:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"b": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"b": ["1", "2"], "value": [1, 2]}}],
    }
    with pytest.raises(InputError, match="has no cell in common"):
        suppress(line([1, 30, 5, 9]), policy=POLICY, last=release_from_document(document))


def test_a_last_period_that_shares_nothing_but_the_total_is_refused() -> None:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"b": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"b": ["T", "1", "2"], "value": [3, 1, 2]}}],
    }
    with pytest.raises(InputError, match="has no cell in common with this release"):
        suppress(line([1, 30, 5, 9]), policy=POLICY, last=release_from_document(document))
