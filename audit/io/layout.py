"""A sheet or a text with title lines, footnotes and perhaps codes along the top -> columns, a row for each cell.

The table is what stands without an empty row between. Lines of one entry above it are titles, below it (behind an empty
row) footnotes. It is tidy (a column for each classification, one of values) or a cross table (codes of one or more
classifications along the top, others down the side).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns, check_width
from tableseal.audit.io.numbers import decimal, looks_like_number
from tableseal.audit.io.statuses.usual_marks import usual_mark
from tableseal.audit.io.totals import NAMES
from tableseal.audit.io.value_column import VALUE_NAMES
from tableseal.audit.model import Note
from tableseal.audit.wording import listing, quoted, repeated

VALUE = "value"
_MOST_HEADERS = 4
_MOST_ROWS = 200_000
"""Of a plain table that may be a cross table, at most: such are made for people."""
_NOT_A_CODE = frozenset(("lower", "upper", "status", "flag", "symbol", "cost", "weight", "top1", "top2"))
"""Headings of numbers beside values, which are no codes."""


@dataclass(frozen=True)
class Grid:
    """Entries as they stand, all rows of one length.

    rows: texts, None where there is nothing. numbers: whether an entry is a number. lines: the number of each row in
    its file. named: how an entry (row, column) is called in messages.
    """

    rows: Sequence[Sequence[str | None]]
    numbers: Sequence[Sequence[bool]]
    lines: Sequence[int]
    named: Callable[[int, int], str]


def columns_of(grid: Grid, source: Place, notes: list[Note]) -> Columns:
    """The table in a grid.

    Raises
    ------
    InputError: no table or several, a heading or a code that is missing; names the entry.
    """
    first, end = _block(grid, source)
    top = _name_of_top(grid, first, end)
    start = first + (top is not None)
    wide = [c for c in range(len(grid.rows[0])) if any(grid.rows[r][c] is not None for r in range(start, end))]
    check_width(len(wide), source)
    if end - start < 2:
        raise InputError("has no rows below the headings.", at=source)
    headers = _header_rows(grid, start, end, wide, spanned=top is not None)
    _tell(grid, first, end, source, notes)
    if headers is None:
        return _tidy(grid, start, end, wide, source)
    count, left = headers
    return _long(grid, start, end, wide, count, left, top, source, notes)


def across(columns: Columns, notes: list[Note]) -> Columns | None:
    """A row for each value of a plain table whose columns of numbers are the codes of a classification, one of them its
    total by name and by all sums; None of any other table."""
    names = list(columns.data)
    if len(columns) > _MOST_ROWS or not any(name.strip().lower() in NAMES for name in names):
        return None
    body = zip(*columns.data.values(), strict=True)
    rows = [[entry if entry and entry.strip() else None for entry in row] for row in (names, *body)]
    numbers = [[entry is not None and looks_like_number(entry) for entry in row] for row in rows]
    lines = range(1, len(rows) + 1) if columns.lines is None else [1, *columns.lines.tolist()]
    grid = Grid(rows, numbers, lines, lambda row, column: str(columns.place(max(row - 1, 0), names[column])))
    wide = range(len(names))
    headers = _header_rows(grid, 0, len(rows), wide, spanned=False)
    if headers is None or headers[0] != 1:
        return None
    found = _long(grid, 0, len(rows), wide, 1, headers[1], None, columns.source, notes)
    return replace(found, numbers=frozenset())  # texts, whose signs may separate thousands


def _filled(grid: Grid, row: int) -> list[int]:
    return [column for column, text in enumerate(grid.rows[row]) if text is not None]


def _block(grid: Grid, source: Place) -> tuple[int, int]:
    """The rows (first, one behind the last) of the only table."""
    blocks: list[list[int]] = []
    for row in range(len(grid.rows)):
        if not _filled(grid, row):
            continue
        if blocks and blocks[-1][1] == row:
            blocks[-1][1] = row + 1
        else:
            blocks.append([row, row + 1])
    if not blocks:
        raise InputError("holds nothing.", at=source)
    most = max(blocks, key=lambda block: sum(len(_filled(grid, r)) > 1 for r in range(*block)))
    first, end = most
    while first < end - 1 and _filled(grid, first) == [0]:
        first += 1
    for row in range(end, len(grid.rows)):
        _refuse_row_below(grid, row)
    for start, stop in blocks:
        if stop <= most[0] and sum(len(_filled(grid, r)) > 1 for r in range(start, stop)) > 1:
            second = grid.named(most[0], _filled(grid, most[0])[0])
            text = f"a second table seems to begin at {second}; expected one table without empty rows in it"
            raise InputError(text, at=grid.named(start, _filled(grid, start)[0]))
    return first, end


def _refuse_row_below(grid: Grid, row: int) -> None:
    """Refuse what is no footnote behind an empty row: it may be a part of the table."""
    filled = _filled(grid, row)
    if not filled:
        return
    text = grid.rows[row][filled[0]] or ""
    is_legend = usual_mark(text) is not None
    is_note = len(filled) == 1 and not grid.numbers[row][filled[0]] and text.strip().lower() not in NAMES
    if not is_note and not is_legend:
        problem = "stands below an empty row and is no footnote; expected a table without empty rows in it."
        raise InputError(problem, at=grid.named(row, filled[0]))


def _name_of_top(grid: Grid, first: int, end: int) -> str | None:
    """What stands alone above the codes along the top (not above those down the side): their classification."""
    filled = _filled(grid, first)
    return grid.rows[first][filled[0]] if len(filled) == 1 and filled[0] > 0 and first + 2 < end else None


def _header_rows(
    grid: Grid, start: int, end: int, wide: Sequence[int], *, spanned: bool
) -> tuple[int, list[int]] | None:
    """Of a cross table: rows of codes along the top, and columns of codes down the side; None of a tidy one."""
    for count in range(1, min(_MOST_HEADERS, end - start - 1) + 1):
        body = range(start + count, end)
        right = _values(grid, body, wide)
        left = [column for column in wide if column not in right]
        if len(right) < 2 or not left:
            continue
        above = list(zip(*([grid.rows[r][c] for c in right] for r in range(start, start + count)), strict=True))
        if len(set(above)) < len(above):
            continue
        corner = all(grid.rows[r][c] is None for r in range(start, start + count) for c in left)
        if count > 1 or spanned or corner or _is_across(grid, start, end, left, right):
            return count, left
        return None
    return None


def _values(grid: Grid, body: range, wide: Sequence[int]) -> list[int]:
    """The last columns that hold numbers, marks or nothing."""
    found: list[int] = []
    for column in reversed(wide):
        texts = [(grid.rows[row][column], grid.numbers[row][column]) for row in body]
        if not all(text is None or number or usual_mark(text) for text, number in texts):
            break
        found.insert(0, column)
    return found if any(grid.numbers[row][column] for row in body for column in found) else []


def _is_across(grid: Grid, start: int, end: int, left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether headings of columns of numbers are codes: one is the total of the others, by its name and by its numbers
    where all are known, and none is a usual name of something else."""
    names = [(grid.rows[start][column] or "").strip().lower() for column in right]
    if any(name in VALUE_NAMES or name in _NOT_A_CODE for name in names):
        return False
    keys = [tuple(grid.rows[row][column] for column in left) for row in range(start + 1, end)]
    totals = [at for at, name in enumerate(names) if name in NAMES]
    if len(set(keys)) < len(keys) or len(totals) != 1:
        return False
    for row in range(start + 1, end):
        if all(grid.numbers[row][column] for column in right):
            try:
                values = [decimal(grid.rows[row][column] or "") for column in right]
            except ValueError:
                return True  # with separators of thousands; its sums are checked by every audit
            if 2 * values[totals[0]] != sum(values):
                return False
    return True


