"""`tableseal sap`, and the matrices that it reads."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tableseal.api.cases import cases_folder
from tableseal.api.cli.app import app
from tableseal.api.schemas import schema

FIGURE = "1,3,0\n4,0,0\n3,2,0\n"
MARGINS = str(cases_folder() / "s07_rounding" / "with_margins.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(FIGURE)
    (tmp_path / "u.csv").write_text("1;4;1\n4;1;1\n4;4;1\n")
    return tmp_path


def sap(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["sap", *arguments])


def document(*arguments: str) -> Any:
    result = sap(*arguments, "--json", "-")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema("sap"))
    return found


def test_the_document() -> None:
    found = document("a.csv", "--rounding", "3", "--n", "0-4")
    assert list(found)[:2] == ["schema", "definition"]
    assert (found["schema"], found["definition"], found["N"]) == ("tableseal/sap/1", "static", 13)
    assert found["n"] == [0, 1, 2, 3, 4]
    assert found["sap"] == ["0", "1/13", "2/13", "3/13", "17/55"]
    assert found["value"][1] == 1 / 13
    assert found["error"] == 0
    assert document("a.csv", "--upper", "u.csv", "--n", "0-4") == found


def test_the_text_is_for_people() -> None:
    result = sap("a.csv", "--rounding", "3", "--definition", "resolved")
    assert "SAP (resolved), N = 13" in result.stdout
    assert "503/1287" in result.stdout
    assert "N = 13; polynomial; exact" in result.stdout
    (Path("b.csv")).write_text("30000,40000\n500000,2\n")
    assert "; series; proved error at most" in sap("b.csv", "--rounding", "3", "--n", "90000").stdout


def test_every_size_without_a_range_and_the_text_shortened(folder: Path) -> None:
    (folder / "b.csv").write_text("30,40\n50,2\n")
    result = sap("b.csv", "--rounding", "3")
    assert "40 of 123 sizes" in result.stdout
    assert len(document("b.csv", "--rounding", "3")["n"]) == 123


def test_an_exact_table_and_a_rounded_total() -> None:
    assert set(document("a.csv")["sap"]) == {"1"}  # a published zero needs no subtraction
    both = document("a.csv", "--rounding", "3", "--rounded-total", "--definition", "resolved", "--n", "13")
    assert both["sap"] == ["1"]


def test_targets_keys_and_units_known_in_part() -> None:
    # CONVENTION 264 and 265
    one = document("a.csv", "--rounding", "3", "--target", "row=2,column=1", "--n", "4,5")
    assert one["sap"] == ["1/715", "1/143"]  # C(9, n - 4) / C(13, n)
    keys = document("a.csv", "--rounding", "3", "--given", "row", "--n", "1,5")["conditional"]
    assert [(k["key"], k["N"], k["n"], k["sap"]) for k in keys] == [
        ({"row": "1"}, 4, [1], ["1/4"]),
        ({"row": "2"}, 4, [1], ["0"]),
        ({"row": "3"}, 5, [1, 5], ["0", "0"]),
    ]
    partly = document(MARGINS, "--known", "var2", "--target", "var2=E", "--n", "4,5")
    assert partly["sap"] == ["0", "1/1287"]  # the 5 units of column E are known to be 5


def test_a_release_with_truth() -> None:
    assert document(MARGINS, "--n", "0")["sap"] == ["1"]
    resolved = document(MARGINS, "--target", "var1=A,var2=D", "--definition", "resolved", "--n", "0-2")
    assert resolved["sap"] == ["0", "1/13", "2/13"]


def test_an_estimate_says_how_it_was_made(folder: Path) -> None:
    # CONVENTION 263
    rng = np.random.default_rng(2)
    counts = rng.poisson(2, (6, 6))
    full = np.zeros((7, 7), int)
    full[:6, :6], full[6, :6], full[:6, 6], full[6, 6] = counts, counts.sum(0), counts.sum(1), counts.sum()
    codes = [*"123456", "T"]
    rows = [f"{codes[i]},{codes[j]},{(2 * v + 5) // 10 * 5},{v}" for (i, j), v in np.ndenumerate(full)]
    (folder / "t.csv").write_text("r,c,shown,true\n" + "\n".join(rows))
    (folder / "r.yaml").write_text(
        "tableseal: 1\nkind: count\nvariables:\n  r: {total: T, codes: ['1', '2', '3', '4', '5', '6']}\n"
        "  c: {total: T, codes: ['1', '2', '3', '4', '5', '6']}\n"
        "tables: [{name: t, file: t.csv, value: shown, truth: 'true', rounding: {base: 5, method: conventional}}]\n"
    )
    found = document("r.yaml", "--definition", "resolved", "--replicates", "50", "--seed", "7")
    assert (found["replicates"], found["seed"], found["confidence"]) == (50, 7, 0.99)
    assert found["sap"] is None
    assert all(low <= v <= high for v, (low, high) in zip(found["value"], found["interval"], strict=True))
    assert max(high - v for v, (_, high) in zip(found["value"], found["interval"], strict=True)) <= found["error"]
    assert (
        "50 random orders, seed 7"
        in sap("r.yaml", "--definition", "resolved", "--replicates", "50", "--seed", "7").stdout
    )


def test_schemes_side_by_side() -> None:
    found = document("a.csv", "--schemes", "conventional:3,random:3,up:5+total", "--n", "1-2")
    assert [entry["scheme"] for entry in found["schemes"]] == ["conventional:3", "random:3", "up:5+total"]
    assert "conventional:3  random:3" in sap("a.csv", "--schemes", "conventional:3,random:3", "--n", "1").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.csv", "--n", "99"], "from 0 to N = 13"),
        (["a.csv", "--rounding", "1"], "base of at least 2"),
        (["a.csv", "--rounded-total"], "needs --rounding"),
        (["a.csv", "--rounding", "3", "--upper", "u.csv"], "give one of them"),
        (["u.csv", "--upper", "a.csv"], "u.csv: row 1, column 2: the upper bound is below"),
        (["u.csv", "--upper", "ragged.csv"], "Error: ragged.csv row 2 (line 3)"),
        (["a.csv", "--rounding", "9" * 30], "at most 2^60"),
        (["a.csv", "--known", ""], 'no variable ""'),
        (["a.csv", "--given", ""], 'no variable ""'),
        (["a.csv", "--replicates", "5"], "belongs to --definition resolved"),
        (["a.csv", "--schemes", "up:3", "--target", "row=1"], "--schemes compares whole tables and takes no --target"),
        (["a.csv", "--schemes", "up:3", "--known", "row"], "takes no --known"),
        (["a.csv", "--schemes", "up:3", "--exact"], "takes no --exact"),
        (["a.csv", "--target", "row=9"], 'no code "9"'),
        (["a.csv", "--target", "row"], "VARIABLE=CODE"),
        (["a.csv", "--given", "region"], 'no variable "region"; variables: row, column'),
        (["a.csv", "--schemes", "floor:3"], "METHOD:BASE"),
        ([MARGINS, "--rounding", "3"], "bare matrix"),
        ([MARGINS, "--schemes", "up:3"], "bare matrix"),
        (["nowhere.csv"], "nowhere.csv"),
        (["zero.csv"], "zero.csv: The table has no units"),
        (["margins.csv"], "are sums of the others"),
        (["column.csv"], "column.csv: the last column is the sum of the others"),
        (["ragged.csv"], "ragged.csv row 2 (line 3): found 1 entry, expected 2"),
        (["half.csv"], 'half.csv row 1 (line 1), column 2: found "1.5", a negative or fractional count'),
        (["minus.csv"], 'minus.csv row 1 (line 1), column 1: found "-1", a negative'),
        (["word.csv"], 'row 2 (line 2), column 2: found "x", no number'),
        (["a.csv", "--json", "a.csv"], "input"),
        (["a.csv", "--n", "0-13", "--given", "row", "--n", "9"], "no conditional table has that many units"),
    ],
)
def test_wrong_use_is_one_clear_message(folder: Path, arguments: list[str], said: str) -> None:
    for name, text in {
        "zero": "0,0\n0,0",
        "margins": "1,2,3\n3,4,7\n4,6,10",
        "column": "1,2,3\n4,5,9",
        "ragged": "1,2\n\n3",
        "half": "1,1.5",
        "minus": "-1,2",
        "word": "1,2\n3,x",
    }.items():
        (folder / f"{name}.csv").write_text(text)
    result = sap(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_a_sum_may_be_a_cell(folder: Path) -> None:
    # CONVENTION 241 and 260
    (folder / "row.csv").write_text("1,2,3\n")
    assert document("row.csv", "--all-cells", "--n", "1-2")["sap"] == ["1/6", "2/5"]
    (folder / "b.csv").write_text("1,2,3\n4,5,9\n")
    assert document("b.csv", "--all-cells", "--upper", "b.csv", "--n", "1")["sap"] == ["1/24"]


def test_counts_and_sizes_near_the_limit(folder: Path) -> None:
    """Four counts of nearly 2^60: the total is rounded without overflow, and every size can be asked for."""
    big = 2**60 - 1
    (folder / "big.csv").write_text(f"{big},{big - 1}\n{big},7\n")
    total = 3 * big + 6
    found = document("big.csv", "--rounding", "10", "--rounded-total", "--n", f"1,{total}")
    assert found["N"] == total
    assert found["n"] == [1, total]
    assert "more than 100,000 sizes" in sap("big.csv", "--n", "all").stderr


def test_letters_of_a_release_are_explained(folder: Path) -> None:
    (folder / "l.csv").write_text("v,n,flag\na,1,c\nb,0,\nc,2,c\n")
    (folder / "l.yaml").write_text(
        "tableseal: 1\nkind: count\nvariables: {v: {codes: [a, b, c]}}\n"
        "tables: [{name: t, file: l.csv, value: n, status: flag}]\n"
    )
    assert sap("l.yaml", "--n", "0").exit_code == 2
    assert document("l.yaml", "--status-map", "c=withheld", "--n", "0")["sap"] == ["1"]


def test_a_release_on_standard_input() -> None:
    text = "kind: count\nvariables: {v: {codes: [a, b]}}\ntables: [{name: t, cells: {v: [a, b], value: [1, 0]}}]\n"
    result = CliRunner().invoke(app, ["sap", "-", "--n", "0"], input="tableseal: 1\n" + text)
    assert result.stdout.startswith("standard input: SAP (static), N = 1")
