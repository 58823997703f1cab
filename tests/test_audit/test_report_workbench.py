"""The finished report by parts: every cell once, sorted and filtered as a naive reference does, honest counts."""

import json
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.api.cases import cases_folder
from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release, release_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report, public_copy
from tableseal.audit.report.words import HTML, number, secondary_exposure, severity
from tableseal.audit.report.workbench.make import workbench
from tableseal.audit.report.workbench.maps import COLUMNS, LINES, Where, window
from tableseal.audit.report.workbench.opened import Workbench
from tableseal.audit.report.workbench.packed import BLOCK, Packed, packed
from tableseal.audit.report.workbench.selection import PAGE, SHOWN, SORTS, Query, selected

CASES = ("french_business/turnover.yaml", "norwegian_benefits/release.yaml", "overlapping_groups/release.yaml")


def opened(content: bytes) -> Workbench:
    return Workbench(lambda first, last: content[first:last])


def document(sizes: tuple[int, ...], withheld: Callable[[int], bool]) -> dict[str, Any]:
    """A table of counts that add up along every classification, some inner cells of which are withheld."""
    values = np.random.default_rng(7).integers(0, 40, size=sizes)
    for axis in range(len(sizes)):
        values = np.concatenate([values.sum(axis=axis, keepdims=True), values], axis=axis)
    names = "abcd"[: len(sizes)]
    codes = {name: ["T", *(f"{name}{n}" for n in range(size))] for name, size in zip(names, sizes, strict=True)}
    places = list(np.ndindex(*values.shape))
    hidden = [min(place) > 0 and withheld(n) for n, place in enumerate(places)]
    cells = {name: [codes[name][place[v]] for place in places] for v, name in enumerate(names)}
    return {
        "tableseal": 1,
        "title": "Made up",
        "kind": "count",
        "variables": {name: {"total": "T", "codes": codes[name][1:]} for name in names},
        "tables": [
            {
                "name": "t",
                "status": "status",
                "cells": {
                    **cells,
                    "value": [int(values[place]) for place in places],
                    "status": ["primary" if h else "" for h in hidden],
                },
            }
        ],
    }


@pytest.fixture(scope="module", params=[*CASES, "cube"])
def case(request: pytest.FixtureRequest) -> tuple[Release, Report, Workbench]:
    if request.param == "cube":
        release = release_from_document(document((6, 5, 9), lambda n: n % 5 < 2))
    else:
        release = read_release(cases_folder() / request.param)
    report = audit(release).report
    return release, report, opened(workbench(report, release))


def every_page(bench: Workbench, **query: Any) -> list[int]:
    """The cells of all pages, one after another."""
    first = selected(bench, Query(**query))
    found = [*first.cells.tolist()]
    for page in range(2, first.pages + 1):
        more = selected(bench, Query(**query, page=page))
        assert more.found == first.found
        assert 0 < len(more.cells) <= PAGE
        found += more.cells.tolist()
    assert len(found) == first.found
    return found


def test_paging_gives_every_cell_of_the_release_exactly_once(case: tuple[Release, Report, Workbench]) -> None:
    # CONVENTION 795
    release, report, bench = case
    found = every_page(bench, show="every")
    assert sorted(found) == list(range(bench.cells))
    cells, _ = merge_cells(release)
    own = {
        (list(release.measures)[m], tuple(h.codes[c] for h, c in zip(release.variables.values(), codes, strict=True)))
        for m, codes in zip(cells.measure.tolist(), cells.codes.tolist(), strict=True)
    }
    reached = [(bench.measures[bench.column("measure")[n]], bench.codes_of(n)) for n in found]
    plain = [place for place in reached if place[1] is not None]
    assert len(plain) == len(set(plain))
    assert own <= set(plain)
    given_away = {(c.measure, tuple(code for _, code in c.cell)) for c in report.implied}
    assert set(plain) - own <= given_away
    assert len(reached) == len(own) + len(report.implied)


def test_every_cell_has_an_address(case: tuple[Release, Report, Workbench]) -> None:
    _, _, bench = case
    for cell in range(0, bench.cells, 7):
        codes = bench.codes_of(cell)
        if codes is not None:
            assert bench.find(bench.measures[bench.column("measure")[cell]], codes) == cell


