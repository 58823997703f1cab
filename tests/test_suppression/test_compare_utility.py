"""Patterns and changed values on one risk-utility map: CONVENTION 810, 811."""

import json
from fractions import Fraction
from typing import Any, get_args, get_type_hints

import jsonschema
import numpy as np
import pytest
from four_by_four import document

from tableseal.audit.codec.documents import schema_of
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.measures.risk.hellinger import hellinger_counts
from tableseal.audit.measures.risk.table_risk import WEIGHTS, after, before, weigh
from tableseal.audit.model import Release
from tableseal.suppression.comparison.compare import Comparison, compare
from tableseal.suppression.comparison.document import ComparisonReport, comparison_json
from tableseal.suppression.comparison.html import comparison_html
from tableseal.suppression.comparison.naming import Changing, named_methods, names_in
from tableseal.suppression.comparison.text import comparison_text
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings
from tableseal.suppression.protections.controlled_rounding import ControlledRounding
from tableseal.suppression.protections.methods import METHODS as CHANGING
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.random_rounding import RandomRounding
from tableseal.suppression.protections.swapping.swap import RecordSwapping
from tableseal.suppression.search.rank import Budget

INNER = np.array([[1, 9, 7, 8], [6, 5, 9, 4], [8, 6, 2, 7], [9, 4, 6, 5]])
METHODS = ["optimal", "rounding:3", "controlled-rounding:3", "conventional-rounding:base=5", "small-count-rounding:3"]


@pytest.fixture(scope="module")
def release() -> Release:
    return release_from_document(document())


@pytest.fixture(scope="module")
def comparison(release: Release) -> Comparison:
    return compare(release, METHODS, seed=4)


def test_methods_are_named_with_their_settings(release: Release) -> None:
    named = named_methods(
        ["optimal", "rounding:3", "controlled-rounding:5", "cell-key:range=5,variance=3,additive=yes,modulus=256"],
        release,
        Budget(),
        True,
    )
    assert [one.settings for one in named.values() if isinstance(one, Changing)] == [
        RandomRounding(Fraction(3)),
        ControlledRounding(Fraction(5)),
        CellKeySettings(range=5, variance=Fraction(3), additive=True, modulus=256),
    ]
    assert not isinstance(named["optimal"], Changing)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b", ["a", "b"]),
        (" a , ,b:3", ["a", "b:3"]),
        ("cell-key:range=5,variance=3,optimal", ["cell-key:range=5,variance=3", "optimal"]),
        ("cell-key:range=5,cell-key:range=2,variance=1", ["cell-key:range=5", "cell-key:range=2,variance=1"]),
    ],
)
def test_a_list_of_methods_is_taken_apart(text: str, expected: list[str]) -> None:
    assert names_in(text) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("controlled-rounding:1", "2 or more"),
        ("controlled-rounding", "base"),
        ("controlled-rounding:bse=3", 'no setting "bse"'),
        ("cell-key:range=x,variance=3", "expected a whole number"),
        ("cell-key:range=3,additive=maybe", "expected yes or no"),
        ("optmal", "optimal"),
    ],
)
def test_what_names_no_method_is_refused(release: Release, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(release, [name])


def test_changed_values_have_the_figures_of_protect(release: Release, comparison: Comparison) -> None:
    for name, outcome in zip(METHODS[1:], comparison.outcomes[1:], strict=True):
        (method,) = named_methods([name], release, Budget(), True).values()
        assert isinstance(method, Changing)
        alone = protect(release, method.settings, seed=4)
        assert outcome.changes is not None
        assert (outcome.changes.measures, outcome.changes.tables) == (alone.measures, alone.tables)
        assert outcome.protection is not None
        assert outcome.protection.verdict == alone.verdict


def test_of_a_pattern_readers_see_the_middle_of_intervals(comparison: Comparison) -> None:
    """CONVENTION 810: R2, HD and changes written out from the audit's intervals."""
    outcome = comparison.outcomes[0]
    assert outcome.report is not None
    assert outcome.changes is not None
    seen = INNER.astype(float)
    moved = []
    hidden = np.zeros_like(INNER, bool)
    for cell in outcome.report.cells:
        codes = dict(cell.cell)
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.truth is not None
        middle = (cell.lower + cell.upper) / 2
        moved.append(middle - cell.truth)
        if "All" not in codes.values():
            at = int(codes["region"][1]) - 1, int(codes["trade"][1]) - 1
            seen[at], hidden[at] = float(middle), True
    (table,), (measure,) = outcome.changes.tables, outcome.changes.measures
    start = before(INNER.ravel(), 16)
    risk = float(weigh(after(start, INNER.ravel(), seen.ravel()).terms, WEIGHTS))
    assert table.risk_before == pytest.approx(float(weigh(start.terms, WEIGHTS)))
    assert table.risk_after == pytest.approx(risk)
    distance = float(hellinger_counts(INNER.ravel(), seen.ravel()))
    assert table.hellinger == pytest.approx(distance)
    assert table.utility == pytest.approx(1 - distance / np.sqrt(INNER.sum()))
    assert measure.withheld == len(moved)
    assert measure.largest == max(map(abs, moved))
    assert measure.mean == pytest.approx(float(sum(map(abs, moved)) / 25))
    small = (INNER == 1) | (INNER == 2)
    assert measure.ones_and_twos == pytest.approx((small & hidden).sum() / small.sum())


def test_without_a_limit_there_is_no_middle() -> None:
    cells = {"a": ["1", "2", "3"], "value": [1, 4, 5], "s": ["primary", "primary", ""]}
    given: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"codes": ["1", "2", "3"]}},
        "tables": [{"name": "t", "cells": cells, "status": "s"}],
        "intruder": {"insiders": []},
    }
    (outcome,) = compare(release_from_document(given), ["elimination"]).outcomes
    assert outcome.changes is not None
    assert outcome.changes.measures == ()
    (table,) = outcome.changes.tables
    assert table.risk_after is None
    assert "no limit" in (table.undefined or "")


