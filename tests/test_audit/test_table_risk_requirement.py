"""`require.table_risk` in an audit: CONVENTION 805, 806."""

from fractions import Fraction
from math import log, sqrt
from typing import Any

import jsonschema
import numpy as np
import pytest
from small import document, report, table

from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.suppressing import run_suppression
from tableseal.audit.errors import InputError
from tableseal.audit.io import policy_schema, release_from_document
from tableseal.audit.io.policy_file import policy_document, policy_from_document
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.measures.risk import split_risk
from tableseal.audit.measures.risk.assess_risk import RiskFormula, assess
from tableseal.audit.measures.risk.requirement import judge_table_risk
from tableseal.audit.measures.risk.transition import MatrixTransition
from tableseal.audit.report import public_copy, render_text
from tableseal.audit.report.text import verdict_line


def limited(limit: float | str, **more: Any) -> dict[str, Any]:
    return {"policy": {"require": {"table_risk": limit}, **more}}


def r1(values: list[int]) -> float:
    """R1 written out: Antal, Shlomo and Elliot 2014, section 3.2, weights .1, .8, .1."""
    total, cells = sum(values), len(values)
    entropy = -sum(v / total * log(v / total) for v in values if v)
    return 0.1 * values.count(0) / cells + 0.8 * (1 - entropy / log(cells)) + 0.1 * (1 + log(total) / 2) / sqrt(total)


def test_an_original_is_judged_by_r1_and_the_headline_says_so() -> None:
    counts = table(["k", "l", "m"], [0, 5, 7])
    risk = r1([0, 5, 7])
    above, within = report(counts, **limited(0.15)), report(counts, **limited(0.5))
    assert (above.verdict, within.verdict) == ("unsafe", "safe")
    assert above.rules == ("table risk at most 0.15",)
    assert f"The table risk R1 is {risk:.4f}, above the policy's 0.15." in verdict_line(above)
    assert f"The table risk R1 is {risk:.4f}, not above the policy's 0.5." in verdict_line(within)
    assert "must not go out" in render_text(above, colour=False, width=120, limit=None)


def test_exactly_the_limit_is_allowed() -> None:
    risk = r1([1, 5, 7])
    counts = table(["k", "l", "m"], [1, 5, 7])
    assert report(counts, **limited(str(Fraction(risk)))).verdict == "safe"
    assert report(counts, **limited(str(Fraction(risk * (1 - 1e-9))))).verdict == "unsafe"


def test_a_changed_table_is_judged_by_r2() -> None:
    truth, shown = [1, 5, 7], [0, 6, 6]
    rounded = table(["k", "l", "m"], shown, truth=truth, rounding={"base": 3, "method": "conventional"})
    plain = table(["k", "l", "m"], truth)
    (found,) = judge_table_risk(release_from_document(document(rounded)), Fraction(1)).tables
    (same,) = judge_table_risk(release_from_document(document(plain)), Fraction(1)).tables
    assert (found.which, same.which) == ("R2", "R1")
    assert found.risk is not None
    assert same.risk == pytest.approx(r1(truth), abs=1e-12)
    assert found.risk < r1(truth)
    between = (found.risk + r1(truth)) / 2
    assert report(rounded, **limited(between)).verdict == "safe"
    assert report(plain, **limited(between)).verdict == "unsafe"


def test_withholding_does_not_lower_the_risk() -> None:
    """CONVENTION 806."""
    hidden = table(["k", "l", "m"], [2, 5, 7], status=["secondary", "secondary", ""])
    found = report(hidden, **limited(0.01))
    assert found.verdict == "unsafe"
    assert f"R1 is {r1([2, 5, 7]):.4f}" in verdict_line(found)
    assert "Withholding cells does not lower R1" in verdict_line(found)


def test_what_is_not_known_is_undecided() -> None:
    hidden = table(["k", "l", "m"], [None, 5, 7], status=["primary", "", ""])
    found = report(hidden, intruder={"insiders": []}, **limited(0.9))
    assert found.verdict == "undecided"
    assert [note.code for note in found.notes if note.code.startswith("table_risk")] == ["table_risk_open"]
    assert "is not known" in verdict_line(found)
    empty = report(table(["k", "l", "m"], [0, 0, 0]), **limited(0.9))
    assert empty.verdict == "undecided"


