"""Outputs of ACRO: a session as one release, and what is wrong with its files."""

import json
from pathlib import Path
from typing import Any

import pytest
from acro_sessions import ACROSS, FIRST, MARGINS, NESTED, SUMS, SUPPRESSED, output, session

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.pipeline import audit


def test_one_output_alone_is_safe(tmp_path: Path) -> None:
    # CONVENTION 849: an empty cell is withheld, sensitive where a check found it
    release = read_release(session(tmp_path, {"first": FIRST}, {"a.csv": SUPPRESSED}))
    report = audit(release).report
    cells = {tuple(code for _, code in cell.cell): cell for cell in report.cells}
    assert {codes: cell.status for codes, cell in cells.items()} == {("2010", "R"): "primary", ("2011", "R"): "primary"}
    assert release.tables[0].value.get(len(release.tables[0].codes) - 1) == 12
    assert report.verdict == "safe"
    assert report.rules == ("threshold 10",)


def test_two_outputs_of_a_project_are_subtracted(tmp_path: Path) -> None:
    # CONVENTION 849: what one output withholds the other one shows
    second = output("b.csv", ["year", "grant"], ["G", "N", "R", "All"])
    path = session(tmp_path, {"first": FIRST, "second": second}, {"a.csv": SUPPRESSED, "b.csv": MARGINS})
    report = audit(read_release(path)).report
    assert report.verdict == "unsafe"
    found = {tuple(code for _, code in cell.cell): (cell.lower, cell.upper) for cell in report.cells}
    assert found["2010", "R"] == (3, 3)
    assert found["2011", "R"] == (1, 1)


def test_several_variables_on_both_sides(tmp_path: Path) -> None:
    # CONVENTION 849
    down = output("n.csv", ["year", "sex", "grant"], ["G", "N"])
    across = output("x.csv", ["year", "grant", "region"], ["('A', 'x')", "('A', 'y')", "('All', '')"])
    path = session(tmp_path, {"down": down, "across": across}, {"n.csv": NESTED, "x.csv": ACROSS})
    release = read_release(path)
    assert [table.name for table in release.tables] == ["down", "across"]
    rows = [tuple(release.cell_codes(row).values()) for row in release.tables[0].codes]
    assert list(release.variables) == ["year", "sex", "grant", "region"]
    assert rows[-1] == ("All", "All", "N", "All")
    last = [tuple(release.cell_codes(row).values()) for row in release.tables[1].codes][-1]
    assert last == ("All", "All", "All", "All")


def test_sums_and_what_adds_up_to_nothing(tmp_path: Path) -> None:
    # CONVENTION 849: floating point leaves 15502.850000000001; means are left out and named
    fair = {"statbarn": "LinearAggregations", "dependent": "inc", "independent": ["year", "grant"]}
    command = 'acro.crosstab(df.year, df.grant, values=df.inc, aggfunc="{}")'
    results = {
        "sums": output("s.csv", ["year", "grant"], ["G", "N"], fair=fair, command=command.format("sum")),
        "means": output("m.csv", ["year", "grant"], ["G", "N"], fair=fair, command=command.format("mean")),
        "model": {"uid": "model", "type": "regression"},
    }
    release = read_release(session(tmp_path, results, {"s.csv": SUMS}))
    (table,) = release.tables
    assert str(release.measures["inc"].unit) == "1/100"
    assert table.value.get(0) == 1550285
    texts = [note.text for note in release.notes]
    assert any("no counts and no sums: means" in text for text in texts)
    assert any("no tables: model (regression)" in text for text in texts)
    assert release.policy is None


def test_rounded_outputs(tmp_path: Path) -> None:
    # CONVENTION 849
    rounded = output("r.csv", ["year", "grant"], ["G"], properties={"mitigation": "round", "round_base": 5})
    path = session(tmp_path, {"r": rounded}, {"r.csv": "year,G\n2010,80\n2011,85\n"}, None)
    (table,) = read_release(path).tables
    assert table.rounding is not None
    assert table.rounding.base == 5


