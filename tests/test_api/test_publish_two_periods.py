"""Two periods of one survey, to the certificates, under one name."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run

import tableseal as ts

FIRMS = {"A": 2, "B": 8, "C": 9, "D": 9}
TURNOVER = {2023: {"A": 3, "B": 40, "C": 200, "D": 210}, 2024: {"A": 4, "B": 60, "C": 300, "D": 200}}
"""Of all firms of a region together."""


def records(home: Path, year: int) -> None:
    rows = []
    for region, count in FIRMS.items():
        each, rest = divmod(TURNOVER[year][region], count)
        rows += [f"{region}{k},{region},{each + (k < rest)}" for k in range(count)]
    (home / f"firms_{year}.csv").write_text("firm,region,turnover\n" + "\n".join(rows) + "\n")


def plan(home: Path, year: int, **more: Any) -> Path:
    document = {
        "tableseal-plan": 1,
        "title": f"Turnover {year}",
        "period": str(year),
        "measures": {"turnover": {"kind": "magnitude"}},
        "variables": {"region": {"total": "Total", "codes": list(FIRMS)}},
        "tables": [{"name": "regions", "measure": "turnover", "by": ["region"]}],
        "microdata": {"file": f"firms_{year}.csv", "values": {"turnover": "turnover"}},
        "intruder": {"insiders": ["singletons", "holdings"]},
        "policy": {"primary": [{"threshold": 3}]},
        **more,
    }
    path = home / f"plan_{year}.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def publish(home: Path, year: int, *said: str, **more: Any) -> Any:
    done = run("publish", plan(home, year, **more), "-o", home / f"out_{year}", *said)
    return done, json.loads((home / f"out_{year}" / "summary.json").read_text())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLESEAL_DATA", str(tmp_path / "data"))
    for year in TURNOVER:
        records(tmp_path, year)
    return tmp_path


PREVIOUS: dict[str, Any] = {
    "previous": {
        "period": "2023",
        "growth": {"turnover": ["-30%", "+50%"]},
        "releases": ["out_2023/agency/turnover.json"],
    }
}


FINISHED: dict[str, Any] = {
    "name": "regions", "measure": "turnover", "file": "regions.csv", "value": "turnover", "frequency": "firms",
    "status": "status",
}  # fmt: skip
STATUS = {"A": "primary", "B": "frozen", "C": "secondary", "D": "frozen"}


def withheld(home: Path, year: int) -> set[str]:
    release = ts.read(home / f"out_{year}" / "agency" / "turnover.json")
    [table] = [one for one in release.tables if one.measure == "turnover"]
    codes = release.variables["region"].codes
    return {codes[row[0]] for row, status in zip(table.codes, table.status, strict=True) if status >= 6}


def last_year(home: Path) -> Any:
    """Published by another program, which withheld C beside A."""
    lines = [f"{r},{TURNOVER[2023][r]},{FIRMS[r]},{STATUS[r]}" for r in FIRMS] + ["Total,453,28,"]
    (home / "regions.csv").write_text("region,turnover,firms,status\n" + "\n".join(lines) + "\n")
    return publish(home, 2023, "--publication", "turnover", tables=[FINISHED])


def test_from_last_years_file_and_this_years_records_to_the_certificate(home: Path) -> None:
    """CONVENTION 997, 901, 907: what is cheapest now is safe alone and falls beside last; another pattern goes
    out, and both years are one publication, although no variable says the year."""
    done, summary = last_year(home)
    assert (done.exit_code, summary["together"]["entry"]) == (0, 1), done.output
    assert withheld(home, 2023) == {"A", "C"}
    done, _ = publish(home, 2024)
    assert (done.exit_code, withheld(home, 2024)) == (0, {"A", "B"}), done.output

    done, summary = publish(home, 2024, "--publication", "turnover", "--proof", **PREVIOUS)
    assert (done.exit_code, summary["together"]["entry"]) == (0, 2), done.output
    assert withheld(home, 2024) not in ({"A", "B"}, set())
    assert summary["together"]["tables"] == 3, "the earlier table stands in both"
    report = json.loads((home / "out_2024" / "agency" / "turnover.report.json").read_text())
    assert {cell["measure"] for cell in report["cells"]} == {"turnover", "turnover 2023"}
    public = "".join(path.read_text() for path in (home / "out_2024" / "public").iterdir())
    assert "2023" not in public
    verified = run("verify", home / "out_2024" / "certificate.json", home / "out_2024", "--inputs", home)
    assert verified.exit_code == 0, verified.output
    assert "1 proof checked" in " ".join(verified.output.split())
    shown = json.loads(run("publication", "show", "turnover", "--json", "-").stdout)
    assert [entry["title"] for entry in shown["entries"]] == ["Turnover 2023", "Turnover 2024"]
    before = (home / "out_2024" / "certificate.json").read_bytes()
    publish(home, 2024, "--publication", "turnover", "--proof", **PREVIOUS)
    assert (home / "out_2024" / "certificate.json").read_bytes() == before


def test_what_falls_together_is_in_the_folder_with_its_arithmetic(home: Path) -> None:
    """CONVENTION 907, 997 and 998: a table whose pattern cannot be changed any more; alone it is safe."""
    last_year(home)
    status = {"A": "primary", "B": "secondary", "C": "frozen", "D": "frozen"}
    lines = [f"{r},{TURNOVER[2024][r]},{FIRMS[r]},{status[r]}" for r in FIRMS] + ["Total,564,28,frozen"]
    (home / "regions.csv").write_text("region,turnover,firms,status\n" + "\n".join(lines) + "\n")
    done, _ = publish(home, 2024, tables=[FINISHED])
    assert done.exit_code == 0, done.output
    done, summary = publish(home, 2024, tables=[FINISHED], **PREVIOUS)
    assert done.exit_code == 1
    assert not (home / "out_2024" / "public").exists() or not list((home / "out_2024" / "public").iterdir())
    [cluster] = summary["clusters"]
    told = json.loads((home / "out_2024" / "agency" / "turnover.report.json").read_text())
    fallen = {(cell["measure"], cell["cell"]["region"]): cell for cell in told["cells"] if cell["verdict"] == "exposed"}
    assert ("turnover", "A") in fallen
    assert "turnover 2023 Total" in fallen["turnover", "A"]["reveals"]["text"]
    assert "by the growth assumed" in fallen["turnover", "A"]["reveals"]["text"]
    assert "agency/turnover.report.html" in cluster["files"]
    assert "given away by both together" in " ".join(note["text"] for note in told["notes"])


def test_a_changed_figure_of_the_same_period_is_a_revision(home: Path) -> None:
    """CONVENTION 997"""
    last_year(home)
    text = (home / "regions.csv").read_text().replace("B,40,", "B,41,").replace("Total,453", "Total,454")
    (home / "regions.csv").write_text(text)
    done, summary = publish(home, 2023, "--publication", "turnover", tables=[FINISHED])
    assert done.exit_code == 2
    assert "A changed value is a revision" in summary["together"]["failure"]["message"]