def test_several_tables_are_judged_each() -> None:
    two = {"name": "u", "cells": {"b": ["x", "y"], "value": [4, 12]}}
    variables = {"a": {"total": "T", "codes": ["k", "l", "m"]}, "b": {"total": "T", "codes": ["x", "y"]}}
    found = report(table(["k", "l", "m"], [4, 5, 7]), two, variables=variables, **limited(0.001))
    assert found.verdict == "unsafe"
    (note,) = [note for note in found.notes if note.code == "table_risk_above"]
    assert "1 other table is above it, too" in note.text
    assert note.count == 2


def test_magnitudes_are_not_judged_and_that_is_said() -> None:
    sums = table(["k", "l", "m"], [4, 5, 7], status=["", "primary", "primary"])
    found = report(sums, kind="magnitude", intruder={"insiders": []}, **limited(0.001))
    assert found.verdict == "safe"
    assert found.called == "safe as listed"
    assert any(note.code == "rule_idle" for note in found.notes)


def test_a_public_copy_does_not_tell_the_risk() -> None:
    public = public_copy(report(table(["k", "l", "m"], [0, 5, 7]), **limited(0.15)))
    assert public.verdict == "unsafe"
    assert "risk R1" not in verdict_line(public)
    assert not any(note.code.startswith("table_risk") for note in public.notes)


def test_the_policy_reads_back_and_fits_its_schema() -> None:
    written = {"require": {"table_risk": "0.15"}}
    jsonschema.validate(written, policy_schema())
    policy = policy_from_document(written)
    assert policy.require.table_risk == Fraction(3, 20)
    assert policy_from_document(policy_document(policy)) == policy
    assert "table_risk" not in str(policy_document(policy_from_document({})))  # digests of older policies stay
    with pytest.raises(InputError, match="table_risk"):
        policy_from_document({"require": {"table_risk": 1.5}})


def test_the_risk_of_the_audit_is_that_of_the_measure() -> None:
    """A14 Table 4 stands in tests of the measure; here the two agree."""
    values = [0, 3, 1, 8, 0, 2]
    release = release_from_document(
        document(table(list("klmnop"), values), variables={"a": {"total": "T", "codes": list("klmnop")}})
    )
    (whole,) = assess(leaf_counts(release), RiskFormula(), slices=False)
    (found,) = judge_table_risk(release, Fraction(1)).tables
    assert found.risk == whole.risk


def test_the_policy_chooses_the_definition() -> None:
    """CONVENTION 840: after random rounding by its matrix, of other changes by the true counts."""
    truth, shown = [1, 5, 7], [0, 6, 6]
    original = document(table(["k", "l", "m"], truth))
    before = judge_table_risk(release_from_document(original), Fraction(1), "s15-split").tables[0]
    formula = RiskFormula("s15-split", split_risk.WEIGHTS, transition=MatrixTransition.rounding(3))
    leaves = leaf_counts(release_from_document(original), table="t")
    (whole,) = assess(leaves, formula, [np.array([shown])], slices=False)
    assert (before.which, before.risk) == ("R1", whole.risk)
    found = {}
    for method in ("random", "conventional"):
        rounded = table(["k", "l", "m"], shown, truth=truth, rounding={"base": 3, "method": method})
        (found[method],) = judge_table_risk(release_from_document(document(rounded)), Fraction(1), "s15-split").tables
    assert whole.risk_after is not None
    assert whole.risk is not None
    assert (found["random"].which, found["random"].risk) == ("R2", whole.risk_after)
    assert (found["conventional"].which, found["conventional"].risk) == ("R1", whole.risk)
    judged = report(table(["k", "l", "m"], truth), policy={"require": {"table_risk": 0, "table_risk_measure": "s15"}})
    assert "The table risk R1 (s15) is" in verdict_line(judged)
    assert judged.rules == ("table risk at most 0 (s15)",)
    policy = policy_from_document({"require": {"table_risk": "0.1", "table_risk_measure": "s15-split"}})
    assert policy_from_document(policy_document(policy)) == policy


def test_a_search_is_refused_where_withholding_cannot_help() -> None:
    """CONVENTION 838."""
    counts = document(table(["k", "l", "m", "T"], [1, 5, 7, 13]))
    policy = {"primary": [{"threshold": 3}], "require": {"table_risk": 0.01}}
    release = release_from_document(counts | {"policy": policy})
    with pytest.raises(InputError, match=r"no pattern makes this release safe\. The table risk R1 is .* above"):
        run_suppression(release, SuppressOptions())
    within = release_from_document(counts | {"policy": policy | {"require": {"table_risk": 0.9}}})
    assert run_suppression(within, SuppressOptions()).report is not None
