"""`audit --proof` and `verify`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tableseal.api.cases import cases_folder
from tableseal.api.cli.app import app

TABLE_1 = cases_folder() / "o03_table1" / "release.yaml"


def tableseal(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A proof and the release it is of."""
    proof, release = str(tmp_path / "proof.json"), str(tmp_path / "release.json")
    assert tableseal("audit", str(TABLE_1), "--proof", proof).exit_code == 0
    assert tableseal("convert", str(TABLE_1), release).exit_code == 0
    return proof, release


def test_a_proof_is_accepted(files: tuple[str, str]) -> None:
    result = tableseal("verify", *files)
    assert result.exit_code == 0
    assert result.stdout.startswith("Accepted: of 8 ends of intervals 8 are proved and 8 attained by a table.")
    result = tableseal("verify", *files, "--json", "-")
    assert json.loads(result.stdout)["accepted"] is True
    assert json.loads(Path(files[0]).read_text("utf-8"))["confidential"] is True


def test_a_false_proof_and_another_release_are_refused(files: tuple[str, str]) -> None:
    proof = Path(files[0])
    document = json.loads(proof.read_text("utf-8"))
    document["claims"][0]["upper"]["outer"] -= 1
    proof.write_text(json.dumps(document))
    result = tableseal("verify", *files, "--json", "-")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["reason"] == "the multipliers prove less"
    other = str(Path(files[1]).with_name("other.json"))
    tableseal("convert", str(cases_folder() / "o03_redesign" / "release.yaml"), other)
    result = tableseal("verify", files[0], other)
    assert result.exit_code == 1
    assert "another release" in result.stdout


def test_bad_input(files: tuple[str, str], tmp_path: Path) -> None:
    """CONVENTION 305: there is no public proof."""
    assert tableseal("verify", str(tmp_path / "no.json"), files[1]).exit_code == 2
    assert tableseal("verify", files[1], files[1]).exit_code in (1, 2)
    (tmp_path / "text").write_text("no JSON")
    result = tableseal("verify", str(tmp_path / "text"), files[1])
    assert result.exit_code == 2
    assert "Error: " in result.stderr
    result = tableseal("audit", str(TABLE_1), "--proof", files[0], "--public")
    assert result.exit_code == 2
    assert "confidential" in result.stderr
    assert tableseal("audit", str(TABLE_1), "--proof", files[0], "--json", files[0]).exit_code == 2


def test_the_same_release_has_the_same_proof(files: tuple[str, str]) -> None:
    again = str(Path(files[0]).with_name("again.json"))
    assert tableseal("audit", files[1], "--proof", again).exit_code == 0
    assert Path(again).read_bytes() == Path(files[0]).read_bytes()


def test_the_report_is_the_same_with_a_proof(tmp_path: Path) -> None:
    plain = tableseal("audit", str(TABLE_1), "--json", "-")
    proved = tableseal("audit", str(TABLE_1), "--json", "-", "--proof", str(tmp_path / "proof.json"))
    assert plain.stdout == proved.stdout
