"""The risk panel: measures side by side, each saying what it tells and what it does not."""

import json
from math import e, log, log2, sqrt
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from sap_brute import sap_by_inclusion_exclusion
from small import document, one_variable
from typer.testing import CliRunner

from tableseal.api.cases import cases_folder
from tableseal.api.cli.app import app
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.io import read_release, release_from_document
from tableseal.audit.measures.feasible_tables import Effort
from tableseal.audit.measures.sap.definitions import static_sap
from tableseal.audit.measures.sap.population import of_release
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report, public_copy, render_html, render_text, report_from_json, report_json
from tableseal.audit.report import panel as panel_module
from tableseal.audit.report.model import Figure, PanelEntry
from tableseal.audit.report.panel import MEASURES, Facts, Measure

POLICY = {"primary": [{"threshold": 3}]}
CHROMIUM = next((p for p in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if p.exists()), None)
TABLE_1 = cases_folder() / "o03_table1" / "release.yaml"


def figures(report: Report, measure: str) -> dict[str, Any]:
    (entry,) = [one for one in report.risk_panel if one.measure == measure]
    return {f.name: f.value for f in entry.figures}


def audited(path: Path = TABLE_1, **options: Any) -> Report:
    return audit(read_release(path), **options).report


def test_table_1_of_oganian_and_domingo_ferrer() -> None:
    """One degree of freedom: 407 tables, all different in every cell, so both entropies are log2 407 (DR .1154)."""
    report = audited()
    values, tables = figures(report, "entropy_over_values"), figures(report, "entropy_over_tables")
    assert values["lowest_bits"] == tables["lowest_bits"] == pytest.approx(log2(407))
    assert values["highest_risk"] == pytest.approx(0.115355, abs=1e-6)
    assert (values["cells"], values["one_value"], values["no_limit"]) == (4, 0, 0)
    assert (tables["counted"], tables["sampled"], tables["not_computed"]) == (4, 0, 0)
    assert tables["most_below_values"] == pytest.approx(0, abs=1e-12)
    assert {c.over_tables.tables for c in report.cells if c.over_tables} == {407}
    assert figures(report, "disclosures") == dict.fromkeys(
        ["exposed", "secondary_exposed", "underprotected", "undecided"], 0
    )
    rank = figures(report, "rank")
    assert (rank["rank_decrease"], rank["withheld_for_nothing"]) == (1, 0)
    assert (rank["rank"], rank["degrees_of_freedom"]) == (report.summary.rank, 1)


def test_withheld_for_nothing() -> None:
    cells = {"d": ["T", "a", "b"], "value": [9, None, 4], "s": ["published", "secondary", "published"]}
    report = audit(release_from_document(one_variable(["a", "b"], cells, status="s"))).report
    rank, values = figures(report, "rank"), figures(report, "entropy_over_values")
    assert (rank["rank_decrease"], rank["withheld_for_nothing"]) == (0, 1)
    assert (values["one_value"], values["lowest_bits"], values["highest_risk"]) == (1, None, None)
    assert figures(report, "disclosures")["secondary_exposed"] == 1
    (cell,) = report.cells
    assert cell.rank is not None
    assert cell.rank.recomputable
    assert cell.over_tables is not None
    assert (cell.over_tables.entropy_bits, cell.over_tables.tables) == (0.0, None)


def test_what_has_no_limit_or_does_not_apply() -> None:
    """CONVENTION 325."""
    cells = {"d": ["T", "a", "b"], "value": [None, None, 4], "s": ["secondary", "primary", "published"]}
    report = audit(release_from_document(one_variable(["a", "b"], cells, status="s"))).report
    assert figures(report, "entropy_over_values")["no_limit"] == 2
    tables = figures(report, "entropy_over_tables")
    assert (tables["not_computed"], tables["lowest_bits"]) == (2, None)
    open_book = {"d": ["T", "a", "b"], "value": [9, 5, 4]}
    report = audit(release_from_document(one_variable(["a", "b"], open_book))).report
    assert [one.measure for one in report.risk_panel] == ["disclosures", "table_risk", "sap", "rank"]


def test_risk_of_whole_tables_where_all_counts_are_known() -> None:
    """R1 of (9, 5, 6): no zeros, N = 20, weights .1, .8, .1."""
    made = {
        "name": "t",
        "cells": {"a": ["T", "k", "l", "m"], "value": [20, 9, 5, 6], "s": ["published", *["primary"] * 3]},
    }
    report = audit(release_from_document(document({**made, "status": "s"}))).report
    shares = [9 / 20, 5 / 20, 6 / 20]
    evenness = 1 + sum(p * log(p) for p in shares) / log(3)
    expected = 0.8 * evenness - 0.1 * log(1 / (e * sqrt(20))) / sqrt(20)
    assert figures(report, "table_risk") == {"tables": 1, "highest_R1": pytest.approx(expected, rel=1e-10)}


