"""Methods by cluster: what withholds cells and what changes values, in one plan."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run

import tableseal as ts

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Farms",
    "measures": {"farms": {"kind": "count"}, "people": {"kind": "count"}, "area": {"kind": "magnitude"}},
    "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}, "size": {"total": "all", "codes": ["a", "b"]}},
    "tables": [
        {"name": "farms", "measure": "farms", "by": ["region", "size"]},
        {"name": "people", "measure": "people", "by": ["region"]},
        {"name": "area", "measure": "area", "by": ["region"]},
    ],
    "microdata": {"file": "farms.csv", "values": {"area": "area"}, "id": "id"},
    "policy": {"primary": [{"threshold": 3}]},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    codes = [*"N" * 1, *"S" * 7, *"W" * 9]
    rows = [f"f{k},{region},{'ab'[k % 2]},{7 + k}" for k, region in enumerate(codes)]
    (tmp_path / "farms.csv").write_text("id,region,size,area\n" + "\n".join(rows) + "\n")
    return tmp_path


def published(home: Path, **more: Any) -> Any:
    (home / "plan.yaml").write_text(yaml.safe_dump({**PLAN, **more}, sort_keys=False))
    return run("publish", home / "plan.yaml", "-o", home / "out")


def clusters(home: Path) -> dict[str, Any]:
    return {c["name"]: c for c in json.loads((home / "out" / "summary.json").read_text())["clusters"]}


def test_each_cluster_has_its_own(home: Path) -> None:
    """CONVENTION 918"""
    own = {
        "farms": {"method": "controlled-rounding", "settings": {"base": 5}},
        "people": {"method": "random-rounding", "settings": {"base": 3}, "seed": 7},
        "area": {"method": "heuristic"},
    }
    done = published(home, clusters=own)
    found = clusters(home)
    assert {name: one["method"] for name, one in found.items()} == {name: said["method"] for name, said in own.items()}
    assert (found["people"]["seed"], found["farms"]["secondary"], found["farms"]["status"]) == (7, None, "optimal")
    assert found["area"]["secondary"] is not None
    assert "controlled-rounding, optimal" in done.stdout
    for name in ("farms", "people"):
        said = json.loads((home / "out" / "agency" / f"{name}.protection.json").read_text())
        assert said["statement"]["settings"] == {"base": str(own[name]["settings"]["base"])}
        assert said["verdict"] == found[name]["verdict"]
        assert ts.audit(str(home / "out" / "agency" / f"{name}.json")).verdict == found[name]["verdict"]
        public = home / "out" / "public" / f"{name}_{name}.csv"
        assert public.exists() == (found[name]["verdict"] == "safe")
    verified = run("verify", home / "out" / "certificate.json", home / "out")
    assert verified.exit_code == 0, verified.output


def test_another_setting_does_its_cluster_again(home: Path) -> None:
    published(home, clusters={"farms": {"method": "controlled-rounding", "settings": {"base": 5}}})
    before = {path: path.stat().st_mtime_ns for path in (home / "out" / "agency").iterdir()}
    published(home, clusters={"farms": {"method": "controlled-rounding", "settings": {"base": 10}}})
    after = {path: path.stat().st_mtime_ns for path in (home / "out" / "agency").iterdir()}
    assert {path.name.split(".")[0] for path in after if after[path] != before.get(path)} == {"farms"}


def test_of_all_clusters(home: Path) -> None:
    """A method that only counts can have fails for the others, and is an entry of each."""
    done = published(home, method="controlled-rounding", settings={"base": 5}, clusters={"area": {"method": "optimal"}})
    assert done.exit_code in (0, 1, 3), done.output
    assert [one["method"] for one in clusters(home).values()] == [
        "controlled-rounding",
        "controlled-rounding",
        "optimal",
    ]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"method": "roundig"}, "clusters.farms.method: there is no method"),
        ({"method": "controlled-rounding"}, "base"),
        ({"method": "controlled-rounding", "settings": {"bse": 5}}, 'has no setting "bse" (did you mean "base"?)'),
        ({"method": "controlled-rounding", "settings": {"base": "x"}}, "expected a number"),
        ({"method": "optimal", "settings": {"base": 5}}, "are for methods that change values"),
        ({"method": "random-rounding", "settings": {"base": 3}, "seed": -1}, "seed"),
    ],
)
def test_bad_input(home: Path, said: dict[str, Any], message: str) -> None:
    """Said before anything is done."""
    done = published(home, clusters={"farms": said})
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace(" / ", "/").split())
    assert not (home / "out").exists()
