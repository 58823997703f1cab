"""`require.sap` in an audit."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sap_brute import feasible_tables, sap_by_listing
from scipy.sparse import csr_array
from small import audited, cells, document, report, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.measures.sap import requirement
from tableseal.audit.report import public_copy, render_html, render_text, report_from_json, report_json


def judged(values: Sequence[int], limit: float, n: int = 2, **changes: Any) -> Any:
    """Counts k, l, m released rounded to base 3, judged by SAP(n) <= limit."""
    published = [(2 * v + 3) // 6 * 3 for v in values]
    counts = table(["k", "l", "m"], published, truth=list(values), rounding={"base": 3, "method": "conventional"})
    return report(counts, policy={"require": {"sap": {"n": n, "max": limit}}}, **changes)


def test_above_the_limit_is_unsafe_and_says_why() -> None:
    found = judged([1, 5, 7], 0.1)  # 1 and 7 are upper bounds: SAP(2) = 1 - C(12, 2)/C(13, 2) = 2/13
    assert found.verdict == "unsafe"
    assert {name: cell.reason for name, cell in cells(found).items()} == {"k": "sap", "l": None, "m": None}
    assert cells(found)["k"].verdict == "underprotected"
    (note,) = [note for note in found.notes if note.code == "sap"]
    assert "SAP(2) = 0.153846, which is above the policy's 0.1" in note.text
    assert judged([1, 5, 7], 0.16).verdict == "safe"
    assert report_from_json(report_json(found)) == found
    assert "attribution probability" in render_text(found, colour=False, width=120, limit=40)


def test_exactly_the_limit_is_allowed() -> None:
    # CONVENTION 266
    counts = table(["k", "l", "m"], [0, 6, 6], truth=[1, 5, 7], rounding={"base": 3, "method": "conventional"})
    for text, verdict in (("2/13", "safe"), ("0.153846153846153", "unsafe")):
        found = report(counts, policy={"require": {"sap": {"n": "2", "max": text}}})
        assert found.verdict == verdict


def test_published_cells_are_listed_and_never_in_public() -> None:
    counts = table(["k", "l", "m"], [1, 4, 7])
    found = report(counts, policy={"require": {"sap": {"n": 2, "max": 0}}})
    assert found.verdict == "unsafe"
    assert set(cells(found)) == {"k"}
    assert (cells(found)["k"].verdict, cells(found)["k"].reason) == ("underprotected", "sap")
    public = public_copy(found)
    assert public.cells == ()
    assert all(note.code != "sap" for note in public.notes)
    assert "SAP" in render_html(found, release_from_document(document(counts)))


def test_subtraction_is_solved_again() -> None:
    """Exact margins of [[1, 1], [1, 1]]: no cell is tight, but two units of six pairs recover a zero in four."""
    codes = ["x", "y", "T"]
    rows = [(a, b) for a in codes for b in codes]
    value = [{"T": 2}.get(a, 1) * {"T": 2}.get(b, 1) for a, b in rows]
    hidden = ["missing" if "T" not in row else "published" for row in rows]
    release = {
        "tableseal": 1,
        "kind": "count",
        "variables": {v: {"total": "T", "codes": ["x", "y"]} for v in ("a", "b")},
        "tables": [
            {
                "name": "t",
                "status": "s",
                "cells": {"a": [a for a, _ in rows], "b": [b for _, b in rows], "value": value, "s": hidden},
            }
        ],
    }
    for limit, verdict in (("2/3", "safe"), ("0.6666", "unsafe")):
        found = audited(release | {"policy": {"require": {"sap": {"n": 2, "max": limit}}}})
        assert found.verdict == verdict
        assert all(cell.verdict == "not_judged" for cell in found.cells)  # nothing of these cells is released


def test_too_many_units_are_all_units() -> None:
    # CONVENTION 266
    assert judged([1, 5, 7], 0.99, n=1000).verdict == "unsafe"
    found = judged([1, 5, 7], 1, n=1000)
    assert any("SAP(13) = 1" in note.text for note in found.notes)


def test_what_cannot_be_decided_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirement, "exactly", lambda *_, **__: None)
    assert judged([1, 5, 7], 0.16).verdict == "undecided"
    assert judged([1, 5, 7], 0.1).verdict == "unsafe"  # static alone is above


def test_a_sample_that_is_too_large_leaves_the_release_undecided() -> None:
    """40 published counts of 10 million: a limit of SAP is no failure of the audit."""
    variables = {"a": {"codes": [f"c{k}" for k in range(40)]}}
    counts = table([f"c{k}" for k in range(40)], [10**7 + k for k in range(40)])
    policy = {"require": {"sap": {"n": 10**9, "max": 0.5}}}
    assert report(counts, policy=policy, variables=variables).verdict == "undecided"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_withheld_cells(n: int) -> None:
    """k and l withheld, their sum released: against all tables listed; the verdict turns at the exact value."""
    counts = np.array([2, 1, 3])
    shown = table(
        ["k", "l", "m", "T"],
        [None, None, 3, 6],
        status=["primary", "secondary", "published", "published"],
        truth=[2, 1, 3, 6],
    )
    rows = csr_array(np.array([[1, 1, 1], [0, 0, 1]]))
    tables = feasible_tables(np.zeros(3, int), np.full(3, 9), rows, np.array([6, 3]), np.array([6, 3]))
    exact = sap_by_listing(counts, tables, np.arange(3), [True] * 3, [True] * 3)[n]
    verdicts = [
        report(shown, policy={"require": {"sap": {"n": n, "max": str(limit)}}}, intruder={"insiders": []}).verdict
        for limit in (exact, max(exact - Fraction(1, 10**9), Fraction(0)))
    ]
    assert verdicts == ["safe", "unsafe" if exact else "safe"]


def test_what_sap_is_not_defined_for_is_an_error() -> None:
    # CONVENTION 266
    policy = {"require": {"sap": {"n": 2, "max": 0.05}}}
    magnitude = table(["k", "l", "m"], [1, 2, 3])
    with pytest.raises(InputError, match=r"policy.require.sap: SAP is defined for one measure of counts; .*magnitude"):
        report(magnitude, policy=policy, kind="magnitude", unit=1)
    hidden = table(["k", "l", "m"], [None, None, 3], status=["primary", "secondary", "published"])
    with pytest.raises(InputError, match=r"policy.require.sap: .*true count of every cell.*a=k \(2 cells in all\)"):
        report(hidden, policy=policy)
    with pytest.raises(InputError, match="no units"):
        report(table(["k", "l", "m"], [0, 0, 0]), policy=policy)
    untrue = table(["k", "l", "m"], [3, 3, 3], truth=[3, 9, 3], rounding={"base": 3, "method": "conventional"})
    with pytest.raises(InputError) as refused:
        report(untrue, policy=policy)
    assert "cell a=l" in str(refused.value)
    assert "9" not in str(refused.value)
