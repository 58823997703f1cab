"""What is said of the cells that are withheld."""

from dataclasses import replace

import pytest
from one_variable import POLICY, line, withheld

from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.io import release_from_document
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress


def test_the_text_says_of_which_measure_a_cell_is() -> None:
    cells = {"a": ["T", "1", "2", "3"], "value": [45, 1, 30, 14], "s": ["must_publish", "primary", "", ""]}
    document = {
        "tableseal": 1,
        "measures": {m: {"kind": "count"} for m in ("men", "women")},
        "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
        "tables": [{"name": m, "measure": m, "cells": cells, "status": "s"} for m in ("men", "women")],
    }
    text = suppression_text(suppress(release_from_document(document)), limit=None)
    assert "- men 3 (needed by men 1" in text
    assert "- women 3 (needed by women 1" in text


def test_cells_withheld_for_nothing_are_ready_to_be_given_back() -> None:
    """A method that does not clean up: everything around the cell, of which one is enough."""

    def lavish(problem: Problem, tools: Tools) -> Found:
        pattern = problem.primary | problem.may
        return Found("feasible", pattern, problem.price(pattern), 0)

    result = suppress(line([1, 30, 5, 9]), policy=POLICY, search=lavish, method="lavish")
    assert withheld(result) == {"2", "3", "4"}
    assert len(result.idle) == 2
    assert "ready to be given back" in suppression_text(result, limit=None)
    given_back = result.found.pattern.copy()  # type: ignore[union-attr]
    given_back[list(result.idle)] = False
    oracle = Oracle(result.problem.equations, result.problem.requirements, deciding(Highs()))
    assert oracle.decide(given_back).safe


def test_where_too_much_hangs_together_the_answer_says_that_nobody_looked_for_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An empty list of reasons would mean that the cell is withheld for nothing."""
    explained = suppression_report(suppress(line([1, 30, 5, 9]), policy=POLICY))
    assert explained.explained is True
    assert explained.cells[0].needed_by
    monkeypatch.setattr("tableseal.suppression.reasons.explaining.MOST_ENTANGLED", 0)
    result = suppress(line([1, 30, 5, 9]), policy=POLICY)
    unknown = tuple(replace(cell, needed_by=None) for cell in explained.cells)
    assert suppression_report(result) == replace(explained, explained=False, cells=unknown)
    assert "was not looked for" in suppression_text(result, limit=None)
