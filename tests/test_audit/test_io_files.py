"""Files are read only inside the release's folder, only when they are regular, of a sane size, and text."""

import io
import os
from pathlib import Path

import pytest

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.files import Folder, decode, read_at_most, read_bytes, read_text


def refused(folder: Path, name: str) -> str:
    with pytest.raises(InputError) as error:
        Folder(folder).content(name, Place("r.yaml", ("tables", 0, "file")))
    assert "tables[0].file" in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret.csv", "a/../../secret.csv", "C:\\x.csv", "\\\\host\\x", "a\\..\\..\\x"]
)
def test_paths_out_of_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    # CONVENTION 102
    assert "leads out of the release's folder" in refused(tmp_path, name)


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    # CONVENTION 102
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "up").symlink_to(tmp_path)
    assert "link that leads out" in refused(inside, "link.csv")
    assert "link that leads out" in refused(inside, "up/secret.csv")
    (inside / "real.csv").write_text("a\n1\n")
    (inside / "alias.csv").symlink_to(inside / "real.csv")
    assert Folder(inside).text("alias.csv", Place("x")) == "a\n1\n"


def test_a_missing_file_is_named_with_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "turnover.csv").write_text("a\n1\n")
    message = refused(tmp_path, "turnvoer.csv")
    assert '"turnvoer.csv"' in message
    assert 'did you mean "turnover.csv"?' in message
    assert "expected the name of a file" in refused(tmp_path, "a\0b")
    assert "without" not in refused(tmp_path, "x" * 5000)


def test_a_release_without_folder_names_no_files() -> None:
    # CONVENTION 102
    with pytest.raises(InputError, match="came without a folder"):
        Folder(None).content("x.csv", Place("r.yaml", ("tables", 0, "file")))


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # CONVENTION 101
    path = tmp_path / "huge.csv"
    with open(path, "wb") as file:
        file.truncate(2**30)
    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", lambda *_: pytest.fail("it was opened"))
        with pytest.raises(InputError, match=r"huge\.csv: the file has 1,073,741,824 bytes, more than the limit"):
            read_bytes(path, source="huge.csv")


@pytest.mark.parametrize("size", [0, 1, 5, 6, 2**20, 2**21 + 3])
@pytest.mark.parametrize("expected", [0, 5, 2**21])
def test_a_file_is_read_in_pieces(size: int, expected: int) -> None:
    """All of it up to the limit, also if it is longer or shorter than it said; memory is taken for no more."""
    asked: list[int] = []

    class Asked(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            asked.append(size or 0)
            return super().read(size)

    content = bytes(range(256)) * (size // 256) + bytes(size % 256)
    most = 2**21
    assert read_at_most(Asked(content), most, expected=expected) == content[:most]
    assert max(asked) <= max(expected + 1, 2**20)


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    # CONVENTION 102
    os.mkfifo(tmp_path / "pipe")
    for path, problem in ((tmp_path / "pipe", "a device or a pipe"), (tmp_path, "is a folder")):
        with pytest.raises(InputError, match=problem):
            read_bytes(path, source="x")
    for content in (b"", b" \n\n"):
        (tmp_path / "empty.csv").write_bytes(content)
        with pytest.raises(InputError, match=r"empty\.csv: the file is empty"):
            read_text(tmp_path / "empty.csv", source="empty.csv")
    with pytest.raises(InputError, match="no such file"):
        read_bytes(tmp_path / "none.csv", source="none.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(encoding: str) -> None:
    # CONVENTION 103
    assert decode("a;Ærø".encode(encoding), "x.csv") == ("a;Ærø", [])


def test_windows_1252_is_read_and_noted() -> None:
    # CONVENTION 103
    text, notes = decode("a\nÆrø €".encode("cp1252"), "x.csv")
    assert text == "a\nÆrø €"
    assert [note.code for note in notes] == ["decoded_windows_1252"]
    assert "line 2" in notes[0].text


@pytest.mark.parametrize(
    ("content", "mentions"),
    [
        (b"a\nb\n\xf8\x81", ["x.csv line 3", "0x81", "UTF-8 or Windows-1252"]),
        (b"\xef\xbb\xbfa\n\xff", ["line 2", "0xFF", "UTF-8"]),
        (b"a\n\0b", ["line 2", "0x00"]),
        (b"\xff\xfea", ["UTF-16-LE"]),
    ],
)
def test_what_is_no_text_names_line_and_byte(content: bytes, mentions: list[str]) -> None:
    with pytest.raises(InputError) as error:
        decode(content, "x.csv")
    for mention in mentions:
        assert mention in str(error.value)
