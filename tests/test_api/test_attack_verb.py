"""`tableseal attack`, `ts.attack` and `POST /v1/attacks` give one result."""

import json
from pathlib import Path

import jsonschema
import pytest
from asking import WAIT, asked
from typer.testing import CliRunner, Result

import tableseal as ts
from tableseal.api.cli.app import app
from tableseal.api.http.measures import CHANGED
from tableseal.api.schemas import schema

QUERY = "attacks=sums&attacks=averaging&draws=2&widest=4"
SAID = ["--with", "sums", "--with", "averaging", "--draws", "2", "--widest", "4"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "release.json").write_text(json.dumps(CHANGED), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def attack(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["attack", *arguments])


def test_the_same_result_at_every_door(tmp_path: Path) -> None:
    result = attack("release.json", *SAID, "--json", "out.json")
    assert result.exit_code == 0, result.output
    written = Path("out.json").read_text("utf-8")
    jsonschema.validate(json.loads(written), schema("attack"))
    found = ts.attack("release.json", attacks=["sums", "averaging"], draws=2, widest=4)
    assert found.to_json() == written
    assert found.figures()["counts"] == 9
    with asked(tmp_path / "service", worker=False) as client:
        response = client.post(f"/v1/attacks?{QUERY}", json=CHANGED, headers=WAIT)
        assert response.status_code == 200, response.text
        assert response.content == written.encode()
        refused = client.post("/v1/attacks?attacks=sum", json=CHANGED, headers=WAIT)
        assert refused.status_code == 422, refused.text
        assert "did you mean" in refused.text


def test_the_threshold_is_that_of_the_rules() -> None:
    found = json.loads(attack("release.json", "--no-curve", "--threshold", "5", "--json", "-").stdout)
    assert found["threshold"] == 5
    assert found["attacks"][0]["curve"] is None
    assert json.loads(attack("release.json", "--no-curve", "--json", "-").stdout)["threshold"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--with", "sum"], 'did you mean "sums"?'),
        (["--tolerate", "2"], "a share from 0 to 1"),
        (["--tolerate", "much"], "a share from 0 to 1"),
        (["--widest", "0"], "widest"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], said: str) -> None:
    result = attack("release.json", *arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_a_release_of_true_values_is_refused() -> None:
    plain = {**CHANGED, "tables": [{k: v for k, v in CHANGED["tables"][0].items() if k != "rounding"}]}
    plain["tables"][0]["cells"] = {k: v for k, v in plain["tables"][0]["cells"].items() if k != "truth"}
    del plain["tables"][0]["truth"]
    plain["tables"][0]["cells"]["value"] = [3, 17, 20, 23, 7, 30, 26, 24, 50]
    Path("plain.json").write_text(json.dumps(plain), "utf-8")
    result = attack("plain.json")
    assert result.exit_code == 2
    assert "no count of this release was changed" in result.output


def test_what_protect_keeps_can_be_attacked() -> None:
    cells = {k: v for k, v in CHANGED["tables"][0]["cells"].items() if k != "truth"}
    cells["value"] = [3, 17, 20, 23, 7, 30, 26, 24, 50]
    release = {**CHANGED, "tables": [{"name": "t", "cells": cells}]}
    release["policy"] = {"primary": [{"threshold": 5}], "require": {"protection": False}}
    rounded = ts.protect(release, method="random-rounding", base=5, seed=3)
    found = ts.attack(rounded.confidential, attacks="sums", curve=False)
    assert found.document["stated"] == ["t: random, base 5"]
    assert found.document["threshold"] == 5


def counted(variable: str, codes: list[str], value: list[int], truth: list[int]) -> dict[str, object]:
    """A table of one variable, its counts changed by at most 1."""
    table = {"name": variable, "cells": {variable: [*codes, "T"], "value": value, "truth": truth}, "truth": "truth"}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {variable: {"total": "T", "codes": codes}},
        "tables": [{**table, "rounding": {"method": "cell_key", "range": 1}}],
    }


def test_releases_are_attacked_together() -> None:
    """CONVENTION 926: the total of both, shown as 9 and as 11, is 10, and only who has both knows it."""
    district = counted("district", ["a", "b"], [4, 6, 9], [4, 6, 10])
    sex = counted("sex", ["F", "M"], [5, 7, 11], [4, 6, 10])
    Path("district.json").write_text(json.dumps(district), "utf-8")
    Path("sex.json").write_text(json.dumps(sex), "utf-8")

    def proved(result: ts.AttackResult) -> int:
        tallies = result.found.attacks[0].proved
        assert tallies is not None
        return tallies.all.exact

    alone = [proved(ts.attack(one, attacks="sums", curve=False)) for one in (district, sex)]
    together = ts.attack(["district.json", "sex.json"], attacks="sums", curve=False)
    assert alone == [0, 0]
    assert proved(together) == 3  # the total, and F and M: 5 - 1 and 7 - 1 make 10
    assert together.figures()["counts"] == 5
    result = attack("district.json", "sex.json", "--with", "sums", "--no-curve", "--json", "-")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == together.document
    twice = attack("sex.json", "sex.json")
    assert twice.exit_code == 2
    assert '"sex.json" is there twice' in twice.output
    other = {**sex, "kind": "magnitude"}
    with pytest.raises(ts.InputError, match="release 1 and release 2"):
        ts.attack([district, other], attacks="sums")
    with pytest.raises(ts.InputError):
        ts.attack([], attacks="sums")
