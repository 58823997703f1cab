"""Excel workbooks: what is shown is what is read; what hides something is refused by the name of its cell, or told."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font, PatternFill

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release, release_files
from tableseal.audit.model import Release, Status

TIDY: Sequence[Sequence[Any]] = [
    ["region", "sex", "persons", "status"],
    *[["North", "F", 12, "published"], ["North", "M", "x", "withheld"], ["North", "Total", 19, "published"]],
    *[["South", "F", 30, "published"], ["South", "M", None, "withheld"], ["South", "Total", 61, "published"]],
    *[["Total", "F", 42, "published"], ["Total", "M", 38, "published"], ["Total", "Total", 80, "published"]],
]
CROSS: Sequence[Sequence[Any]] = [
    *[["Persons by region and sex, 2025"], []],
    [None, "sex"],
    ["region", "F", "M", "Total"],
    *[["North", 12, "x", 19], ["South", 30, "x", 61], ["Total", 42, 38, 80]],
    *[[], ["x: withheld"], ["Source: the register."]],
]

Change = Callable[[Any], None]


def book(folder: Path, rows: Sequence[Sequence[Any]], change: Change | None = None) -> Path:
    """A workbook with these rows in Sheet1, changed."""
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.active
    sheet.title = "Sheet1"
    for row in rows:
        sheet.append(row)
    if change is not None:
        change(sheet)
    path = folder / "t.xlsx"
    workbook.save(path)
    return path


def facts(release: Release) -> dict[tuple[str, ...], int | None]:
    """Cell -> published value, None if it is withheld."""
    (table,) = release.tables
    found = {}
    for row, (codes, status) in enumerate(zip(table.codes, table.status.tolist(), strict=True)):
        assert Status(status).withheld == (table.value.get(row) is None)
        found[tuple(sorted(release.cell_codes(codes).values()))] = table.value.get(row)
    return found


def notes(release: Release) -> set[str]:
    """What was told, by code."""
    return {note.code for note in release.notes}


def test_tidy_and_cross_tables_are_the_same(tmp_path: Path) -> None:
    # CONVENTION 776
    tidy = read_release(book(tmp_path, TIDY))
    cross = read_release(book(tmp_path, CROSS))
    assert facts(tidy) == facts(cross)
    assert facts(tidy)["M", "North"] is None
    assert list(cross.variables) == ["region", "sex"]
    assert {"cross_table", "lines_passed_over"} <= notes(cross)


@pytest.mark.parametrize(
    "rows",
    [
        [["region", "F", "M", "Total"], *CROSS[4:7]],
        [[None, "F", "M", "Total"], *CROSS[4:7]],
        [[None, 2020, 2021, "Total"], *CROSS[4:7]],
    ],
    ids=["named", "corner", "years"],
)
def test_one_row_of_codes_along_the_top(rows: Sequence[Sequence[Any]], tmp_path: Path) -> None:
    # CONVENTION 776
    release = read_release(book(tmp_path, rows))
    assert list(facts(release).values()) == [12, None, 19, 30, None, 61, 42, 38, 80]


def test_two_rows_of_codes_along_the_top(tmp_path: Path) -> None:
    # CONVENTION 776
    top = [["region", *["F"] * 3, *["M"] * 3, *["Total"] * 3], [None, *["a", "b", "Total"] * 3]]
    body = [
        ["A", 1, 2, 3, 4, 5, 9, 5, 7, 12],
        ["B", 1, "x", 1, 1, 1, 2, 2, 1, 3],
        ["Total", 2, 2, 4, 5, 6, 11, 7, 8, 15],
    ]
    release = read_release(book(tmp_path, [*top, *body]))
    assert len(release.variables) == 3
    assert len(facts(release)) == 27


def test_numbers_beside_values_are_no_cross_table(tmp_path: Path) -> None:
    # CONVENTION 776: without a total that holds, headings of numbers are not taken for codes
    rows = [["region", "persons", "area"], ["North", 12, 3], ["South", 30, 4], ["Total", 42, 7]]
    release = read_release(book(tmp_path, rows))
    assert list(release.variables) == ["region"]
    rows = [["region", "cars", "bikes"], ["North", 12, 3], ["South", 30, 4], ["Total", 42, 7]]
    with pytest.raises(InputError, match="several columns may hold the values"):
        read_release(book(tmp_path, rows))


def _format(code: str) -> Change:
    def change(sheet: Any) -> None:
        sheet["C3"] = 7
        sheet["C3"].number_format = code

    return change


def _white(sheet: Any) -> None:
    sheet["C3"] = 7
    sheet["C3"].font = Font(color="FFFFFFFF")


def _like_its_background(sheet: Any) -> None:
    sheet["C3"] = 7
    sheet["C3"].font, sheet["C3"].fill = Font(color="FF808080"), PatternFill("solid", fgColor="FF808080")


def _set(cell: str, value: Any) -> Change:
    return lambda sheet: sheet.__setitem__(cell, value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_format('"c"'), r't.xlsx Sheet1!C3: holds a number that its format shows as "c"'),
        (_format('".."'), r'Sheet1!C3: holds a number that its format shows as "\.\."'),
        (_format(";;;"), "Sheet1!C3: holds a number that its format does not show"),
        (_white, "Sheet1!C3: holds a number that has the colour of its background"),
        (_like_its_background, "Sheet1!C3: holds a number that has the colour of its background"),
        (_set("C3", "#N/A"), "Sheet1!C3: holds the error value #N/A"),
        (_set("C3", "=C2+1"), "Sheet1!C3: holds a formula whose value is not in the file"),
        (lambda sheet: sheet.merge_cells("A2:A4"), "Sheet1!A2: is merged with others"),
        (_set("A14", 5), "Sheet1!A14: stands below an empty row"),
        (_set("A14", "Total"), "Sheet1!A14: stands below an empty row"),
    ],
)
def test_cells_that_hide_something(change: Change, said: str, tmp_path: Path) -> None:
    # CONVENTION 775
    with pytest.raises(InputError, match=said) as caught:
        read_release(book(tmp_path, TIDY, change))
    assert "7" not in str(caught.value).replace("t.xlsx", "")


def _hide(sheet: Any) -> None:
    sheet.row_dimensions[3].hidden = True


def _colour(sheet: Any) -> None:
    sheet["C2"].fill = PatternFill("solid", fgColor="FFFFFF00")


def _dates(sheet: Any) -> None:
    for row in (2, 3, 4):
        sheet.cell(row, 1).value = datetime(2026, 2, 1)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_hide, "hidden_cells"),
        (_colour, "colours"),
        (_set("C2", "12"), "numbers_as_text"),
        (_dates, "dates"),
    ],
)
def test_what_is_seen_only_in_excel_is_told(change: Change, code: str, tmp_path: Path) -> None:
    # CONVENTION 775
    release = read_release(book(tmp_path, TIDY, change))
    assert code in notes(release)


def test_more_decimals_than_are_shown(tmp_path: Path) -> None:
    # CONVENTION 775
    rows = [["region", "value"], ["North", 12.4], ["South", 30], ["Total", 42.4]]

    def change(sheet: Any) -> None:
        sheet["B2"].number_format, sheet["B3"].number_format = "0", "0.0"

    release = read_release(book(tmp_path, rows, change))
    assert "rounded_display" in notes(release)
    assert [str(release.measures["value"].unit)] == ["1/10"]


def test_three_decimals_are_no_thousands(tmp_path: Path) -> None:
    # CONVENTION 775
    rows = [["region", "value"], ["North", 900.001], ["South", 2.5], ["Total", 902.501]]

    def change(sheet: Any) -> None:
        for row in (2, 3, 4):
            sheet.cell(row, 2).number_format = "0.000"

    release = read_release(book(tmp_path, rows, change))
    assert str(release.measures["value"].unit) == "1/1000"
    assert list(facts(release).values()) == [900001, 2500, 902501]


def test_sheets(tmp_path: Path) -> None:
    # CONVENTION 777
    path = book(tmp_path, TIDY, lambda sheet: sheet.parent.create_sheet("Other").append(["a", "b"]))
    with pytest.raises(InputError, match=r"2 sheets with something in them \(Sheet1, Other\).*t.xlsx#Sheet1"):
        read_release(path)
    release = read_release(path.with_name("t.xlsx#Sheet1"))
    assert len(facts(release)) == 9
    with pytest.raises(InputError, match=r'there is no sheet "Shet1" .did you mean "Sheet1"'):
        read_release(path.with_name("t.xlsx#Shet1"))

    def hide(sheet: Any) -> None:
        other = sheet.parent.create_sheet("Other")
        other.append(["a", "b"])
        other.append([1, 2])
        other.sheet_state = "hidden"

    assert "hidden_sheets" in notes(read_release(book(tmp_path, TIDY, hide)))


def test_withheld_cells_are_grey_with_a_legend(tmp_path: Path) -> None:
    # CONVENTION 778
    release = read_release(book(tmp_path, CROSS))
    for ending in (".xlsx", ".cross.xlsx"):
        target = tmp_path / f"out{ending}"
        (content,) = release_files(release, target).values()
        assert release_files(release, target) == {target: content}
        assert isinstance(content, bytes)
        target.write_bytes(content)
        sheet: Any = openpyxl.load_workbook(target).active
        cells = [cell for row in sheet.iter_rows() for cell in row]
        marked = [cell for cell in cells if cell.value == "x"]
        assert len(marked) == 2
        assert all(cell.fill.fgColor.rgb == "FFD9D9D9" for cell in marked)
        assert any(cell.value == "x: withheld" for cell in cells)
        assert facts(read_release(target)) == facts(release)