@pytest.mark.parametrize("show", SHOWN)
def test_what_is_shown_is_what_the_report_says(case: tuple[Release, Report, Workbench], show: str) -> None:
    """Each filter against one that looks at the report cell by cell; the counts are those of the summary."""
    # CONVENTION 795
    _, report, bench = case
    rows = (*report.cells, *report.implied)
    helpless = {(one.measure, one.cell) for one in report.beyond_help}

    def wanted(n: int) -> bool:
        if n >= len(rows):
            return show in ("published", "every")
        cell = rows[n]
        kind = "secondary" if secondary_exposure(cell) else cell.verdict
        marks = {
            "insider": cell.insider is not None and cell.reason != "ranks",
            "steps": bool(cell.steps),
            "beyond_help": (cell.measure, cell.cell) in helpless,
            "implied": n >= len(report.cells),
        }
        named = {"open": True, "every": True, "findings": kind in ("exposed", "underprotected"), **marks}
        return named.get(show, kind == show)

    assert sorted(every_page(bench, show=show)) == [n for n in range(bench.cells) if wanted(n)]
    counted = {"exposed": "exposed", "secondary": "secondary_exposed", "undecided": "undecided"}
    if show in counted and not report.implied:
        assert selected(bench, Query(show=show)).found == getattr(report.summary, counted[show])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", SORTS)
def test_orders_are_those_of_a_naive_sort(case: tuple[Release, Report, Workbench], sort: str, descending: bool) -> None:
    # CONVENTION 795
    _, report, bench = case
    rows = (*report.cells, *report.implied)
    sign = -1 if descending else 1
    worst = sorted(range(len(rows)), key=lambda n: (severity(rows[n]), n))

    def key(n: int) -> tuple[Any, ...]:
        if sort == "cell":
            codes = bench.column("codes")[n].tolist()
            ranks = [
                v.rank.tolist()[c] if c >= 0 else len(v.codes) for v, c in zip(bench.variables, codes, strict=True)
            ]
            return (*(sign * rank for rank in ranks), sign * int(bench.column("measure")[n]), n)
        if n >= len(rows):
            return (True, inf, n)
        cell = rows[n]
        most, risk, low = cell.possible.at_most, cell.risk, cell.lower
        value = {
            "worst": worst.index(n),
            "values": inf if most is None else most,
            "risk": inf if risk is None else risk,
            "low": -inf if low is None else float(low),
        }[sort]
        return (False, sign * value, n)

    assert every_page(bench, show="every", sort=sort, descending=descending) == sorted(range(bench.cells), key=key)


def test_filters_by_table_code_and_word_are_those_of_a_naive_reference(
    case: tuple[Release, Report, Workbench],
) -> None:
    # CONVENTION 795
    _, report, bench = case
    for table in {t.name for t in bench.tables}:
        found = every_page(bench, show="every", table=table)
        assert found
        assert sorted(found) == [n for n in range(bench.cells) if table in bench.tables_of(n)]
    listed = [n for n in every_page(bench, table=bench.tables[0].name) if n < len(report.cells)]
    own = [n for n, c in enumerate(report.cells) if bench.tables[0].name in (c.table, *c.also_in)]
    assert sorted(listed) == own
    for v, variable in enumerate(bench.variables):
        for code in variable.codes[:4]:
            found = every_page(bench, show="every", codes={variable.name: code})
            at = [n for n in range(bench.cells) if bench.column("codes")[n][v] == variable.codes.index(code)]
            assert sorted(found) == at
    variable = bench.variables[0]
    word = f"{variable.name}={variable.codes[1]}".casefold().split()[0]

    def says(n: int) -> bool:
        codes = bench.column("codes")[n].tolist()
        named = zip(bench.variables, codes, strict=True)
        return any(c >= 0 and word in f"{v.name}={v.codes[c]}".casefold() for v, c in named)

    assert sorted(every_page(bench, show="every", words=word)) == [n for n in range(bench.cells) if says(n)]


def test_what_is_said_of_a_cell_is_what_the_report_says(case: tuple[Release, Report, Workbench]) -> None:
    release, report, bench = case
    words = bench.words(range(bench.cells))
    for n, cell in enumerate(report.cells):
        assert words[n].arithmetic == (cell.reveals.text if cell.reveals else "")
        assert words[n].truth == ("" if cell.truth is None else number(cell.truth, HTML))
    published = [n for n in range(bench.listed, bench.cells) if words[n].interval]
    assert published
    for n in published[:50]:
        name = bench.measures[bench.column("measure")[n]]
        codes = bench.codes_of(n)
        assert codes is not None
        place = [h.index[c] for h, c in zip(release.variables.values(), codes, strict=True)]
        values = {
            table.value.get(row) or 0
            for table in release.tables
            for row in np.flatnonzero((table.codes == place).all(axis=1)).tolist()
            if table.measure == name
        }
        unit = release.measures[name].unit
        shown = words[n].interval.replace("\u202f", "").replace("−", "-")
        assert not values or float(shown) in {float(value * unit) for value in values}


