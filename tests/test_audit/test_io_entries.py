"""Small files that say that they are large take no memory; what a file says of sizes is looked at first."""

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from math import prod
from pathlib import Path

import openpyxl
import pandas
import polars
import pyreadstat
import pytest
from openpyxl.styles import Font, PatternFill

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io import read_release
from tableseal.audit.io.entries import most_entries
from tableseal.audit.io.parquet_sizes import check_sizes

SIZES = (120, 120, 120)
"""Of three variables: 1.7 million cells, of which the file has one."""


def codes(count: int) -> list[str]:
    return [f"c{n}" for n in range(count)]


def json_stat(path: Path) -> None:
    dimension = {f"v{n}": {"category": {"index": codes(size)}} for n, size in enumerate(SIZES)}
    found = {"version": "2.0", "class": "dataset", "id": list(dimension), "size": SIZES, "value": {"0": 1}}
    path.write_text(json.dumps(found | {"dimension": dimension}), "utf-8")


def px(path: Path) -> None:
    values = {f"v{n}": ",".join(f'"{code}"' for code in codes(size)) for n, size in enumerate(SIZES)}
    names = ",".join(f'"{name}"' for name in values)
    head = 'MATRIX="t";\nSUBJECT-CODE="X";\nSUBJECT-AREA="T";\nTITLE="t";\nCONTENTS="n";\nUNITS="n";\nDECIMALS=0;\n'
    said = "".join(f'VALUES("{name}")={text};\nKEYS("{name}")=VALUES;\n' for name, text in values.items())
    path.write_text(f'{head}STUB={names};\n{said}DATA=\n"c0","c0","c0",5\n;\n', "utf-8")


def excel(path: Path) -> None:
    book = openpyxl.Workbook()
    for at, value in {"A1": "region", "B1": "n", "A2": "T", "B2": 5, "C1000000": 1}.items():
        book.active[at] = value
    book.save(path)


def parquet(path: Path) -> None:
    ones = polars.repeat(1, 60_000_000, eager=True, dtype=polars.Int8)
    polars.DataFrame({"n": ones}).write_parquet(path)


def spss(path: Path) -> None:
    pyreadstat.write_sav(pandas.DataFrame({"region": ["T"], "n": [5.0]}), str(path))
    content = bytearray(path.read_bytes())
    content[80:84] = struct.pack("<i", 300_000_000)  # of cases
    at = content.index(struct.pack("<iiii", 7, 16, 8, 2)) + 16  # the same in 64 bits
    content[at + 8 : at + 16] = struct.pack("<q", 300_000_000)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "make"),
    [("t.json", json_stat), ("t.px", px), ("t.xlsx", excel), ("t.parquet", parquet), ("t.sav", spss)],
)
def test_a_small_file_that_says_it_is_large(name: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    # CONVENTION 854
    path = tmp_path / name
    make(path)
    said = {"t.parquet": 60_000_000, "t.xlsx": 3_000_000, "t.sav": 600_000_000}.get(name, prod(SIZES))
    assert said > most_entries(path.stat().st_size)
    with pytest.raises(LimitError, match="are not believed"):
        read_release(path)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "brotli", "uncompressed"])
def test_sizes_of_parquet_files_that_are_as_they_say(compression: str) -> None:
    # CONVENTION 854
    file = io.BytesIO()
    frame = {"a": ["x", None, "y"] * 5000, "n": range(15000), "d": [0.5, None, 2.0] * 5000}
    polars.DataFrame(frame).write_parquet(file, compression=compression, row_group_size=700)  # type: ignore[arg-type]
    check_sizes(file.getvalue(), "t.parquet")
    other = io.BytesIO()
    pandas.DataFrame({"a": ["x", "y"], "n": [1, 2]}).to_parquet(other)
    check_sizes(other.getvalue(), "t.parquet")


def test_a_parquet_file_that_would_end_the_process(tmp_path: Path) -> None:
    # CONVENTION 854: its reader takes memory for 2^61 values, and is ended by that
    path = tmp_path / "t.parquet"
    polars.DataFrame({"region": ["T", "a"], "n": [5, 5]}).write_parquet(path, compression="uncompressed")
    content, refused = path.read_bytes(), 0
    for at in range(4, len(content)):
        try:
            check_sizes(content[:at] + b"\xff" + content[at + 1 :], path.name)
        except (InputError, LimitError):
            refused += 1
    for at in range(len(content)):
        with pytest.raises(InputError):
            check_sizes(content[:at], path.name)
    assert refused > 50


def test_a_workbook_of_a_zip_version_that_is_not_known(tmp_path: Path) -> None:
    # CONVENTION 681
    path = tmp_path / "t.xlsx"
    excel(path)
    content = bytearray(path.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 6] = 123
    path.write_bytes(content)
    with pytest.raises(NotImplementedError), zipfile.ZipFile(path):
        pass
    with pytest.raises(InputError, match="is not a readable Excel workbook"):
        read_release(path)


def emptied(styles: bytes, part: str) -> bytes:
    """Styles without the entries of a part (one is left of those of which a file needs one)."""
    found = re.search(f"<{part}[^>]*>(.*?)</{part}>".encode(), styles, flags=re.DOTALL)
    assert found is not None
    tag = {"fills": b"fill", "fonts": b"font"}.get(part)
    first = b"" if tag is None else found[1][: found[1].index(b"</" + tag + b">") + len(tag) + 3]
    return styles[: found.start(1)] + first + styles[found.end(1) :]


@pytest.mark.parametrize("part", ["numFmts", "fills", "fonts"])
def test_a_cell_whose_style_is_not_in_the_workbook(part: str, tmp_path: Path) -> None:
    # CONVENTION 681
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["region", "n"])
    book.active.append(["T", 5])
    cell = book.active["B2"]
    cell.number_format, cell.font = "0.00000", Font(bold=True)
    cell.fill = PatternFill("solid", fgColor="FFFF00")
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["xl/styles.xml"] = emptied(files["xl/styles.xml"], part)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(InputError, match="B2: has a style that is not in the file"):
        read_release(path)


def test_a_number_with_more_decimals_than_any_text(tmp_path: Path) -> None:
    # CONVENTION 681
    path = tmp_path / "t.csv"
    path.write_text("region,n\na,1e-400\nb,*\nT,3\n", "utf-8")
    with pytest.raises(InputError, match="n"):
        read_release(path)
