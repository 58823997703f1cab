"""Methods side by side: figures that agree with an audit of each, and pages that hold together."""

import json
import re
from fractions import Fraction
from html import unescape
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from elsewhere import Elsewhere
from four_by_four import document
from hypothesis import given
from hypothesis import strategies as st
from patterns import cube
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy, Release
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import Threshold
from tableseal.suppression.comparison.chart import WIDTH, Dot, chart
from tableseal.suppression.comparison.compare import Comparison, Outcome, compare
from tableseal.suppression.comparison.document import ComparisonReport, comparison_json
from tableseal.suppression.comparison.html import comparison_html
from tableseal.suppression.comparison.naming import Changing, named_methods
from tableseal.suppression.comparison.text import comparison_text, notes_of
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.random_rounding import RandomRounding
from tableseal.suppression.protections.swapping.swap import RecordSwapping
from tableseal.suppression.search.rank import Budget

ALL = ("optimal", "heuristic", "network", "modular", "elimination", "greedy-elimination", "rank", "rank-pure")


@pytest.fixture(scope="module")
def release() -> Release:
    return release_from_document(document())


@pytest.fixture(scope="module")
def comparison(release: Release) -> Comparison:
    return compare(release, [*ALL, "rounding:3"], curve=3)


@pytest.fixture(scope="module")
def again(release: Release) -> Comparison:
    """The same once more."""
    return compare(release, [*ALL, "rounding:3"], curve=3)


def test_figures_are_those_of_an_audit_of_each(comparison: Comparison) -> None:
    problem = comparison.problem
    assert [o.method for o in comparison.outcomes] == [*ALL, "rounding:3"]
    for outcome in comparison.outcomes[:-1]:
        assert outcome.pattern is not None
        assert outcome.protection is not None
        assert outcome.found is not None
        protected = protected_release(problem.release, problem.cells, problem.primary, outcome.pattern)
        report = audit(protected).report
        sensitive = [c for c in report.cells if c.status == "primary"]
        p = outcome.protection
        assert p.verdict == report.verdict
        assert (p.exposed, p.underprotected) == (report.summary.exposed, report.summary.underprotected)
        assert p.degrees_of_freedom == report.summary.degrees_of_freedom
        widths = [
            (c.upper - c.lower) / c.truth
            for c in sensitive
            if c.lower is not None and c.upper is not None and c.truth is not None
        ]
        assert p.least_width == pytest.approx(float(min(widths)))
        assert p.mean_width == pytest.approx(float(sum(widths) / len(widths)))
        bits = [c.entropy_bits or 0.0 for c in sensitive]
        assert p.least_bits == pytest.approx(min(bits))
        assert p.mean_bits == pytest.approx(sum(bits) / len(bits))
        secondary = outcome.pattern & ~problem.primary
        assert outcome.value == {"value": Fraction(int(problem.equations.value[: len(secondary)][secondary].sum()))}
        assert outcome.found.cost == problem.price(outcome.pattern)
        if outcome.found.guarantee == "intervals":
            assert p.verdict == "safe"
    best = comparison.outcomes[0].found
    assert best is not None
    assert best.status == "optimal"
    assert all(o.found.cost >= best.bound for o in comparison.outcomes[:6] if o.found is not None)


def test_the_rounded_release_is_one_that_fits(comparison: Comparison) -> None:
    """CONVENTION 423."""
    problem = comparison.problem
    rounded = protect(problem.given, RandomRounding(Fraction(3)), seed=0).release
    (table,) = rounded.tables
    assert (np.abs(table.value.units - problem.equations.value[problem.cells.listing_cell]) < 3).all()
    assert (table.value.units % 3 == 0).all()
    protection = comparison.outcomes[-1].protection
    assert protection is not None
    assert protection.rank == 0
    assert protection.verdict == audit(rounded).report.verdict


