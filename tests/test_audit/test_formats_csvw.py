"""CSV on the Web: metadata of others, and our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, read_release, release_files, release_from_document
from tableseal.audit.model import Release, Status

ROWS = "nace;region;turnover\n01;N;10,5\n02;N;4,5\nT;N;15,0\n01;S;x\n02;S;x\nT;S;20,0\n01;T;30,5\n02;T;4,5\nT;T;35,0\n"
COLUMNS: list[dict[str, Any]] = [
    {"titles": "nace", "datatype": "string"},
    {"name": "region", "datatype": "string"},
    {"titles": {"en": ["turnover", "Turnover"]}, "datatype": {"base": "decimal", "format": {"decimalChar": ","}}},
]


def metadata(path: Path, rows: str = ROWS, columns: list[dict[str, Any]] = COLUMNS, **more: Any) -> Path:
    (path / "t.csv").write_text(rows)
    whole = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "url": "t.csv",
        "dc:title": "Turnover",
        "dialect": {"delimiter": ";"},
        "tableSchema": {"columns": columns},
    }
    (path / "t.csv-metadata.json").write_text(json.dumps(whole | more))
    return path / "t.csv-metadata.json"


def test_metadata_say_what_columns_are(tmp_path: Path) -> None:
    # CONVENTION 850: `01` is a code, `10,5` a number; x stays withheld
    release = read_release(metadata(tmp_path))
    (table,) = release.tables
    assert release.title == "Turnover"
    assert list(release.variables) == ["nace", "region"]
    assert release.variables["nace"].codes == ("T", "01", "02")
    assert str(release.measures[table.measure].unit) == "1/10"
    withheld = [tuple(release.cell_codes(row).values()) for row, s in zip(table.codes, table.status, strict=True)
                if Status(int(s)).withheld]  # fmt: skip
    assert withheld == [("01", "S"), ("02", "S")]


def test_a_file_without_header(tmp_path: Path) -> None:
    # CONVENTION 850: names come from the metadata, lines are those of the file
    body = ROWS.partition("\n")[2]
    dialect = {"delimiter": ";", "header": False}
    release = read_release(metadata(tmp_path, body, dialect=dialect))
    assert list(release.variables) == ["nace", "region"]
    path = metadata(tmp_path, body.replace("15,0", "many"), dialect=dialect)
    with pytest.raises(InputError, match=r"row 3 \(line 3\)"):
        read_release(path, status_map={"x": "withheld"})


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"url": None}, "url: .*expected the name of a CSV file"),
        ({"url": "https://example.org/t.csv"}, "is an address"),
        ({"url": "../t.csv"}, "t.csv"),
        ({"dialect": {"delimiter": "||"}}, "delimiter: expected one character"),
        ({"dialect": 1}, "dialect: expected an object"),
        ({"tableSchema": "s.json"}, "a schema in a file of its own is not read"),
        ({"tableSchema": {"columns": 1}}, "columns: expected a list"),
        ({"tableSchema": {"columns": [{}]}}, "has neither titles nor a name"),
        ({"tableSchema": {"columns": COLUMNS[:2]}}, 'found 3 columns in "t.csv", expected 2'),
        (
            {"tableSchema": {"columns": [{"titles": "nice"}, *COLUMNS[1:]]}},
            't.csv line 1.*found "nace", expected "nice"',
        ),
        ({"tables": []}, "expected a list of tables"),
        ({"tables": [{"url": "t.csv"}, {"url": "t.csv"}]}, "describes 2 tables"),
        ({"notes": [{"tableseal": {"tables": []}}]}, "describe other tables than the 1"),
    ],
)
def test_metadata_that_do_not_fit(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    # CONVENTION 850
    path = metadata(tmp_path, **more)
    with pytest.raises(InputError, match=said):
        read_release(path)


def two_tables() -> Release:
    codes = {"a": {"total": "T", "codes": ["x", "y"]}, "b": {"total": "T", "codes": ["01", "é, ;"]}}
    cells = {"a": ["x", "y", "T"], "value": [3, None, 9], "status": ["", "withheld", ""]}
    tables = [
        {"name": "one", "cells": cells},
        {"name": "two", "cells": {"b": ["01", "é, ;", "T"], "value": [None, 7, 9], "status": ["withheld", "", ""]}},
    ]
    return release_from_document(
        {"tableseal": 1, "title": "Two", "kind": "count", "variables": codes, "tables": tables}
    )


def test_several_tables_come_back(tmp_path: Path) -> None:
    # CONVENTION 850
    files = release_files(two_tables(), tmp_path / "o.csv-metadata.json")
    assert [path.name for path in files] == ["o_1.csv", "o_2.csv", "o.csv-metadata.json"]
    for path, content in files.items():
        assert isinstance(content, str)
        path.write_text(content, newline="")
    found = json.loads((tmp_path / "o.csv-metadata.json").read_text())
    assert found["@context"] == "http://www.w3.org/ns/csvw"
    kinds = [[column["datatype"] for column in table["tableSchema"]["columns"]] for table in found["tables"]]
    assert all("integer" in own for own in kinds)
    assert canonical_json(read_release(tmp_path / "o.csv-metadata.json")) == canonical_json(two_tables())


@pytest.mark.parametrize("base", [["decimal"], {"id": "decimal"}, None])
def test_a_datatype_that_is_none_says_nothing(tmp_path: Path, base: object) -> None:
    # CONVENTION 681, 850
    columns = [*COLUMNS[:2], {"titles": "turnover", "datatype": {"base": base, "format": {"decimalChar": ","}}}]
    (table,) = read_release(metadata(tmp_path, columns=columns)).tables
    assert table.value.known.sum() == 7