def rounded_with_margins(counts: np.ndarray, base: int, hidden: set[tuple[int, int]]) -> dict[str, Any]:
    """Counts rounded conventionally, with true counts; of cells that are hidden nothing is released."""
    full = np.zeros(np.add(counts.shape, 1), int)
    full[:-1, :-1], full[-1, :-1], full[:-1, -1], full[-1, -1] = counts, counts.sum(0), counts.sum(1), counts.sum()
    rows, columns = ([str(k) for k in range(size)] for size in counts.shape)
    cells: dict[str, list[Any]] = {"r": [], "c": [], "value": [], "true": [], "s": []}
    for (i, j), count in np.ndenumerate(full):
        shown = (2 * int(count) + base) // (2 * base) * base
        row = ([*rows, "T"][i], [*columns, "T"][j], shown, int(count), "published")
        row = (*row[:2], None, row[3], "primary") if (i, j) in hidden else row
        for name, entry in zip(cells, row, strict=True):
            cells[name].append(entry)
    rounding = {"base": base, "method": "conventional"} if base > 1 else None
    made = {"name": "t", "cells": cells, "truth": "true", "status": "s"}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"r": {"total": "T", "codes": rows}, "c": {"total": "T", "codes": columns}},
        "tables": [made | ({"rounding": rounding} if rounding else {})],
    }


@pytest.mark.parametrize("seed", range(20))
def test_subtraction_in_the_panel_is_that_of_its_own_command(seed: int) -> None:
    """The bounds that the audit has found give the same SAP as those that `sap` looks for itself."""
    random = np.random.default_rng(seed)
    counts = random.poisson(1.5, random.integers(2, 4, 2)) + (seed % 2)
    hidden = {(int(i), int(j)) for i, j in np.ndindex(counts.shape) if random.random() < 0.5}
    if not counts.any():
        counts[0, 0] = 1
    release = release_from_document(rounded_with_margins(counts, int(random.choice([1, 3, 5])), hidden))
    report = audit(release).report
    found = figures(report, "sap")
    sizes = tuple(range(1, min(2, int(counts.sum())) + 1))
    expected = static_sap(of_release(release).attack, sizes)
    assert [found[f"SAP_{n}"] for n in sizes] == pytest.approx(list(expected.value), rel=1e-11)
    assert found["open"] == 0
    # CONVENTION 634
    inner = [c for c in report.cells if "T" not in dict(c.cell).values() and c.status != "structural_zero"]
    not_out = [c for c in inner if c.reason != "sensitive_published"]
    tight = [int(c.truth) for c in not_out if c.truth is not None and c.truth == c.upper]
    by_sets = sap_by_inclusion_exclusion(tight, int(counts.sum()))
    assert [found[f"SAP_{n}_hidden"] for n in sizes] == pytest.approx([float(by_sets[n]) for n in sizes], rel=1e-11)


def test_published_zeros_are_not_taken_for_a_danger() -> None:
    # CONVENTION 634
    cells = {"a": ["T", "k", "l", "m"], "value": [20, 0, 9, 11]}
    report = audit(release_from_document(document({"name": "t", "cells": cells}, policy=POLICY))).report
    found = figures(report, "sap")
    assert (report.verdict, found["SAP_1"], found["SAP_1_hidden"], found["published_zeros"]) == ("safe", 1, 0, 1)
    text = render_text(report, colour=False, width=200, limit=None, panel=True)
    assert "SAP(1) of cells not published: 0; " in text
    assert "SAP(1): " not in text
    withheld = cells | {"value": [20, None, 9, 11], "true": [20, 0, 9, 11], "s": ["", "primary", "", ""]}
    one = {"name": "t", "cells": withheld, "truth": "true", "status": "s"}
    found = figures(audit(release_from_document(document(one))).report, "sap")
    assert (found["SAP_1"], found["SAP_1_hidden"], found["published_zeros"]) == (1, 1, 0)


def test_subtraction_is_left_out_where_it_does_not_follow() -> None:
    """CONVENTION 325: no measure of counts alone, no true count, a base cell that is no cell of a table, no units."""
    hidden = {"a": ["T", "k", "l"], "value": [5, None, None], "s": ["published", "primary", "primary"]}
    partly = {"a": ["T", "k", "l"], "value": [5, 2, 1]}
    empty = {"a": ["T", "k", "l", "m"], "value": [0, 0, 0, 0]}
    wrong = {**hidden, "true": [5, 2, 9], "s": ["published", "primary", "primary"]}
    for cells, more in (
        (hidden, {"status": "s"}),
        (partly, {"absent": {"leaves": "not_released"}}),
        (empty, {}),
        (wrong, {"status": "s", "truth": "true"}),
    ):
        report = audit(release_from_document(document({"name": "t", "cells": cells, **more}))).report
        assert "sap" not in {one.measure for one in report.risk_panel}
    assert "sap" not in {one.measure for one in audited().risk_panel}  # magnitudes


