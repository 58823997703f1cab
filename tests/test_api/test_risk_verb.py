"""`tableseal risk`."""

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from tableseal.api.cases import cases_folder
from tableseal.api.cli.app import app
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.measures.risk.result import RiskResult

RELIGION = str(cases_folder() / "a14_tables" / "table4.csv")
MATRIX = "4,5,0\n2,0,6\n1,1,3\n"
ROUNDED = "3,6,0\n3,0,6\n0,3,3\n"


def tableseal(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["risk", *arguments])


def found(*arguments: str) -> Any:
    """The JSON of a call that works; it fits the schema and holds numbers only."""
    result = tableseal(*arguments, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert "nan" not in result.output.lower()
    assert "inf" not in result.stdout.lower()
    document = json.loads(result.stdout)
    jsonschema.validate(document, schema_of(RiskResult))
    return document


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(MATRIX)
    Path("b.csv").write_text(ROUNDED)
    return tmp_path


def test_the_original_alone() -> None:
    document = found(RELIGION)
    assert document["whole"]["K"] == 90
    assert document["whole"]["N"] == 2449
    assert round(document["whole"]["R1"], 4) == 0.2315
    assert [len(document[part]) for part in ("rows", "columns", "slices")] == [10, 9, 0]
    assert round(document["rows"][0]["R1"], 4) == 0.4626
    assert document["rows"][0]["where"] == {"row": "1"}
    assert document["whole"]["R2"] is None


def test_a_pair_of_tables(folder: Path) -> None:
    document = found("a.csv", "b.csv")
    whole = document["whole"]
    assert document["versions"] == 1
    assert whole["R2"] < whole["R1"]
    assert whole["HD"] == pytest.approx(math.sqrt((whole["after"]["HD_bound"] ** 2) - sum_of_roots()), abs=1e-9)
    assert whole["utility"] == pytest.approx(1 - whole["HD"] / math.sqrt(22))
    assert whole["after"]["R2"]["error"] == 0


def sum_of_roots() -> float:
    pairs = zip(MATRIX.replace("\n", ",").split(","), ROUNDED.replace("\n", ",").split(","), strict=True)
    return sum(math.sqrt(int(f) * int(g)) for f, g in pairs if f)


def test_sums_that_protection_makes_are_no_margins(folder: Path) -> None:
    """CONVENTION 241."""
    Path("d.csv").write_text("3,3,6\n3,0,3\n0,0,0\n")
    assert tableseal("d.csv").exit_code == 2
    assert found("a.csv", "d.csv")["whole"]["after"]["M"]["mean"] == 18


def test_forms_and_norms(folder: Path) -> None:
    values = {form: found("a.csv", "b.csv", "--form", form)["whole"]["R2"] for form in ("uncertainty", "ratio")}
    assert values["ratio"] != values["uncertainty"]
    terms = found("a.csv", "--norm", "l2")["whole"]
    assert terms["R1"] == pytest.approx(math.sqrt(sum(t * t for t in terms["terms"]) / 3))
    weighted = found("a.csv", "--weights", "0.5,0.25,0.25")["whole"]
    assert weighted["R1"] == pytest.approx(
        sum(w * t for w, t in zip((0.5, 0.25, 0.25), weighted["terms"], strict=True))
    )


def test_replicates_say_how_far_they_may_be_off(folder: Path) -> None:
    """CONVENTION 252: the same seed gives the same figures."""
    first = found("a.csv", "--rounding", "3", "--replicates", "200", "--seed", "7")
    assert first == found("a.csv", "--rounding", "3", "--replicates", "200", "--seed", "7")
    assert first != found("a.csv", "--rounding", "3", "--replicates", "200", "--seed", "8")
    assert first["versions"] == 200
    assert first["drawn"] == {"rounding": 3, "seed": 7}
    error = first["whole"]["after"]["R2"]
    assert error["error"] == pytest.approx(error["deviation"] / math.sqrt(200))
    text = tableseal("a.csv", "--rounding", "3", "--replicates", "200", "--seed", "7").stdout
    assert "means over 200 random roundings to base 3, seed 7" in text
    assert "Monte-Carlo standard error" in text


def test_figures_have_twelve_digits(folder: Path) -> None:
    """CONVENTION 245."""
    text = repr(found("a.csv")["whole"]["R1"])
    assert len(text.replace("0.", "").lstrip("0")) <= 12


def test_a_part_of_a_table(folder: Path) -> None:
    part = found("a.csv", "b.csv", "--where", "row=1", "--where", "row=3")
    assert part["whole"]["N"] == 14
    assert len(part["rows"]) == 2
    line = found("a.csv", "--where", "row=2")
    assert line["whole"]["K"] == 3
    assert line["whole"]["R1"] == found("a.csv")["rows"][1]["R1"]
    assert found("a.csv", "--whole")["rows"] == []


def test_a_parted_table_may_have_empty_rows(folder: Path) -> None:
    """CONVENTION 243."""
    Path("c.csv").write_text("1,0\n2,0\n0,0\n")
    document = found("c.csv", "--rounding", "3")
    assert "N = 0" in document["columns"][1]["undefined"]
    assert "parts have one cell or no units" in tableseal("c.csv").stdout


RELEASE = """\
tableseal: 1
title: Three variables
kind: count
variables:
  region: {total: T, tree: {North: [N1, N2], South: [S1]}}
  sex: {total: T, codes: [F, M]}
  age: {total: T, codes: ["0", "1"]}
tables:
  - {name: t, file: t.csv, value: shown, truth: exact, rounding: {base: 3, method: random}}
"""
LONG = """\
region,sex,age,shown,exact
N1,F,0,3,4
N1,M,1,6,5
N2,F,1,0,1
S1,F,0,9,8
S1,M,0,3,2
North,T,T,9,10
T,T,T,21,20
"""


def test_a_release_of_three_variables(folder: Path) -> None:
    """CONVENTION 240 and 246: leaves only; the rounded release is both the original and the protected table."""
    Path("r.yaml").write_text(RELEASE)
    Path("t.csv").write_text(LONG)
    document = found("r.yaml", "r.yaml")
    whole = document["whole"]
    assert (whole["K"], whole["N"], whole["zeros"]) == (12, 20, 7)
    assert whole["after"]["M"]["mean"] == 21
    assert (document["rows"], document["columns"]) == ([], [])
    assert len(document["slices"]) == 3 + 2 + 2
    overwriting = tableseal("r.yaml", "--json", "t.csv")
    assert overwriting.exit_code == 2
    assert "this file is an input" in overwriting.stderr
    north = found("r.yaml", "--where", "region=North")["whole"]
    assert (north["K"], north["N"]) == (8, 10)


def test_a_bare_data_file(folder: Path) -> None:
    Path("long.csv").write_text("region,sex,n\nA,F,3\nA,M,4\nA,Total,7\nB,F,1\nB,M,0\nB,Total,1\n")
    whole = found("long.csv")["whole"]
    assert (whole["K"], whole["N"], whole["zeros"]) == (4, 8, 1)


def test_split_entropy(folder: Path) -> None:
    """CONVENTION 247 and 248."""
    before = found("a.csv", "--definition", "s15-split")
    assert before["term_names"] == ["zeros", "small", "large", "size"]
    after = found("a.csv", "b.csv", "--definition", "s15-split", "--rounding", "3")["whole"]
    assert after["after"]["multipliers"] == [pytest.approx(1 / 3)] * 2
    assert after["R2"] <= after["R1"]
    fixed = found("a.csv", "b.csv", "--definition", "s15", "--rounding", "3", "--multiplier", "0.5")["whole"]
    assert fixed["after"]["multipliers"] == [0.5]
    swapped = found("a.csv", "b.csv", "--definition", "s15", "--swap-rate", "0.1", "--swap-cap", "20")["whole"]
    assert swapped["after"]["multipliers"] == [0.9]
    Path("p.csv").write_text("1,0,0,0\n0.6667,0,0,0.3333\n0.3333,0,0,0.6667\n")
    matrix = found("a.csv", "b.csv", "--definition", "s15", "--transition", "p.csv", "--cycle", "3")["whole"]
    rounding = found("a.csv", "b.csv", "--definition", "s15", "--rounding", "3")["whole"]
    assert matrix["R2"] == pytest.approx(rounding["R2"], abs=1e-4)
    drawn = found("a.csv", "--definition", "s15", "--rounding", "3", "--replicates", "20")
    assert drawn["versions"] == 20


def test_what_does_not_hold_is_said(folder: Path) -> None:
    """CONVENTION 248."""
    Path("c.csv").write_text("1,1,1\n")
    Path("d.csv").write_text("3,3,0\n")
    options = ("--definition", "s15", "--rounding", "3")
    whole = found("c.csv", "d.csv", *options)["whole"]
    assert whole["after"]["above_original"] == 1
    assert whole["R2"] == whole["R1"]
    assert "came out above that of the original" in tableseal("c.csv", "d.csv", *options).stdout
    text = tableseal("a.csv", "a.csv", *options).stdout
    assert "the stated method cannot have made" in text
    assert "only reproduces" in tableseal("a.csv", "b.csv", "--form", "a14-published").stdout
    assert "upside down" in tableseal("a.csv", "b.csv", "--form", "ratio").stdout


def test_swapping_reaches_the_largest_count_if_nothing_is_said(folder: Path) -> None:
    """CONVENTION 247."""
    options = ("a.csv", "b.csv", "--definition", "s15", "--swap-rate", "0.2")
    assert found(*options) == found(*options, "--swap-cap", "6")
    assert found(*options) != found(*options, "--swap-cap", "5")


def test_models_of_samples_have_a_limit(folder: Path) -> None:
    rows = "\n".join(f"c{k},d{k % 299},e{k % 298},1" for k in range(300))
    Path("long.csv").write_text(f"x,y,z,n\n{rows}\n")
    result = tableseal("long.csv", "--population", "5000")
    assert result.exit_code == 3
    assert "at most 20,000,000 cells; the table has 26,730,600" in result.stderr


def test_a_sample(folder: Path) -> None:
    """CONVENTION 250."""
    document = found("a.csv", "--population", "300", "--replicates", "100")
    sample = document["sample"]
    assert document["whole"] is None
    assert (sample["n"], sample["population"], sample["populations"], sample["samples"]) == (22, 300, 100, 1)
    assert 0 < sample["R2"]["mean"] < sample["R1"]["mean"] < 1
    other = found("a.csv", "--population", "300", "--model", "two-way", "--smoothing", "add=0.5,pseudo-bayes")["sample"]
    assert other["smoothing"] == {"added": 0.5, "pseudo_bayes": True}
    text = tableseal("a.csv", "--population", "300", "--model", "saturated").stdout
    assert "saturated model, no smoothing" in text
    assert "nothing of how well the model fits" in text


def test_an_experiment(folder: Path) -> None:
    document = found("a.csv", "--sample-size", "8", "--samples", "30", "--replicates", "5")
    assert document["sample"]["true_R1"] == document["whole"]["R1"]
    assert document["sample"]["samples"] == 30
    assert "true R2" in tableseal("a.csv", "--sample-size", "8", "--samples", "30").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["one.csv"], "one cell"),
        (["zeros.csv"], "N = 0"),
        (["margins.csv"], "leave margins out"),
        (["fraction.csv"], "row 1 (line 1), column 2"),
        (["a.csv", "wide.csv"], "wide.csv: has 3 x 4 cells, expected"),
        (["a.csv", "--weights", "1,1,1"], "sum to 3"),
        (["a.csv", "--weights", "1,1"], "found 2, expected 3"),
        (["a.csv", "--weights", "a,b"], "numbers separated by commas"),
        (["a.csv", "--weights", "1,0,0", "--norm", "l2"], "has no weights"),
        (["a.csv", "--weights", "nan,1,0"], "weights nan, 1, 0: expected numbers of which none is negative"),
        (["a.csv", "one.csv"], "one.csv: has 1 x 1 cells, expected"),
        (["quote.csv"], "quote.csv line 2: the quotes do not fit"),
        (["a.csv", "--samples", "5"], "belongs to --sample-size"),
        (["a.csv", "b.csv", "--definition", "s15", "--swap-rate", "0.1", "--swap-cap", "0"], "largest state is 0"),
        (["a.csv", "--definition", "s15", "--rounding", "3", "--multiplier", "1,1"], "expected one, from 0 to 1"),
        (["a.csv", "--rounding", "1"], "base 1"),
        (["a.csv", "--rounding", str(10**20)], "from 2 to 1,000,000,000"),
        (["a.csv", "b.csv", "--definition", "s15", "--rounding", "1001"], "from 2 to 1,000"),
        (["a.csv", "--population", str(10**20)], "expected at most"),
        (["a.csv", "--replicates", "5"], "nothing is drawn here"),
        (["a.csv", "b.csv", "--rounding", "3"], "PROTECTED is given"),
        (["a.csv", "--where", "row"], "VARIABLE=CODE"),
        (["a.csv", "--where", "row=9"], 'no code "9"'),
        (["a.csv", "--where", "age=9"], 'no variable "age"'),
        (["a.csv", "--where", "row=1", "--where", "column=1"], "one cell"),
        (["a.csv", "--multiplier", "1"], "belongs to --definition s15"),
        (["a.csv", "b.csv", "--swap-rate", "0.1"], "belongs to --definition s15"),
        (["a.csv", "b.csv", "--definition", "s15"], "needs the method"),
        (["a.csv", "--definition", "s15", "--swap-rate", "0.1"], "needs the PROTECTED table"),
        (["a.csv", "b.csv", "--definition", "s15", "--swap-rate", "0.1", "--rounding", "3"], "two methods"),
        (["a.csv", "--definition", "s15", "--form", "ratio"], "belongs to --definition a14"),
        (["a.csv", "--definition", "s15-split", "--norm", "l2"], "three terms"),
        (["a.csv", "--population", "21"], "n = 22 units, more than the population of N = 21"),
        (["zeros.csv", "--population", "21"], "sample is empty"),
        (["a.csv", "--sample-size", "23"], "expected 1 to N = 22"),
        (["a.csv", "--sample-size", "0"], "expected 1 to N = 22"),
        (["a.csv", "--sample-size", "5", "--population", "50"], "leave one out"),
        (["a.csv", "b.csv", "--population", "50"], "takes no PROTECTED table"),
        (["a.csv", "--definition", "s15", "--population", "50"], "of --definition a14 only"),
        (["a.csv", "--population", "50", "--smoothing", "much"], "expected none, add=C, pseudo-bayes"),
        (["a.csv", "--population", "50", "--smoothing", "add=x"], '"x" is no number'),
        (["a.csv", "b.csv", "--definition", "s15", "--rounding", "3", "--swap-cap", "9"], "belongs to --swap-rate"),
        (["a.csv", "b.csv", "--definition", "s15", "--rounding", "3", "--cycle", "2"], "belongs to --transition"),
        (["a.csv", "--model", "two-way"], "belongs to --population or --sample-size"),
        (["a.csv", "--smoothing", "add=1"], "belongs to --population or --sample-size"),
        (["a.csv", "--table", "t"], "is a bare matrix"),
        (["a.csv", "--json", "a.csv"], "this file is an input"),
    ],
)
def test_wrong_use_is_one_clear_message(folder: Path, arguments: list[str], said: str) -> None:
    """CONVENTION 241 to 243."""
    Path("one.csv").write_text("5\n")
    Path("quote.csv").write_text('1,"2\n3,4\n')
    Path("zeros.csv").write_text("0,0\n0,0\n")
    Path("margins.csv").write_text("1,2,3\n4,5,9\n5,7,12\n")
    Path("fraction.csv").write_text("1,2.5\n4,5\n")
    Path("wide.csv").write_text("1,2,3,3\n4,5,9,3\n5,7,12,3\n")
    result = tableseal(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output
