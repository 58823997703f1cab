"""Pages of the service in a real browser, against a real server with its workers."""

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessible import CONTRAST, faults, findings
from asking import archive
from large_report import large
from serving import address, started
from small import document, table
from towns import MEASURES, built

from tableseal.api.cases import cases_folder
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.jobs.audit_kind import AuditRequest
from tableseal.api.jobs.pages import pages_of
from tableseal.api.jobs.pattern import PATTERN
from tableseal.api.jobs.suppression_kind import SuppressionRequest
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.job import Document
from tableseal.api.store.jobs import record
from tableseal.audit.report.workbench.packed import packed

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FRENCH = cases_folder() / "french_business"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
WAIT = 120_000
MANY = 2_500
"""Releases of a batch that takes much longer than a test, on any machine."""

DRAWN = """scheme => matchMedia(`(prefers-color-scheme: ${scheme})`).matches && new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"""
"""The page has been drawn in a colour scheme."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the service."""
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """Where a service listens."""
    log = folder / "log"
    options = {"data": str(folder / "data"), "poll_seconds": "0.05", "inline_seconds": "60", "max_files": str(MANY)}
    options |= {"hypercubes": str(folder / "cubes"), "table_cells": "100"}
    with started("serve", "--port", "0", log=log, **options) as process:
        yield address(process, log)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


class Watched:
    """A page; what it loads and says is kept."""

    def __init__(self, browser: Any, site: str, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.foreign: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda r: r.url.startswith((site, "data:")) or self.foreign.append(r.url))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on(
            "console", lambda m: m.type == "error" and "status of 422" not in m.text and self.said.append(m.text)
        )

    def good(self) -> None:
        """CONVENTION 891: nothing came from elsewhere or went wrong, and the page is usable in both colour schemes and
        on a phone."""
        size = self.page.viewport_size
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.page.wait_for_function(DRAWN, arg=scheme)
            assert faults(self.page) == [], f"{scheme}: {self.page.url}"
            assert findings(self.page, CONTRAST if scheme == "dark" else ()) == [], f"{scheme}: {self.page.url}"
        self.page.set_viewport_size({"width": 390, "height": 844})
        assert findings(self.page) == [], f"390 px: {self.page.url}"
        self.page.set_viewport_size(size)
        self.sound()

    def sound(self) -> None:
        """The part of it that takes no time on pages of 20,000 elements, which axe takes a minute for."""
        assert self.foreign == []
        assert self.said == []
        size = self.page.viewport_size
        self.page.set_viewport_size({"width": 360, "height": 740})
        assert self.page.evaluate("document.documentElement.scrollWidth") <= 360, self.page.url
        self.page.set_viewport_size(size)


@pytest.fixture
def watched(browser: Any, site: str) -> Iterator[Watched]:
    found = Watched(browser, site)
    yield found
    found.context.close()