def test_windows_of_a_map_cover_each_cell_of_a_table_once() -> None:
    # CONVENTION 795
    release = release_from_document(document((LINES + 30, 3, COLUMNS + 5), lambda n: n % 50 < 2))
    report = audit(release).report
    bench = opened(workbench(report, release))
    seen: list[int] = []
    first = window(bench, Where("t"))
    assert (first.lines, first.columns, first.cells) == (LINES + 31, COLUMNS + 6, bench.cells)
    assert first.open == len(report.cells)
    (choice,) = first.choices
    for code in choice.codes:
        for line in (1, LINES + 1):
            for column in (1, COLUMNS + 1):
                part = window(bench, Where("t", {choice.variable: code}, line, column))
                fresh = (part.lines - LINES if line > 1 else LINES, part.columns - COLUMNS if column > 1 else COLUMNS)
                drawn = [cells[-fresh[1] :] for _, cells in part.panel.lines[-fresh[0] :]]
                seen += [cell.number for cells in drawn for cell in cells if cell.number is not None]
    assert sorted(seen) == list(range(bench.cells))


def test_the_worst_piece_and_lines_with_findings_come_first() -> None:
    release = release_from_document(document((4, 4, 4), lambda n: n == 93))
    report = audit(release).report
    assert report.summary.exposed == 1
    bench = opened(workbench(report, release))
    part = window(bench, Where(findings=True))
    (cell,) = report.cells
    assert dict(part.worst[0].codes) == {"b": dict(cell.cell)["b"]}
    assert [head.text for head, _ in part.panel.lines] == [dict(cell.cell)["a"]]
    assert (part.findings, part.open) == (1, 1)


def test_a_public_copy_holds_nothing_confidential() -> None:
    """The file of a public report is the same, byte for byte, whatever the withheld values and the policy are."""
    # CONVENTION 795
    two = [document((3, 3, 3), lambda n: n % 4 == 1) for _ in range(2)]
    hidden = two[1]["tables"][0]["cells"]
    hidden["value"] = [v + 10**6 if s else v for v, s in zip(hidden["value"], hidden["status"], strict=True)]
    two[1] |= {"policy": {"primary": [{"threshold": 7}]}}
    with_truth, other = [release_from_document(one) for one in two]
    report = public_copy(audit(with_truth).report)
    assert workbench(report, with_truth) == workbench(report, other)
    bench = opened(workbench(report, with_truth))
    words = bench.words(range(bench.listed))
    for one in words.values():
        assert (one.truth, one.required, one.rule, one.arithmetic, one.insider) == ("", "", "", "", "")
        assert one.status not in ("primary", "secondary")
    assert not bench.front.confidential


def test_same_report_same_bytes_and_words_unknown_are_refused(case: tuple[Release, Report, Workbench]) -> None:
    release, report, bench = case
    assert workbench(report, release) == workbench(report, release)
    bad: list[dict[str, Any]] = [{"show": "x"}, {"sort": "x"}, {"table": "x"}, {"codes": {"x": "y"}}, {"page": 0}]
    bad += [{"codes": {bench.variables[0].name: "nowhere"}}, {"page": 10**9}]
    for query in bad:
        with pytest.raises(InputError):
            selected(bench, Query(**query))
    with pytest.raises(InputError):
        window(bench, Where("nowhere"))
    with pytest.raises(InputError):
        bench.find(None, ["only one of several"] * (len(bench.variables) + 1))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(max_size=30), max_size=5 * BLOCK),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
    st.data(),
)
def test_sections_come_back_as_they_were_and_are_read_alone(entries: list[str], numbers: list[int], data: Any) -> None:
    content = packed({"meta": {"a": entries}}, {"n": np.array(numbers, np.int64)}, {"list": entries})
    touched: list[tuple[int, int]] = []

    def read(first: int, last: int) -> bytes:
        touched.append((first, last))
        return content[first:last]

    file = Packed(read)
    assert file.document("meta") == json.loads(json.dumps({"a": entries}))
    assert file.column("n").tolist() == numbers
    wanted = data.draw(st.lists(st.integers(0, len(entries) - 1), max_size=9)) if entries else []
    touched.clear()
    assert file.entries("list", wanted) == {n: entries[n] for n in wanted}
    assert len(touched) == len({n // BLOCK for n in wanted}) + 1