@pytest.mark.parametrize(
    ("change", "files", "said"),
    [
        ({"fair": {}}, {}, "says no variables of first"),
        ({"fair": {"independent": ["year", "year"]}}, {}, "fair.*independent: names a variable twice"),
        ({"files": []}, {}, "files: expected a list of files"),
        ({"files": [{"sdc": {}}]}, {}, "expected a file with its name"),
        ({}, {"a.csv": SUPPRESSED.replace("year", "jahr")}, 'a.csv line 1.*found "jahr", expected "year"'),
        ({}, {"a.csv": SUPPRESSED.replace("79", "many")}, 'a.csv line 2.*found "many", expected a number'),
        (
            {},
            {"a.csv": SUPPRESSED.replace("79", "79e999")},
            "a.csv line 2.*expected a number of at most",
        ),
        ({}, {"a.csv": SUPPRESSED.replace("79", "79.5")}, "a.csv line 2.*expected a whole number"),
        ({}, {"a.csv": SUPPRESSED.replace("79,41,", "79")}, "a.csv line 2.*has 2 entries"),
        ({}, {"a.csv": SUPPRESSED.replace("year,G,N,R", "year,G,N")}, "a.csv line 2.*has 4 entries"),
        ({"properties": {"mitigation": "round", "round_base": "1" * 5001}}, {}, "the base of the rounding"),
        ({"files": [{"name": "a.csv", "sdc": {"cells": {"p-ratio": [["²", 0]]}}}]}, {}, "pairs of a row and a column"),
        ({}, {"a.csv": SUPPRESSED.replace("2010", "")}, "a.csv line 2.*a code of .year. is empty"),
        ({}, {"a.csv": "year,G,N,R\n"}, "a.csv.*has 1 rows"),
        ({"type": "regression"}, {}, "has no output that is a table"),
        ({"properties": {"mitigation": "round", "round_base": 10}}, {}, "round_base: is even"),
        ({"properties": {"mitigation": "round"}}, {}, "round_base: found"),
        ({"files": [{"name": "a.csv", "sdc": {"cells": {"NKCheck": [[0]]}}}]}, {}, "expected pairs of a row"),
        ({"files": [{"name": "../a.csv"}]}, {}, "a.csv"),
    ],
)
def test_sessions_that_cannot_be_read(tmp_path: Path, change: dict[str, Any], files: dict[str, str], said: str) -> None:
    # CONVENTION 849
    path = session(tmp_path, {"first": FIRST | change}, {"a.csv": SUPPRESSED} | files)
    with pytest.raises(InputError, match=said):
        read_release(path)


def without_one(text: str) -> str:
    """The same output without one respondent, who is in 2012 / R."""
    return text.replace("64,12.0", "64,11.0")


@pytest.fixture
def filtered(tmp_path: Path) -> Path:
    """Two outputs of a project: the second one leaves out one respondent."""
    whole = SUPPRESSED.replace("41,\n", "41,30\n").replace("42,\n", "42,20\n")
    results = {"all": output("a.csv", ["year", "grant"], ["G", "N", "R"])}
    results["some"] = output("b.csv", ["year", "grant"], ["G", "N", "R"])
    return session(tmp_path, results, {"a.csv": whole, "b.csv": without_one(whole)})


def test_one_output_is_named(filtered: Path) -> None:
    # CONVENTION 615
    release = read_release(filtered.with_name("results.json#some"))
    assert [table.name for table in release.tables] == ["some"]
    assert release.tables[0].value.get(8) == 11
    with pytest.raises(InputError, match='found no output "none", expected one of "all", "some"'):
        read_release(filtered.with_name("results.json#none"))


def test_outputs_that_differ_by_one_respondent_expose_him(filtered: Path) -> None:
    # CONVENTION 615: that the people differ nothing in the session says; a release file does
    with pytest.raises(InputError, match=r"one cell, two values.*a filter.*`where: \{people: chosen\}`"):
        audit(read_release(filtered))
    document = {
        "tableseal": 1,
        "measures": {"count": {"kind": "count"}},
        "variables": {
            "year": {"total": "All", "codes": ["2010", "2011", "2012"]},
            "grant": {"total": "All", "codes": ["G", "N", "R"]},
            "people": {"total": "all", "codes": ["chosen", "others"]},
        },
        "policy": {"primary": [{"threshold": 10}]},
        "tables": [
            {"name": "all", "file": "results.json#all"},
            {"name": "some", "file": "results.json#some", "where": {"people": "chosen"}},
        ],
    }
    path = filtered.with_name("both.json")
    path.write_text(json.dumps(document))
    report = audit(read_release(path)).report
    assert report.verdict == "unsafe"
    found = {tuple(code for _, code in cell.cell): cell for cell in report.implied}
    assert (found["2012", "R", "others"].lower, found["2012", "R", "others"].upper) == (1, 1)
    assert found["2012", "R", "others"].verdict == "exposed"
    alone = {**document, "tables": [{"name": "all", "file": "results.json#all"}]}
    path.write_text(json.dumps(alone))
    assert audit(read_release(path)).report.verdict == "safe"


def test_a_release_file_says_which_output(filtered: Path) -> None:
    # CONVENTION 615
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"year": {"total": "All", "codes": []}, "grant": {"total": "All", "codes": []}},
        "tables": [{"name": "t", "file": "results.json"}],
    }
    path = filtered.with_name("both.json")
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"holds 2 tables; say which, as in `results\.json#all`"):
        read_release(path)
