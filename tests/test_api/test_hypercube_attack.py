"""`tableseal hypercube attack`: what comes back of one's own table generator, with its memory and without."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import run
from towns import built

import tableseal as ts
from tableseal.api.generating.attacking import attacked
from tableseal.api.options.generator_attack import MEANINGS, GeneratorAttackOptions
from tableseal.api.schemas import schema
from tableseal.audit.progress import silent
from tableseal.suppression.generator.attacks.replay import ATTACKS

NARROW: dict[str, Any] = {
    "tableseal-generator": 1,
    "threshold": 3,
    "protection": {"cell_key": {"range": 1, "variance": "1/2"}},
}


def test_it_says_what_comes_back_and_nothing_does_with_the_memory(tmp_path: Path) -> None:
    """CONVENTION 1120: both generators meet the same attacks; the exit code is that of the one with the memory; nothing
    is kept, and the result is the same again."""
    cube = built(tmp_path, policy=NARROW)
    said = ("--policy", tmp_path / "town.yaml", "--secret-file", tmp_path / "town.secret")
    asked = ("--with", "trackers", "--small", "2", "--others", "1", "--json", tmp_path / "found.json")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run("hypercube", "attack", cube, *said, *asked)
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*before, "found.json"])
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    jsonschema.validate(found, schema("generator-attack"))
    without, remembered = found["attacks"]
    assert (without["remembered"], remembered["remembered"]) == (False, True)
    assert without["recovered"] > 0
    assert remembered["recovered"] == 0
    assert "3 base cells aimed at, 2 with a count below 3" in done.output
    assert f"below the threshold {without['recovered']} of 2" in done.output
    options = GeneratorAttackOptions(
        policy=str(tmp_path / "town.yaml"),
        secret_file=str(tmp_path / "town.secret"),
        attacks=("trackers",),
        small=2,
        others=1,
    )
    again = attacked(cube, options, silent)
    assert [one.right for one in again.attacks] == [without["right"], remembered["right"]]
    in_python = ts.hypercube_attack(
        cube,
        policy=tmp_path / "town.yaml",
        secret_file=tmp_path / "town.secret",
        attacks="trackers",
        small=2,
        others=1,
    )
    assert in_python.document == found
    assert not in_python.recovered
    assert in_python.to_frame("polars")["recovered"].to_list() == [without["recovered"], 0]


@pytest.mark.parametrize("left_out", ["--policy", "--secret-file"])
def test_it_needs_a_policy_and_a_secret(tmp_path: Path, left_out: str) -> None:
    said = {"--policy": "p.yaml", "--secret-file": "s.txt"}
    del said[left_out]
    done = run("hypercube", "attack", tmp_path / "x.cube", *(word for pair in said.items() for word in pair))
    assert done.exit_code == 2
    assert left_out in done.output
    keywords = {word.removeprefix("--").replace("-", "_"): value for word, value in said.items()}
    with pytest.raises(ts.InputError, match=left_out.removeprefix("--").replace("-", "_")):
        ts.hypercube_attack(tmp_path / "x.cube", **keywords)


def test_every_attack_has_a_meaning() -> None:
    assert list(MEANINGS) == list(ATTACKS)
