"""Formats that are not read are named, and so are encodings; nobody is told of a byte 0x81."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.io.unread import _SUFFIXES

REPORTS = Path(__file__).parents[1] / "data" / "reports"


def zipped(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "application/vnd.oasis.opendocument.spreadsheet" if name == "mimetype" else "<x/>")
    return content.getvalue()


SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011") + bytes(100)
FORMATS: list[tuple[bytes, str]] = [
    (zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (.xlsx)"),
    (zipped("mimetype", "content.xml"), "an OpenDocument file (.ods)"),
    (zipped("a.csv"), "a zip archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Excel workbook of the old kind"),
    (SAS, "a SAS data set"),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000", "a SAS transport file"),
    (b"$FL2@(#) SPSS DATA FILE\x81\x00", "an SPSS file"),
    (b"<stata_dta><header>\x81", "a Stata file"),
    (b"\x72\x02\x01\x00\x81" + bytes(50), "a Stata file"),
    (gzip.compress(b"RDX3\nX\n\0\0\0"), "a file of R objects"),
    (gzip.compress(b"a,n\nT,1\n"), "a gzip archive"),
    (b"ARROW1\0\0\x81", "an Arrow file"),
    (b"PAR1\x81", "a Parquet file"),
    (b"%PDF-1.7\n\x81", "a PDF document"),
    (b'CHARSET="ANSI";\nAXIS-VERSION="2013";\n\x81', "a PC-Axis file"),
    (b"<?xml version='1.0'?><mes:GenericData xmlns:mes='http://www.sdmx.org/resources/sdmxml'>", "an SDMX-ML file"),
    (b"<?xml version='1.0'?><table/>", "an XML file"),
    (b"<!DOCTYPE html><html>", "a web page"),
]


@pytest.mark.parametrize(("content", "name"), FORMATS, ids=[name for _, name in FORMATS])
@pytest.mark.parametrize("file", ["x.csv", "x.yaml", "x.dat"])
def test_a_format_that_is_not_read_is_named_by_its_content(
    tmp_path: Path, content: bytes, name: str, file: str
) -> None:
    # CONVENTION 548
    (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError) as error:
        read_release(tmp_path / file)
    assert str(error.value).startswith(f"{file}: is {name}" if name[:2] in ("a ", "an") else f"{file}: is an {name}")
    assert "cannot be read yet; " in str(error.value)


@pytest.mark.parametrize("suffix", _SUFFIXES)
def test_and_by_how_its_name_ends(tmp_path: Path, suffix: str) -> None:
    # CONVENTION 548
    (tmp_path / f"x{suffix.upper()}").write_text("a;b\n1;2\n")
    with pytest.raises(InputError, match=r"cannot be read yet; "):
        read_release(tmp_path / f"x{suffix.upper()}")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"meta": {}, "data": {"dataSets": [], "structures": []}}', "SDMX-JSON"),
        ('{"columns": [{"code": "a"}], "data": [{"key": ["1"], "values": ["2"]}]}', "PxWeb"),
    ],
)
def test_json_of_statistical_services(tmp_path: Path, text: str, name: str) -> None:
    # CONVENTION 548
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=name):
        read_release(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"class": "dataset", "dimension": {}, "value": [1]}', "JSON-stat"),
        ('CHARSET="ANSI";\nSTUB="a";\n', "PC-Axis"),
    ],
)
def test_under_the_name_of_another_format(tmp_path: Path, text: str, name: str) -> None:
    # CONVENTION 548
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(InputError, match=f"{name} file.*read if their names end"):
        read_release(tmp_path / "x.yaml")


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("shift_jis", "Shift-JIS"),
        ("cp850", "the DOS code page 850"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
    ],
)
def test_other_encodings_are_named(tmp_path: Path, encoding: str, name: str) -> None:
    # CONVENTION 548
    text = "都道府県,人口,東京\n" if encoding == "shift_jis" else "Region,Fälle,Ü,ü\n"
    (tmp_path / "x.csv").write_bytes((text * 3).encode(encoding))
    with pytest.raises(InputError, match=r"x\.csv line \d+: byte 0x.. .*save the file as UTF-8") as error:
        read_release(tmp_path / "x.csv")
    assert name in str(error.value)
