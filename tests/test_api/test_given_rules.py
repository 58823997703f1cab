"""Rules that are said with the question are the policy."""

import json
from pathlib import Path

import pytest
from asking import WAIT, asked
from small import document, table
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.api.options.rules import GivenRules
from tableseal.audit.io import policy_from_document

COUNTS = document(table(["T", "k", "l", "m"], [30, 3, 12, 15]))
BAD = [
    (["--threshold", "0"], "--threshold 0: expected a whole number of at least 1"),
    (["--threshold", "x"], "--threshold x: expected a whole number"),
    (["--p-percent", "0"], "--p-percent 0: expected a percentage above 0"),
    (["--dominance", "1"], "--dominance 1: expected N,K"),
    (["--dominance", "1,200"], "--dominance 1,200: expected N,K"),
    (["--dominance", "0,85"], "--dominance 0,85: expected N,K"),
    (["--threshold", "3", "--policy", "policy.yaml"], "give either --policy or rules, not both"),
]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("counts.json").write_text(json.dumps(COUNTS), "utf-8")
    Path("policy.yaml").write_text("primary: [{threshold: 4}]\n", "utf-8")
    Path("table.csv").write_text("a,n\nk,3\nl,12\nm,15\nT,30\n", "utf-8")
    return tmp_path


def test_rules_together_are_the_policy_that_a_file_would_be() -> None:
    # CONVENTION 584
    rules = GivenRules(threshold="5", p_percent="12.5", dominance=("1,85", "2, 90"))
    written = {
        "primary": [
            {"threshold": 5},
            {"p_percent": "12.5"},
            {"dominance": {"n": 1, "k": 85}},
            {"dominance": {"n": 2, "k": 90}},
        ]
    }
    assert rules.to_policy() == policy_from_document(written)
    assert GivenRules().to_policy() is None


@pytest.mark.parametrize(("options", "said"), BAD)
def test_what_is_said_wrongly_is_named(options: list[str], said: str, folder: Path) -> None:
    # CONVENTION 584
    code, output = run("audit", "counts.json", *options)
    assert (code, said in " ".join(output.split())) == (2, True), output
    if "--policy" not in options:
        code, output = run("init", "table.csv", *options)
        assert (code, said in " ".join(output.split())) == (2, True), output


def test_every_verb_that_judges_takes_them(folder: Path) -> None:
    code, output = run("audit", "counts.json", "--threshold", "4")
    assert code == 1
    assert output.splitlines()[1] == "Rule: threshold 4."
    assert run("audit", "counts.json", "--threshold", "3")[0] == 0
    assert run("suppress", "counts.json")[0] == 2
    assert run("suppress", "counts.json", "--threshold", "4", "-o", "out.json")[0] == 0
    assert run("compare", "counts.json", "--threshold", "4", "--methods", "heuristic")[0] == 0
    Path("many").mkdir()
    Path("many/counts.json").write_text(json.dumps(COUNTS), "utf-8")
    assert run("batch", "many", "--threshold", "4", "-o", "results")[0] == 1
    given = ["--data", str(folder / "data"), "--threshold", "4"]
    assert run("publication", "audit", "prices", "counts.json", *given)[0] == 1


def test_a_first_release_file_says_by_which_rule_or_that_it_has_to_be_decided(folder: Path) -> None:
    assert run("init", "table.csv", "-o", "judged.yaml", "--threshold", "4")[0] == 0
    assert run("audit", "judged.yaml")[0] == 1
    assert run("init", "table.csv", "-o", "open.yaml")[0] == 0
    assert run("audit", "open.yaml")[0] == 3
    lines = Path("open.yaml").read_text("utf-8").splitlines()
    chosen = [line for line in lines if "p_percent" not in line and "dominance" not in line]
    chosen = [line.removeprefix("#") for line in chosen if not line.startswith(("# N", "# D", "# T"))]
    Path("decided.yaml").write_text("\n".join(chosen), "utf-8")
    assert "  knows_rule: true" in chosen
    code, output = run("audit", "decided.yaml")
    assert (code, output.splitlines()[1]) == (1, "Rule: threshold 5."), output


def test_over_http(tmp_path: Path) -> None:
    with asked(tmp_path) as client:
        found = client.post("/v1/audits", json=COUNTS, params={"threshold": "4"}, headers=WAIT)
        assert (found.json()["verdict"], found.json()["rules"]) == ("unsafe", ["threshold 4"])
        wrong = client.post("/v1/audits", json=COUNTS, params={"threshold": "0"}, headers=WAIT)
        assert wrong.status_code == 422
        refused = client.post("/v1/suppressions", json=COUNTS, headers=WAIT)
        assert refused.status_code == 422
        assert "There is nothing to protect yet" in refused.json()["detail"]
        protected = client.post("/v1/suppressions", json=COUNTS, params={"threshold": "4"}, headers=WAIT)
        assert protected.json()["audit"]["verdict"] == "safe"
