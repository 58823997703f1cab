"""Problems of G-Confid and sdcTable: right answers, and what is wrong with files, by its place."""

import csv
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release, release_files, release_from_document
from tableseal.audit.io.formats.gconfid import constraints_name
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit

CELLS = """cellid,Type,TotalNoise,Sensitivity,OutStatus,Region
1,C,100,-5,P,T
2,C,20,4,X,a
3,C,30,-1,X,b
4,C,50,-2,P,c
5,A,50,3,X,a+b
"""
CONSTRAINTS = "ConstraintId,CellId,Coefficient\n1,1,-1\n1,2,1\n1,3,1\n1,4,1\n2,5,-1\n2,2,1\n2,3,1\n"


def folder(path: Path, cells: str = CELLS, constraints: str = CONSTRAINTS) -> Path:
    (path / "t.cells.csv").write_text(cells)
    (path / "t.constraints.csv").write_text(constraints)
    return path / "t.cells.csv"


def statuses(release: Release) -> dict[str, str]:
    (table,) = release.tables
    return {
        next(iter(release.cell_codes(row).values())): Status(int(status)).word
        for row, status in zip(table.codes, table.status, strict=True)
    }


def test_the_pattern_of_a_cell_table(tmp_path: Path) -> None:
    # CONVENTION 847: P is published, X withheld, sensitive by its Sensitivity; an aggregate is never published
    release = read_release(folder(tmp_path))
    said = {"1": "", "2": "primary", "3": "secondary", "4": "", "5": "primary"}
    assert statuses(release) == {code: word or "published" for code, word in said.items()}
    report = audit(release).report
    cells = {cell.cell[0][1]: cell for cell in report.cells}
    assert (cells["2"].lower, cells["2"].upper) == (0, 50)
    assert cells["5"].lower == cells["5"].upper == 50
    assert report.verdict == "unsafe"  # the aggregate is the sum of what is published
    assert any("Region" in note.text for note in release.notes)


def test_statuses_without_a_pattern(tmp_path: Path) -> None:
    # CONVENTION 847
    cells = "CellId,TotalNoise,Status\n1,9,P\n2,4,S\n3,3,V\n4,2,X\n"
    constraints = "ConstraintId,CellId,Coefficient\n1,1,-1\n1,2,1\n1,3,1\n1,4,1\n"
    found = statuses(read_release(folder(tmp_path, cells, constraints)))
    assert found == {"1": "must_publish", "2": "primary", "3": "published", "4": "secondary"}


def test_x_without_any_reason_counts_as_sensitive(tmp_path: Path) -> None:
    # CONVENTION 847: OutStatus X alone does not tell sensitive cells from those that protect them
    cells = "CellId,TotalNoise,OutStatus\n1,9,P\n2,4,X\n3,5,X\n"
    constraints = "ConstraintId,CellId,Coefficient\n1,1,-1\n1,2,1\n1,3,1\n"
    assert statuses(read_release(folder(tmp_path, cells, constraints)))["2"] == "withheld"


