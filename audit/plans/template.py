"""A template: a row for each cell that is owed. Every row has to be a cell of one of the tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, unknown
from tableseal.audit.io.codes import unknown_code
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.made_tables import wanted_codes
from tableseal.audit.model import Hierarchy
from tableseal.audit.plans.plan import PlannedTable
from tableseal.audit.plans.sheet import MEASURE, NAME
from tableseal.audit.wording import listing

_EMPTY = -1


def check_template(
    columns: Columns,
    tables: Sequence[PlannedTable],
    where: Mapping[str, Mapping[str, Any]],
    variables: Mapping[str, Hierarchy],
) -> None:
    """Refuse rows that are cells of no table.

    Parameters
    ----------
    columns: the template: `table_name` and `indicator` (both may be left out), and a column of codes for each variable;
        an empty code, or no column, stands for the total. where: name of a table -> variable -> code or codes at which
        it stands.

    Raises
    ------
    InputError: a column that is nothing of this, a code that is unknown, a row that fits no table.
    """
    strange = [name for name in columns.data if name not in (NAME, MEASURE, *variables)]
    if strange:
        expected = listing([NAME, MEASURE, *variables])
        raise InputError(found=f"the columns {listing(strange)}", expected=expected, at=columns.source)
    codes = {name: _positions(columns, name, hierarchy) for name, hierarchy in variables.items()}
    fits = np.zeros(len(columns), np.bool_)
    for table in tables:
        fits |= _in_table(columns, codes, table, where.get(table.name, {}), variables)
    bad = np.flatnonzero(~fits)
    if len(bad):
        row, more = int(bad[0]), len(bad) - 1
        others = f" So {'is 1 more row' if more == 1 else f'are {more:,} more rows'}." if more else ""
        first = next(iter(columns.data))
        named = _refuse_unknown(columns, row, tables)
        text = f"this cell is in no table of the plan; expected a cell of {named}.{others}"
        raise InputError(text, at=columns.place(row, first))


def _refuse_unknown(columns: Columns, row: int, tables: Sequence[PlannedTable]) -> str:
    """The tables that a row may be of, by its name and measure, in words.

    Raises
    ------
    InputError: there is no such table or measure.
    """
    own = list(tables)
    for column, what, said in (
        (NAME, "table", [table.name for table in tables]),
        (MEASURE, "measure", [table.measure for table in tables]),
    ):
        text = (columns.data[column][row] or "").strip() if column in columns.data else ""
        if text:
            if text not in said:
                raise unknown(what, text, tuple(dict.fromkeys(said)), columns.place(row, column))
            own = [table for table, name in zip(tables, said, strict=True) if name == text and table in own]
    return listing(f"{table.name} ({' x '.join(map(str, table.by)) or 'the total'})" for table in own) or "a table"


def _positions(columns: Columns, name: str, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """int64 (rows): position of each code, _EMPTY where there is none."""
    column = columns.data.get(name)
    if column is None:
        return np.full(len(columns), _EMPTY, np.int64)
    found = column.spread([hierarchy.index.get(text, -2) if text else _EMPTY for text in column.texts], np.int64)
    if (found == -2).any():
        row = int(np.argmax(found == -2))
        raise InputError(f"{unknown_code(column[row] or '', hierarchy)}.", at=columns.place(row, name))
    return np.asarray(found)


def _in_table(
    columns: Columns,
    codes: Mapping[str, NDArray[np.int64]],
    table: PlannedTable,
    where: Mapping[str, Any],
    variables: Mapping[str, Hierarchy],
) -> NDArray[np.bool_]:
    """bool (rows): the row is a cell of the table."""
    inside = np.ones(len(columns), np.bool_)
    for name, said in ((NAME, table.name), (MEASURE, table.measure)):
        if name in columns.data:
            column = columns.data[name]
            inside &= column.spread([not text or text.strip() == said for text in column.texts], np.bool_)
    levels = {one.variable: one.level for one in table.by}
    for name, hierarchy in variables.items():
        total = hierarchy.total_index if hierarchy.total is not None else _EMPTY
        code = np.where(codes[name] == _EMPTY, total, codes[name])
        if name in levels:
            wanted = np.append(wanted_codes(hierarchy, levels[name], table.at), False)
            inside &= wanted[code]
        elif name in where:
            inside &= (codes[name] == _EMPTY) | (code == hierarchy.index.get(str(where[name]), -2))
        else:
            inside &= code == total
    return inside
