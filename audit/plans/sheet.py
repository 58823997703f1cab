"""A list of tables as a CSV file or a sheet: one row a table, with the columns of the R package rtauargus.

`table_name`, `field` (the population), `indicator` (the measure) and `spanning_1`, `spanning_2`, ...; beside each of
them `hrc_...` may name a classification: then the entry is one of its levels (of spanning variables), or one of the
measures that it relates.
"""

from dataclasses import dataclass

from tableseal.audit.errors import InputError
from tableseal.audit.io.columns import Columns
from tableseal.audit.plans.plan import PlannedTable, Spanning
from tableseal.audit.wording import listing, quoted, repeated

NAME, POPULATION, MEASURE, OF_MEASURES, SPANNING = "table_name", "field", "indicator", "hrc_indicator", "spanning_"


@dataclass(frozen=True)
class Sheet:
    """tables: as listed. families: name of a classification of measures -> the measures that it relates."""

    tables: tuple[PlannedTable, ...]
    families: dict[str, tuple[str, ...]]


def read_sheet(columns: Columns) -> Sheet:
    """The tables that a list names.

    Raises
    ------
    InputError: columns that are missing or unknown, a row without name, measure or variable, a name that stands twice.
    """
    for name, role in ((NAME, "the names of the tables"), (MEASURE, "the measures")):
        columns.column(name, role)
    spanning = sorted((name for name in columns.data if name.startswith(SPANNING)), key=_number)
    known = {NAME, POPULATION, "hrc_field", MEASURE, OF_MEASURES, *spanning, *(f"hrc_{name}" for name in spanning)}
    strange = [name for name in columns.data if name not in known]
    if strange or not spanning:
        found = f"the columns {listing(strange)}" if strange else "no column spanning_1"
        raise InputError(found=found, expected=f"{NAME}, {POPULATION}, {MEASURE}, {SPANNING}1, ...", at=columns.source)
    tables: list[PlannedTable] = []
    families: dict[str, dict[str, None]] = {}
    for row in range(len(columns)):
        entries = {name: (column[row] or "").strip() for name, column in columns.data.items()}
        for name in (NAME, MEASURE):
            if not entries[name]:
                raise InputError("is empty.", at=columns.place(row, name))
        by = [
            Spanning(entries.get(f"hrc_{name}") or entries[name], entries[name] if entries.get(f"hrc_{name}") else None)
            for name in spanning
            if entries[name]
        ]
        for twice in repeated(one.variable for one in by):
            raise InputError(f"the variable {quoted(twice)} stands twice.", at=columns.place(row, spanning[0]))
        if entries.get(OF_MEASURES):
            families.setdefault(entries[OF_MEASURES], {})[entries[MEASURE]] = None
        place = columns.place(row, NAME)
        tables.append(
            PlannedTable(entries[NAME], entries[MEASURE], tuple(by), entries.get(POPULATION, ""), where=place)
        )
    for twice in repeated(table.name for table in tables):
        at = [table.where for table in tables if table.name == twice]
        raise InputError(f"the table {quoted(twice)} stands twice.", at=at[1])
    return Sheet(tuple(tables), {name: tuple(measures) for name, measures in families.items()})


def _number(name: str) -> tuple[int, str]:
    digits = name.removeprefix(SPANNING)
    return (int(digits), name) if digits.isdecimal() else (10**6, name)