def test_every_measure_says_what_it_tells_and_what_not() -> None:
    assert len({m.name for m in MEASURES}) == len(MEASURES) >= 4
    for measure in MEASURES:
        for sentence in (measure.tells, measure.does_not_tell):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert 40 < len(sentence) < 130
            assert sentence.isascii()
    ranks = next(m for m in MEASURES if m.name == "rank")
    assert "narrower interval" in ranks.does_not_tell


def test_a_measure_joins_with_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(facts: Facts) -> tuple[Figure, ...] | None:
        return (Figure("cells", "cells", facts.summary.cells),)

    mine = Measure("mine", "Mine", "It tells.", "It does not.", True, counted)
    absent = Measure("absent", "Absent", "It tells.", "It does not.", True, lambda facts: None)
    monkeypatch.setattr(panel_module, "MEASURES", (*MEASURES, mine, absent))
    last = audited().risk_panel[-1]
    assert last == PanelEntry("mine", "Mine", (Figure("cells", "cells", 36),), "It tells.", "It does not.", True)


def test_json_fits_the_schema_and_comes_back() -> None:
    for effort in (Effort(10**5), Effort(0, samples=64, seed=1)):
        report = audited(entropy=effort)
        written = report_json(report)
        jsonschema.validate(json.loads(written), schema_of(Report))
        assert report_json(audited(entropy=effort)) == written
        assert report_from_json(written).risk_panel == report.risk_panel


def test_a_public_copy_keeps_what_is_published_only() -> None:
    """CONVENTION 325."""
    copy = public_copy(audited())
    assert {one.measure for one in copy.risk_panel} == {"entropy_over_values", "entropy_over_tables", "rank"}
    release = read_release(TABLE_1)
    for text in (render_html(copy, release), render_text(copy, colour=False, width=100, limit=None, panel=True)):
        assert "Entropy over tables" in text
        assert "Exact disclosure" not in text


def test_true_values_change_no_public_figure() -> None:
    def copy(truth: list[int], status: list[str]) -> Any:
        made = {"name": "t", "cells": {"a": ["T", "k", "l", "m"], "value": [20, None, None, 6], "s": status}}
        made["cells"]["truth"] = truth
        release = document({**made, "status": "s", "truth": "truth"})
        return public_copy(audit(release_from_document(release)).report).risk_panel

    assert copy([20, 9, 5, 6], ["published", "primary", "secondary", "published"]) == copy(
        [20, 2, 12, 6], ["published", "secondary", "primary", "published"]
    )


def test_text_shows_figures_and_sentences() -> None:
    text = render_text(audited(), colour=False, width=100, limit=None, panel=True)
    assert text.isascii()
    panel = text[text.index("Risk side by side") : text.index("\nReleased system")]
    assert "Risk side by side" not in render_text(audited(), colour=False, width=100, limit=None)
    assert "fewest bits: 8.669" in " ".join(panel.split())
    for measure in audited().risk_panel:
        assert measure.title in panel
        assert measure.does_not_tell in " ".join(panel.split())
    assert max(map(len, panel.splitlines())) <= 100


def test_sampled_figures_say_so() -> None:
    report = audited(entropy=Effort(0, samples=64, seed=7))
    tables = figures(report, "entropy_over_tables")
    assert (tables["sampled"], tables["samples"], tables["seed"]) == (4, 64, 7)
    assert "≈" in render_html(report, read_release(TABLE_1))


def test_command_line(tmp_path: Path) -> None:
    def run(*options: str) -> Any:
        out = tmp_path / "report.json"
        result = CliRunner().invoke(app, ["audit", str(TABLE_1), "--json", str(out), *options])
        assert result.exit_code == 0, result.output
        return json.loads(out.read_text("utf-8"))

    plain = run()
    assert run("--entropy", "values") == plain
    assert run("--entropy", "tables", "--samples", "128", "--seed", "3") == plain  # exact anyway
    assert plain["cells"][0]["over_tables"]["method"] == "exact"


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_panel_in_a_browser(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    page_file = tmp_path / "report.html"
    page_file.write_text(render_html(audited(), read_release(TABLE_1)), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        try:
            page = browser.new_page(viewport={"width": 1200, "height": 900})
            page.goto(page_file.as_uri())
            page.click("nav a[href='#risk']")
            assert page.locator("#risk tbody tr").count() == len(audited().risk_panel)
            assert page.locator("#risk tbody tr", has_text="Entropy over tables").is_visible()
            page.screenshot(path=str(tmp_path / "panel.png"))
            wide = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            assert wide
        finally:
            browser.close()
