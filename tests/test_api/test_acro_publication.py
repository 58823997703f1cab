"""Sessions of ACRO as entries of a publication."""

import json
from pathlib import Path

from acro_sessions import FIRST, MARGINS, SUPPRESSED, output, session
from typer.testing import CliRunner

from tableseal.api.cli.app import app


def test_entries_of_a_publication(tmp_path: Path) -> None:
    # CONVENTION 849: each session is an entry; the second one gives away what the first one withheld
    second = output("b.csv", ["year", "grant"], ["G", "N", "R", "All"])
    paths = []
    for name, entry, files in (("one", FIRST, {"a.csv": SUPPRESSED}), ("two", second, {"b.csv": MARGINS})):
        (tmp_path / name).mkdir()
        paths.append(session(tmp_path / name, {name: entry}, files, threshold=2))
    store = ["--data", str(tmp_path / "store")]
    runner = CliRunner()
    found = [runner.invoke(app, ["publication", "audit", "project", str(path), "--publish", *store]) for path in paths]
    assert found[0].exit_code == 0, found[0].output
    assert found[1].exit_code == 1
    assert "year=2010, grant=R" in found[1].output or "2010 / R" in found[1].output


def test_single_outputs_of_a_project_that_differ_by_one_respondent(tmp_path: Path) -> None:
    # CONVENTION 615: entries are single outputs; that the second one is of some of the people a release file says
    shown = "year,G,N,R\n2010,79,41,13\n2011,87,42,11\n"
    columns = ["G", "N", "R"]
    outputs = {name: output(f"{name}.csv", ["year", "grant"], columns) for name in ("all", "again", "some")}
    files = {"all.csv": shown, "again.csv": shown, "some.csv": shown.replace("41,13", "41,12")}
    session(tmp_path, outputs, files, threshold=10)
    document = {
        "tableseal": 1,
        "measures": {"count": {"kind": "count"}},
        "variables": {
            "year": {"total": "All", "codes": ["2010", "2011"]},
            "grant": {"total": "All", "codes": columns},
            "people": {"total": "all", "codes": ["chosen", "others"]},
        },
        "policy": {"primary": [{"threshold": 10}]},
        "tables": [{"name": "some", "file": "results.json#some", "where": {"people": "chosen"}}],
    }
    (tmp_path / "some.json").write_text(json.dumps(document))

    def audited(name: str) -> tuple[int, str]:
        store = ["--data", str(tmp_path / "store")]
        found = CliRunner().invoke(app, ["publication", "audit", "p", str(tmp_path / name), "--publish", *store])
        return found.exit_code, found.output

    assert audited("results.json#all")[0] == 0
    code, text = audited("results.json#some")  # as if it were of the same people
    assert code == 2
    assert "if one is of a part of them (a filter), a variable with a total" in text
    code, text = audited("some.json")
    assert code == 1
    assert "2010 / R / others = 2010 / R - 2010 / R / chosen = 13 - 12 = 1" in text
    assert audited("results.json#again")[0] == 0
