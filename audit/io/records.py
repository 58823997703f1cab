"""Is a bare data file a table, or are its rows records of single units (microdata)?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tableseal.audit.errors import InputError
from tableseal.audit.io.advice import IN_A_FILE, Advice
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.totals import NAMES
from tableseal.audit.io.value_column import is_numeric
from tableseal.audit.wording import listing, quoted

_UNITS = (
    "person|respondent|household|firm|enterprise|company|establishment|business|unit|patient|pupil|student|employee|"
    "member|case"
)
_IDENTITY = re.compile(rf"uu?id|p?id|ident(?:ifier|ity)?|record|serial|(?:{_UNITS})[ _.-]?(?:id|ident|nr|no|key)")
"""Names of columns that identify units, in lower case."""

_UNIT = re.compile(_UNITS)
"""Names of columns that identify units if what they hold is no number."""


def refuse_records(columns: Columns, advice: Advice = IN_A_FILE) -> None:
    """Refuse a file with a column that identifies units, and others whose codes repeat, and without any total.

    Raises
    ------
    InputError: says what to write.
    """
    different = identifiers(columns)
    if different:
        raise InputError(
            f"every row is a unit of its own (column {quoted(different[0])}), so these are records (microdata) and no "
            f"table. What is audited are the tables that go out: {advice.records(columns, suggested(columns))}.",
            at=columns.source,
        )


def identifiers(columns: Columns) -> list[str]:
    """Columns that identify units, if these seem to be records: other columns have codes that repeat, and none has a
    total."""
    different = [name for name, entries in columns.data.items() if _identifies(name, entries)]
    if not different or len(columns) < _FEWEST:
        return []
    others = [name for name in columns.data if name not in different]
    repeated = any(2 * len(columns.data[name].texts) <= len(columns) for name in others)
    codes = {(code or "").strip().casefold() for name in others for code in columns.data[name].texts}
    return different if repeated and not codes & NAMES else []


def refuse_repeated(
    columns: Columns, names: Sequence[str], values: Sequence[Fraction | None], advice: Advice = IN_A_FILE
) -> None:
    """Refuse rows with the same codes and different values: records, or a table of which a column is not seen.

    Raises
    ------
    InputError: names two such rows, and says what to write.
    """
    seen: dict[tuple[str | None, ...], int] = {}
    for row, codes in enumerate(zip(*(columns.data[name] for name in names), strict=True)):
        first = seen.setdefault(codes, row)
        if values[first] != values[row]:
            raise InputError(
                f"has the same codes as row {first + 1} ({listing(names)}) and another value. A table lists every cell "
                f"once, and rows are never added up; {if_records(columns, advice)}.",
                at=columns.place(row, names[0]),
            )


_FEWEST = 4
"""Rows below which nothing is said of a file."""


def _identifies(name: str, entries: Column) -> bool:
    lower = name.strip().lower()
    known = _IDENTITY.fullmatch(lower) or (_UNIT.fullmatch(lower) and not is_numeric(entries))
    return bool(known) and len(entries.texts) == len(entries) and all(entries)


def if_records(columns: Columns, advice: Advice) -> str:
    """What to do if rows that are no cells are records."""
    said = advice.records(columns, suggested(columns))
    return f"if each row is a unit of its own, these are records (microdata): {said}"


@dataclass(frozen=True)
class Suggested:
    """What columns of records seem to be: codes of a table, what may be added up, which unit it is."""

    by: tuple[str, ...]
    value: str | None
    id: str | None


def suggested(columns: Columns) -> Suggested:
    """What to say of columns, if they are records; their user decides."""
    units = [name for name in columns.data if _UNIT.search(name.lower()) or _IDENTITY.fullmatch(name.lower())]
    identity = next((name for name in units if _many(columns, name)), None)
    others = [name for name in columns.data if name != identity]
    numbers = [
        name
        for name in others
        if is_numeric(columns.data[name]) and (_many(columns, name) or len(columns.data[name].texts) > _CODES)
    ]
    by = tuple(name for name in others if name not in numbers and not _many(columns, name))
    return Suggested(by or ("COLUMN",), numbers[0] if len(numbers) == 1 else None, identity)


def _many(columns: Columns, name: str) -> bool:
    """Whether a column has more different entries than one for two rows."""
    return 2 * len(columns.data[name].texts) > len(columns)


_CODES = 20
"""Different numbers up to which a column of them may be codes."""