def test_the_map_in_every_form(comparison: Comparison) -> None:
    written = json.loads(comparison_json(comparison))
    jsonschema.validate(written, schema_of(ComparisonReport))
    assert [m["method"] for m in written["methods"]] == METHODS
    assert all(m["changes"]["tables"][0]["risk_after"] is not None for m in written["methods"])
    text = comparison_text(comparison)
    assert "Risk and utility" in text
    page = comparison_html(comparison)
    assert "utility lost" in page
    assert "risk R2" in page
    assert page.count("unprotected: R1") == 1
    assert "the policy&#39;s limit" not in page


def test_the_limit_of_the_policy_is_a_line_of_the_map() -> None:
    """CONVENTION 805: and each outcome is judged by it."""
    given = document()
    (wide,) = compare(release_from_document(given), ["rounding:3"]).outcomes
    assert wide.changes is not None
    worst = wide.changes.worst
    assert worst is not None
    assert worst.risk_before is not None
    assert worst.risk_after is not None
    limit = (worst.risk_before + worst.risk_after) / 2
    given["policy"] = {"primary": [{"threshold": 2}], "require": {"table_risk": str(Fraction(limit))}}
    found = compare(release_from_document(given), ["optimal", "rounding:3"])
    withheld, rounded = found.outcomes
    assert withheld.protection is not None
    assert withheld.protection.verdict == "unsafe"  # CONVENTION 806
    assert rounded.report is not None
    assert any(note.code == "table_risk" for note in rounded.report.notes)
    page = comparison_html(found)
    assert "the line is the policy" in page
    assert 'class="curve"' in page


def test_every_setting_of_every_method_can_be_named() -> None:
    """Settings of several values, too: `;` stands between them."""
    release = release_from_document(document())
    (named,) = named_methods(["record-swapping:variable=a,rate=0.1;0.05"], release, Budget(), True).values()
    assert isinstance(named, Changing)
    assert named.settings == RecordSwapping(variable="a", rate=(Fraction(1, 10), Fraction(1, 20)))
    for name, method in CHANGING.items():
        for option, hint in get_type_hints(method.settings).items():
            text = "yes" if bool in (hint, *get_args(hint)) else "1"
            try:
                named_methods([f"{name}:{option.replace('_', '-')}={text}"], release, Budget(), True)
            except InputError as error:
                assert "there is no setting" not in str(error)  # noqa: PT017 - a value may be none of it


def magnitudes() -> Release:
    regions, trades = ["North", "South", "T"], ["x", "y", "T"]
    inner = {
        ("North", "x"): {"A": 900, "B": 760, "C": 650},
        ("North", "y"): {"D": 520, "E": 500, "F": 460},
        ("South", "x"): {"G": 705, "C": 640, "H": 560},
        ("South", "y"): {"A": 610, "I": 30},
    }
    cells = [(r, t) for r in regions for t in trades]
    value = [
        sum(sum(own.values()) for (a, b), own in inner.items() if r in (a, "T") and t in (b, "T")) for r, t in cells
    ]
    records = [(r, t, v, name) for (r, t), own in inner.items() for name, v in own.items()]
    columns = dict(zip(("region", "trade", "m", "firm"), map(list, zip(*records, strict=True)), strict=True))
    return release_from_document(
        {
            "tableseal": 1,
            "measures": {"m": {"kind": "magnitude", "unit": 1}},
            "variables": {
                "region": {"total": "T", "codes": regions[:2]},
                "trade": {"total": "T", "codes": trades[:2]},
            },
            "tables": [
                {
                    "name": "t",
                    "cells": {"region": [r for r, _ in cells], "trade": [t for _, t in cells], "value": value},
                }
            ],
            "microdata": {"cells": columns, "values": {"m": "m"}, "holding": "firm"},
            "policy": {"primary": [{"p_percent": 10}]},
        }
    )


def test_magnitudes_stand_side_by_side_with_how_far_they_move() -> None:
    """Patterns, noise and adjustment: no R1 and R2, but changes, exposures and entropy, as text, picture and data."""
    methods = ["optimal", "noise:least=0.05,share=0.15", "tabular-adjustment:share=0.3"]
    found = compare(magnitudes(), methods, seed=4)
    text = comparison_text(found)
    for outcome in found.outcomes:
        assert outcome.changes is not None
        (change,) = outcome.changes.measures
        line = next(row for row in text.splitlines() if row.startswith(outcome.method) and " m " in row)
        assert line.split()[-3:-1] == [f"{change.mean:.4g}", f"{float(change.largest):.6g}"]
    page = comparison_html(found)
    assert "m: change and least entropy" in page
    assert page.count('class="dot') >= 3
    data = json.loads(comparison_json(found))["methods"]
    assert all(one["changes"]["measures"][0]["largest"] is not None for one in data)
