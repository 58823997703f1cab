"""The HTML page: what it shows, what it must never show, and that a browser opens a large one quickly."""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from large_report import large, open_cell, release_of, report_on, table_of

from tableseal.audit.errors import InputError
from tableseal.audit.model import Absent, Note, Status, build_hierarchy
from tableseal.audit.report import html as html_module
from tableseal.audit.report import public_copy, render_html
from tableseal.audit.report.model import InsiderFinding, Released, Reveals, Term
from tableseal.audit.report.page import source_hash
from tableseal.audit.report.words import HTML, number

CHROMIUM = next((p for p in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if p.exists()), None)

# ---------------------------------------------------------------- releases and reports made by hand


SECRET = 987654


def small():
    """Activity (a group with two members) by size; four cells withheld, true values known to the agency."""
    activity = build_hierarchy("activity", "Total", [[(None, "A"), ("A", "A1"), ("A", "A2"), (None, "B")]])
    size = build_hierarchy("size", "All", [[(None, "small"), (None, "large")]])
    rows, values, status, truth = [], [], [], []
    for a, activity_code in enumerate(activity.codes):
        for s, size_code in enumerate(size.codes):
            withheld = activity_code in ("A1", "A2") and size_code != "All"
            rows.append((a, s))
            values.append(None if withheld else 1000 * (a + 1) + s)
            status.append(Status.PRIMARY if withheld else Status.PUBLISHED)
            truth.append(SECRET if withheld else 1000 * (a + 1) + s)
    release = release_of(table_of(rows, values, status, truth=truth), activity, size)

    def place(a, s):
        return (("activity", a), ("size", s))

    released = Term(Fraction(1), Released("t", place("A", "All")))
    cells = [
        open_cell(place("A1", "small"), 12, 12, reveals=Reveals("equation", (released,), "A1 / small = A / All - 4")),
        open_cell(place("A1", "large"), 7, 7, status="secondary"),
        open_cell(
            *(place("A2", "small"), 90, 110),
            verdict="underprotected",
            reason="insider",
            insider=InsiderFinding("largest of A2 / small", "value", (Fraction(95), Fraction(100, 3))),
            required=(Fraction(54321), Fraction(65432)),
            truth=Fraction(SECRET),
            rule="p% 10",
        ),
        open_cell(place("A2", "large"), 0, None, truth=Fraction(SECRET)),
    ]
    return release, report_on(cells, size=15, notes=[Note("assumed", "Rows that are absent are zeros.", 3)])


class Reader(HTMLParser):
    """Tags that open and close properly, and the text of every cell of a heat map."""

    def __init__(self):
        super().__init__()
        self.stack, self.faults, self.tags, self.heads = [], [], Counter(), []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag == "th":
            self.heads.append(dict(attrs))
        if tag not in ("meta", "input", "br", "link"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(tag)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert not reader.faults
    assert not reader.stack
    return reader


# ---------------------------------------------------------------- what it shows


def test_page_has_verdict_intervals_values_arithmetic_insiders_and_notes():
    release, report = small()
    page = render_html(report, release)
    reader = read(page)
    assert "This release must not go out as it is." in page
    assert "Confidential" in page
    assert 'class="x"><a href="#c0" title="primary, 1 possible, risk ∞, exposed">= 12</a>' in page
    assert 'class="x2"><a href="#c1"' in page
    assert "▲ [90, 110]" in page
    assert "[0, ∞)" in page
    assert '<td class="v">1\u202f000</td>' in page  # thin thousands separators
    assert "A1 / small = A / All - 4" in page
    assert "largest of A2 / small can place the value of this cell within [95, ≈\u202f33.3333]" in page
    assert "Rows that are absent are zeros." in page
    assert all("scope" in head for head in reader.heads)
    assert reader.tags["caption"] == reader.tags["table"] == 2


def test_codes_stand_in_the_order_of_the_hierarchy_and_are_indented():
    release, report = small()
    lines = re.findall(r'<tr><th scope="row" class="d(\d)">(.*?)</th>', render_html(report, release))
    assert lines == [("0", "Total"), ("1", "A"), ("2", "A1"), ("2", "A2"), ("1", "B")]


def test_nothing_is_loaded_and_only_our_own_script_and_style_may_run():
    # CONVENTION 166
    release, report = small()
    page = render_html(report, release)
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", page)
    assert "url(" not in page
    assert "@import" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1).replace("&#39;", "'")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        text = re.search(f"<{tag}>(.*?)</{tag}>", page, re.S).group(1)
        assert source_hash(text) in policy
    assert " style=" not in page


def test_same_report_same_page():
    release, report = small()
    assert render_html(report, release) == render_html(report, release)


# ---------------------------------------------------------------- what it must not show


