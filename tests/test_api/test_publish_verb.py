"""`tableseal publish`: a plan made safe, stopped and continued."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from commands import run

import tableseal as ts
from tableseal.api.publishing.folder import Results
from tableseal.audit.execution import own_folder as folders

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Food",
    "measures": {
        "food": {"kind": "magnitude"},
        "meat": {"kind": "magnitude"},
        "fish": {"kind": "magnitude"},
        "firms": {"kind": "count"},
    },
    "variables": {
        "region": {"total": "T", "tree": {"N": ["N1", "N2"], "S": ["S1", "S2"]}},
        "size": {"total": "all", "codes": ["a", "b"]},
    },
    "equations": ["food = meat + fish"],
    "tables": [
        {"name": "food", "measure": "food", "by": ["region@1", "size"]},
        {"name": "meat", "measure": "meat", "by": ["region", "size"]},
        {"name": "fish", "measure": "fish", "by": ["region", "size"]},
        {"name": "firms", "measure": "firms", "by": ["region", "size"]},
    ],
    "microdata": {"file": "firms.csv", "values": {"food": "food", "meat": "meat", "fish": "fish"}, "id": "id"},
    "policy": {"primary": [{"threshold": 3}, {"p_percent": 10}]},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    rows = ["id,region,size,meat,fish,food"]
    for k in range(60):
        meat, fish = int(rng.lognormal(3, 1)), int(rng.lognormal(2, 1))
        region = rng.choice(["N1", "N2", "S1", "S2"], p=[0.5, 0.05, 0.25, 0.2])
        rows.append(f"e{k},{region},{rng.choice(['a', 'b'], p=[0.8, 0.2])},{meat},{fish},{meat + fish}")
    (tmp_path / "firms.csv").write_text("\n".join(rows) + "\n")
    write(tmp_path, PLAN)
    return tmp_path


def write(home: Path, plan: dict[str, Any]) -> None:
    (home / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))


def published(home: Path, *more: str) -> Any:
    done = run("publish", str(home / "plan.yaml"), "-o", str(home / "out"), *more)
    return done, {
        str(path.relative_to(home / "out")): path.read_bytes() for path in (home / "out").rglob("*") if path.is_file()
    }


def test_what_is_public_is_safe_and_holds_nothing_else(home: Path) -> None:
    """CONVENTION 804: every rule judges the clusters that it is for, so both are plainly safe."""
    done, files = published(home, "--json", str(home / "summary.json"))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "safe: 2 of 2 clusters are safe."
    found = json.loads((home / "summary.json").read_text())
    assert files["summary.json"].decode() == (home / "summary.json").read_text()
    assert [cluster["verdict"] for cluster in found["clusters"]] == ["safe", "safe"]
    assert {name for name in files if name.startswith("public/")} == {
        "public/food.yaml", "public/food_food.csv", "public/food_meat.csv", "public/food_fish.csv",
        "public/firms.yaml", "public/firms_firms.csv",
    }  # fmt: skip
    assert b"microdata" not in files["public/food.yaml"]
    for stem in ("food", "firms"):
        assert ts.audit(str(home / "out" / "agency" / f"{stem}.json")).verdict == "safe"
        assert ts.audit(str(home / "out" / "public" / f"{stem}.yaml"), policy={}).verdict != "unsafe"


def test_stopped_at_any_point_it_goes_on_to_the_same_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = published(home)
    folders_write = folders.write_whole
    for writes in (1, 4, 9):
        (home / "again").mkdir()
        for name in ("firms.csv", "plan.yaml"):
            (home / "again" / name).write_bytes((home / name).read_bytes())
        left = writes

        def failing(path: Path, content: str | bytes) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            folders_write(path, content)

        monkeypatch.setattr(folders, "write_whole", failing)
        done, _ = published(home / "again")
        assert done.exit_code == 130
        monkeypatch.setattr(folders, "write_whole", folders_write)
        _, found = published(home / "again")
        assert found == whole
        for path in sorted((home / "again").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (home / "again").rmdir()


def test_only_what_changed_is_done_again(home: Path) -> None:
    published(home)
    before = {path: path.stat().st_mtime_ns for path in (home / "out" / "agency").iterdir()}
    write(home, {**PLAN, "tables": PLAN["tables"][1:]})
    done, _ = published(home)
    assert done.exit_code == 0
    after = {path: path.stat().st_mtime_ns for path in (home / "out" / "agency").iterdir()}
    assert {path.name for path in before if after.get(path) == before[path]} == {
        path.name for path in before if path.name.startswith("firms")
    }
    assert not (home / "out" / "public" / "food_food.csv").exists()


def test_what_somebody_changed_in_the_folder_is_never_certified(home: Path) -> None:
    """CONVENTION 1002: any file of a cluster that is not as it was written has its cluster done again."""
    _, whole = published(home)
    out = home / "out"
    for stem in ("food", "firms"):
        record = json.loads((out / "records" / f"{stem}.json").read_text())
        for name in record["entry"]["files"]:
            (out / name).write_bytes(whole[name] + b"\n")
            assert Results(out).kept(stem, record["key"]) is None, name
            (out / name).write_bytes(whole[name])
        assert Results(out).kept(stem, record["key"]) is not None
    (out / "public" / "food_meat.csv").write_text("region,size,value\nN1,a,1\n")
    done, found = published(home)
    assert done.exit_code == 0
    assert found == whole


@pytest.mark.parametrize("name", ["certificate.json", "summary.html", "public/of_mine", "agency/food.json"])
def test_a_folder_in_the_place_of_a_file(home: Path, name: str) -> None:
    """CONVENTION 1002: nothing is certified, and whoever made it is told."""
    published(home)
    (home / "out" / name).unlink(missing_ok=True)
    (home / "out" / name).mkdir()
    done, found = published(home)
    assert done.exit_code == 2
    assert f"{name}: cannot be" in done.stderr
    assert "directory" in done.stderr.lower()
    assert "certificate.json" not in found
    (home / "out" / name).rmdir()
    done, _ = published(home)
    assert done.exit_code == 0


def test_clusters_that_the_plan_no_longer_has_are_taken_away(home: Path) -> None:
    published(home)
    write(home, {**PLAN, "tables": PLAN["tables"][:3]})
    _, files = published(home)
    assert not [name for name in files if "firms" in name]


def again(home: Path, *more: str) -> dict[str, bytes]:
    """All files, made afresh."""
    for path in sorted((home / "out").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    done, files = published(home, *more)
    assert done.exit_code == 0, done.output
    return files


@pytest.mark.parametrize("tables", [4, 3])
def test_processes_and_dask_give_the_same_files(home: Path, tables: int) -> None:
    """CONVENTION 996, 804: two clusters, and one alone, whose parts are worked on."""
    distributed = pytest.importorskip("distributed")
    write(home, {**PLAN, "tables": PLAN["tables"][:tables]})
    _, one = published(home, "--proof")
    assert len(json.loads(one["summary.json"])["clusters"]) == tables - 2
    assert again(home, "--proof", "--jobs", "2") == one
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        assert again(home, "--proof", "--scheduler", cluster.scheduler_address) == one


def test_nothing_unsafe_is_public(home: Path) -> None:
    """The total itself is sensitive, and must be published."""
    (home / "firms.csv").write_text("id,region,size,meat,fish,food\ne1,N1,a,5,2,7\ne2,N2,b,1,1,2\n")
    done, files = published(home)
    assert done.exit_code in (0, 1, 3)
    safe = {c["name"] for c in json.loads(files["summary.json"])["clusters"] if c["verdict"] == "safe"}
    assert {name.split("/")[1].split(".")[0].split("_")[0] for name in files if name.startswith("public/")} <= safe


def test_a_cluster_that_fails_does_not_stop_the_others(home: Path) -> None:
    published(home)
    text = (home / "firms.csv").read_text().splitlines()
    text[3] = ",".join([*text[3].split(",")[:3], "", *text[3].split(",")[4:]])
    (home / "firms.csv").write_text("\n".join(text) + "\n")
    done, files = published(home)
    assert done.exit_code == 2
    found = {c["name"]: c for c in json.loads(files["summary.json"])["clusters"]}
    assert found["firms"]["verdict"] == "safe"
    assert found["food"]["verdict"] == "failed"
    assert "1 record has no contribution (row 3) to meat" in found["food"]["failure"]["message"]
    assert not [name for name in files if "food" in name]


def test_a_method_and_a_policy_of_a_cluster(home: Path) -> None:
    own = {"food": {"method": "heuristic", "policy": {"primary": [{"p_percent": 60}]}}}
    write(home, {**PLAN, "clusters": own})
    _, files = published(home)
    pattern = json.loads(files["agency/food.pattern.json"])
    assert pattern["method"] == "heuristic"
    assert json.loads(files["agency/firms.pattern.json"])["method"] == "optimal"
    assert b"p% 60" in files["agency/food.report.html"]


def test_a_list_of_tables_cannot_be_published(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("table_name,indicator,spanning_1\nt,m,a\n")
    done = run("publish", str(tmp_path / "list.csv"), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "is a list of tables" in done.output


def test_results_never_go_among_other_files(home: Path) -> None:
    (home / "out").mkdir()
    (home / "out" / "mine.txt").write_text("mine")
    done, _ = published(home)
    assert done.exit_code == 2
    assert "holds files that are no results of a publication" in done.output
