"""Bare files whose codes nothing shows to add up as they are read: a plain SAFE would rest on a guess."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit import audit, release_from_document
from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.io.periods import are_periods
from tableseal.audit.model import SUMS_UNCHECKED, Policy
from tableseal.audit.report import Report
from tableseal.audit.report.called import called
from tableseal.audit.report.words import verdict_line
from tableseal.audit.rules import Threshold

RULE = Policy(primary=(Threshold(3),))


def audited(text: str) -> Report:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_text(text, "utf-8")
        return audit(replace(read_release(path), policy=RULE)).report


@pytest.mark.parametrize(
    "text",
    [
        "land,n\nEngland,20\nNorth,12\nSouth,*\nEast,6\n",  # England is the sum, by a name nobody knows
        "nuts,n\nDE,40\nDE1,25\nDE11,*\nDE12,15\nDE13,8\nDE2,15\n",
        "area,n\nN,25\nN1,15\nN2,8\nS,15\n",  # N3 is left out: 2
    ],
)
def test_codes_that_may_be_sums_of_others_are_no_plain_safe(text: str) -> None:
    # CONVENTION 650
    report = audited(text)
    assert called(report) == "safe as listed"
    assert "1 column of codes may hold unknown sums (see the notes)" in verdict_line(report)
    (note,) = [note for note in report.notes if note.code == SUMS_UNCHECKED]
    assert "`total:`, `tree:`" in note.text


def test_levels_that_names_show_and_sums_do_not_are_refused() -> None:
    """CONVENTION 858: N is N1 and N2; flat, N1 and S would be 18 together."""
    with pytest.raises(InputError, match=r"codes seem to be of several levels \(N of N1, N2\)"):
        audited("area,n\nTotal,40\nN,12\nN1,*\nN2,10\nS,*\n")


@pytest.mark.parametrize(
    "text",
    [
        "area,year,n\nTotal,2024,30\nN,2024,12\nS,2024,18\nTotal,2025,*\nN,2025,*\nS,2025,*\n",
        "area,n\nTotal,30\nN,12\nS,18\n",
    ],
)
def test_sums_that_are_borne_out_and_periods_are_safe(text: str) -> None:
    # CONVENTION 650
    assert called(audited(text)) == "safe"


@pytest.mark.parametrize(
    ("codes", "periods"),
    [
        (["2024", "2025"], True),
        (["2024Q1", "2024Q2"], True),
        (["2024-07", "2024-08"], True),
        (["2023/24", "2024/25"], True),
        (["2024", "2024Q1"], False),
        (["N", "S"], False),
        (["1", "10"], False),
        (["9999", "2024"], False),
    ],
)
def test_what_is_a_period(codes: list[str], periods: bool) -> None:
    # CONVENTION 650
    assert are_periods(codes) is periods


@st.composite
def nested(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A bare file of a classification in two levels under names that say nothing, and the release that it is."""
    groups = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 2)))]
    values: dict[str, int] = {}
    tree: dict[str, list[str]] = {}
    for group, parts in enumerate(groups):
        tree[f"q{group}"] = [f"r{group}{part}" for part in range(parts)]
        values |= {code: draw(st.integers(0, 9)) for code in tree[f"q{group}"]}
        values[f"q{group}"] = sum(values[code] for code in tree[f"q{group}"])
    total = draw(st.sampled_from(["Total", "Land"]))
    values[total] = sum(values[group] for group in tree)
    shown = {code: value for code, value in values.items() if draw(st.integers(0, 9))}
    hidden = {code for code in shown if not draw(st.integers(0, 3))}
    rows = [f"{code},{'*' if code in hidden else value}\n" for code, value in shown.items()]
    cells = {"a": [*shown], "value": [None if code in hidden else value for code, value in shown.items()]}
    document: dict[str, object] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": total, "tree": tree}},
        "tables": [{"name": "x", "cells": cells, "absent": {"leaves": "not_released"}}],
        "policy": {"primary": [{"threshold": 3}]},
    }
    return "a,n\n" + "".join(rows), document


@given(nested())
def test_a_plain_safe_of_a_bare_file_stands_whatever_its_codes_mean(drawn: tuple[str, dict[str, object]]) -> None:
    # CONVENTION 650
    text, document = drawn
    try:
        report = audited(text)
    except InputError:
        return
    if called(report) == "safe":
        assert audit(release_from_document(document)).report.verdict == "safe"
