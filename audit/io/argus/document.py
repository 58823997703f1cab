"""Tables of tau-ARGUS -> the release document that a release file in YAML would be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.classification import Classification, merged
from tableseal.audit.io.argus.table import ArgusTable, Row
from tableseal.audit.io.canonical import free_name
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.model import Note
from tableseal.audit.wording import quoted


def release_document(
    tables: Sequence[ArgusTable], notes: list[Note], names: Sequence[str] | None = None
) -> dict[str, Any]:
    """One release of all these tables, which are linked by variables of the same name.

    names: of the tables (None: what they show). notes: of what is to be told.

    Raises
    ------
    InputError: a variable whose hierarchies contradict each other, or a response that is given two precisions.
    """
    variables = _variables(tables)
    measures: dict[str, dict[str, Any]] = {}
    for table in tables:
        said: dict[str, Any] = {"kind": table.kind}
        if table.kind == "magnitude":
            said["unit"] = decimal_text(table.unit)
        if measures.setdefault(table.response, said) != said:
            text = f"the response {quoted(table.response)} has other decimals in another table."
            raise InputError(text, at=table.source)
    titles = list(names or [table.title for table in tables])
    return {
        "tableseal": "1",
        "title": "; ".join(dict.fromkeys(table.title for table in tables)),
        "measures": measures,
        "variables": {name: found.document() for name, found in variables.items()},
        "tables": [_entry(table, title, notes) for table, title in zip(tables, titles, strict=True)],
        "intruder": {"nonnegative": not any(_negative(table) for table in tables)},
    }


def _variables(tables: Sequence[ArgusTable]) -> dict[str, Classification]:
    found: dict[str, Classification] = {}
    for table in tables:
        for name, own in table.variables.items():
            same = next((known for known in found if known.casefold() == name.casefold()), name)
            both = merged(found[same], own) if same in found else own
            if both is None or same != name:
                text = f"variable {quoted(name)} has another hierarchy, total or spelling than in a table before"
                raise InputError(
                    f"{text}; linked tables share the classifications of variables of one name.", at=table.source
                )
            found[name] = both
    return found


def _negative(table: ArgusTable) -> bool:
    return any(row.value is not None and row.value < 0 for row in table.rows)


def _entry(table: ArgusTable, name: str, notes: list[Note]) -> dict[str, Any]:
    taken = set(table.variables)
    data: dict[str, list[str | None]] = {
        variable: [row.codes[at] for row in table.rows] for at, variable in enumerate(table.variables)
    }

    def add(column: str, of: Callable[[Row], Fraction | int | str | None]) -> str:
        heading = free_name(column, taken)
        data[heading] = [_text(of(row)) for row in table.rows]
        return heading

    found: dict[str, Any] = {"name": name, "measure": table.response}
    found["value"] = add(table.response, lambda row: row.value)
    found["decimal"] = "."
    found["status"] = add("status", lambda row: row.status) if any(row.status for row in table.rows) else "none"
    if any(row.frequency is not None for row in table.rows) and table.kind == "magnitude":
        found["frequency"] = add("frequency", lambda row: row.frequency)
    found |= _contributors(table, add, notes)
    if any(row.cost is not None for row in table.rows):
        found["cost"] = add("cost", lambda row: row.cost)
    sides: tuple[tuple[str, Callable[[Row], Fraction | None]], ...] = (
        ("lower", lambda row: row.lower),
        ("upper", lambda row: row.upper),
    )
    protection = {
        side: add(f"protection {side}", of) for side, of in sides if any(of(row) is not None for row in table.rows)
    }
    if protection:
        found["protection"] = protection
    lines = np.array([row.line for row in table.rows], dtype=np.int64)
    columns = Columns.of(Place(table.source), data)
    found["cells"] = replace(columns, lines=lines) if lines.all() else columns
    return found


def _contributors(
    table: ArgusTable, add: Callable[[str, Callable[[Row], Fraction | None]], str], notes: list[Note]
) -> Mapping[str, Any]:
    """Columns of the largest contributions; those of a shadow variable are not contributions to what is published."""
    most = max((len(row.tops) for row in table.rows), default=0)
    if not most or table.kind == "count":
        return {}
    if table.has_own_shadow:
        text = (
            f"{table.source}: the largest contributions are those to a shadow variable that differs from "
            f"{table.response}; they are left out. Rules of a job are applied to the shadow variable."
        )
        notes.append(Note("argus_shadow", text))
        return {}

    def rank(at: int) -> Callable[[Row], Fraction | None]:
        return lambda row: row.tops[at] if at < len(row.tops) else None

    return {"contributors": [add(f"top{at + 1}", rank(at)) for at in range(most)]}


def _text(value: Fraction | int | str | None) -> str | None:
    if isinstance(value, Fraction):
        return decimal_text(value)
    return value if value is None or isinstance(value, str) else str(value)
