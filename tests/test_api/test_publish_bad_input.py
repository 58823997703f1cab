"""What is wrong with a plan or its records: file, row, what was expected; and nothing of it is published."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient

import tableseal as ts

ROWS = ["Firm,Region,Size,Sales"]
ROWS += [f"f{k},{region},{'ab'[k % 2]},{10 + k}" for k, region in enumerate(["N1", "N2", "S1", "S2"] * 8)]
RECORDS: dict[str, Any] = {
    "file": "firms.csv", "values": {"sales": "Sales"}, "columns": {"Region": "region", "Size": "size"}, "id": "Firm",
}  # fmt: skip
TABLE: dict[str, Any] = {"name": "t", "measure": "sales", "by": ["region", "size"]}
PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "measures": {name: {"kind": "magnitude"} for name in ("sales", "home", "abroad")},
    "variables": {"region": {"total": "T", "tree": {"N": ["N1", "N2"], "S": ["S1", "S2"]}},
                  "size": {"total": "all", "codes": ["a", "b"]}},
    "tables": [TABLE],
    "microdata": RECORDS,
    "policy": {"primary": [{"threshold": 3}]},
}  # fmt: skip

OWED = "table_name,indicator,region,size\nt,sales,N1,a\n"

# plan, further records, rows of a template, what is said (of codes, templates and combinations: CONVENTION 1004)
KINDS: dict[str, tuple[dict[str, Any], list[str], str, str]] = {
    "unknown codes": (
        {},
        ["x,XX,a,5", "y,N1,a,5", "z,YY,a,5"],
        "",
        'firms.csv row 33 (line 34), column "Region": code "XX"',
    ),
    "unknown codes are counted": (
        {},
        ["x,XX,a,5", "y,N1,a,5", "z,YY,a,5"],
        "",
        "; 2 records have codes that it does not have (rows 33, 35).",
    ),
    "no code": ({}, ["x,,a,5"], "", 'firms.csv: 1 record has no code of "region" (row 33)'),
    "no value": ({}, ["x,N1,a,", "y,N1,a,"], "", "firms.csv: 2 records have no contribution (rows 33, 34) to sales"),
    "no number": ({}, ["x,N1,a,abc"], "", 'firms.csv row 33 (line 34), column "Sales": found "abc", expected a number'),
    "a field too few": ({}, ["x,N1,a"], "", "firms.csv row 33 (line 34): found 3 fields, expected 4"),
    "doubled records": (
        {},
        [ROWS[1], ROWS[3]],
        "",
        "firms.csv: 2 records stand more than once, with the same identifier, codes and values (rows 1, 3)",
    ),
    "no such level": (
        {"tables": [{**TABLE, "by": ["region@NUTS2"]}]},
        [],
        "",
        'plan.yaml: tables[0] (t).by: found "NUTS2", expected',
    ),
    "too deep a level": ({"tables": [{**TABLE, "by": ["region@5"]}]}, [], "", "expected a number from 1 to 2"),
    "no such variable": (
        {"tables": [{**TABLE, "by": ["regoin"]}]},
        [],
        "",
        'no variable "regoin" (did you mean "region"?)',
    ),
    "no such measure": (
        {"tables": [{**TABLE, "measure": "x"}]},
        [],
        "",
        'plan.yaml: tables[0] (t): there is no measure "x"',
    ),
    "a circle": (
        {"equations": ["sales = home + abroad", "home = sales + abroad"]},
        [],
        "",
        "plan.yaml: equations[0]: the equations go in a circle",
    ),
    "a contradiction": (
        {"equations": ["sales = home + abroad", "sales = home"]},
        [],
        "",
        'plan.yaml: equations[1]: the equation "sales = home" and those before it leave',
    ),
    "an equation twice": ({"equations": ["sales = home", "sales = home"]}, [], "", "plan.yaml: equations[1]"),
    "a row that fits no table": (
        {"template": "owed.csv", "tables": [TABLE, {**TABLE, "name": "u", "by": ["region"]}]},
        [],
        OWED + "u,sales,N1,a\n",
        'row 2 (line 3), column "table_name": this cell is in no table of the plan; expected a cell of u',
    ),
    "a row of no table": (
        {"template": "owed.csv"},
        [],
        OWED + "u,sales,N1,a\n",
        'owed.csv row 2 (line 3), column "table_name": there is no table "u"; tables are t.',
    ),
    "a row of no measure": (
        {"template": "owed.csv"},
        [],
        OWED + ",sale,N1,a\n",
        'owed.csv row 2 (line 3), column "indicator": there is no measure "sale" (did you mean "sales"?)',
    ),
    "combinations without end": (
        {"combinations": [{"choose": 15, "of": ["region", "size"] * 15}]},
        [],
        "",
        "plan.yaml: combinations[0]: found 465,352,560 tables, expected at most 10,000",
    ),
    "a variable twice": (
        {"tables": [{**TABLE, "by": ["region", "region@1"]}]},
        [],
        "",
        'plan.yaml: tables[0] (t).by: the variable "region" stands twice',
    ),
    "a row with another code": (
        {"template": "owed.csv"},
        [],
        OWED + "t,sales,XX,a\n",
        'owed.csv row 2 (line 3), column "region": code "XX"',
    ),
    "no measures": (
        {"measures": {}},
        [],
        "",
        'plan.yaml: measures: says nothing of "sales"; expected whether it is a count or a magnitude',
    ),
    "no records": (
        {"microdata": None},
        [],
        "",
        "plan.yaml: tables[0] (t).by: `by` says what is made of `microdata`, and the plan has none",
    ),
    "no such file": (
        {"microdata": {**RECORDS, "file": "frms.csv"}},
        [],
        "",
        'no file "frms.csv" (did you mean "firms.csv"?) in the folder of plan.yaml',
    ),
    "no such column": ({"microdata": {**RECORDS, "id": "Frim"}}, [], "", 'firms.csv: there is no column "Frim"'),
    "a code of a population": (
        {"populations": {"x": {"region": "QQ"}}, "tables": [{**TABLE, "by": ["size"], "population": "x"}]},
        [],
        "",
        'plan.yaml: populations.x.region: code "QQ"',
    ),
}


def written(kind: str) -> tuple[dict[str, str], str]:
    """Files, and what is said of them."""
    changed, more, owed, said = KINDS[kind]
    plan = {key: value for key, value in {**PLAN, **changed}.items() if value is not None}
    found = {"plan.yaml": yaml.safe_dump(plan, sort_keys=False), "firms.csv": "\n".join([*ROWS, *more]) + "\n"}
    return {**found, **({"owed.csv": owed} if owed else {})}, said


def outcome(home: Path) -> Any:
    """What `publish` gives, or the error with which it refuses the plan."""
    try:
        return ts.publish(home / "plan.yaml", folder=home / "out")
    except ts.InputError as error:
        return str(error)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_said_where_and_nothing_is_published(tmp_path: Path, kind: str) -> None:
    """CONVENTION 999"""
    files, said = written(kind)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    found = outcome(tmp_path)
    if isinstance(found, str):
        assert said in found
        assert not (tmp_path / "out").exists()
        return
    [cluster] = found.clusters
    assert cluster.failure is not None
    assert cluster.failure.kind == "input"
    assert said in cluster.failure.message
    assert "release" not in cluster.failure.message, "whoever wrote a plan never heard of one"
    assert list(found.public) == []
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path.parent.name != "out"]


def test_nothing_of_other_clusters_goes_out(tmp_path: Path) -> None:
    """CONVENTION 999: what is safe is held back until the records are mended."""
    sales: list[int | None] = [5, 7, None, 9]
    plan: dict[str, Any] = {
        "tableseal-plan": 1,
        "measures": {"firms": {"kind": "count"}, "sales": {"kind": "magnitude"}},
        "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
        "tables": [{"name": name, "measure": name, "by": ["region"]} for name in ("firms", "sales")],
        "microdata": {"cells": {"region": [*"NNSS"], "sales": sales}, "values": {"sales": "sales"}},
        "policy": {"primary": [{"threshold": 2}]},
    }
    found = ts.publish(plan, folder=tmp_path)
    assert [one.verdict for one in found.clusters] == ["safe", "failed"]
    assert list(found.public) == []
    assert [path.name for path in (tmp_path / "held").iterdir()]
    assert not list((tmp_path / "public").iterdir() if (tmp_path / "public").exists() else ())
    assert "held back" in found.text()
    sales[2] = 3
    found = ts.publish(plan, folder=tmp_path)
    assert [one.verdict for one in found.clusters] == ["safe", "safe"]
    assert {path.name for path in found.public} >= {"firms.yaml", "sales.yaml"}
    assert not list((tmp_path / "held").iterdir())


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


@pytest.mark.parametrize(
    "kind", ["no value", "doubled records", "no such level", "a circle", "a row that fits no table"]
)
def test_over_http(client: TestClient, kind: str) -> None:
    """CONVENTION 999: the same words."""
    files, said = written(kind)
    form = [("plan" if name == "plan.yaml" else "file", (name, content)) for name, content in files.items()]
    response = client.post("/v1/published", files=form, headers=WAIT)
    if response.status_code == 422:
        problem = response.json()
        assert said in f"{problem['source']}{problem['detail']}" or said.partition(": ")[2] in problem["detail"]
        assert problem["source"] in files
        return
    assert response.status_code == 200, response.text
    [cluster] = json.loads(response.content)["clusters"]
    assert said in cluster["failure"]["message"]
    assert client.get(f"{path_of(response)}/public.zip").content.startswith(b"PK\x05\x06"), "an archive of nothing"