def test_widths_of_cells_without_limit_and_of_zeros() -> None:
    """CONVENTION 425: no total is released, so nothing limits the withheld cells."""
    cells = {"a": ["1", "2", "3"], "value": [0, 4, 5], "s": ["primary", "primary", ""]}
    found = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"codes": ["1", "2", "3"]}},
        "tables": [{"name": "t", "cells": cells, "status": "s"}],
        "intruder": {"insiders": []},
    }
    comparison = compare(release_from_document(found), ["elimination", "rounding:2"])
    withheld, rounded = (o.protection for o in comparison.outcomes)
    assert withheld is not None
    assert (withheld.least_width, withheld.mean_width, withheld.mean_bits) == (inf, inf, inf)
    assert rounded is not None
    assert rounded.least_width == rounded.mean_width == 0.5  # 3 to 5 around 4; the zero has no relative width
    written = json.loads(comparison_json(comparison))
    jsonschema.validate(written, schema_of(ComparisonReport))
    assert written["methods"][0]["protection"]["entropy_bits"] == {"least": "no limit", "mean": "no limit"}


def test_an_unknown_method_is_told_of_searches_and_of_methods_that_change_values(comparison: Comparison) -> None:
    with pytest.raises(
        InputError, match=r"there is no such method; .*optimal.*controlled-rounding:BASE.*cell-key:NAME"
    ):
        compare(comparison.problem.given, ["zzz:3"])


@pytest.mark.parametrize(("base", "message"), [("1", "2 or more"), ("2.5", "a multiple"), ("x", "a number")])
def test_rounding_bases_that_are_none(comparison: Comparison, base: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(comparison.problem.given, [f"rounding:{base}"])


def test_json_is_valid_the_same_again_and_tells_no_value(comparison: Comparison, again: Comparison) -> None:
    text = comparison_json(comparison)
    found = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema_of(ComparisonReport))
    jsonschema.validate(found, schema_of(ComparisonReport))
    assert comparison_json(again) == text
    assert "seconds" not in text
    assert {cell["status"] for cell in found["withheld"]} == {"primary", "secondary"}
    assert all(cell["by"] == list(ALL) for cell in found["withheld"] if cell["status"] == "primary")
    assert found["methods"][0]["gap"] == 0
    assert found["methods"][1]["gap"] == 0  # as cheap as what is proved for all
    assert found["methods"][-2]["gap"] is None  # rank-pure promises no intervals
    assert [m["guarantee"] for m in found["methods"]].count("intervals") == 6


def test_workers_find_what_one_process_finds(comparison: Comparison, release: Release) -> None:
    """CONVENTION 956."""
    elsewhere = compare(release, [*ALL, "rounding:3"], curve=3, executor=Elsewhere())
    assert comparison_json(elsewhere) == comparison_json(comparison)


def test_the_page_loads_nothing_escapes_and_draws_every_pattern(comparison: Comparison, again: Comparison) -> None:
    page = comparison_html(comparison)
    assert comparison_html(again) == page
    assert "Firms &lt;by&gt; region &amp; trade" in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", page)
    assert "<script" not in page
    assert "default-src 'none'" in unescape(page)
    assert not re.search(r"""\sstyle\s*=""", page)
    for target in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{target}"' in page
    assert page.count('class="own"') == int(comparison.problem.primary.sum()) + 1  # and the legend
    shown = re.findall(r'class="w\d" title="withheld by (\d+) of 8 methods">[\d\u202f]+ ([A-H]+)</td>', page)
    counted = [
        sum(bool(o.pattern[c]) for o in comparison.outcomes if o.pattern is not None)
        for c in range(len(comparison.problem.cells))
        if not comparison.problem.primary[c]
    ]
    assert sorted(int(n) for n, _ in shown) == sorted(n for n in counted if n)
    assert all(len(letters) == int(n) for n, letters in shown)
    assert page.count("<svg") == 5  # with the maps of risk and utility, and of changes and entropy
    assert page.count("<polyline") == 3


