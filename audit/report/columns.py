"""Tables in texts: headings, sides and widths of their columns, in one place for all texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tableseal.audit.language import phrase

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


@dataclass(frozen=True)
class Column:
    """A column, as wide as its longest entry.

    right: entries stand at the right, as numbers do. most: characters beyond which an entry is cut (`aligned`). least:
    characters down to which entries are broken where a line would be too long (`folded`). None: neither.
    """

    heading: str
    right: bool = False
    most: int | None = None
    least: int | None = None


def aligned(columns: Sequence[Column], rows: Iterable[Sequence[str]], *, indent: str = "") -> list[str]:
    """Headings and rows as lines, two blanks between columns; a row may end early."""
    table = [[_cut(text, column) for text, column in zip(row, columns, strict=False)] for row in rows]
    table.insert(0, [phrase(column.heading) for column in columns])
    widths = [max(len(row[k]) for row in table if k < len(row)) for k in range(len(columns))]
    return [indent + "  ".join(map(_padded, row, columns, widths)).rstrip() for row in table]


def _cut(text: str, column: Column) -> str:
    return text if column.most is None or len(text) <= column.most else text[: column.most - 3] + "..."


def _padded(text: str, column: Column, width: int) -> str:
    return text.rjust(width) if column.right else text.ljust(width)


def folded(columns: Sequence[Column], rows: "Iterable[Sequence[str | Text]]", *, colour: bool) -> "Table":
    """A table that is broken to fit where it is printed, with a line below the headings. colour: for a terminal that
    has more than ASCII."""
    from rich import box
    from rich.table import Table

    plain = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
    table = Table(box=box.SIMPLE_HEAD if colour else plain, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(
            phrase(column.heading),
            justify="right" if column.right else "left",
            overflow="fold",
            min_width=column.least,
            no_wrap=column.least is None,
        )
    for row in rows:
        table.add_row(*row)
    return table
