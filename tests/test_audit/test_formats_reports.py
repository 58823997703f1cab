"""Faults of other tools with PC-Axis and JSON-stat files, rebuilt small (B32, B33): the answers of expected.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.pipeline import audit

FOLDER = Path(__file__).parent.parent / "data" / "reports"
EXPECTED: dict[str, dict[str, Any]] = {
    entry["id"]: entry
    for entry in json.loads((FOLDER / "expected.json").read_text("utf-8"))
    if entry["id"][:3] in ("B32", "B33")
}
MAP = {"c": "withheld"}


@pytest.mark.parametrize(
    ("file", "letters"),
    [
        ("B32_px/declared.px", {}),
        ("B32_px/five_dots_unquoted.px", {".....": "zero"}),
        ("B32_px/undeclared.px", {"..": "withheld", "-": "zero"}),
        ("B33_jsonstat/sparse_status.json", MAP),
        ("B33_jsonstat/no_status.json", {}),
    ],
)
def test_the_same_table_in_each_format(file: str, letters: dict[str, str]) -> None:
    # CONVENTION 680
    entry = EXPECTED["B32"]
    report = audit(read_release(FOLDER / file, status_map=letters)).report
    assert report.verdict == entry["verdict"]
    names = {"Total": "T", "C = old": "C"}
    found = {tuple(names.get(c, c) for _, c in sorted(cell.cell)): cell for cell in report.cells}
    assert len(found) == len(entry["cells"])
    for expected in entry["cells"]:
        cell = found[tuple(code for _, code in sorted(expected["cell"].items()))]
        assert (cell.lower, cell.upper, cell.verdict) == (expected["lower"], expected["upper"], expected["verdict"])


@pytest.mark.parametrize("name", ["B32.undeclared", "B32.short", "B32.keys", "B32.comma", "B33.nomap"])
def test_refused(name: str) -> None:
    # CONVENTION 681, 682, 684
    entry = EXPECTED[name]
    with pytest.raises(InputError) as error:
        audit(read_release(FOLDER / entry["input"]))
    for mention in entry["error_mentions"]:
        assert mention in str(error.value)


def test_no_value_is_no_zero() -> None:
    # CONVENTION 680
    entry = EXPECTED["B33.absent"]
    report = audit(read_release(FOLDER / entry["input"], status_map=MAP)).report
    assert (report.verdict, len(report.cells)) == ("unsafe", entry["open_cells"])
    extra = entry["extra"]
    (cell,) = [c for c in report.cells if dict(c.cell) == {"region": extra["region"], "sex": extra["sex"]}]
    assert (cell.lower, cell.upper, cell.verdict) == (extra["lower"], extra["upper"], extra["verdict"])


def test_one_status_for_every_cell() -> None:
    entry = EXPECTED["B33.string"]
    report = audit(read_release(FOLDER / entry["input"], status_map=MAP)).report
    assert len(report.cells) == entry["open_cells"]
    assert {cell.upper for cell in report.cells} == {None}
