"""Methods by cluster: what withholds cells and what changes values, in one plan."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run

import tableseal as ts
from tableseal.api.options.suppress import METHODS
from tableseal.suppression.protections.names import WORDS

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


SETTINGS: dict[str, dict[str, Any]] = {
    "cell-key": {"range": 3, "variance": 2, "additive": True},
    "cell-key-magnitudes": {"range": 3, "variance": 2, "zero-keys": False},
    "noise": {"share": 0.2, "least": 0.05, "balanced": False},
    "perturbation": {"stay": 0.8, "reach": 2},
    "post-randomisation": {"variable": "region", "stay": 0.8},
    "record-swapping": {"variable": "region", "rate": 0.2, "similar": ["size"]},
    "sampling": {"share": 0.5},
    "semi-controlled-rounding": {"base": 5, "by": "region"},
    "tabular-adjustment": {"share": 0.3, "range": 5},
}
"""Of methods that need any; all roundings need a base."""

CONTRIBUTIONS = ("noise", "cell-key-magnitudes")
"""Methods of magnitudes alone."""


@pytest.mark.parametrize("method", [*METHODS, *WORDS])
def test_every_method_in_a_plan_from_records_to_the_certificate(home: Path, method: str) -> None:
    """CONVENTION 994, 918"""
    rows = (home / "farms.csv").read_text().splitlines()
    (home / "farms.csv").write_text(
        "\n".join([f"{rows[0]},key", *(f"{row},0.{k * 7919 % 9973:04d}" for k, row in enumerate(rows[1:]))]) + "\n"
    )
    measure = "area" if method in CONTRIBUTIONS else "farms"
    tables = [{"name": "both", "measure": measure, "by": ["region", "size"]},
              {"name": "one", "measure": measure, "by": ["region"]}]  # fmt: skip
    usual = {"base": 5} if "rounding" in method else {}
    # Adjustment leaves no zero possible, which a threshold on counts asks for (CONVENTION 877).
    enough = {"require": {"protection": False}} if method == "tabular-adjustment" else {}
    done = published(
        home,
        tables=tables,
        policy={**PLAN["policy"], **enough},
        microdata={**PLAN["microdata"], "key": "key"},
        method=method,
        settings=SETTINGS.get(method, usual),
        seed=3,
    )
    [found] = clusters(home).values()
    assert found["failure"] is None, done.output
    assert (found["method"], found["verdict"]) == (
        method,
        ts.audit(home / "out" / "agency" / f"{found['name']}.json").verdict,
    )
    assert any(file.startswith("public/") for file in found["files"]) == (found["verdict"] == "safe")
    assert run("verify", home / "out" / "certificate.json", home / "out", "--inputs", home).exit_code == 0


def test_cell_keys_by_a_secret_and_a_table_of_the_agency(home: Path) -> None:
    """CONVENTION 994: files that a method needs are named in the plan, and certified."""
    (home / "secret.txt").write_text("0123456789abcdef0123")
    ptable = {"i": [0, 1, 1, 1, 2, 2, 2], "j": [0, 0, 1, 2, 1, 2, 3], "v": [0, -1, 0, 1, -1, 0, 1]}
    ptable |= {"p": [1, 0.25, 0.5, 0.25, 0.25, 0.5, 0.25], "p_int_ub": [1, 0.25, 0.75, 1, 0.25, 0.75, 1]}
    lines = [",".join(ptable), *(",".join(map(str, row)) for row in zip(*ptable.values(), strict=True))]
    (home / "ptable.csv").write_text("\n".join(lines) + "\n")
    done = published(
        home,
        tables=PLAN["tables"][:2],
        microdata={**PLAN["microdata"], "secret_file": "secret.txt"},
        ptable={"file": "ptable.csv"},
        method="cell-key",
    )
    assert [one["failure"] for one in clusters(home).values()] == [None, None], done.output
    inputs = {one["file"] for one in json.loads((home / "out" / "certificate.json").read_text())["inputs"]}
    assert {"ptable.csv", "secret.txt"} <= inputs


def test_perturbation_by_a_matrix_of_the_agency(home: Path) -> None:
    matrix = [[1, 0, 0], [0.1, 0.8, 0.1], [0, 0.2, 0.8]]
    done = published(home, tables=PLAN["tables"][:1], transition={"rows": matrix}, method="perturbation")
    assert [one["failure"] for one in clusters(home).values()] == [None], done.output


def test_a_method_by_table(home: Path) -> None:
    """CONVENTION 995"""
    tables = [{**table} for table in PLAN["tables"]]
    tables[0] |= {"method": "controlled-rounding", "settings": {"base": 5}, "seed": 4}
    tables[2] |= {"method": "heuristic"}
    published(home, tables=tables, clusters={"farms": {"settings": {"base": 10}}})
    found = clusters(home)
    assert [one["method"] for one in found.values()] == ["controlled-rounding", "optimal", "heuristic"]
    said = json.loads((home / "out" / "agency" / "farms.protection.json").read_text())
    assert said["statement"]["settings"] == {"base": "10"}, "a cluster adds to what its tables say"
    made = [{"measures": ["people"], "choose": 1, "of": ["region", "size"], "method": "random-rounding",
             "settings": {"base": 3}}]  # fmt: skip
    published(home, tables=tables[:1], combinations=made)
    assert clusters(home)["people"]["method"] == "random-rounding"


TWO = [{"name": "both", "measure": "farms", "by": ["region", "size"]},
       {"name": "one", "measure": "farms", "by": ["region"]}]  # fmt: skip
"""Tables of one cluster."""


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"method": "heuristic"}, {"method": "network"}, 'but "both" asks for heuristic and "one" asks for network'),
        ({}, {"method": "heuristic"}, '"both" asks for the usual method and "one" asks for heuristic'),
        ({"method": "heuristic"}, {"method": "heuristic", "seed": 3}, '"one" asks for heuristic (seed 3)'),
        (
            {"method": "random-rounding", "settings": {"base": 3}},
            {"method": "random-rounding", "settings": {"base": 5}},
            "random-rounding (base 3)",
        ),
    ],
)
def test_tables_of_one_cluster_that_ask_for_different_methods(
    home: Path, first: dict[str, Any], second: dict[str, Any], said: str
) -> None:
    """CONVENTION 995: an error that says so, unless the cluster says it."""
    tables = [{**TWO[0], **first}, {**TWO[1], **second}]
    done = published(home, tables=tables)
    assert done.exit_code == 2
    words = " ".join(done.output.split())
    assert said in words
    assert "tables[1] (one)" in words
    assert "clusters: {farms: {method: ...}}" in words
    assert not (home / "out").exists()
    published(home, tables=tables, clusters={"farms": {"method": "modular"}})
    assert clusters(home)["farms"]["method"] == "modular"


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
