"""`tableseal plan`: what it says of a plan."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Food",
    "measures": {"food": {"kind": "magnitude"}, "meat": {"kind": "magnitude"}, "fish": {"kind": "magnitude"}},
    "variables": {
        "region": {"total": "T", "tree": {"N": ["N1", "N2"], "S": ["S1"]}},
        "size": {"total": "all", "codes": ["a", "b"]},
    },
    "equations": ["food = meat + fish"],
    "tables": [
        {"name": "food", "measure": "food", "by": ["region@1"]},
        {"name": "meat", "measure": "meat", "by": ["region", "size"]},
    ],
}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN))
    return path


def test_clusters_in_words_and_as_a_document(plan: Path, tmp_path: Path) -> None:
    done = run("plan", str(plan), "--json", str(tmp_path / "out.json"))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "Food: 2 tables in 1 cluster; 1 to protect.",
        "",
        "food: food, meat, fish",
        "  food = meat + fish",
        "  region x size, 36 cells at most: food, meat",
        "  8 base cells, about 1 s (a forecast)",
        "  no table has fish: nothing follows from those equations",
    ]
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["schema"] == "tableseal/plan/1"
    assert [cluster["tables"] for cluster in found["clusters"]] == [["food", "meat"]]


def test_a_level_that_is_not_there(plan: Path) -> None:
    plan.write_text(yaml.safe_dump({**PLAN, "tables": [{"name": "t", "measure": "food", "by": ["region@7"]}]}))
    done = run("plan", str(plan))
    assert done.exit_code == 2
    assert "expected a number from 1 to 2" in done.output


@pytest.mark.parametrize("verb", [("audit",), ("tabulate", "-o", "out.yaml")])
def test_a_plan_is_no_release(plan: Path, verb: tuple[str, ...]) -> None:
    done = run(verb[0], str(plan), *verb[1:])
    assert done.exit_code == 2
    assert "is a plan of a publication, expected a release; `tableseal plan` shows" in done.output