def test_text_has_a_line_for_each_method_and_times_only_when_asked(comparison: Comparison) -> None:
    text = comparison_text(comparison)
    assert "seconds" not in text
    assert "seconds" in comparison_text(comparison, explain=True)
    for outcome in comparison.outcomes:
        assert sum(line.split()[:1] == [outcome.method] for line in text.splitlines()) == 2  # figures, utility
    assert "greedy-elimination: protects from equations only" in text


def test_a_method_that_does_not_work_here_says_so() -> None:
    """CONVENTION 424."""
    policy = Policy((Threshold(2),))
    comparison = compare(release_from_document(cube()), ["network", "elimination"], policy=policy)
    first, second = comparison.outcomes
    assert first.found is None
    assert "works for one table" in first.remark
    assert second.found is not None
    json_text = comparison_json(comparison)
    jsonschema.validate(json.loads(json_text), schema_of(ComparisonReport))
    assert '"not possible"' in json_text
    comparison_html(comparison)


@pytest.mark.parametrize(
    ("methods", "message"),
    [([], "no method"), (["best"], "best: there is no such method"), (["rank", "optimal", "rank"], "named twice")],
)
def test_methods_that_cannot_be_compared(release: Release, methods: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(release, methods)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("tabular-adjustment:0.5", '"0.5" stands alone; write NAME=VALUE, with the settings share, range, cost'),
        ("tabular-adjustment:share=0.5:range=5", 'share: found "0.5:range=5", expected a number'),
        ("rounding:1", "rounding:1: expected a multiple of the unit"),
    ],
)
def test_a_setting_that_cannot_be_is_named(release: Release, method: str, message: str) -> None:
    """CONVENTION 879."""
    with pytest.raises(InputError, match=re.escape(message)):
        compare(release, [method])


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4),
    st.floats(0.05, 1),
)
def test_letters_run_into_nothing_where_there_is_room(places: list[tuple[float, float]], level: float) -> None:
    """Beside every mark, inside the picture; where a side is free they cross neither the limit nor other letters."""
    dots = [Dot("RRP"[: 1 + k % 3], "", cost, good, True) for k, (cost, good) in enumerate(places)]
    found = chart("t", "x", "y", dots, [], (level, "limit"))
    assert found is not None
    assert found.limit is not None
    for mark in found.marks:
        left, upper, right, lower = mark.room
        assert left >= 0
        assert right <= WIDTH
        assert abs((upper + lower) / 2 - mark.y) < 12
        if len(found.marks) == 1 and abs(found.limit.at - mark.y) < 20:
            assert not upper < found.limit.at < lower


def test_marks_at_one_place_are_one_and_no_limit_stands_at_the_upper_edge() -> None:
    dots = [Dot("A", "a", 10, 2, True), Dot("B", "b", 10, 2, False), Dot("C", "c", 5, inf, True)]
    found = chart("t", "x", "y", dots, [(5, 1), (10, 3)])
    assert found is not None
    first, second = found.marks
    assert (first.letters, first.text, first.safe) == ("AB", "a; b", False)
    assert second.y < min(tick.at for tick in found.rows)
    assert first.x > second.x
    assert len(found.line.split()) == 2
    assert chart("t", "x", "y", [], [(1, 1)]) is None
    flat = chart("t", "x", "y", [Dot("A", "a", 0, 0, True)], [])
    assert flat is not None
    assert flat.line == ""


@pytest.mark.parametrize("cost", [1.0, 8.0, 12_345.0, 688_436_800.0, 9e12])
def test_figures_of_an_axis_stand_apart(cost: float) -> None:
    """CONVENTION 967: some five letters a figure, some eleven, some more."""
    found = chart("t", "x", "y", [Dot("A", "a", cost, 1, True)], [])
    assert found is not None
    shown = [tick for tick in found.columns if tick.text]
    assert shown[0].text == "0"
    assert len(shown) > 1
    for left, right in pairwise(shown):
        assert right.at - left.at > 6 * (len(left.text) + len(right.text)) / 2
    assert shown[-1].at + 3 * len(shown[-1].text) <= WIDTH


