"""Sessions of ACRO as entries of a publication."""

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
