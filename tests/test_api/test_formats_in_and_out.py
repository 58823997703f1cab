"""Formats at every door: command, Python, HTTP, pages, batches."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

import tableseal as ts
from tableseal.api.cli.app import app
from tableseal.api.drafts.kind import DraftRequest, run
from tableseal.api.http.app import create_app
from tableseal.api.jobs.kinds import Context
from tableseal.api.settings import Settings

RELEASE = """\
tableseal: 1
title: Patients
kind: count
variables:
  district: {total: Total, codes: [North, South]}
  sex: {total: Total, codes: [F, M]}
tables:
  - name: patients
    cells:
      district: [North, North, North, South, South, South, Total, Total, Total]
      sex: [F, M, Total, F, M, Total, F, M, Total]
      value: [1234, 17, 1251, 14, 21, 35, 1248, 38, 1286]
      status: [primary, secondary, "", secondary, secondary, "", "", "", ""]
policy: {primary: [{threshold: 3}]}
"""
ENDINGS = (".px", ".jsonstat.json", ".sdmx.csv", ".sdmx1.csv")
each_ending = pytest.mark.parametrize("ending", ENDINGS)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "r.yaml").write_text(RELEASE)
    return tmp_path / "r.yaml"


def tableseal(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def verdict(path: object) -> str:
    found = json.loads(tableseal("audit", path, "--json", "-").stdout)
    return str(found["verdict"])


@each_ending
def test_convert_says_what_is_lost_before_it_writes(release: Path, ending: str) -> None:
    # CONVENTION 687, 688
    target = release.with_name(f"out{ending}")
    dry = tableseal("convert", release, target, "--dry-run", "--json", "-")
    assert not target.exists()
    said = json.loads(dry.stdout)
    assert {loss["part"] for loss in said["losses"]} >= {"primary", "secondary", "truth", "policy"}
    assert said["files"] == []
    done = tableseal("convert", release, target)
    assert done.exit_code == 0
    assert "Not in the output:" in done.stderr
    assert "true values (4)" in done.stderr
    text = target.read_text("utf-8")
    assert "1234" not in text
    assert "secondary" not in text
    assert verdict(target) == "safe"
    asked = tableseal("convert", release, target, "--true-values", "--tell-statuses")
    assert ("true values" in asked.stderr) == (ending == ".px")
    assert ("1234" in target.read_text("utf-8")) == (ending != ".px")


def test_formats_by_name_and_streams(release: Path) -> None:
    assert tableseal("convert", release, "-", "--format", "px").stdout.startswith("CHARSET")
    assert tableseal("convert", release, "-", "--format", "json").stdout.startswith('{"tableseal":1')
    wrong = tableseal("convert", release, "-", "--format", "pcaxis")
    assert wrong.exit_code == 2
    assert "formats are json, px, json-stat, sdmx-csv, tau-argus, jj" in " ".join(wrong.stderr.split())
    assert tableseal("convert", release, release.with_name("x.json")).stderr == ""


@pytest.mark.parametrize("ending", [".sas7bdat", ".sav", ".dta", ".xlsm", ".csv"])
def test_what_is_read_and_not_written_is_refused(ending: str, release: Path) -> None:
    # CONVENTION 780
    target = release.with_name(f"x{ending}")
    found = tableseal("convert", release, target)
    assert found.exit_code == 2
    assert f"found {ending}, but no such file is written" in " ".join(found.stderr.split())
    assert ("withheld cell would become missing" in found.stderr.replace("\n", " ")) == (
        ending not in (".xlsm", ".csv")
    )
    assert not target.exists()


def test_workbooks_are_written_to_files_alone(release: Path) -> None:
    # CONVENTION 778
    assert tableseal("convert", release, "-", "--format", "excel").exit_code == 2
    assert tableseal("convert", release, release.with_name("x.xlsx")).exit_code == 0
    assert tableseal("audit", release.with_name("x.xlsx")).exit_code in (0, 1, 3)


def test_convert_never_replaces_an_input(release: Path) -> None:
    assert tableseal("convert", release, release.with_name("x.px")).exit_code == 0
    before = release.with_name("x.px").read_text()
    again = tableseal("convert", release.with_name("x.px"), release.with_name("x.px"))
    assert again.exit_code == 2
    assert release.with_name("x.px").read_text() == before


@each_ending
def test_standard_input(release: Path, ending: str) -> None:
    # CONVENTION 690
    target = release.with_name(f"out{ending}")
    tableseal("convert", release, target)
    piped = CliRunner().invoke(app, ["audit", "-", "--json", "-"], input=target.read_bytes())
    assert json.loads(piped.stdout)["verdict"] == "safe"
    broken = CliRunner().invoke(app, ["audit", "-"], input=target.read_bytes()[:-8])
    assert broken.exit_code == 2
    assert "standard input" in broken.stderr


@each_ending
def test_suppress_writes_formats(release: Path, ending: str) -> None:
    target = release.with_name(f"out{ending}")
    assert tableseal("suppress", release, "-o", target).exit_code == 0
    assert verdict(target) == "safe"
    assert "1234" not in target.read_text("utf-8")
    kept = tableseal("suppress", release, "--confidential", target)
    assert kept.exit_code == 2
    assert "no place for the policy" in kept.stderr
    marked = tableseal("suppress", release, "-o", target, "--symbol", "*")
    assert marked.exit_code == 2


def test_init_describes_what_a_file_says(release: Path) -> None:
    # CONVENTION 690
    px, described = release.with_name("x.px"), release.with_name("x.yaml")
    tableseal("convert", release, px)
    assert tableseal("init", px, "-o", described).exit_code == 0
    assert 'file: "x.px"' in described.read_text()
    assert verdict(described) == verdict(px)
    stat = release.with_name("x.jsonstat.json")
    tableseal("convert", release, stat)
    assert tableseal("init", stat, "-o", release.with_name("y.yaml")).exit_code == 0
    assert verdict(release.with_name("y.yaml")) == "safe"


@each_ending
def test_python(release: Path, ending: str) -> None:
    target = release.with_name(f"out{ending}")
    key = {".px": "px", ".jsonstat.json": "json-stat", ".sdmx.csv": "sdmx-csv", ".sdmx1.csv": "sdmx-csv-1"}[ending]
    found = ts.convert(release, format=key)
    assert {"PRIMARY", "TRUTH"} <= {loss.part.name for loss in found.losses}
    assert "true values" in found.text()
    assert found.document["files"] == []
    assert found.to_frame("polars").height == len(found.losses)
    assert found.save(target) == (target,)
    assert ts.audit(target).verdict == "safe"
    assert "1234" not in target.read_text("utf-8")
    assert ts.suppress(release).save(release.with_name(f"safe{ending}")) == (release.with_name(f"safe{ending}"),)
    assert "1234" not in release.with_name(f"safe{ending}").read_text("utf-8")
    with pytest.raises(ts.InputError, match=r"format: .*json-stat"):
        ts.convert(release)
    with pytest.raises(ts.InputError, match="no format"):
        ts.convert(release, format="docx")


def test_keywords_say_what_a_file_leaves_open(tmp_path: Path) -> None:
    # CONVENTION 682
    text = 'CHARSET="ANSI";\nSTUB="r";\nVALUES("r")="R0","N","N1","N2","S";\nDATA=9 6 ".." ".." 3;'
    (tmp_path / "x.px").write_text(text)
    with pytest.raises(ts.InputError, match="marks="):
        ts.read(tmp_path / "x.px")
    nested = {"r": {"N": ["N1", "N2"], "S": {}}}
    found = ts.read(
        tmp_path / "x.px", marks={"..": "withheld"}, total={"r": "R0"}, hierarchies=nested, kind="magnitude", unit=3
    )
    hierarchy = found.variables["r"]
    assert (hierarchy.total, hierarchy.edges(0)[1]) == ("R0", ("N", "N1"))
    assert (found.measures["value"].kind, found.measures["value"].unit) == ("magnitude", 3)
    assert ts.audit(tmp_path / "x.px", status_map={"..": "withheld"}, total="R0", hierarchies=nested).verdict == "safe"
    with pytest.raises(ts.InputError, match=r"value=: x\.px says itself"):
        ts.read(tmp_path / "x.px", value="value")
    with pytest.raises(ts.InputError, match='"q"'):
        ts.read(tmp_path / "x.px", marks={"..": "withheld"}, total={"q": "R0"})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(
        create_app(Settings(data=tmp_path / "data", inline_seconds=30.0)), base_url="http://localhost"
    ) as c:
        yield c


@each_ending
def test_http(release: Path, ending: str, client: TestClient) -> None:
    target = release.with_name(f"out{ending}")
    tableseal("convert", release, target)
    answer = client.post(
        "/v1/audits", files={"file": (target.name, target.read_bytes())}, headers={"Prefer": "wait=20"}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["verdict"] == "safe"
    types = {".jsonstat.json": "application/json", ".sdmx.csv": "application/vnd.sdmx.data+csv"}
    if ending in types:
        headers = {"Content-Type": types[ending], "Prefer": "wait=20"}
        assert client.post("/v1/audits", content=target.read_bytes(), headers=headers).json()["verdict"] == "safe"


@each_ending
def test_drafts_of_pages(release: Path, ending: str, tmp_path: Path) -> None:
    folder = tmp_path / "draft"
    folder.mkdir()
    tableseal("convert", release, folder / f"out{ending}")
    context = Context(folder, None, 10**6)  # type: ignore[arg-type]
    assert run(DraftRequest(names=(f"out{ending}",)), context).outcome == "ready"


def test_batches(release: Path) -> None:
    for ending in ENDINGS:
        tableseal("convert", release, release.with_name(f"x{ending}"))
    manifest = release.with_name("list.csv")
    manifest.write_text("file\n" + "".join(f"x{ending}\n" for ending in ENDINGS))
    found = json.loads(tableseal("batch", manifest, "-o", release.with_name("results"), "--json", "-").stdout)
    assert {entry["verdict"] for entry in found["releases"]} == {"safe"}
    assert len(found["releases"]) == len(ENDINGS)


@pytest.mark.parametrize("name", ["out.jj", "out.cells.csv"])
def test_formats_of_true_values_are_refused_for_readers_before_the_search(release: Path, name: str) -> None:
    # CONVENTION 920
    target = release.with_name(name)
    told = tableseal("suppress", release, "-o", target)
    assert told.exit_code == 2
    assert "--confidential NAME.json" in told.stderr
    assert "tableseal convert NAME.json" in told.stderr
    kept = release.with_name("kept.json")
    assert tableseal("suppress", release, "--confidential", kept).exit_code == 0
    assert tableseal("convert", kept, target).exit_code == 0
    found = ts.suppress(release)
    with pytest.raises(ts.InputError, match=r"true value of every cell.*result\.confidential"):
        found.save(target)
    key = {"out.jj": "jj", "out.cells.csv": "g-confid"}[name]
    assert target in ts.convert(found.confidential, format=key).save(target)


def test_no_table_goes_over_an_input(release: Path) -> None:
    # CONVENTION 921: of several tables in a format of one, the last one too
    table = release.with_name("x_second.px")
    two = release.with_name("two.yaml")
    second = "  - {name: second, file: x_second.px, marks: {'..': withheld}}\npolicy:"
    assert tableseal("convert", release, table).exit_code == 0
    two.write_text(RELEASE.replace("policy:", second))
    before = table.read_bytes()
    told = tableseal("suppress", two, "-o", release.with_name("x.px"))
    assert told.exit_code == 2
    assert "x_second.px: this file is an input" in told.stderr
    assert table.read_bytes() == before
