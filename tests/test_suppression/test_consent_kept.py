"""The search does not withhold what is published by consent, unless somebody says so."""

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.suppression.problem.decisions import Decision
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.suppress import suppress

AGREED = {"cell": {"a": "k", "b": "x"}, "reason": "letter", "by": "X"}


def release(*, stated: bool = True, status: str = "") -> Release:
    cells = {
        "a": ["k", "k", "k", "l", "l", "l", "m", "m", "m", "T", "T", "T"],
        "b": ["x", "y", "U"] * 4,
        "value": [1, 5, 6, 7, 2, 9, 30, 40, 70, 38, 47, 85],
        "s": [status] + [""] * 11,
        "cost": [1, 100, 100, 1, 100, 100, 100, 100, 100, 100, 100, 100],
    }
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l", "m"]}, "b": {"total": "U", "codes": ["x", "y"]}},
        "tables": [{"name": "t", "cells": cells, "status": "s", "cost": "cost"}],
        "policy": {"primary": [{"threshold": 3}]},
    }
    return release_from_document(document | ({"consent": [AGREED]} if stated else {}))


def status_of(found: Release, row: int) -> Status:
    return Status(int(found.tables[0].status[row]))


def test_the_search_leaves_it_published_and_what_goes_out_too() -> None:
    # CONVENTION 565
    for given in (release(), release(stated=False, status="consent"), release(status="consent")):
        found = suppress(given)
        assert found.report is not None
        assert found.report.verdict == "safe"
        assert found.release.tables[0].value.get(0) == 1
        out = public_release(found.release, tell_statuses=True)
        assert out.tables[0].value.get(0) == 1
        assert out.consents == ()
        assert status_of(public_release(found.release), 0) == Status.PUBLISHED


def test_a_decision_withholds_it_and_no_rule_judges_it_then() -> None:
    # CONVENTION 565
    accept = Decision("accept", (("a", "k"), ("b", "x")), None, "cheap", "me", "2026-11-28")
    for given in (release(), release(stated=False, status="consent")):
        found = suppress(given, decisions=[accept])
        assert status_of(found.release, 0) == Status.SECONDARY
        assert len(found.release.consents) == 1
        assert audit(found.release).report.verdict == "safe"
