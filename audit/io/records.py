"""Is a bare data file a table, or are its rows records of single units (microdata)?"""

import re
from collections.abc import Sequence
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
            f"table{_advice(columns, different[0], advice)}.",
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
                "once, and rows are never added up; if each row is a unit of its own, these are records (microdata)"
                f"{_advice(columns, None, advice)}.",
                at=columns.place(row, names[0]),
            )


_FEWEST = 4
"""Rows below which nothing is said of a file."""


def _identifies(name: str, entries: Column) -> bool:
    lower = name.strip().lower()
    known = _IDENTITY.fullmatch(lower) or (_UNIT.fullmatch(lower) and not is_numeric(entries))
    return bool(known) and len(entries.texts) == len(entries) and all(entries)


def _advice(columns: Columns, identity: str | None, advice: Advice) -> str:
    said = f"file: {columns.source}, values: {{MEASURE: COLUMN}}" + ("" if identity is None else f", id: {identity}")
    return f". What is audited are the tables that go out: {advice.records(said)}"
