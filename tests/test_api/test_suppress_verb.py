"""`tableseal suppress` on the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from tableseal.api.cli.app import app
from tableseal.api.cli.exit_codes import Code
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.io import read_release
from tableseal.audit.report import Report
from tableseal.suppression.report.model import SuppressionReport

ROOT = Path(__file__).parents[2]
RELEASE = """tableseal: 1
title: Patients
kind: count
variables:
  district: {total: Total, codes: [North, South, East]}
  sex: {total: Total, codes: [F, M]}
tables:
  - name: patients
    file: cells.csv
    status: status
policy: policy.yaml
"""
CELLS = """district,sex,value,status
North,F,2,
North,M,17,
North,Total,19,
South,F,14,
South,M,21,
South,Total,35,
East,F,9,
East,M,11,
East,Total,20,
Total,F,25,
Total,M,49,
Total,Total,74,
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "cells.csv").write_text(CELLS, "utf-8")
    (tmp_path / "policy.yaml").write_text("primary: [{threshold: 3}]\n", "utf-8")
    path = tmp_path / "release.yaml"
    path.write_text(RELEASE, "utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["suppress", *map(str, words)])


def document(*words: object) -> Mapping[str, Any]:
    result = run(*words, "--json", "-")
    assert result.exit_code in (Code.DONE, Code.UNSAFE), result.output
    found: Mapping[str, Any] = json.loads(result.stdout)
    return found


def test_the_protected_release_holds_no_withheld_value_and_is_safe_by_itself(release: Path, tmp_path: Path) -> None:
    """CONVENTION 445."""
    out, page = tmp_path / "out.yaml", tmp_path / "report.html"
    result = run(release, "-o", out, "--html", page, "--json", tmp_path / "result.json", "--explain")
    assert result.exit_code == Code.DONE, result.output
    assert "SAFE" in result.output
    assert "Proved: no safe pattern is cheaper." in result.output
    assert "search: " in result.output
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    protected = read_release(out)
    (table,) = protected.tables
    assert (table.status >= 5).sum() == 4
    assert not table.value.known[table.status >= 5].any()
    assert not table.truth.known[table.status >= 5].any()
    assert protected.policy is None
    assert ",2," not in (tmp_path / "out_patients.csv").read_text("utf-8")
    again = CliRunner().invoke(app, ["audit", str(out)])
    assert again.exit_code == Code.DONE, again.output
    assert read_release(release).tables[0].value.known.all()


@pytest.mark.parametrize("name", ["out.json", "out.csv", "out.yml"])
@pytest.mark.parametrize("mask", [False, True])
def test_formats_and_masked_statuses(release: Path, tmp_path: Path, name: str, mask: bool) -> None:
    assert run(release, "-o", tmp_path / name, *([] if mask else ["--tell-statuses"])).exit_code == Code.DONE
    if name == "out.csv":
        words = [row.rsplit(",", 1)[1] for row in (tmp_path / name).read_text("utf-8").split()[1:]]
    else:
        from tableseal.audit.model import Status

        words = [Status(s).word for s in read_release(tmp_path / name).tables[0].status.tolist()]
    expected = {"withheld"} if mask else {"primary", "secondary"}
    assert set(words) - {"published"} == expected


def test_a_symbol_of_ones_own(release: Path, tmp_path: Path) -> None:
    """CONVENTION 591"""
    assert run(release, "-o", tmp_path / "out.csv", "--symbol", "*").exit_code == Code.DONE
    lines = (tmp_path / "out.csv").read_text("utf-8").split()
    assert lines[1] == "North,F,*,withheld"
    assert sum(",*,withheld" in line for line in lines) == 4
    for name, symbol in (("out.csv", "@"), ("out.yaml", "12"), ("out.json", "*"), ("-", "*")):
        refused = run(release, "-o", tmp_path / name if name != "-" else "-", "--symbol", symbol)
        assert refused.exit_code == Code.BAD_INPUT
        assert f'--symbol "{symbol}"' in refused.stderr
    assert not (tmp_path / "out.yaml").exists()


def test_standard_output_takes_the_release_or_the_result(release: Path) -> None:
    result = run(release, "-o", "-")
    assert result.exit_code == Code.DONE
    assert json.loads(result.stdout)["tableseal"] == 1
    assert "SAFE" in result.stderr
    found = document(release)
    jsonschema.validate(found, schema_of(SuppressionReport))
    jsonschema.validate(found["audit"], schema_of(Report))
    assert found["status"] == "optimal"
    assert found["cost"] == found["bound"]
    assert {c["status"] for c in found["cells"]} == {"secondary"}
    for cell in found["cells"]:
        assert [n["cell"] for n in cell["needed_by"]] == [{"district": "North", "sex": "F"}]
        assert cell["needed_by"][0]["equations"][0]["text"]


def test_the_schema_is_printed() -> None:
    result = CliRunner().invoke(app, ["schema", "suppression"])
    assert json.loads(result.stdout) == schema_of(SuppressionReport)


def test_an_impossible_problem_says_why_and_writes_nothing(release: Path, tmp_path: Path) -> None:
    text = CELLS.replace("North,M,17,", "North,M,17,must_publish").replace("North,Total,19,", "North,Total,19,frozen")
    (tmp_path / "cells.csv").write_text(text, "utf-8")
    result = run(release, "-o", tmp_path / "out.yaml")
    assert result.exit_code == Code.UNSAFE
    assert "district=North, sex=M (must be published)" in result.stdout
    assert "district=North, sex=Total (frozen)" in result.stdout
    assert "was not written" in result.stdout
    assert not list(tmp_path.glob("out*"))
    found = document(release)
    jsonschema.validate(found, schema_of(SuppressionReport))
    assert found["audit"] is None
    first, *others = [c["cell"]["sex"] for c in found["conflict"]["cells"]]
    assert first == "F"
    assert sorted(others) == ["M", "Total"]


def test_wishes_on_the_command_line(release: Path, tmp_path: Path) -> None:
    plain = document(release, "--cost", "unit")
    avoided = document(release, "--cost", "unit", "--avoid", "district=South", "--table-weight", "patients=2")
    assert avoided["cost"] == 2 * plain["cost"]
    codes = {c["cell"]["district"] for c in avoided["cells"]}
    assert "South" not in codes
    kept = tmp_path / "decisions.yaml"
    kept.write_text(
        "decisions:\n- {decision: keep_published, cell: {district: North, sex: M}, reason: r, name: n, "
        "date: 2026-11-28}\n",
        "utf-8",
    )
    found = document(release, "--decisions", kept)
    assert {"district": "North", "sex": "M"} not in [c["cell"] for c in found["cells"]]
    assert found["decisions"][0]["name"] == "n"
    assert run(release, "-o", tmp_path / "last.json", "--prefer", "district=East").exit_code == Code.DONE
    stable = document(release, "--last-period", tmp_path / "last.json")
    assert stable["last_period"]["new"] == stable["last_period"]["returned"] == 0
    assert "East" in {c["cell"]["district"] for c in stable["cells"]}


def test_insiders_and_basis(release: Path, tmp_path: Path) -> None:
    """Two ones in a column of their own row: readers are kept out by both, each of the two people only by a third."""
    (tmp_path / "cells.csv").write_text(
        "district,value,status\nNorth,1,\nSouth,1,\nEast,9,\nTotal,11,must_publish\n", "utf-8"
    )
    release.write_text(RELEASE.replace("  sex: {total: Total, codes: [F, M]}\n", ""), "utf-8")
    (tmp_path / "policy.yaml").write_text("primary: [{threshold: 2}]\n", "utf-8")
    assert document(release)["secondary"] == 1
    assert document(release, "--no-insiders", "--basis", "integer")["secondary"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "guess"], "there is no such method; methods are "),
        (["-o", "out.txt"], "found .txt, expected one of"),
        (["-o", "cells.csv"], "this file is an input"),
        (["-o", "policy.yaml"], "this file is an input"),
        (["-o", "no/out.yaml"], "there is no folder"),
        (["--table-weight", "patients"], "expected NAME=WEIGHT"),
        (["--table-weight", "patients=1/0"], "expected NAME=WEIGHT"),
        (["--table-weight", "firms=2"], "there is no such table; there are patients"),
        (["--prefer", "district=West"], 'district has no code "West"'),
        (["--solver", "NOPE"], "not installed"),
        (["--best-so-far", "-"], "expected a file"),
        (["--decisions", "none.yaml"], "none.yaml"),
        (["-o", "out.json", "--json", "out.json"], "choose two different outputs"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_wrong_use(release: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str) -> None:
    monkeypatch.chdir(release.parent)
    before = sorted(release.parent.iterdir())
    result = run(release, *words)
    assert result.exit_code == Code.BAD_INPUT
    assert message in " ".join(result.stderr.split())
    assert sorted(release.parent.iterdir()) == before


def test_no_file_of_the_protected_release_overwrites_an_input(release: Path, tmp_path: Path) -> None:
    """The CSV files beside OUT are outputs too."""
    (tmp_path / "cells.csv").rename(tmp_path / "out_patients.csv")
    release.write_text(RELEASE.replace("cells.csv", "out_patients.csv"), "utf-8")
    result = run(release, "-o", tmp_path / "out.yaml")
    assert result.exit_code == Code.BAD_INPUT
    assert "this file is an input" in result.stderr
    assert not (tmp_path / "out.yaml").exists()


def test_two_tables_do_not_fit_into_one_csv_file(tmp_path: Path) -> None:
    source = ROOT / "cases" / "linked_one_by_one" / "release.yaml"
    result = run(source, "-o", tmp_path / "out.csv")
    assert result.exit_code == Code.BAD_INPUT
    assert "the release has 2 tables, and a CSV file holds one" in result.stderr


def test_an_interrupted_search_leaves_its_best_audited_pattern(release: Path, tmp_path: Path) -> None:
    """CONVENTION 449: a search that has found a pattern and goes on for ever is stopped like a person would."""
    best = tmp_path / "best.json"
    program = f"""
import time
from tableseal.suppression.search import methods
from tableseal.suppression.search.heuristic import heuristic
def endless(problem, tools):
    heuristic(problem, tools)
    print("going on", flush=True)
    time.sleep(60)
methods.METHODS = {{"endless": endless}}
import sys
sys.argv = ["tableseal", "suppress", {str(release)!r}, "--method", "endless", "--best-so-far", {str(best)!r}]
from tableseal.api.cli import main
main()
"""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "going on"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == Code.INTERRUPTED
    assert "the best audited pattern so far is in" in said
    found = json.loads(best.read_text("utf-8"))
    jsonschema.validate(found, schema_of(SuppressionReport))
    assert found["audit"]["verdict"] == "safe"
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("method", ["optimal", "heuristic", "network", "rank"])
def test_a_search_that_ends_leaves_its_answer(release: Path, tmp_path: Path, method: str) -> None:
    """CONVENTION 449: whatever was kept on the way, the file says in the end what the answer says."""
    best, answer = tmp_path / "best.json", tmp_path / "answer.json"
    best.write_text("what another search has left", "utf-8")
    assert run(release, "--method", method, "--best-so-far", best, "--json", answer).exit_code == Code.DONE
    assert best.read_bytes() == answer.read_bytes()


def test_what_is_not_safe_is_not_kept_as_the_best(release: Path, tmp_path: Path) -> None:
    """CONVENTION 449: the labelled pattern that fails its audit is an answer, but no pattern to fall back on."""
    best = tmp_path / "best.json"
    words = ["--method", "rank", "--pure", "--budget", "cells=0", "--best-so-far", best]
    assert run(release, *words).exit_code == Code.UNSAFE
    assert not best.exists()


def test_labelled_methods_are_audited_as_they_are(release: Path, tmp_path: Path) -> None:
    """CONVENTION 450: their patterns are not completed; the label is in the result, the verdict is the audit's."""
    nothing = document(release, "--method", "rank", "--pure", "--budget", "cells=0")
    assert (nothing["method"], nothing["guarantee"], nothing["status"]) == ("rank-pure", "none", "feasible")
    assert (nothing["secondary"], nothing["audit"]["verdict"]) == (0, "unsafe")
    out = tmp_path / "out.yaml"
    result = run(release, "--method", "rank-pure", "--budget", "cells=0", "-o", out)
    assert result.exit_code == Code.UNSAFE
    assert "promises nothing of its pattern" in result.output
    assert "Proved" not in result.output
    assert not out.exists()
    quick = document(release, "--method", "greedy-elimination")
    assert (quick["guarantee"], quick["secondary"]) == ("exact disclosure", 3)
    assert [cell["needed_by"] for cell in quick["cells"]] == [None, None, None]
    assert document(release)["guarantee"] == "intervals"
    jsonschema.validate({**quick, "audit": None}, schema_of(SuppressionReport))


def test_rank_spends_its_budget(release: Path) -> None:
    found = document(release, "--method", "rank", "--budget", "cells=5,cost=90")
    assert (found["method"], found["guarantee"], found["audit"]["verdict"]) == ("rank", "intervals", "safe")
    assert (found["secondary"], found["audit"]["summary"]["rank"]) == (5, 4)
    without = document(release, "--method", "rank", "--no-margins", "--budget", "cells=5,cost=90")
    assert without["audit"]["verdict"] == "safe"
    few = run(release, "--method", "rank", "--budget", "cells=2")
    assert few.exit_code == Code.BAD_INPUT
    assert "withholds 3 secondary cells at a cost of 37" in few.output


@pytest.mark.parametrize("words", [["--pure"], ["--budget", "cells=3"], ["--no-margins"]])
def test_settings_of_rank_are_refused_for_others(release: Path, words: list[str]) -> None:
    result = run(release, *words)
    assert result.exit_code == Code.BAD_INPUT
    assert "are for --method rank" in result.output