def _tidy(grid: Grid, start: int, end: int, wide: Sequence[int], source: Place) -> Columns:
    names = [_heading(grid, start, column) for column in wide]
    for name in repeated(names):
        raise InputError(f"the heading {quoted(name)} stands twice.", at=grid.named(start, wide[0]))
    rows = range(start + 1, end)
    data = {name: [grid.rows[row][c] for row in rows] for name, c in zip(names, wide, strict=True)}
    lines = np.array([grid.lines[row] for row in rows], np.int64)
    numbers = frozenset(n for n, c in zip(names, wide, strict=True) if any(grid.numbers[row][c] for row in rows))
    return Columns(source, Columns.of(source, data).data, lines, numbers)


def _long(
    grid: Grid,
    start: int,
    end: int,
    wide: Sequence[int],
    count: int,
    left: Sequence[int],
    top: str | None,
    source: Place,
    notes: list[Note],
) -> Columns:
    """A row for each value of a cross table."""
    right = [column for column in wide if column not in left]
    body = range(start + count, end)
    if all(grid.rows[body[0]][column] is None for column in right):
        text = (
            "all cells of the first row are empty, so that it may be headings; expected a value or a mark in each cell."
        )
        raise InputError(text, at=grid.named(body[0], right[0]))
    tops = [top] if top is not None and count == 1 else [f"columns {at + 1}" for at in range(count)]
    tops = ["columns"] if tops == ["columns 1"] else [name or "" for name in tops]
    sides = [grid.rows[start + count - 1][column] for column in left]
    if sides == [None] and len(left) == 1:
        sides = ["rows"]
    names = [name or _heading(grid, start + count - 1, column) for name, column in zip(sides, left, strict=True)]
    value = VALUE
    while value in (*names, *tops):
        value += "_"
    for name in repeated([*names, *tops]):
        raise InputError(f"the heading {quoted(name)} stands twice.", at=grid.named(start, left[0]))
    data: dict[str, list[str | None]] = {name: [] for name in (*names, *tops, value)}
    lines: list[int] = []
    above = {c: [_code(grid, start + at, c) for at in range(count)] for c in right}
    for row in body:
        beside = [_code(grid, row, column) for column in left]
        for column in right:
            for name, entry in zip(data, (*beside, *above[column], grid.rows[row][column]), strict=True):
                data[name].append(entry)
            lines.append(grid.lines[row])
    text = f"{source}: read as a cross table: {listing(names)} down the side, {listing(tops)} along the top"
    shown = listing(dict.fromkeys(code for codes in above.values() for code in codes))
    notes.append(Note("cross_table", f"{text} ({shown})."))
    return Columns(source, Columns.of(source, data).data, np.array(lines, np.int64), frozenset((value,)))


def _heading(grid: Grid, row: int, column: int) -> str:
    text = grid.rows[row][column]
    if text is None or not text.strip():
        raise InputError("is empty, expected the heading of a column.", at=grid.named(row, column))
    return text.strip()


def _code(grid: Grid, row: int, column: int) -> str:
    text = grid.rows[row][column]
    if text is None or not text.strip():
        raise InputError("is empty, expected a code in every row and column.", at=grid.named(row, column))
    return text


def _tell(grid: Grid, first: int, end: int, source: Place, notes: list[Note]) -> None:
    above = [row for row in range(first) if _filled(grid, row)]
    below = [row for row in range(end, len(grid.rows)) if _filled(grid, row)]
    for what, rows in (("title lines above", above), ("footnotes below", below)):
        if rows:
            text = (
                f"{source}: {what} the table are passed over (from {grid.named(rows[0], _filled(grid, rows[0])[0])})."
            )
            notes.append(Note("lines_passed_over", text, len(rows)))
