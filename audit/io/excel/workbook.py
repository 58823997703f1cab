"""A sheet of a workbook -> a grid of what stands in its cells.

What is shown counts: a number that its format or its colour hides, a formula that was never computed, an error value
and merged cells are refused, with the name of the cell. What can be seen only in Excel (hidden rows, colours, rounded
display) is told.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.entries import check_entries
from tableseal.audit.io.excel.shown import hidden_by_colour, hidden_by_format, number_text
from tableseal.audit.io.layout import Grid, columns_of
from tableseal.audit.model import Note
from tableseal.audit.wording import listing, quoted, suggestion

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

MOST_CELLS = 4_000_000
"""Cells of a sheet, at most."""
_UNPACKED = 200 * 2**20
"""Bytes of a workbook when it is unpacked, at most."""


def excel_columns(content: bytes, source: str, sheet: str | None, notes: list[Note]) -> Columns:
    """The table in a sheet of a workbook (None: the only sheet with something in it).

    Raises
    ------
    InputError: the extra is not installed, no workbook, several sheets, cells that cannot be trusted (see above).
    LimitError: too much.
    """
    shown, formulas = _opened(content, source)
    found = _sheet(shown, source, sheet, notes)
    check_entries(found.max_row * found.max_column, len(content), source)
    grid = _grid(found, formulas[found.title], source, notes)
    return columns_of(grid, Place(source), notes)


def _opened(content: bytes, source: str) -> tuple[Any, Any]:
    """The workbook with values, and with formulas."""
    try:
        import openpyxl
    except ImportError:
        text = "Excel workbooks need an extra package: pip install 'tableseal[excel]'."
        raise InputError(text, at=source) from None
    try:
        with ZipFile(BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        raise InputError("is not a readable Excel workbook (.xlsx).", at=source) from None
    if size > _UNPACKED:
        raise LimitError(f"unpacks to {size:,} bytes, more than the limit of {_UNPACKED:,}.", at=source)
    with _readable(source), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of features of Excel that say nothing of values
        values = openpyxl.load_workbook(BytesIO(content), data_only=True)
        return values, openpyxl.load_workbook(BytesIO(content), data_only=False)


@contextmanager
def _readable(source: str) -> Iterator[None]:
    """Whatever a broken workbook makes the package raise, which shares no base, is an error for users."""
    try:
        yield
    except Exception as error:
        reason = type(error).__name__
        raise InputError(f"is not a readable Excel workbook (.xlsx) ({reason}).", at=source) from None


def _sheet(workbook: Any, source: str, wanted: str | None, notes: list[Note]) -> "Worksheet":
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    if wanted is not None:
        if wanted not in sheets:
            text = f"there is no sheet {quoted(wanted)}{suggestion(wanted, sheets)}; sheets are {listing(sheets)}."
            raise InputError(text, at=source)
        return sheets[wanted]  # type: ignore[no-any-return]
    filled = {title: sheet for title, sheet in sheets.items() if sheet.max_row > 1 or sheet["A1"].value is not None}
    visible = {title: sheet for title, sheet in filled.items() if sheet.sheet_state == "visible"}
    if len(visible) != 1:
        text = f"has {len(visible)} sheets with something in them ({listing(visible)}), expected one"
        one = next(iter(visible), "SHEET")
        raise InputError(text, at=source, remedy=f"say which, as in `{source}#{one}`")
    hidden = [title for title in filled if title not in visible]
    if hidden:
        text = f"{source}: hidden sheets ({listing(hidden)}) are not looked at; they go out with the file."
        notes.append(Note("hidden_sheets", text, len(hidden)))
    return next(iter(visible.values()))  # type: ignore[no-any-return]


def _grid(sheet: "Worksheet", formulas: "Worksheet", source: str, notes: list[Note]) -> Grid:
    if sheet.max_row * sheet.max_column > MOST_CELLS:
        text = f"sheet {quoted(sheet.title)} has {sheet.max_row:,} rows and {sheet.max_column:,} columns"
        raise LimitError(f"{text}: more than {MOST_CELLS:,} cells.", at=source)
    reader = _Reader(sheet, formulas, source)
    rows = list(sheet.iter_rows())
    texts = [[reader.text(cell) for cell in row] for row in rows]
    numbers = [[_is_number(cell) for cell in row] for row in rows]
    reader.refuse_merged(texts)
    reader.tell(rows, texts, numbers, notes)
    return Grid(texts, numbers, range(1, len(rows) + 1), lambda row, column: reader.name(rows[row][column]))


def _is_number(cell: "Cell | Any") -> bool:
    return isinstance(cell.value, int | float) and not isinstance(cell.value, bool)


class _Reader:
    """Cells of one sheet as texts."""

    def __init__(self, sheet: "Worksheet", formulas: "Worksheet", source: str) -> None:
        self._sheet, self._formulas, self._source = sheet, formulas, source
        self.computed: list[str] = []
        self.dates: list[str] = []
        self.rounded: list[str] = []

    def name(self, cell: "Cell | Any") -> str:
        """`book.xlsx Sheet1!B3`."""
        return f"{self._source} {self._sheet.title}!{cell.coordinate}"

    def text(self, cell: "Cell | Any") -> str | None:
        """What a cell holds, None if nothing.

        Raises
        ------
        InputError: what is shown cannot be told from it.
        """
        value, kind = cell.value, self._formulas.cell(cell.row, cell.column).data_type if cell.value is None else "n"
        if value is None:
            if kind == "f":
                text = "holds a formula whose value is not in the file; open the workbook, compute and save it."
                raise InputError(text, at=self.name(cell))
            return None
        if cell.data_type == "e":
            raise InputError(f"holds the error value {value}, expected a number or a mark.", at=self.name(cell))
        if self._formulas.cell(cell.row, cell.column).data_type == "f":
            self.computed.append(cell.coordinate)
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int | float):
            return self._number(cell, value)
        if isinstance(value, date | datetime | time):
            self.dates.append(cell.coordinate)
            midnight = isinstance(value, datetime) and value.time() == time()
            return value.date().isoformat() if midnight else value.isoformat()  # type: ignore[union-attr]
        text = str(value)
        return text if text.strip() else None

    def _number(self, cell: "Cell | Any", value: int | float) -> str:
        try:
            _ = cell.font, cell.fill, cell.number_format  # looked up in the styles of the file, here and in `tell`
        except IndexError:
            text = "has a style that is not in the file, which is damaged; save the workbook again."
            raise InputError(text, at=self.name(cell)) from None
        hidden = hidden_by_format(cell.number_format, value) or hidden_by_colour(cell)
        if hidden:
            text = f"holds a number that {hidden}; write what is to be read (a mark such as x, or the number as it is)."
            raise InputError(text, at=self.name(cell))
        text, exact = number_text(value, cell.number_format)
        if not exact:
            self.rounded.append(cell.coordinate)
        return text

    def refuse_merged(self, texts: Sequence[Sequence[str | None]]) -> None:
        """Refuse merged cells but for titles, which stand alone in their rows."""
        for merged in self._sheet.merged_cells.ranges:
            rows = texts[merged.min_row - 1 : merged.max_row]
            alone = all(sum(text is not None for text in row) <= 1 for row in rows) and merged.min_col == 1
            if not alone:
                first = self.name(self._sheet.cell(merged.min_row, merged.min_col))
                text = f"is merged with others ({merged.coord}); expected one code in each cell: split it and repeat."
                raise InputError(text, at=first)

    def tell(
        self,
        rows: Sequence[Sequence[Any]],
        texts: Sequence[Sequence[str | None]],
        numbers: Sequence[Sequence[bool]],
        notes: list[Note],
    ) -> None:
        """What is seen only in Excel."""
        sheet = self._sheet
        hidden = [f"row {at}" for at, d in sheet.row_dimensions.items() if d.hidden and at <= len(texts)]
        hidden += [f"column {at}" for at, d in sheet.column_dimensions.items() if d.hidden]
        colours = [
            cell.coordinate
            for row, counts in zip(rows, numbers, strict=True)
            for cell, number in zip(row, counts, strict=True)
            if number and cell.fill.fill_type is not None
        ]
        as_text = [
            cell.coordinate
            for row in rows
            for cell in row
            if isinstance(cell.value, str) and _looks_like_number(cell.value)
        ]
        found = (
            ("hidden_cells", hidden, "are hidden, and read like all others: they go out with the file"),
            ("colours", colours, "have a background colour; what it means is not looked at"),
            ("computed_cells", self.computed, "are formulas, read as computed when the workbook was saved"),
            ("dates", self.dates, "are dates (perhaps codes such as 1-2 that Excel took for dates)"),
            (
                "rounded_display",
                self.rounded,
                "are shown with fewer decimals than the file holds; read is what it holds",
            ),
            ("numbers_as_text", as_text, "are numbers stored as text"),
            (
                "conditional_formats",
                ["formats"] * bool(sheet.conditional_formatting),
                "depend on values; not looked at",
            ),
        )
        for code, cells, text in found:
            if cells:
                notes.append(Note(code, f"{self._source} {sheet.title}: {cells[0]}{_more(cells)} {text}.", len(cells)))


def _more(cells: Sequence[str]) -> str:
    return f" and {len(cells) - 1:,} more" if len(cells) > 1 else ""


def _looks_like_number(text: str) -> bool:
    try:
        return Decimal(text.strip().replace(",", ".")).is_finite() and text.strip()[:1] != "0"
    except ArithmeticError:
        return False
