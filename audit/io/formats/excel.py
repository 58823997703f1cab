"""Excel workbooks (.xlsx) out: a row for each cell, with its value and its status in words.

Withheld cells are grey and hold `x`, never nothing or 0; a legend below the table says so. They are read again like any
other workbook (`audit/io/excel`). The same release gives the same bytes.
"""

from datetime import datetime
from io import BytesIO
from itertools import product
from typing import Any, Final

from tableseal.audit.errors import InputError
from tableseal.audit.io.formats.grid import cube_of, free
from tableseal.audit.io.numbers import places
from tableseal.audit.model import Release, Status

_WITHHELD: Final = ("x", "x: withheld")
_MISSING: Final = ("[x]", "[x]: not available")
"""What stands for a value, and how the legend explains it."""
_DIGITS: Final = 15
"""Digits of a number that Excel keeps."""
_GREY: Final = "#D9D9D9"
_CREATED: Final = datetime(2000, 1, 1)
"""Stands in every workbook, so that nothing but the release makes its bytes."""
_SHEET: Final = "Table"


def write(release: Release, name: str) -> dict[str, bytes]:
    """The table of a release, tidy.

    Raises
    ------
    InputError: a number with more digits than Excel keeps, the extra is not installed; see `cube_of`.
    """
    (table,) = release.tables
    cube = cube_of(release, table)
    value = free("value", list(cube.codes))
    status = free("status", [*cube.codes, value])
    book = Workbook(places(release.measures[table.measure].unit) or 0)
    row = book.title(release.title)
    for column, heading in enumerate((*cube.codes, value, status)):
        book.text(row, column, heading, bold=True)
    for codes, shown, word in zip(product(*cube.codes.values()), cube.value, cube.status.tolist(), strict=True):
        row += 1
        for column, code in enumerate(codes):
            book.text(row, column, code)
        book.cell(row, len(codes), shown, Status(word))
        book.text(row, len(codes) + 1, Status(word).word)
    return {name: book.content(row + 2)}


def write_cross(release: Release, name: str) -> dict[str, bytes]:
    """The table of a release with the codes of its last variable along the top, those of the others down the side; of
    one variable alone, its codes and their values.

    Raises
    ------
    InputError: as `write`.
    """
    (table,) = release.tables
    cube = cube_of(release, table)
    *sides, top = cube.codes if len(cube.codes) > 1 else (*cube.codes, "")
    across = cube.codes[top] if top else [free("value", sides)]
    book = Workbook(places(release.measures[table.measure].unit) or 0)
    row = book.title(release.title)
    if top:
        book.text(row, len(sides), top, bold=True)
        row += 1
    for column, heading in enumerate((*sides, *across)):
        book.text(row, column, heading, bold=True)
    for at, codes in enumerate(product(*(cube.codes[side] for side in sides))):
        row += 1
        for column, code in enumerate(codes):
            book.text(row, column, code)
        for column in range(len(across)):
            cell = at * len(across) + column
            book.cell(row, len(sides) + column, cube.value[cell], Status(int(cube.status[cell])))
    return {name: book.content(row + 2)}


class Workbook:
    """A workbook with one sheet, in memory."""

    def __init__(self, decimals: int) -> None:
        try:
            import xlsxwriter
        except ImportError:
            raise InputError("Excel workbooks need an extra package: pip install 'tableseal[excel]'.") from None
        self._file = BytesIO()
        self._book = xlsxwriter.Workbook(self._file, {"in_memory": True, "strings_to_numbers": False})
        self._book.set_properties({"created": _CREATED})
        self._sheet: Any = self._book.add_worksheet(_SHEET)
        self._number = self._book.add_format({"num_format": "0" if not decimals else f"0.{'0' * decimals}"})
        self._grey = self._book.add_format({"bg_color": _GREY, "align": "right"})
        self._legend: dict[str, None] = {}
        self._bold = self._book.add_format({"bold": True})

    def title(self, text: str) -> int:
        """The first row for headings, behind the title if there is one."""
        if not text:
            return 0
        self.text(0, 0, text, bold=True)
        return 2

    def text(self, row: int, column: int, text: str, *, bold: bool = False) -> None:
        """A text, which is never taken for a number or a formula."""
        if text and self._sheet.write_string(row, column, text, self._bold if bold else None):
            raise InputError(f"a text of {len(text):,} signs, or more rows than a sheet has.")

    def cell(self, row: int, column: int, shown: str | None, status: Status) -> None:
        """A value, or what stands for one that is withheld."""
        if status == Status.STRUCTURAL_ZERO:
            shown = "0"
        if shown is None or status.withheld:
            mark, explained = _MISSING if status == Status.MISSING else _WITHHELD
            self._legend[explained] = None
            self._sheet.write_string(row, column, mark, self._grey)
            return
        if len(shown.strip("-").replace(".", "").strip("0")) > _DIGITS:
            raise InputError(f"a value has more than the {_DIGITS} digits that Excel keeps.")
        if self._sheet.write_number(row, column, float(shown), self._number):
            raise InputError("has more rows than a sheet of Excel.")

    def content(self, row: int) -> bytes:
        """The file, with a legend from a row on if something is withheld or missing."""
        for at, explained in enumerate(self._legend):
            self.text(row + at, 0, explained)
        self._book.close()
        return self._file.getvalue()