@pytest.mark.parametrize(
    ("cells", "constraints", "said"),
    [
        (CELLS.replace("1,C", "0,C"), CONSTRAINTS, 'row 1 .*found "0", expected a positive whole number'),
        (CELLS.replace("3,C", "2,C"), CONSTRAINTS, r"row 3 .*cell 2 is there twice \(row 2\)"),
        (CELLS.replace("30,-1,X", "30,-1,Y"), CONSTRAINTS, 'row 3 .*found "Y", expected one of P, X'),
        (CELLS.replace("4,X", "4,P"), CONSTRAINTS, "row 2 .*sensitive and published"),
        (CELLS.replace("30,", "thirty,"), CONSTRAINTS, 'row 3 .*"TotalNoise".*expected a number'),
        (CELLS.replace("cellid", "id"), CONSTRAINTS, None),
        (CELLS, CONSTRAINTS.replace("1,4,1", "1,9,1"), "row 4 .*there is no cell 9"),
        (CELLS, CONSTRAINTS.replace("1,4,1", "1,4,2"), 'row 4 .*found "2", expected 1'),
        (CELLS, CONSTRAINTS.replace("1,4,1", "1,4,-1"), "constraint 1 has 2 totals"),
        (CELLS, CONSTRAINTS.replace("1,4,1", "1,3,1"), "constraint 1 has cell 3 twice"),
        (CELLS, CONSTRAINTS + "3,4,-1\n", "constraint 3 has 1 totals .* and 0 parts"),
        (CELLS, "a,b\n1,2\n", "ConstraintId"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, cells: str, constraints: str, said: str | None) -> None:
    # CONVENTION 847: the place and what is allowed
    path = folder(tmp_path, cells, constraints)
    with pytest.raises(InputError, match=said):
        read_release(path)


def test_constraints_lie_beside(tmp_path: Path) -> None:
    # CONVENTION 847
    names = ("t.cells.csv", "Cells_2024.csv", "incell.csv", "t.csv")
    expected = ["t.constraints.csv", "constraints_2024.csv", "inconstraint.csv", "t_constraints.csv"]
    assert [constraints_name(name) for name in names] == expected
    folder(tmp_path)
    (tmp_path / "t.constraints.csv").unlink()
    with pytest.raises(InputError, match=r'there is no constraint table "t\.constraints\.csv" beside'):
        read_release(tmp_path / "t.cells.csv")


def turnover() -> Release:
    cells: dict[str, list[Any]] = {
        "region": ["T", "N", "N1", "N2", "S", "S1", "S2"] * 3,
        "size": ["T"] * 7 + ["s"] * 7 + ["l"] * 7,
        "value": [90.5, 50, 20, 30, 40.5, 20.5, 20, 40, 20, 8, 12, 20, 10, 10, 50.5, 30, 12, 18, 20.5, 10.5, 10],
        "status": [""] * 9 + ["primary", "secondary", "", "", "must_publish", "", "", *["secondary"] * 2, "", "", ""],
        "n": [40, 20, 8, 12, 20, 10, 10, 20, 10, 2, 8, 10, 5, 5, 20, 10, 6, 4, 10, 5, 5],
    }
    tree = {"N": ["N1", "N2"], "S": ["S1", "S2"]}
    return release_from_document(
        {
            "tableseal": 1,
            "measures": {"turnover": {"kind": "magnitude", "unit": "0.5"}},
            "variables": {"region": {"total": "T", "tree": tree}, "size": {"total": "T", "codes": ["s", "l"]}},
            "tables": [{"name": "t", "cells": cells, "frequency": "n"}],
        }
    )


def written(path: Path) -> dict[str, str]:
    files = release_files(turnover(), path)
    for name, content in files.items():
        assert isinstance(content, str)
        name.write_text(content)
    return {name.name: content for name, content in files.items() if isinstance(content, str)}


def test_a_release_as_cells_and_constraints(tmp_path: Path) -> None:
    # CONVENTION 847
    files = written(tmp_path / "o.cells.csv")
    rows = list(csv.DictReader(files["o.cells.csv"].splitlines()))
    assert [row["CellId"] for row in rows] == [str(n) for n in range(1, 22)]
    assert {row["Status"] for row in rows} == {"V", "S", "X", "P"}
    assert all((float(row["Sensitivity"]) > 0) == (row["Status"] == "S") for row in rows)
    signs: dict[str, list[str]] = {}
    for row in csv.DictReader(files["o.constraints.csv"].splitlines()):
        signs.setdefault(row["ConstraintId"], []).append(row["Coefficient"])
    assert len(signs) == 3 * 3 + 7
    assert all(sorted(own) == ["-1", *["1"] * (len(own) - 1)] for own in signs.values())
    again = audit(read_release(tmp_path / "o.cells.csv")).report
    assert again.verdict == audit(turnover()).report.verdict


@pytest.mark.skipif(importlib.util.find_spec("gconfid") is None, reason="gconfid is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_gconfid_reads_what_is_written(tmp_path: Path) -> None:
    """G-Confid itself audits our tables, and finds what we find."""
    import gconfid
    import pandas as pd
    import pulp

    written(tmp_path / "o.cells.csv")
    cells = pd.read_csv(tmp_path / "o.cells.csv")
    cells["OutStatus"] = ["X" if status in "SX" else "P" for status in cells["Status"]]
    solver = pulp.getSolver("HiGHS", msg=False)
    done = gconfid.Auditing(cells, pd.read_csv(tmp_path / "o.constraints.csv"), custom_solver=solver)
    ours = {cell.cell[0][1]: cell for cell in audit(read_release(tmp_path / "o.cells.csv")).report.cells}
    found = [row for row in pd.DataFrame(done.outaudit).to_dict("records") if row["OutStatus"] == "X"]
    assert len(found) == 4
    for row in found:  # it takes 50 percent of the value for what readers know beforehand
        cell = ours[str(row["Cell"])]
        assert float(cell.lower or 0) - 1e-6 <= row["MinValue"] <= row["TotalNoise"] <= row["MaxValue"]
        assert row["MaxValue"] <= float(cell.upper or "inf") + 1e-6


def test_a_release_as_a_problem_of_sdctable(tmp_path: Path) -> None:
    # CONVENTION 848
    document = json.loads(written(tmp_path / "o.sdctable.json")["o.sdctable.json"])
    levels = [(row["levels"], row["codes"]) for row in document["dimList"]["region"]]
    assert levels == [("@", "T"), ("@@", "N"), ("@@@", "N1"), ("@@@", "N2"), ("@@", "S"), ("@@@", "S1"), ("@@@", "S2")]
    assert document["numVar"] == "turnover"
    row = next(row for row in document["data"] if (row["region"], row["size"]) == ("N1", "s"))
    assert row == {"region": "N1", "size": "s", "turnover": 8, "freq": 2, "sdcStatus": "u"}
    again = read_release(tmp_path / "o.sdctable.json")
    assert audit(again).report.verdict == audit(turnover()).report.verdict
    assert again.tables[0].frequency is not None


def test_a_data_frame_by_columns(tmp_path: Path) -> None:
    # CONVENTION 848: toJSON(..., dataframe = "columns"), texts as lists of one
    document = {
        "dimList": {"v": {"levels": ["@", "@@", "@@", "@@"], "codes": ["T", "a", "b", "c"]}},
        "freqVar": ["freq"],
        "data": {"v": ["T", "a", "b", "c"], "freq": [12, 2, None, 7], "sdcStatus": ["s", "u", "x", "z"]},
    }
    (tmp_path / "p.json").write_text(json.dumps(document))
    found = read_release(tmp_path / "p.json")
    assert statuses(found) == {"T": "published", "a": "primary", "b": "secondary", "c": "must_publish"}


@pytest.mark.parametrize(
    ("key", "entry", "said"),
    [
        ("dimList", {}, "dimList: .*expected a dimension list"),
        ("dimList", {"v": [{"levels": "@@", "codes": "T"}]}, "level"),
        ("dimList", {"w": [{"levels": "@", "codes": "T"}]}, 'no column "w"'),
        ("dimList", {"v": [{"levels": "@", "codes": "T"}, {"levels": "@", "codes": "U"}]}, "has 2 codes of level @"),
        ("data", [], "data: .*expected rows"),
        ("data", {"v": ["T"], "freq": []}, "different lengths"),
        ("data", [{"v": "T", "freq": 3}], "sdcStatus"),
        ("data", [{"v": "T", "freq": 3, "sdcStatus": "q"}], '"q"'),
        ("data", [{"v": {"x": 1}, "freq": 3, "sdcStatus": "s"}], r"data\[0\].v: expected a text or a number"),
        ("freqVar", "n", "freqVar: there is no such column"),
    ],
)
def test_problems_that_are_none(tmp_path: Path, key: str, entry: Any, said: str) -> None:
    # CONVENTION 848
    document: dict[str, Any] = {
        "dimList": {"v": [{"levels": "@", "codes": "T"}, {"levels": "@@", "codes": "a"}]},
        "data": [{"v": "T", "freq": 3, "sdcStatus": "s"}, {"v": "a", "freq": 3, "sdcStatus": "s"}],
    }
    (tmp_path / "p.json").write_text(json.dumps(document | {key: entry}))
    with pytest.raises(InputError, match=said):
        read_release(tmp_path / "p.json")
