"""What only an audit can judge, and what is said where that leaves nothing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from one_variable import POLICY, line, withheld

from tableseal.audit.errors import LimitError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Require, SapLimit
from tableseal.suppression.problem.problem import Problem, least_width
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found
from tableseal.suppression.suppress import suppress


def test_a_limit_on_risk_is_met() -> None:
    """DR = 1/log2(m) <= 0.25 asks for 16 values."""
    assert least_width(Fraction(1, 4)) == 15
    assert least_width(None) == 1
    policy = replace(POLICY, require=Require(risk=Fraction(1, 4)))
    result = suppress(line([1, 30, 5, 9]), policy=policy)
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert all(row.risk is not None and row.risk <= 0.25 for row in result.report.cells if row.sensitive)
    assert withheld(suppress(line([1, 30, 5, 9]), policy=POLICY)) == {"3"}
    assert sum({"2": 30, "3": 5, "4": 9}[c] for c in withheld(result)) + 1 >= 15


def test_a_risk_that_nothing_meets_is_said_with_the_largest_interval() -> None:
    policy = replace(POLICY, require=Require(risk=Fraction(1, 10)))
    result = suppress(line([1, 30, 5, 9]), policy=policy)
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    assert (result.conflict.largest.lower, result.conflict.largest.upper) == (0, 45)
    assert "values 1024 apart" in result.conflict.text
    assert "0 to 45" in result.conflict.text


def test_a_limit_on_subtraction_is_met_by_withholding_zeros() -> None:
    """CONVENTION 448: a published zero is recovered by anybody; it has to be withheld, with something else."""
    policy = replace(POLICY, require=Require(sap=SapLimit(1, Fraction(1, 2))))
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {v: {"total": "T", "codes": ["1", "2", "3"]} for v in "ab"},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "a": [i for i in "T123" for _ in "T123"],
                    "b": list("T123") * 4,
                    "value": [60, 15, 20, 25, 15, 0, 7, 8, 20, 7, 6, 7, 25, 8, 7, 10],
                },
            }
        ],
    }
    result = suppress(release_from_document(document), policy=policy, method="heuristic")
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.pattern is not None
    assert result.found.status == "feasible"
    assert result.found.pattern.sum() >= 3


def test_nothing_safe_where_withheld_cells_are_known_not_to_be_empty() -> None:
    """Found by random tests: of the zero, were it withheld as well, more would be known than is true."""
    release = line([1, 0, 7], ["primary", "", "must_publish"])
    release = replace(release, intruder=replace(release.intruder, nonempty=True, prior=Fraction(1, 2)))
    result = suppress(release)
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    assert "what is left is a single value" in result.conflict.text


@pytest.mark.parametrize("method", ["optimal", "heuristic"])
def test_what_needs_a_cell_is_said_of_the_pattern_before_nothing_was_enough(method: str) -> None:
    """Found by random tests: its audit finds the risk too high, more was asked for, and nothing can do that."""
    rows = [
        ("1", "x", 20, ""),
        ("1", "y", 90, ""),
        ("2", "y", 130, ""),
        ("3", "x", 300, ""),
        ("A", "x", 20, ""),
        ("A", "y", 220, "frozen"),
        ("T", "x", 320, ""),
    ]
    members = [("3", "x", 300, "H"), ("2", "y", 90, ""), ("1", "x", 20, ""), ("1", "y", 90, ""), ("2", "y", 20, "H")]
    microdata = {name: [m[k] for m in members] for k, name in enumerate(("a", "b", "m", "holding"))}
    microdata["id"] = [str(k) for k in range(len(members))]
    release = release_from_document(
        {
            "tableseal": 1,
            "measures": {"m": {"kind": "magnitude", "unit": 1}},
            "variables": {
                "a": {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}},
                "b": {"total": "T", "codes": ["x", "y"]},
            },
            "tables": [
                {
                    "name": "t",
                    "cells": {name: [row[k] for row in rows] for k, name in enumerate(("a", "b", "value", "s"))},
                    "status": "s",
                }
            ],
            "microdata": {"cells": microdata, "values": {"m": "m"}, "id": "id", "holding": "holding"},
            "intruder": {"prior": "1"},
            "policy": {
                "primary": [{"dominance": {"n": 1, "k": 80}}],
                "insider": {"p_percent": 1},
                "require": {"risk": 0.4},
            },
        }
    )
    result = suppress(release, method=method)
    assert result.explained
    assert result.found.pattern is not None
    secondary = np.flatnonzero(result.found.pattern & ~result.problem.primary)
    assert set(result.needs) == set(secondary.tolist())


@pytest.mark.parametrize("time_limit", [None, 50.0])
def test_what_is_neither_shown_nor_refuted_is_not_blamed_on_time(
    monkeypatch: pytest.MonkeyPatch, time_limit: float | None
) -> None:
    """The search for a safe pattern that comes last had time left, so more of it cannot help."""
    monkeypatch.setattr("tableseal.suppression.rounds.cover", lambda *_: (None, None))
    monkeypatch.setattr("tableseal.audit.decision.oracle.Oracle.narrowed", lambda _, __, start, *___: (start, False))

    def nothing(problem: Problem, tools: Tools) -> Found:
        return Found("unfinished", None, 0, 0)

    with pytest.raises(LimitError) as caught:
        suppress(line([1, 30, 5, 9]), policy=POLICY, search=nothing, method="nothing", time_limit=time_limit)
    assert "1" in str(caught.value)
    assert "time" not in str(caught.value)