def test_a_public_page_holds_no_confidential_thing():
    release, report = small()
    page = render_html(public_copy(report), release)
    assert "Public copy" in page
    for secret in ("987", "A1 / small = ", "largest of", "54", "65", "p% 10", "primary", "secondary"):
        text = re.sub(r"<style>.*?</style>|<script>.*?</script>|<footer>.*?</footer>", "", page, flags=re.S)
        assert secret not in text, secret
    assert "a" * 64 not in page
    assert "b" * 64 not in page
    assert "published although" not in page


def test_a_cell_that_the_report_withholds_shows_no_value_even_if_the_table_has_one():
    # CONVENTION 164
    """The what-if that only the primaries are withheld is drawn over the release as it stands."""
    release, report = small()
    cell = open_cell((("activity", "B"), ("size", "small")), 1, 9)
    page = render_html(replace(report, cells=(cell,)), release)
    value = number(1000 * 5 + 1, HTML)  # B is the fifth code, small the second
    assert value in render_html(replace(report, cells=()), release)
    assert value not in page


EVIL = "<script>alert(1)</script>\"'&<!--"


def test_everything_from_the_release_is_escaped():
    activity = build_hierarchy(EVIL, EVIL + "T", [[(None, EVIL + "1"), (None, "\x1b[31m\u202e")]])
    place = ((EVIL, EVIL + "1"),)
    table = table_of([(0,), (1,), (2,)], [5, None, 3], [0, 7, 0], name=EVIL, named=(EVIL,))
    report = report_on(
        [
            open_cell(
                place,
                2,
                2,
                table=EVIL,
                reveals=Reveals("equation", (), EVIL),
                insider=InsiderFinding(EVIL, "value", (None, None)),
                rule=EVIL,
            )
        ],
        notes=[Note(EVIL, EVIL)],
        title=EVIL,
    )
    page = render_html(report, release_of(table, activity))
    reader = read(page)
    assert reader.tags["script"] == 1
    assert "alert(1)</script>" not in page
    assert "<!--" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_a_report_of_another_release_is_refused():
    release, report = small()
    stranger = open_cell((("activity", "Z"), ("size", "small")), 0, 5)
    with pytest.raises(InputError, match="does not belong to this release: table t of the report"):
        render_html(replace(report, cells=(stranger,)), release)


# ---------------------------------------------------------------- shapes of tables


def test_more_dimensions_become_foldable_sub_tables():
    # CONVENTION 165
    variables = [build_hierarchy(n, "T", [[(None, "1"), (None, "2")]]) for n in ("a", "b", "c")]
    rows = [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]
    values = [None if row == (1, 2, 1) else 10 for row in rows]
    status = [Status.WITHHELD if value is None else Status.PUBLISHED for value in values]
    table = table_of(rows, values, status, named=("a", "b", "c"))
    cell = open_cell((("a", "1"), ("b", "2"), ("c", "1")), 3, 3, status="withheld")
    page = render_html(report_on([cell]), release_of(table, *variables))
    read(page)
    assert [t.strip() for t in re.findall(r"<summary>(b .*?)<", page)] == ["b = T", "b = 1", "b = 2"]
    assert page.count("<details open>") == 1  # only the one with a finding is unfolded
    assert "1 exposed or underprotected" in page


def test_a_table_of_one_variable_one_cell_or_no_cell_is_drawn():
    size = build_hierarchy("size", "All", [[(None, "s")]])
    for rows, values in (([(0,), (1,)], [5, 5]), ([(0,)], [5]), (np.zeros((0, 1)), [])):
        table = table_of(rows, values, [0] * len(values), named=("size",))
        page = render_html(report_on([], verdict="safe", size=len(values)), release_of(table, size))
        read(page)
        assert page.count('<td class="v">5</td>') == len(values)


def test_a_fixed_variable_is_named_and_values_have_the_decimals_of_the_unit():
    size = build_hierarchy("size", "All", [[(None, "s"), (None, "l")]])
    region = build_hierarchy("region", "T", [[(None, "N"), (None, "S")]])
    table = table_of([(0, 1), (1, 1), (2, 1)], [4000, 2500, 1500], [0, 0, 0], named=("size",))
    table = replace(table, absent=Absent("not_released"))
    page = render_html(report_on([], verdict="safe"), release_of(table, size, region, unit=Fraction(1, 1000)))
    assert "value, region = N: published values" in page
    assert '<td class="v">2.500</td>' in page


def test_structural_zeros_and_cells_withheld_here_only_are_told_apart():
    size = build_hierarchy("size", "All", [[(None, "s"), (None, "l")]])
    status = [Status.PUBLISHED, Status.STRUCTURAL_ZERO, Status.MISSING]
    table = table_of([(0,), (1,), (2,)], [4, None, None], status, named=("size",))
    page = render_html(report_on([], verdict="safe"), release_of(table, size))
    assert '<td class="v z" title="structural zero">0</td>' in page
    assert '<td class="v e" title="withheld in this table, released otherwise">×</td>' in page


