"""Contributors who know each other whatever is withheld: told apart from what a pattern mends, and accepted."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report, public_copy, render_html, render_text
from tableseal.audit.together import Member, combine

ACCEPT = {"cell": {"region": "North"}, "reason": "both firms wrote so", "by": "A. Officer"}


def document(first: int = 52, second: int = 50, rest: int = 0, n: int = 2, **more: Any) -> dict[str, Any]:
    """North is withheld, with these largest contributions; South (500 of 9) hides it."""
    north = first + second + rest
    cells = {
        "region": ["Total", "North", "South", "West"],
        "value": [north + 900, north, 500, 400],
        "s": ["", "primary", "secondary", ""],
        "n": [n + 18, n, 9, 9],
        "first": [max(first, 90), first, 90, 80],
        "second": [max(second, 60), second, 60, 60],
    }
    table = {"name": "t", "cells": cells, "status": "s", "frequency": "n", "contributors": ["first", "second"]}
    return {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {"region": {"total": "Total", "codes": ["North", "South", "West"]}},
        "tables": [table],
        **more,
    }


def release(**more: Any) -> Release:
    return release_from_document(document(**more))


def report(**more: Any) -> Report:
    return audit(release(**more)).report


def verdict_of(found: Report) -> tuple[str, str, str | None]:
    """(of the release, of North, its reason)"""
    [north] = [c for c in found.cells if ("region", "North") in c.cell]
    return found.verdict, north.verdict, north.reason


@given(st.integers(1, 200), st.data(), st.integers(1, 60))
def test_what_ranks_alone_say(first: int, data: st.DataObject, p: int) -> None:
    """CONVENTION 41 and 623: the second largest knows that the largest is no smaller than itself, the largest that the
    second largest is no larger; nothing else is known of a cell that can be anything."""
    second = data.draw(st.integers(1, first))
    rest, n = data.draw(st.sampled_from([(0, 2), (second, 3)]))
    found = report(first=first, second=second, rest=rest, n=n, policy={"insider": {"p_percent": p}})
    expected = set()
    if second > first * (1 - Fraction(p, 100)):
        expected.add(("second largest of North", "largest"))
    if first < second * (1 + Fraction(p, 100)):
        expected.add(("largest of North", "second_largest"))
    told = {(i.who, i.whose) for beyond in found.beyond_help for i in beyond.insiders}
    assert told == expected
    assert {beyond.cell for beyond in found.beyond_help} <= {(("region", "North"),)}
    _, _, reason = verdict_of(found)
    assert reason in (("ranks", "insider") if expected else (None, "insider"))


def test_it_is_a_group_of_its_own_with_the_way_past_it() -> None:
    """CONVENTION 623: and says whose contribution it is that somebody estimates."""
    found = report()
    assert verdict_of(found) == ("unsafe", "underprotected", "ranks")
    text = render_text(found, colour=False, width=400, limit=None)
    assert text.startswith(
        "UNSAFE: This release must not go out as it is. 1 sensitive cell whose contributors know each"
    )
    assert "not protected enough" not in text
    assert "Next: no pattern mends that" in text
    assert "Contributors who know each other whatever is withheld" in text
    assert "second largest of North can place the largest contribution to this cell within [50, 552]" in text
    assert "largest of North can place the second largest contribution to this cell within [0, 52]" in text
    for way in ("consent", "`accept`", "intruder: {insiders:", "p_percent"):
        assert way in text
    page = render_html(found, release())
    assert '<section id="beyond-help"' in page
    assert "second largest of North can place the largest contribution" in page
    assert public_copy(found).beyond_help == ()


def test_an_accepted_one_stays_in_the_report_and_speaks_no_longer_against_it() -> None:
    """CONVENTION 624."""
    found = report(accept=[ACCEPT])
    assert verdict_of(found) == ("safe", "protected", None)
    [beyond] = found.beyond_help
    assert beyond.accepted is not None
    assert (beyond.accepted.reason, beyond.accepted.by, beyond.accepted.until) == (
        "both firms wrote so",
        "A. Officer",
        None,
    )
    text = render_text(found, colour=False, width=400, limit=None)
    assert "Of 1 sensitive cell it is accepted that contributors know each other." in text.splitlines()[0]
    assert "accepted: both firms wrote so (by A. Officer)" in text
    assert "Ask those whose contribution it is" not in text


@pytest.mark.parametrize(
    ("policy", "high", "n", "reason"),
    [
        ({"primary": [{"p_percent": 10}]}, 105, 9, "protection"),  # 108 must stay possible
        ({"require": {"risk": "0.01"}}, None, 9, "risk"),
        ({}, None, 1, "insider"),  # who is alone in South computes North
    ],
)
def test_nothing_else_is_accepted_with_it(policy: Any, high: int | None, n: int, reason: str) -> None:
    """CONVENTION 624."""
    made = document(accept=[ACCEPT], policy=policy)
    made["tables"][0]["cells"] |= {"high": [None, high, None, None], "n": [20, 2, n, 9]}
    if n == 1:
        made["tables"][0]["cells"] |= {"first": [500, 52, 500, 80], "second": [90, 50, None, 60]}
    made["tables"][0]["upper"] = "high"
    found = audit(release_from_document(made)).report
    assert found.beyond_help
    assert verdict_of(found) == ("unsafe", "underprotected", reason)


def test_an_exact_value_is_not_accepted() -> None:
    """CONVENTION 624."""
    made = document(accept=[ACCEPT])
    made["tables"][0]["cells"]["s"][2] = ""
    assert verdict_of(audit(release_from_document(made)).report)[:2] == ("unsafe", "exposed")


def test_what_is_accepted_ends_or_is_needless() -> None:
    """CONVENTION 624: against the release's date, and said."""
    until = {**ACCEPT, "until": "2026-12-31"}
    assert verdict_of(report(accept=[until], date="2026-12-31"))[0] == "safe"
    ended = report(accept=[until], date="2027-01-01")
    assert verdict_of(ended) == ("unsafe", "underprotected", "ranks")
    assert "accept_ended" in {note.code for note in ended.notes}
    assert "accept_unchecked" in {note.code for note in report(accept=[until]).notes}
    needless = report(first=90, second=10, rest=5, n=9, accept=[ACCEPT])
    assert "there is nothing to accept" in " ".join(note.text for note in needless.notes)
    with pytest.raises(
        InputError, match=r"accept\[0\]\.reason: is empty; say why its contributors may know each other"
    ):
        release(accept=[{**ACCEPT, "reason": " "}])
    with pytest.raises(InputError, match=r"accept\[0\]"):
        release(accept=[{**ACCEPT, "cell": {"region": "Nowhere"}}])


def test_it_is_kept_in_canonical_form_and_in_releases_together() -> None:
    """CONVENTION 624."""
    one = release(accept=[ACCEPT])
    again = release_from_document(canonical(one))
    assert canonical_json(again) == canonical_json(one)
    west = {"name": "u", "cells": {"region": ["West"], "value": [400]}, "absent": {"leaves": "not_released"}}
    other = release_from_document({**document(), "tables": [west]})
    together = combine([Member("a", one), Member("b", other)], title="both")
    assert audit(together).report.verdict == "safe"


def canonical(one: Release) -> Any:
    return json.loads(canonical_json(one))