def test_the_verb_writes_all_three(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(json.dumps(document()), "utf-8")
    names = {option: str(tmp_path / file) for option, file in (("--json", "c.json"), ("--html", "c.html"))}
    options = [part for pair in names.items() for part in pair]
    found = CliRunner().invoke(
        app,
        ["compare", str(tmp_path / "release.json"), "--methods", "network, rank", "--budget", "cells=8", *options],
    )
    assert found.exit_code == 0, found.output
    assert "network" in found.output
    jsonschema.validate(json.loads((tmp_path / "c.json").read_text("utf-8")), schema_of(ComparisonReport))
    assert "<html" in (tmp_path / "c.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "best"], "best: there is no such method"),
        (["--budget", "many"], "cells=NUMBER"),
        (["--solver", "NONE_SUCH"], "not installed"),
    ],
)
def test_wrong_use_of_the_verb(tmp_path: Path, options: list[str], message: str) -> None:
    (tmp_path / "release.json").write_text(json.dumps(document()), "utf-8")
    found = CliRunner().invoke(app, ["compare", str(tmp_path / "release.json"), *options])
    assert found.exit_code == 2
    assert message in found.output


def test_the_schema_is_printed() -> None:
    found = CliRunner().invoke(app, ["schema", "comparison"])
    assert found.exit_code == 0
    assert json.loads(found.output) == schema_of(ComparisonReport)


def test_notes_end_without_a_full_stop() -> None:
    """They are joined to sentences where they are shown."""
    assert notes_of(Outcome("optimal", None, "No pattern. None is refuted.", {}, None)) == [
        "No pattern. None is refuted"
    ]


def test_audits_end_at_the_time_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a rounded release; without a limit nothing stays open for lack of time."""
    asked: list[float | None] = []

    def told(*args: Any, **options: Any) -> Any:
        asked.append(options.get("time_limit"))
        return audit(*args, **options)

    monkeypatch.setattr("tableseal.suppression.rounds.audit", told)
    monkeypatch.setattr("tableseal.suppression.protections.protect.audit", told)
    release = release_from_document(document())
    methods = ["heuristic", "network", "rounding:3"]
    compare(release, methods, time_limit=30.0)
    assert asked == [30.0] * 3
    asked.clear()
    compare(release, methods)
    assert asked == [None] * 3


@pytest.mark.parametrize(("base", "says"), [("x", "a number"), ("0", "a multiple of the unit"), ("", "a number")])
def test_a_base_that_is_none_is_an_error_before_any_search(base: str, says: str) -> None:
    with pytest.raises(InputError, match=f"rounding:{base}: expected {says}"):
        compare(release_from_document(document()), ["heuristic", f"rounding:{base}"])


def test_several_values_of_a_setting_are_methods_of_their_own(release: Release) -> None:
    """CONVENTION 876: one map over the values of a setting."""
    found = compare(release, ["rounding:3|5", "perturbation:stay=0.4|0.6,reach=2|3"])
    assert [outcome.method for outcome in found.outcomes] == [
        "rounding:3",
        "rounding:5",
        "perturbation:stay=0.4,reach=2",
        "perturbation:stay=0.4,reach=3",
        "perturbation:stay=0.6,reach=2",
        "perturbation:stay=0.6,reach=3",
    ]
    page = comparison_html(found)
    assert all(outcome.method in page for outcome in found.outcomes)
    with pytest.raises(InputError, match="is named twice"):
        compare(release, ["rounding:3|3"])


def test_a_profile_of_several_variables() -> None:
    """CONVENTION 876."""
    (found,) = named_methods(
        ["record-swapping:variable=r,rate=0.1;0.2,similar=age+sex;age"], None, Budget(), margins=False
    ).values()
    assert isinstance(found, Changing)
    assert found.settings == RecordSwapping("r", (Fraction(1, 10), Fraction(1, 5)), ("age,sex", "age"))
