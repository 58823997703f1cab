"""Answers that are known: reports of others rebuilt small, shipped cases, all confirmed without the package."""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import oracle_of
from oracle import Document, possible_values
from protected import as_document

from tableseal.api.cases import cases_folder
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.io import read_release, release_from_document
from tableseal.audit.model import Policy, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.suppress import suppress

REPORTS = Path(__file__).parent.parent / "data" / "reports"
ANSWERS = [e for e in json.loads((REPORTS / "expected.json").read_text("utf-8")) if "suppress" in e]


def secondary(result: Suppression) -> list[Mapping[str, str]]:
    problem, pattern = result.problem, result.found.pattern
    assert pattern is not None
    found = np.flatnonzero(pattern & ~problem.primary).tolist()
    return [problem.release.cell_codes(problem.cells.codes[c]) for c in found]


@pytest.mark.parametrize("entry", ANSWERS, ids=lambda e: e["id"])
def test_the_suppress_answers_of_reports(entry: dict[str, Any]) -> None:
    expected = entry["suppress"]
    result = suppress(read_release(REPORTS / entry["input"]))
    assert result.found.status == expected["status"]
    if expected["exit"] == 1:
        assert result.conflict is not None
        assert result.report is None
        assert all(name in result.conflict.text for name in expected["names"])
        assert result.conflict.equations
        return
    assert result.found.cost == expected["cost"] * result.problem.scale
    assert secondary(result) == expected["secondary_cells"]
    assert result.report is not None
    assert result.report.verdict == "safe"


def test_all_answers_are_here() -> None:
    assert [e["id"] for e in ANSWERS] == ["B28a", "B28b"]


AREAS = {"a": 5, "b": 6, "c": 2, "d": 4, "e": 6, "f": 20, "g": 31, "C1": 33, "C2": 41, "K": 42, "M": 32, "T": 74}


def linked(withheld: set[str] = frozenset()) -> Document:  # type: ignore[assignment]
    """The areas by county and by type, as in the case linked_one_by_one."""
    tables = []
    for name, groups in (("by_county", ["C1", "C2"]), ("by_type", ["K", "M"])):
        codes = [*"abcdefg", *groups, "T"]
        status = ["primary" if c in "bc" else "secondary" if c in withheld else "published" for c in codes]
        cells = {"place": codes, "value": [AREAS[c] for c in codes], "status": status}
        tables.append({"name": name, "cells": cells, "status": "status"})
    trees = [{"C1": list("abcf"), "C2": list("deg")}, {"K": list("abg"), "M": list("cdef")}]
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"place": {"total": "T", "trees": trees}},
        "tables": tables,
        "intruder": {"insiders": []},
    }


def safe_by_listing(document: Document, withheld: set[str]) -> bool:
    """Whether b and c have several values in all tables that fit, found by listing them."""
    release = release_from_document(linked(withheld))
    oracle, tables = oracle_of(as_document(document, release))
    assert tables is not None
    return all(len(list(possible_values(tables, oracle.forms["n", (c,)]))) > 1 for c in "bc")


def test_linked_tables_are_protected_at_once() -> None:
    """What protecting in turns leaves exposed (issue 136) has a pattern of two cells in one problem, and no pattern of
    fewer is safe."""
    document = linked()
    assert not safe_by_listing(document, {"a", "d", "e"})
    result = suppress(release_from_document(document), costs=Costs("unit"))
    assert len(secondary(result)) == 2
    assert safe_by_listing(document, {cell["place"] for cell in secondary(result)})
    smaller = [set(), *({c} for c in AREAS if c not in "bc")]
    assert not any(safe_by_listing(document, withheld) for withheld in smaller)
    shipped = suppress(read_release(cases_folder() / "linked_one_by_one" / "release.yaml"), costs=Costs("unit"))
    assert len(secondary(shipped)) == 2


def test_three_linked_tables_need_a_cycle_in_each() -> None:
    """O03: with margins published, three secondary cells for each table; integer programming finds room for each
    sensitive cell."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    result = suppress(read_release(cases_folder() / "o03_linked" / "protect" / "release.yaml"), costs=Costs("unit"))
    found = secondary(result)
    assert len(found) == 9
    assert result.found.status == "optimal"
    release = public_release(result.release or result.problem.release, tell_statuses=True)
    axes = [h.codes[1:] for h in release.variables.values()]
    base = list(itertools.product(*axes))
    rows, values, primaries = [], [], []
    for table in release.tables:
        for code, value, known in zip(table.codes, table.value.units, table.value.known, strict=True):
            names = release.cell_codes(code).values()
            row = [all(n in ("Total", b) for n, b in zip(names, cell, strict=True)) for cell in base]
            if known:
                rows.append(row)
                values.append(int(value))
        primary = table.status.tolist().index(Status.PRIMARY)
        names = release.cell_codes(table.codes[primary]).values()
        primaries.append([all(n in ("Total", b) for n, b in zip(names, cell, strict=True)) for cell in base])
    fits = LinearConstraint(np.array(rows, float), values, values)
    for form in primaries:
        ends = [
            sign * milp(sign * np.array(form, float), constraints=fits, bounds=Bounds(0), integrality=1).fun
            for sign in (1, -1)
        ]
        assert ends[1] - ends[0] >= 1


@pytest.mark.parametrize("masked", [False, True])
def test_the_norwegian_tables_are_protected_completely(masked: bool) -> None:
    """Totals were computed from true values; the public copy has them all written out, and is safe by itself."""
    folder = cases_folder() / "norwegian_benefits"
    result = suppress(read_release(folder / "release.yaml", policy=folder / "policy_4.yaml"))
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.status == "optimal"
    assert not result.idle
    assert result.release is not None
    report = audit(public_release(result.release, tell_statuses=not masked)).report
    assert report.verdict == "safe"
    assert report.summary.withheld == 8
    assert {c.status for c in report.cells} == ({"withheld"} if masked else {"primary", "secondary"})


def test_linked_flat_tables_of_many_hidden_sums_are_answered_by_linear_programs() -> None:
    """French turnover, sensitive cells alone withheld: each is shown by a table of whole units, or a cut refutes the
    pattern; nothing is left for integer programs. CONVENTION 341."""
    release, engine = read_release(cases_folder() / "french_business" / "turnover.yaml"), Highs()
    problem = build_problem(release, release.policy or Policy(), Costs(), engine)
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine)
    decision = oracle.decide(problem.primary, exact=False)
    assert (decision.protected | decision.failing).all()
    assert not any(cut.holds(problem.primary) for cut in decision.cuts)
    assert oracle.solved == 0
