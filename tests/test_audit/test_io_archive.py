"""Zip archives: a release in one is read as if it had been unpacked, and nothing that attacks the reader gets in."""

import re
import stat
import struct
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import Archive, read_archived, read_release, release_digest
from tableseal.audit.io import archive as archives
from tableseal.audit.io.archive import Limits

RELEASE = """
tableseal: 1
kind: count
variables: {a: {total: T, file: codes/a.hrc}}
tables: [{name: t, file: t.csv}]
policy: policy.yaml
"""
FILES = {
    "set/r.yaml": RELEASE,
    "set/t.csv": "a,value\nT,9\nk,4\nl,\n",
    "set/codes/a.hrc": "k\nl\n",
    "set/policy.yaml": "primary: [{threshold: 3}]\n",
}


def packed(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def refusal(content: bytes, limits: Limits | None = None) -> str:
    """What is said, which is the same of an archive in memory and of one in a file."""
    with pytest.raises(InputError) as caught:
        Archive(content, "up.zip", limits)
    with TemporaryFile() as file:
        file.write(content)
        with pytest.raises(InputError, match=re.escape(str(caught.value))):
            Archive(file, "up.zip", limits)
    return str(caught.value)


def entry(name: str, **changes: int) -> bytes:
    """An archive with one entry of a chosen kind."""
    info = zipfile.ZipInfo(name)
    for key, value in changes.items():
        setattr(info, key, value)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, "x")
    return buffer.getvalue()


def test_a_release_in_an_archive_is_the_release_in_a_folder(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    plain = read_release(tmp_path / "set/r.yaml")
    zipped = read_archived(Archive(packed(dict(FILES)), "up.zip"), "set/r.yaml")
    assert release_digest(zipped) == release_digest(plain)
    assert zipped.policy == plain.policy
    assert zipped.notes == plain.notes


def test_a_bare_data_file_in_an_archive() -> None:
    archive = Archive(packed({"d/people.csv": "sex,n\nF,1\nM,2\nTotal,3\n"}), "up.zip")
    assert read_archived(archive, "d/people.csv").title == "people"


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "C:/x", "a\\..\\x", "\\x", "a\nb"])
def test_names_that_lead_out_are_refused(name: str) -> None:
    assert "leads out of the archive" in refusal(packed({name: "x"}))


def test_a_release_reaches_nothing_outside_its_own_folder() -> None:
    files = dict(FILES) | {"secret.csv": "a,value\nT,1\n"}
    files["set/r.yaml"] = RELEASE.replace("t.csv", "../secret.csv")
    with pytest.raises(InputError, match="leads out of the release's folder"):
        read_archived(Archive(packed(files), "up.zip"), "set/r.yaml")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind: int) -> None:
    assert "a link or a device" in refusal(entry("l", external_attr=(kind | 0o777) << 16))


def test_other_packings_and_encryption_are_refused() -> None:
    assert "packed in a way that is not read" in refusal(packed({"x": "y" * 50}, zipfile.ZIP_BZIP2))
    content = bytearray(packed({"x": "y"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(content))


def test_doubled_entries_are_refused() -> None:
    twice = packed({"r.yaml": "1", "s.yaml": "2"}).replace(b"s.yaml", b"r.yaml")
    assert "there twice" in refusal(twice)
    assert "there twice" in refusal(packed({"r.yaml": "1", "./r.yaml": "2"}))


def test_bombs_are_refused_before_anything_is_unpacked() -> None:
    bomb = packed({"zeros.csv": b"0" * (archives.FREE_OF_RATIO + 1)})
    assert len(bomb) < 20_000
    assert "times its own size" in refusal(bomb)
    assert "more than the limit of 100 bytes" in refusal(packed({"a": "x" * 60, "b": "y" * 60}), Limits(content=100))
    assert "more than 3 entries" in refusal(packed({str(n): "x" for n in range(4)}), Limits(entries=3))


@given(st.binary(max_size=40), st.integers(0, 6))
def test_entries_are_counted_wherever_a_piece_of_the_file_ends(before: bytes, entries: int) -> None:
    """The count, which is made before the directory is read, is never smaller than the directory."""
    content = before + packed({str(n): "" for n in range(entries)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archives, "_PIECE", 7)
        assert archives._signatures(BytesIO(content)) == content.count(b"PK\x01\x02") >= entries


def test_what_is_hidden_is_passed_over_and_folders_count() -> None:
    files = {"a.csv": "x", ".DS_Store": "y", "__MACOSX/._a.csv": "z", "b/.git/config": "w", "b/": "", "./c.csv": "v"}
    assert Archive(packed(files), "up.zip").names == ("a.csv", "c.csv")
    assert "more than 5 entries" in refusal(packed(files), Limits(entries=5))


def test_a_size_that_lies_is_found_out() -> None:
    content = bytearray(packed({"x.csv": b"0" * 100_000}))
    at = content.index(b"PK\x01\x02") + 24
    assert struct.unpack_from("<I", content, at) == (100_000,)
    for claimed in (10, 200_000):
        struct.pack_into("<I", content, at, claimed)
        with pytest.raises(InputError, match="cannot be unpacked"):
            Archive(bytes(content), "up.zip").content("x.csv")


def test_entries_that_share_bytes_are_refused() -> None:
    """Two entries of the directory that unpack the same bytes: the core of overlapping bombs."""
    content = packed({"a": b"0" * 5_000, "b": b"1" * 5_000})
    second = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 4)
    changed = bytearray(content)
    struct.pack_into("<I", changed, second + 42, 0)  # the offset of the first
    with pytest.raises(InputError):
        Archive(bytes(changed), "up.zip").content("b")


def test_messages_name_the_archive_and_what_resembles() -> None:
    release = RELEASE.replace("file: codes/a.hrc", "codes: [k, l]").replace("t.csv", "T.csv")
    archive = Archive(packed({"r.yaml": release, "t.csv": "a,value\n"}), "up.zip")
    with pytest.raises(InputError, match=r'there is no file "T.csv" \(did you mean "t.csv"\?\) in the archive'):
        read_archived(archive, "r.yaml")
    with pytest.raises(InputError, match=r'up.zip: there is no file "R.yaml" \(did you mean "r.yaml"\?\)'):
        archive.content("R.yaml")
    assert "up.zip: is not a readable zip archive" in refusal(b"no zip at all")


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_damaged_archives_are_refused_or_read_never_crash(place: int, byte: int) -> None:
    content = bytearray(packed(dict(FILES)))
    content[place % len(content)] = byte
    with suppress(InputError):
        archive = Archive(bytes(content), "up.zip")
        for name in archive.names:
            archive.content(name)