def test_zeros_without_a_row_and_computed_sums_are_drawn_as_released():
    size = build_hierarchy("size", "All", [[(None, "s"), (None, "l"), (None, "xl")]])
    listed = table_of([(1,), (3,)], [4, 5], [0, 0], named=("size",))
    computed = replace(listed, absent=Absent("zero", "compute"))
    page = render_html(report_on([], verdict="safe"), release_of(computed, size))
    assert '<td class="v" title="computed and released">9</td>' in page
    assert '<td class="v z" title="no row: taken as zero">0</td>' in page
    silent = replace(listed, absent=Absent("not_released", "not_released"))
    page = render_html(report_on([], verdict="safe"), release_of(silent, size))
    assert "computed" not in page
    assert "taken as zero" not in page


def test_a_table_too_large_to_draw_shows_lines_with_open_cells_and_says_so(monkeypatch):
    # CONVENTION 165
    release, report = small()
    monkeypatch.setattr(html_module, "DRAWN", 6)
    monkeypatch.setattr(html_module, "LISTED", 2)
    page = render_html(report, release)
    assert [code for _, code in re.findall(r'<tr><th scope="row" class="d(\d)">(.*?)</th>', page)] == [
        "A1",
        "A2",
    ]
    assert "9 cells of this table are not drawn" in page
    assert "2 more cells are in the JSON report" in page
    assert ": the worst of 4 open cells</span>" in page
    assert set(re.findall('href="#(c[^"]*)"', page)) == set(re.findall('id="(c[^"]*)"', page))


# ---------------------------------------------------------------- a large page in a browser


@pytest.mark.parametrize("open_cells", [2000, 10_000])
def test_a_page_of_10_000_cells_stays_under_3_megabytes(open_cells):
    # CONVENTION 796
    release, report = large(open_cells)
    page = render_html(report, release)
    assert len(page.encode()) < 3_000_000
    left_out = sum(map(int, re.findall(r"(\d+) cells of this table are not drawn", page)))
    assert page.count("<td") - len(re.findall("<tr id=", page)) * 7 == 10_000 - left_out
    unlisted = sum(map(int, re.findall(r"(\d+) more cells are in the JSON report", page)))
    assert len(re.findall('<tr id="c', page)) == open_cells - unlisted


def test_long_arithmetic_makes_a_page_with_fewer_cells_and_not_a_larger_one():
    # CONVENTION 796
    release, report = large(2000)
    told = Reveals("equation", (), "Total - " * 4000)
    long = replace(report, cells=tuple(cell._replace(reveals=told if cell.reveals else None) for cell in report.cells))
    page = render_html(long, release)
    assert len(page.encode()) < 3_000_000
    (shown, of) = re.findall(r"(\d+) of (\d+): the others are in the JSON report", page)[0]
    assert int(of) == sum(cell.reveals is not None for cell in report.cells)
    assert page.count('<div class="how">') == int(shown) > 0


def test_the_map_comes_first_and_arithmetic_is_folded():
    # CONVENTION 796
    page = render_html(*reversed(small()))
    assert page.index('id="tables"') < page.index('id="open-cells"') < page.index('id="exposures"')
    before = page[: page.index('id="exposures"')]
    assert before.count("<details") == before.count("</details>") + 1
    assert "<details open" not in before[before.index('id="open-cells"') :]


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
@pytest.mark.parametrize("open_cells", [2000, 10_000])
def test_chromium_searches_and_sorts_a_page_of_10_000_cells(tmp_path, open_cells):
    from playwright.sync_api import sync_playwright

    release, report = large(open_cells)
    page_file = tmp_path / "report.html"
    page_file.write_text(render_html(report, release), "utf-8")
    options = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=options)
        try:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto("about:blank")
            messages, requests = [], []
            page.on("console", lambda message: messages.append(message.text))
            page.on("pageerror", lambda error: messages.append(str(error)))
            page.on("request", lambda request: requests.append(request.url))
            page.goto(page_file.as_uri(), wait_until="domcontentloaded")
            paint = page.evaluate(
                """() => new Promise((done) => {
                    const painted = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
                    let frames = 0;
                    const look = () => (painted() || frames++ > 300) ? done(painted()) : requestAnimationFrame(look);
                    look();
                })"""
            )
            print(f"{open_cells} open cells: first contentful paint after {paint:.0f} ms")
            assert paint > 0
            assert messages == []
            assert requests == [page_file.as_uri()]
            # Searching and sorting work under the page's own content security policy.
            page.fill("#search", page.locator("#list-table td.name").first.inner_text().split(",")[-1].split("=")[-1])
            found = page.locator("#list-table tbody tr:visible")
            assert 0 < found.count() < 200
            page.fill("#search", "")
            page.click("#list-table th:has-text('Risk') button")
            assert page.get_attribute("#list-table th:has-text('Risk')", "aria-sort") == "ascending"
            risks = page.eval_on_selector_all(
                "#list-table tbody tr", "rows => rows.map(row => Number(row.cells[5].dataset.k))"
            )
            assert risks == sorted(risks)
        finally:
            browser.close()
