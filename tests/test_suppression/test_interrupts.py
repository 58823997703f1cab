"""Whoever interrupts a search gets the best pattern so far, and does not wait long for it."""

from typing import Any

import pytest

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import Threshold
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.rounds import LEAST_AUDIT
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress


def test_the_audit_after_an_interrupt_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 1094: however long an audit might take else."""
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
    release = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
            "tables": [{"name": "t", "cells": {"a": ["T", "1", "2", "3"], "value": [45, 1, 30, 14]}}],
        }
    )
    found: list[Suppression] = []
    with pytest.raises(KeyboardInterrupt):
        suppress(release, policy=Policy((Threshold(3),)), search=interrupted, time_limit=5000, keep=found.append)
    assert [one.found.cost for one in found] == sorted((one.found.cost for one in found), reverse=True)
    assert limits[-1] == LEAST_AUDIT
    assert len(found) == len(limits) == 2
