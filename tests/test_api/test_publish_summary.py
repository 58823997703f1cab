"""The summary page in the folder of a publication: what a head of unit reads."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Food <b>",
    "measures": {name: {"kind": "magnitude"} for name in ("food", "meat", "fish")} | {"firms": {"kind": "count"}},
    "variables": {
        "region": {"total": "T", "tree": {"N": ["N1", "N2"], "S": ["S1", "S2"]}},
        "size": {"total": "all", "codes": ["a", "b"]},
    },
    "equations": ["food = meat + fish"],
    "tables": [
        {"name": "food", "measure": "food", "by": ["region"]},
        {"name": "meat", "measure": "meat", "by": ["region", "size"]},
        {"name": "fish", "measure": "fish", "by": ["region", "size"]},
        {"name": "firms", "measure": "firms", "by": ["region", "size"]},
    ],
    "accept": [
        {
            "measure": "meat",
            "cell": {"region": "N2", "size": "a"},
            "reason": "they run it together",
            "by": "Anna",
            "until": "2999-01-01",
        }
    ],
    "microdata": {"file": "firms.csv", "values": {name: name for name in ("food", "meat", "fish")}, "id": "id"},
    "policy": {"primary": [{"threshold": 3}, {"p_percent": 10}]},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    rows = ["id,region,size,meat,fish,food"]
    for k in range(60):
        region, size = ("N1", "N1", "N2", "S1", "S2")[k % 5], "ab"[k % 3 == 0]
        meat, fish = 10 + k * k % 37, 5 + k * 7 % 11
        rows.append(f"e{k},{region},{size},{meat},{fish},{meat + fish}")
    rows += ["big1,N2,b,900,3,903", "big2,S1,a,2,800,802", "lone,S2,b,5,5,10"]
    (tmp_path / "firms.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(PLAN, sort_keys=False))
    return tmp_path


def words(page: str) -> str:
    """What a page says, without its tags."""
    body = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body))


def test_what_is_withheld_of_each_table_and_why(home: Path) -> None:
    """CONVENTION 992: the counts are those of the files that go out."""
    assert run("publish", home / "plan.yaml", "-o", home / "out").exit_code == 0
    summary = json.loads((home / "out" / "summary.json").read_text())
    for cluster in summary["clusters"]:
        said = Counter[str]()
        for one in cluster["withheld"]:
            assert one["cells"] > 0
            assert one["reason"] in ("secondary", "stated", *cluster["rules"])
            said[one["table"]] += one["cells"]
        there = Counter[str]()
        for name in (f for f in cluster["files"] if f.startswith("public/") and f.endswith(".csv")):
            table = next(table for table in cluster["tables"] if name.endswith(f"_{table}.csv"))
            with open(home / "out" / name, newline="") as file:
                there[table] += sum(row["status"] == "withheld" for row in csv.DictReader(file))
        assert said == +there
        secondary = {one["table"]: one["cells"] for one in cluster["withheld"] if one["reason"] == "secondary"}
        if len(cluster["tables"]) == 1:
            assert sum(secondary.values()) == cluster["secondary"]
    food = next(one for one in summary["clusters"] if one["name"] == "food")
    assert food["equations"] == ["food = meat + fish"]
    assert food["measures"] == ["food", "meat", "fish"]


def test_the_page_says_all_of_it(home: Path) -> None:
    """CONVENTION 992"""
    run("publish", home / "plan.yaml", "-o", home / "out")
    page = (home / "out" / "summary.html").read_text()
    text = words(page)
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "Food &lt;b&gt;" in page
    for said in (
        "2 of 2 clusters are safe.",
        "food = meat + fish",
        "threshold 3",
        "to protect other cells",
        "they run it together (Anna, until 2999-01-01)",
        "tableseal verify certificate.json .",
    ):
        assert said in text, said
    certificate = json.loads((home / "out" / "certificate.json").read_text())
    for one in certificate["inputs"]:
        assert one["sha256"] in text
    listed = [one["file"] for one in certificate["outputs"]]
    assert "summary.html" in listed
    for file in re.findall(r'href="([^"]*)"', page):
        assert file in listed
    (home / "out" / "summary.html").write_text(page.replace("Anna", "Nobody"))
    assert run("verify", home / "out" / "certificate.json", home / "out").exit_code != 0


def test_what_failed_is_on_the_page(home: Path) -> None:
    text = (home / "firms.csv").read_text().replace("e3,S1,b,19,", "e3,S1,b,,")
    assert ",b,," in text
    (home / "firms.csv").write_text(text)
    assert run("publish", home / "plan.yaml", "-o", home / "out").exit_code == 2
    said = words((home / "out" / "summary.html").read_text())
    assert "1 of 2 clusters are safe." in said
    assert "1 record has no contribution (row 4) to meat" in said
