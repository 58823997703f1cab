"""Whoever interrupts a search gets the best pattern so far, and does not wait long for it."""

from typing import Any

import pytest

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import Threshold
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress


@pytest.mark.parametrize(("insiders", "large", "seconds"), [(True, 20_000, 10), (True, 2, 20), (False, 2, 10)])
def test_the_audit_after_an_interrupt_is_short(
    insiders: bool, large: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 1094, 1095: however long an audit might take else; longer of many cells with contributors."""
    limits: list[float] = []

    def counted(*given: Any, **options: Any) -> Any:
        limits.append(options["time_limit"])
        return audit(*given, **options)

    def interrupted(problem: Problem, tools: Tools) -> Found:
        everything = problem.primary | problem.may
        tools.keep(Found("feasible", everything, problem.price(everything), 0))
        tools.keep(heuristic(problem, tools))
        raise KeyboardInterrupt

    monkeypatch.setattr("tableseal.suppression.rounds.audit", counted)
    monkeypatch.setattr("tableseal.suppression.rounds.BOXED_FIRST", large)
    release = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
            "tables": [{"name": "t", "cells": {"a": ["T", "1", "2", "3"], "value": [45, 1, 30, 14]}}],
        }
    )
    found: list[Suppression] = []
    asked: dict[str, Any] = {"insiders": insiders, "time_limit": 5000, "keep": found.append}
    with pytest.raises(KeyboardInterrupt):
        suppress(release, policy=Policy((Threshold(3),)), search=interrupted, **asked)
    assert [one.found.cost for one in found] == sorted((one.found.cost for one in found), reverse=True)
    assert limits[-1] == seconds
    assert len(found) == len(limits) == 2
