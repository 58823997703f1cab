"""`tableseal publish --publication`: a whole publication beside what was published before."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Sales",
    "measures": {"sales": {"kind": "magnitude"}, "firms": {"kind": "count"}},
    "variables": {"region": {"total": "T", "tree": {"North": ["N1", "N2"], "South": ["S1", "S2", "S3"]}}},
    "tables": [
        {"name": "sales", "measure": "sales", "by": ["region@1"]},
        {"name": "firms", "measure": "firms", "by": ["region@1"]},
    ],
    "microdata": {"file": "firms.csv", "values": {"sales": "sales"}, "id": "id"},
    "policy": {"primary": [{"threshold": 3}]},
}
"""Both tables are safe: North has 1 firm, and so South is withheld, too."""

FINER = [{**table, "by": ["region"]} for table in PLAN["tables"]]
REGIONS = ["N1", *["S1"] * 4, *["S2"] * 5, *["S3"] * 6]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLESEAL_DATA", str(tmp_path / "data"))
    rows = [f"e{k},{region},{10 + k}" for k, region in enumerate(REGIONS)]
    (tmp_path / "firms.csv").write_text("id,region,sales\n" + "\n".join(rows) + "\n")
    return tmp_path


def published(home: Path, plan: dict[str, Any], out: str, *more: str, name: str = "firms") -> Any:
    (home / f"{out}.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    said = ("--publication", name) if name else ()
    done = run("publish", home / f"{out}.yaml", "-o", home / out, *said, *more)
    return done, json.loads((home / out / "summary.json").read_text())


def files(home: Path, out: str) -> dict[str, bytes]:
    return {str(p.relative_to(home / out)): p.read_bytes() for p in (home / out).rglob("*") if p.is_file()}


def entries(name: str = "firms") -> Any:
    return json.loads(run("publication", "show", name, "--releases", "--json", "-").stdout)["entries"]


def test_a_publication_is_one_entry(home: Path) -> None:
    """CONVENTION 915: all clusters are one entry, without records; done again, it is the same one."""
    done, summary = published(home, PLAN, "out")
    assert done.exit_code == 0, done.output
    assert "beside firms: safe" in done.stdout
    assert "(2 tables, entry 1)" in done.stdout
    assert (summary["together"]["verdict"], summary["together"]["entry"]) == ("safe", 1)
    first = files(home, "out")
    assert {name for name in first if name.startswith("public/")} >= {"public/sales.yaml", "public/firms.yaml"}
    assert not [name for name in first if name.startswith("held/")]
    [entry] = entries()
    assert entry["tables"] == ["sales: sales", "firms: firms"]
    assert "microdata" not in entry["release"]
    done, _ = published(home, PLAN, "out")
    assert done.exit_code == 0
    assert files(home, "out") == first
    assert len(entries()) == 1
    verified = run("verify", home / "out" / "certificate.json", home / "out")
    assert verified.exit_code == 0, verified.output


def test_all_of_it_is_called_what_its_clusters_are(home: Path) -> None:
    """CONVENTION 979: clusters share no measure because the plan says so."""
    _, summary = published(home, PLAN, "out")
    assert {cluster["called"] for cluster in summary["clusters"]} == {"safe"}
    assert (summary["together"]["called"], summary["called"]) == ("safe", "safe")
    found = json.loads((home / "out" / "agency" / "together.json").read_text())
    assert "share no measure" not in found["headline"]


def test_what_is_out_already_is_judged_with_it(home: Path) -> None:
    """CONVENTION 916: what is safe alone, and not beside an earlier publication, does not go out."""
    south = [{**table, "where": {"region": "South"}, "by": []} for table in PLAN["tables"]]
    assert published(home, {**PLAN, "tables": south}, "south")[0].exit_code == 0
    alone, _ = published(home, PLAN, "alone", name="")
    assert alone.exit_code == 0
    done, summary = published(home, PLAN, "out")
    assert done.exit_code == 1, done.output
    assert [cluster["verdict"] for cluster in summary["clusters"]] == ["safe", "safe"]
    together = summary["together"]
    assert (summary["verdict"], together["verdict"], together["entry"]) == ("unsafe", "unsafe", None)
    assert together["fallen"] == 4
    found = json.loads((home / "out" / "agency" / "together.json").read_text())
    assert {cell["cell"]["region"] for cell in found["fallen"]} == {"North", "South"}
    held = files(home, "out")
    assert not [name for name in held if name.startswith("public/")]
    assert "held/sales.yaml" in held
    assert len(entries()) == 1
    assert run("verify", home / "out" / "certificate.json", home / "out").exit_code == 0
    done, summary = published(home, PLAN, "out", "--despite", "both know it")
    assert (done.exit_code, summary["together"]["entry"], summary["together"]["despite"]) == (1, 2, "both know it")
    assert "public/sales.yaml" in files(home, "out")
    assert run("verify", home / "out" / "certificate.json", home / "out").exit_code == 0


def test_an_older_one_done_again_is_the_entry_that_it_was(home: Path) -> None:
    """CONVENTION 915: also when others came after it."""
    published(home, PLAN, "out")
    first = files(home, "out")
    other = {
        **PLAN,
        "measures": {"others": {"kind": "count"}},
        "tables": [{"name": "o", "measure": "others", "by": []}],
    }
    published(home, {**other, "microdata": {"file": "firms.csv"}}, "more")
    published(home, PLAN, "out")
    assert files(home, "out") == first
    assert len(entries()) == 2


def test_finer_tables_later(home: Path) -> None:
    """What is withheld in the second one protects what is withheld in the first."""
    published(home, PLAN, "out")
    done, summary = published(home, {**PLAN, "tables": FINER}, "finer")
    assert done.exit_code == (0 if summary["together"]["verdict"] == "safe" else 1), done.output
    assert summary["together"]["tables"] == 4
    assert len(entries()) == (2 if done.exit_code == 0 else 1)


def test_a_cluster_that_is_not_safe_keeps_all_back(home: Path) -> None:
    plan = {**PLAN, "tables": [*PLAN["tables"][:1], {"name": "bad", "measure": "firms", "by": ["region@1"]}]}
    (home / "firms.csv").write_text((home / "firms.csv").read_text().replace("e3,S1,13", "e3,S1,"))
    done, summary = published(home, plan, "out")
    assert done.exit_code == 2
    assert "together" not in summary
    assert not [name for name in files(home, "out") if name.startswith("public/")]
    assert run("publication", "show", "firms").exit_code == 2


def test_a_changed_value_is_a_revision(home: Path) -> None:
    published(home, PLAN, "out")
    (home / "firms.csv").write_text((home / "firms.csv").read_text().replace("e3,S1,13", "e3,S1,99"))
    done, summary = published(home, PLAN, "again")
    assert done.exit_code == 2
    assert "A changed value is a revision" in summary["together"]["failure"]["message"]
    done, summary = published(home, PLAN, "again", "--revises", "1")
    assert summary["together"]["supersedes"], done.output
    assert run("publication", "audit", "firms", home / "again.yaml", "--publish", "--despite", "").exit_code == 2


def test_a_table_that_is_revised_is_named_as_the_plan_names_it(home: Path) -> None:
    """CONVENTION 1005: without the cluster that it is in; else the tables that there are are named."""
    published(home, PLAN, "out")
    (home / "firms.csv").write_text((home / "firms.csv").read_text().replace("e3,S1,13", "e3,S1,99"))
    done, summary = published(home, PLAN, "again", "--revises", "1:sale")
    assert done.exit_code == 2
    said = summary["together"]["failure"]["message"]
    assert 'entry 1, table "sale"' in said
    assert said.endswith('its tables are "sales: sales", "firms: firms".')
    done, summary = published(home, PLAN, "again", "--revises", "1:sales")
    assert summary["together"]["supersedes"] == ["1:sales: sales"], done.output


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--despite", "x"), "is for --publication"),
        (("--revises", "1"), "is for --publication"),
        (("--publication", "a/b"), "expected letters, digits"),
        (("--publication", "a", "--revises", "x"), "the number of an entry"),
        (("--publication", "a", "--despite", ""), "expected why it goes out although it is not safe"),
        (("--publication", "a", "--despite", " "), "expected why it goes out although it is not safe"),
    ],
)
def test_bad_input(home: Path, more: tuple[str, ...], message: str) -> None:
    """CONVENTION 1005: no reason is none, too."""
    (home / "plan.yaml").write_text(yaml.safe_dump(PLAN))
    done = run("publish", home / "plan.yaml", "-o", home / "out", *more)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not (home / "out").exists()
