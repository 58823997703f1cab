"""Outputs of the command line: CONVENTION 62, 63, 65, 66, 67, 1017."""

import io
import os
import sys
from pathlib import Path

import pytest

from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import check_targets, say, write_target
from tableseal.api.options.release import letters_of
from tableseal.audit.errors import InputError


def test_a_file_is_written_whole_with_the_usual_rights(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    write_target(str(path), "first")
    write_target(str(path), "second\n")
    assert path.read_text() == "second\n"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]
    other = tmp_path / "other"
    other.write_text("")
    assert path.stat().st_mode == other.stat().st_mode


def test_a_link_is_followed_not_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    write_target(str(link), "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        write_target(str(path), "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_outputs_are_checked_before_the_work(tmp_path: Path) -> None:
    given = tmp_path / "release.yaml"
    given.write_text("")
    with pytest.raises(InputError, match=r"there is no folder .*nowhere; create it first"):
        check_targets({"--html": str(tmp_path / "nowhere" / "a.html")})
    with pytest.raises(InputError, match="this is a folder; expected the name of a file"):
        check_targets({"--json": str(tmp_path)})
    with pytest.raises(InputError, match="this file is an input"):
        check_targets({"--json": str(given)}, inputs=(str(given),))
    with pytest.raises(InputError, match=r"--html .*: cannot be written: File name too long"):
        check_targets({"--html": str(tmp_path / ("a" * 300))})
    assert [p.name for p in tmp_path.iterdir()] == ["release.yaml"]
    with pytest.raises(InputError, match="--json writes there too"):
        check_targets({"--json": "-", "--html": "-"})
    check_targets({"--json": "-", "--html": None}, inputs=("-", None))


def test_a_closed_pipe_is_quiet() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        old, sys.stdout = sys.stdout, stream
        try:
            say("nobody reads this")
            say("nor this")
        finally:
            sys.stdout = old


def test_what_a_terminal_cannot_show_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    say("Île")
    assert raw.getvalue() == b"\\xcele\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, terminal = io.StringIO(), Terminal()
    for stream in (pipe, terminal):
        monkeypatch.setattr(sys, "stderr", stream)
        with Progress() as progress:
            progress("bounds", 1000, 1000)
    assert pipe.getvalue() == ""
    assert "bounds: 1,000 of 1,000" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")


def test_status_map() -> None:
    assert letters_of(("c=withheld", "x=secondary")) == {"c": "withheld", "x": "secondary"}
    assert letters_of(()) is None
    with pytest.raises(InputError, match="expected LETTER=STATUS"):
        letters_of(("c",))
    with pytest.raises(InputError, match='"c" is given twice'):
        letters_of(("c=withheld", "c=primary"))