def test_the_french_set_from_the_start_page_to_the_arithmetic(watched: Watched, site: str, tmp_path: Path) -> None:
    """Nobody says more than which of the three releases is meant."""
    page = watched.page
    page.goto(site)
    watched.good()
    page.set_input_files("#files", [path for path in FRENCH.iterdir() if path.suffix in (".yaml", ".csv", ".json")])
    assert "14 files" in page.inner_text("[data-chosen]")
    page.get_by_role("button", name="Continue").click()
    watched.good()
    page.get_by_label("turnover.yaml").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Turnover of French companies, four linked tables").wait_for()
    watched.good()
    page.get_by_role("button", name="Run the audit").click()
    page.locator(".banner.unsafe").wait_for()

    with page.expect_download() as download:
        page.get_by_role("link", name="Report as JSON").click()
    download.value.save_as(tmp_path / "report.json")
    summary = json.loads((tmp_path / "report.json").read_text("utf-8"))["summary"]
    expected = json.loads((FRENCH / "expected.json").read_text("utf-8"))["values"]
    figures = [entry for entry in expected if entry["run"] == "turnover" and entry["field"].startswith("summary ")]
    assert figures
    for entry in figures:
        name = entry["field"].removeprefix("summary ").replace(" ", "_")
        assert summary[name] == entry["expected"]
    assert "exposed\n240" in page.inner_text("dl.tiles")

    cell = page.locator(".heat td.x a").first
    cell.click()
    dialog = page.get_by_role("dialog")
    assert "exposed" in dialog.inner_text()
    assert " = " in dialog.locator(".how").first.inner_text()
    watched.good()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()

    with page.expect_download() as download:
        page.get_by_role("link", name="Report as a page").click()
    download.value.save_as(tmp_path / "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    watched.foreign.clear()  # the file itself
    watched.good()


def exposed() -> dict[str, Any]:
    """A release with one sensitive cell, which is 20 - 12."""
    table = EXAMPLE["tables"][0]
    value = [8, 12, 20, 11, 9, 20, 19, 21, 40]
    status = ["primary", "", "", "", "", "", "", "", ""]
    return {**EXAMPLE, "tables": [{**table, "cells": {**table["cells"], "value": value, "status": status}}]}


def focus_on(page: Any, name: str) -> None:
    """Go on with the tabulator until an element of that name has the focus, which can be seen."""
    for _ in range(60):
        page.keyboard.press("Tab")
        text = page.evaluate(
            "(e => (e.labels?.[0]?.textContent || e.getAttribute('aria-label') || e.textContent).trim())"
            "(document.activeElement)"
        )
        if text.startswith(name):
            style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert style != "none", f"the focus on {name} cannot be seen"
            return
    raise AssertionError(f"the tabulator never gets to {name}")


def test_a_release_of_100_000_cells(watched: Watched, site: str, folder: Path, tmp_path: Path) -> None:
    """Map, list, a cell, the page that is taken along, a pattern of as many secondary cells, and before any of that is
    erased: each within a second of the server, and usable on a phone."""
    release, report = large(25_000, lines=1000)
    settings = Settings(data=folder / "data")
    store = Store(settings.database_url, settings.keys)
    with store.writing() as connection:
        wanted = AuditRequest(release="r.json").model_dump_json()
        documents = (Document("report.json", "application/json", b"{}"), *pages_of(report, release))
        job = record(connection, "local", "audit", wanted, documents, outcome="safe", seconds=1, title="Large")
        secondary = [[[*(c for _, c in cell.cell)], "value", "17", "needed by A00", False] for cell in report.cells]
        front = {"figures": [f"heuristic: {len(secondary)} secondary cells"], "decided": [], "explained": False}
        pattern = Document(PATTERN, "application/octet-stream", packed({"front": front}, {}, {"cells": secondary}))
        searched = SuppressionRequest(release="r.json").model_dump_json()
        found = (*documents, pattern)
        search = record(connection, "local", "suppression", searched, found, outcome="safe", seconds=1, title="Large")
    store.close()
    page = watched.page
    page.goto(f"{site}/jobs?words=large")
    page.get_by_role("row", name="Large").get_by_role("link").first.click()
    page.get_by_text("of 25\u202f000 cells; the release has 100\u202f000").wait_for()
    watched.good()
    page.goto(f"{site}/jobs/{job.id}?map=t&line=901&column=61")
    watched.good()
    page.locator(".heat td a").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.get_by_role("link", name="Its own page").click()
    watched.good()
    page.goto(f"{site}/jobs/{search.id}?secondary=250")
    page.get_by_text("24\u202f901 to 25\u202f000 of 25\u202f000.").wait_for()
    assert page.get_by_text("heuristic: 25\u202f000 secondary cells").count() == 2
    watched.good()
    page.goto(f"{site}/jobs/{search.id}/erase")
    watched.good()
    page.goto(f"{site}/jobs/{job.id}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Report as a page").click()
    download.value.save_as(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    page.goto((tmp_path / "report.html").as_uri())
    watched.foreign.clear()  # the file itself
    page.get_by_text("more cells are in the JSON report.").wait_for()
    watched.sound()


def test_with_the_keyboard_alone(watched: Watched, site: str) -> None:
    page = watched.page
    page.goto(site)
    focus_on(page, "Skip to the content")
    focus_on(page, "Paste it instead")
    page.keyboard.press("Enter")
    focus_on(page, "Release (YAML, JSON)")
    page.keyboard.insert_text(json.dumps(exposed()))
    focus_on(page, "Continue")
    page.keyboard.press("Enter")
    page.locator("#audit-h").wait_for()
    focus_on(page, "Run the audit")
    page.keyboard.press("Enter")
    page.locator(".banner.unsafe").wait_for()
    focus_on(page, "= 8")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    assert "8" in dialog.locator(".how").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "= 8"  # the focus is where it was
    focus_on(page, "Find")
    page.keyboard.insert_text("nothing like this")
    page.keyboard.press("Enter")
    page.get_by_text("fits.").wait_for()  # only that part of the page is replaced, and the focus stays in the field
    assert "q=nothing+like+this" in page.url
    assert page.evaluate("document.activeElement.id") == "c-q"
    focus_on(page, "= 8")
    page.keyboard.press("ArrowLeft")  # from cell to cell
    assert page.evaluate("document.activeElement.closest('.heat') && document.activeElement.textContent") not in (
        "= 8",
        "",
    )


TABLE = "region;size;turnover;firms\nN;s;10,5;4\nN;l;20,0;2\nN;all;30,5;6\nS;s;7,0;9\nS;l;8,5;5\nS;all;15,5;14\n"


def test_a_plain_table_is_marked_and_mended_beside_the_field(watched: Watched, site: str) -> None:
    page = watched.page
    page.goto(site)
    page.set_input_files("#files", {"name": "by size.csv", "mimeType": "text/csv", "buffer": TABLE.encode()})
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="What are the columns of by size.csv?").wait_for()
    watched.good()
    page.get_by_label("firms", exact=True).select_option("frequency")
    assert not page.get_by_label("Code of the total of firms").is_visible()
    page.get_by_label("region", exact=True).select_option("classification")
    page.get_by_label("Code of the total of region").select_option("")
    page.get_by_label("Code of the total of size").select_option("=all")
    page.get_by_label("turnover", exact=True).select_option("value")
    page.get_by_label("The values are").select_option("magnitude")
    page.get_by_label("Fewest contributors", exact=True).fill("3")
    page.get_by_label("Smallest step of the values").fill("a little")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("alert").wait_for()
    assert page.get_by_label("Smallest step of the values").get_attribute("aria-invalid") == "true"
    watched.good()
    page.get_by_label("Smallest step of the values").fill("0.1")
    page.get_by_role("button", name="Continue").click()
    page.locator("#audit-h").wait_for()
    page.get_by_role("button", name="Run the audit").click()
    page.locator(".banner.unsafe").wait_for()
    assert page.inner_text(".heat td.x") == "= 20"  # the only sensitive cell follows from the total


def test_sums_that_do_not_add_up_are_shown_and_lists_and_errors_are_usable(watched: Watched, site: str) -> None:
    page = watched.page
    page.goto(f"{site}/jobs")
    watched.good()
    broken = TABLE.replace("30,5;6", "31,5;6")
    page.goto(site)
    page.set_input_files("#files", {"name": "t.csv", "mimeType": "text/csv", "buffer": broken.encode()})
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Code of the total of size").select_option("=all")
    page.get_by_label("Code of the total of region").select_option("")
    page.get_by_label("firms", exact=True).select_option("frequency")
    page.get_by_label("turnover", exact=True).select_option("value")
    page.get_by_label("The values are").select_option("magnitude")
    page.get_by_label("Smallest step of the values").fill("0.1")
    page.get_by_role("button", name="Continue").click()
    assert page.inner_text("tr.found td") == "31.5"
    assert page.inner_text("tr.difference td") == "1"
    watched.good()
    page.goto(f"{site}/releases")
    watched.good()
    page.get_by_role("link", name="Erase t", exact=True).first.click()
    watched.good()
    page.get_by_role("button", name="Erase", exact=True).click()
    page.get_by_role("heading", name="Releases").wait_for()
    assert page.get_by_role("link", name="Erase t", exact=True).count() == 0
    page.goto(f"{site}/jobs/0")
    assert page.get_by_role("alert").inner_text().startswith("No such job")


def test_pages_without_a_release_in_both_languages(watched: Watched, site: str) -> None:
    # CONVENTION 891, that of administration among them
    for path in ("/admin", "/account", "/publications", "/plans", "/admin?lang=fr", "/"):
        watched.page.goto(f"{site}{path}")
        watched.good()
    assert watched.page.evaluate("document.documentElement.lang") == "fr"


def test_without_scripts(browser: Any, site: str) -> None:
    found = Watched(browser, site, java_script_enabled=False)
    page = found.page
    page.goto(site)
    page.get_by_text("Paste it instead").click()
    page.get_by_label("Release (YAML, JSON)").fill(json.dumps(EXAMPLE))
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Run the audit").click()
    page.locator(".banner.safe").wait_for()  # the page looks again by itself
    page.locator(".heat td a").first.click()
    assert "/cell?code=" in page.url
    found.context.close()


def test_patterns_are_compared_on_a_chart_and_the_protected_release_is_downloaded(watched: Watched, site: str) -> None:
    page = watched.page
    page.goto(site)
    page.get_by_text("Paste it instead").click()
    page.get_by_label("Release (YAML, JSON)").fill(json.dumps(exposed()))
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Try patterns").wait_for()
    watched.good()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="Cost against protection").wait_for()
    assert page.locator("figure svg").first.is_visible()
    watched.good()
    page.get_by_role("link", name="Back to the release").click()
    page.get_by_label("Method", exact=True).select_option("heuristic")
    page.get_by_role("button", name="Protect").click()
    page.locator(".banner.safe").wait_for()
    assert page.get_by_role("row", name="heuristic (this pattern)").is_visible()
    watched.good()
    with page.expect_download() as download:
        page.get_by_role("link", name="Protected release (zip)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert sorted(archive.namelist()) == ["release.yaml", "release_by_region_and_size.csv"]


def test_values_are_changed_and_attacked(watched: Watched, site: str) -> None:
    """From the release to the form of a method, an error at its field, the result, and attacks on it."""
    page = watched.page
    page.goto(site)
    page.get_by_text("Paste it instead").click()
    page.get_by_label("Release (YAML, JSON)").fill(
        json.dumps({**UNPROTECTED, "policy": {"primary": [{"threshold": 3}]}})
    )
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Choose a method").click()
    page.get_by_role("link", name="random-rounding").click()
    watched.good()
    page.get_by_label("Base").fill("much")
    page.get_by_role("button", name="Change the values").click()
    page.get_by_text("expected a number").wait_for()
    assert page.get_by_label("Base").input_value() == "much"
    watched.good()
    page.get_by_label("Base").fill("5")
    page.get_by_role("button", name="Change the values").click()
    page.get_by_role("heading", name="What was done").wait_for()
    watched.good()
    page.locator(".heat td a").first.click()
    page.get_by_role("link", name="Its own page").click()
    page.get_by_role("link", name="Back to the report").wait_for()
    watched.good()
    page.get_by_role("link", name="Back to the report").click()
    page.get_by_role("button", name="Attack what it releases").click()
    page.get_by_role("heading", name="Guessed right").wait_for()
    watched.good()
    page.get_by_role("link", name="Back to the release").click()
    page.get_by_role("link", name="Attack changed counts").click()
    watched.good()
    page.goto(f"{site}/jobs")
    page.get_by_label("What").select_option("attack")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("row", name="Attacks").wait_for()
    watched.good()
    page.get_by_role("link", name="Account").click()
    watched.good()


def test_a_job_says_how_far_it_is_and_is_cancelled(watched: Watched, site: str) -> None:
    """One that runs for far longer than anybody looks here, and one that waits behind it for the only worker."""
    page = watched.page
    many = [(f"{number}.json", json.dumps({**EXAMPLE, "title": str(number)}).encode()) for number in range(MANY)]
    page.goto(f"{site}/batches")
    page.set_input_files("#files", {"name": "many.zip", "mimeType": "application/zip", "buffer": archive(*many)})
    page.get_by_role("button", name="Start the batch").click()
    page.locator("progress[value]").wait_for()
    assert page.locator("[data-stage]").get_attribute("aria-live") == "polite"
    assert page.inner_text("[data-figures]").endswith(f"of {MANY:_}".replace("_", "\u202f"))
    watched.good()
    long = page.url

    page.goto(f"{site}/batches")
    page.set_input_files("#files", {"name": "more.zip", "mimeType": "application/zip", "buffer": archive(*many)})
    page.get_by_role("button", name="Start the batch").click()
    assert page.inner_text("[data-stage]").startswith("Waiting for a worker")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("It was ended before it was done").wait_for()

    page.goto(long)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("It was ended before it was done").wait_for()


def test_a_batch_from_the_upload_to_a_report(watched: Watched, site: str, tmp_path: Path) -> None:
    page = watched.page
    page.goto(site)
    page.get_by_role("link", name="Batches").click()
    page.get_by_role("heading", name="New batch").wait_for()
    watched.good()
    releases = {"good.json": EXAMPLE, "open.json": exposed(), "bad.json": {**EXAMPLE, "kind": "cuont"}}
    packed = archive(*((name, json.dumps(release).encode()) for name, release in releases.items()))
    page.set_input_files("#files", {"name": "all.zip", "mimeType": "application/zip", "buffer": packed})
    focus_on(page, "Start the batch")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Batch of 3 releases").wait_for()
    assert page.get_by_role("status").inner_text().startswith("Unsafe")
    rows = page.locator("tbody tr").all_inner_texts()
    assert [row.split()[:2] for row in rows] == [["open.json", "unsafe"], ["bad.json", "failed"], ["good.json", "safe"]]
    watched.good()
    for name, begins in (("CSV", "release,title,verdict"), ("JSON", "{")):
        with page.expect_download() as download:
            page.get_by_role("link", name=f"Summary as {name}").click()
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_text("utf-8").lstrip("\ufeff").startswith(begins)
    page.get_by_role("link", name="Report of open.json", exact=True).click()
    page.locator(".banner.unsafe").wait_for()
    page.go_back()
    page.get_by_role("link", name="All batches").click()
    assert "unsafe" in page.locator("tbody tr").first.inner_text()
    watched.good()


def test_what_is_out_makes_a_release_fall_until_it_is_withdrawn(watched: Watched, site: str) -> None:
    """The earlier table is named; the entry is taken back with the keyboard alone, and stays in the list."""
    page = watched.page
    rule = {"primary": [{"threshold": 3}]}
    tells = document(table(["l"], [3], name="of_l", absent={"leaves": "not_released"}), title="Tells", policy=rule)
    status = ["", "primary", "secondary", ""]
    hides = document(table(["T", "k", "l", "m"], [9, 2, 3, 4], status=status), title="Hides", policy=rule)

    def audited(release: Any) -> None:
        page.goto(site)
        page.get_by_text("Paste it instead").click()
        page.get_by_label("Release (YAML, JSON)").fill(json.dumps(release))
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("Name of the publication").fill("Patients 2026")
        page.get_by_role("button", name="Audit with what is out").click()
        page.get_by_role("heading", name="A new release for Patients 2026").wait_for()

    page.goto(f"{site}/publications")
    watched.good()
    audited(tells)
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("heading", name="Patients 2026", exact=True).wait_for()
    watched.good()
    audited(hides)
    row = page.get_by_role("row", name="a = k")
    assert "the new release with entry 1, table of_l" in row.inner_text()
    assert page.get_by_label("Why it goes out although it was not found safe").is_visible()
    watched.good()
    row.get_by_role("link", name="entry 1, table of_l").click()
    page.get_by_role("heading", name="Withdraw it").wait_for()
    watched.good()
    focus_on(page, "Reason")
    page.keyboard.insert_text("not sent")
    focus_on(page, "It was out")
    page.keyboard.press("ArrowDown")
    focus_on(page, "Withdraw")
    page.keyboard.press("Enter")
    page.get_by_text("It never went out: later releases are not audited with it.").wait_for()
    watched.good()
    page.get_by_role("link", name="Patients 2026").click()
    assert "withdrawn: not sent" in page.get_by_role("row", name="Tells").inner_text()
    page.get_by_role("link", name="Publications", exact=True).click()
    assert page.get_by_role("row", name="Patients 2026").inner_text().split("\t")[1:3] == ["1", "1"]
    watched.good()
    audited(hides)
    page.locator(".banner.safe").wait_for()


def test_a_plan_from_its_files_to_the_summary_page(watched: Watched, site: str, tmp_path: Path) -> None:
    """CONVENTION 992, 993: brought with the keyboard's help, made safe under a name; the page of the folder, too."""
    page = watched.page
    rows = [*["N,a,10"] * 6, *["S,a,7"] * 9, "S,b,800", *["W,b,5"] * 7]
    plan = {
        "tableseal-plan": 1,
        "title": "Farms",
        "measures": {"sales": {"kind": "magnitude"}, "farms": {"kind": "count"}},
        "variables": {
            "region": {"total": "T", "codes": ["N", "S", "W"]},
            "size": {"total": "all", "codes": ["a", "b"]},
        },
        "combinations": [{"choose": 1, "of": ["region", "size"]}],
        "microdata": {"file": "farms.csv", "values": {"sales": "sales"}},
        "policy": {"primary": [{"threshold": 3}]},
    }
    page.goto(site)
    page.get_by_role("link", name="Plans").click()
    page.get_by_role("heading", name="New plan").wait_for()
    watched.good()
    given = {"name": "p.json", "mimeType": "application/json", "buffer": json.dumps(plan).encode()}
    records = {
        "name": "farms.csv",
        "mimeType": "text/csv",
        "buffer": b"region,size,sales\n" + "\n".join(rows).encode(),
    }
    page.set_input_files("#plan", given)
    page.set_input_files("#files", records)
    focus_on(page, "Continue")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Make all of it safe").wait_for()
    watched.good()
    page.get_by_label("Name of the publication").fill("Farms 2026")
    focus_on(page, "Make all of it safe")
    page.keyboard.press("Enter")
    page.get_by_text("2 of 2 clusters are safe.").wait_for()
    watched.good()
    page.goto(f"{page.url}?lang=fr")
    page.get_by_text("2 groupes sur 2 sont sûrs.").wait_for()
    watched.good()
    page.goto(f"{page.url.partition('?')[0]}?lang=en")
    with page.expect_download() as download:
        page.get_by_role("link", name="All else").click()
    with zipfile.ZipFile(download.value.path()) as packed:
        packed.extract("summary.html", tmp_path)
    page.get_by_role("link", name="Report of sales").click()
    page.locator(".banner.safe").wait_for()
    page.goto((tmp_path / "summary.html").as_uri())
    watched.foreign.clear()  # the file itself
    page.get_by_role("heading", name="How to verify it").wait_for()
    watched.good()


def test_users_make_tables(watched: Watched, site: str, folder: Path, tmp_path: Path) -> None:
    """From the list of hypercubes: what to expect, a mean, why a table is not given, one that is, a job, a file."""
    (folder / "cubes").mkdir()
    built(folder / "cubes", policy=MEASURES, income=True)
    page = watched.page
    page.goto(f"{site}/tables")
    watched.good()
    page.get_by_role("link", name="Town").click()
    page.get_by_text("Nothing is chosen yet.").wait_for()
    page.get_by_label("sex").first.select_option("1")
    page.locator("#likely").get_by_text("It may well be answered.").wait_for()
    page.get_by_label("Its mean").check()
    watched.good()
    page.get_by_role("button", name="Make the table").click()
    page.get_by_text("No sum differs from the true one by more than 0.65 times its largest contribution.").wait_for()
    watched.good()
    rows = page.locator("table.plain tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == ["F", "M"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    download.value.save_as(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text("utf-8").startswith("sex,value,count,mean")

    page.goto(f"{site}/tables/town")
    page.get_by_label("job").first.select_option("1")
    page.get_by_label("age").first.select_option("2")
    page.get_by_label("The sum of a measure").check()
    page.get_by_role("button", name="Make the table").click()
    page.get_by_role("heading", name="This table is not given").wait_for()
    page.get_by_text("share of sums that few contributors make up").wait_for()
    watched.good()
    page.locator("ul.plain form button").first.click()
    page.get_by_role("heading", name="The table", exact=True).wait_for()

    page.goto(f"{site}/tables/town")
    for name, level in (("district", "2"), ("sex", "1"), ("age", "2"), ("job", "1")):
        page.get_by_label(name).first.select_option(level)
    page.get_by_label("How many units").check()
    page.get_by_role("button", name="Make the table").click()
    page.get_by_text("variables that span the table").first.wait_for()  # more than may be asked is no job
    page.get_by_label("sex").first.select_option("")
    page.get_by_role("button", name="Make the table").click()
    page.wait_for_url("**/jobs/*")
    page.locator("#made-h").wait_for()
    watched.good()
