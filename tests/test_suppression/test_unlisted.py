"""Searches protect cells that no row lists: as cheaply as any pattern that the audit calls safe."""

import itertools
from random import Random
from typing import Any

import numpy as np
import pytest
from implied_oracle import implied_cells
from implied_releases import LeavingOut

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import Problem, build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search.methods import METHODS
from tableseal.suppression.suppress import suppress

MOST = 5
"""Cells that may be withheld, up to which all patterns are listed."""


# CONVENTION 520, 521, 522: every test here.


def two_way(**more: Any) -> dict[str, Any]:
    """A row is left out: 23 - 12 - 9 = 2."""
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}, "b": {"total": "T", "codes": ["x", "y", "z"]}},
        "tables": [
            {
                "name": "t",
                "absent": {"leaves": "not_released"},
                "cells": {
                    "a": list("111222" + "2TTTT"),
                    "b": list("xyTxyz" + "TxyzT"),
                    "value": [12, 9, 23, 8, 14, 6, 28, 20, 23, 8, 51],
                },
            }
        ],
        "policy": {"primary": [{"threshold": 5}]},
        **more,
    }


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_protects_them(method: str) -> None:
    result = suppress(release_from_document(two_way()), method=method, audit_limit=None)
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.report.implied == ()
    assert result.release is not None
    assert [t.name for t in result.release.tables] == ["t"]
    assert set(result.release.variables["b"].codes) == set("xyzT")


def test_what_needs_a_cell_names_them() -> None:
    result = suppress(release_from_document(two_way()))
    names = {
        "/".join(result.problem.release.cell_codes(result.problem.cells.codes[need.cell]).values())
        for needs in result.needs.values()
        for need in needs
    }
    assert names == {"1/z"}


def test_what_nothing_protects_is_named() -> None:
    """Everything else must be published."""
    document = two_way()
    document["tables"][0]["cells"]["s"] = ["must_publish"] * 11
    document["tables"][0]["status"] = "s"
    result = suppress(release_from_document(document))
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    assert result.conflict.text.startswith("a=1, b=z, which no row lists, cannot be protected: it needs values of 0 or")
    assert result.release is None


def cheapest(problem: Problem) -> int | None:
    """Cost of the cheapest pattern that the audit calls safe; None if there is none."""
    free = np.flatnonzero(problem.may).tolist()
    patterns = (chosen for size in range(len(free) + 1) for chosen in itertools.combinations(free, size))
    for chosen in sorted(patterns, key=lambda cells: int(problem.cost[list(cells)].sum())):
        pattern = problem.primary.copy()
        pattern[list(chosen)] = True
        release = protected_release(problem.release, problem.cells, problem.primary, pattern)
        if audit(problem.as_given(release), policy=problem.policy).report.verdict == "safe":
            return problem.price(pattern)
    return None


@pytest.mark.parametrize("seed", [41, 75, 164, 189, 260, 352, 406])
def test_the_optimum_is_the_cheapest_pattern_that_an_audit_calls_safe(seed: int) -> None:
    """Seeds of releases that are small enough to list all patterns, and have something to protect."""
    document = LeavingOut(Random(seed)).document()
    release = release_from_document(document)
    problem = build_problem(release, release.policy or Policy(), Costs("unit"), Highs())
    assert problem.unlisted
    assert 0 < problem.may.sum() <= MOST, "choose another seed"
    wanted = cheapest(problem)
    result = suppress(release, costs=Costs("unit"), explain=False)
    if wanted is None:
        assert result.report is None or result.report.verdict != "safe"
        return
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.cost == wanted
    assert result.found.bound <= wanted
    found = implied_cells(put_in(document, result.release))
    assert not [c for c in found or () if c.sensitive and c.crossed and not c.zeros]


def put_in(document: dict[str, Any], release: Release | None) -> dict[str, Any]:
    """The document with the statuses of a protected release, whose rows have the same order."""
    assert release is not None
    tables = []
    for table, out in zip(document["tables"], release.tables, strict=True):
        cells = dict(table["cells"])
        words = [Status(s).word for s in out.status.tolist()]
        assert len(words) == len(cells["value"]), "choose another seed: a computed total is withheld"
        exact = "rounding" not in table
        cells["value"] = [
            None if Status[word.upper()].withheld else t if exact and v is None else v
            for word, v, t in zip(words, cells["value"], cells["truth"], strict=True)
        ]
        tables.append({**table, "cells": cells | {"status": words}})
    return {**document, "tables": tables}
