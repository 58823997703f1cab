"""Small releases of one variable a (T: k, l, m), for tests of single rules."""

from collections.abc import Sequence
from typing import Any

from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report, ReportCell

Values = Sequence[int | None]


def table(codes: Sequence[str], value: Values, *, status: Sequence[str] = (), **entry: Any) -> dict[str, Any]:
    """A table of variable a; keys of `entry` whose value is a column of its own are written as (key, list)."""
    cells: dict[str, Any] = {"a": list(codes), "value": list(value)}
    found: dict[str, Any] = {"name": entry.pop("name", "t"), "cells": cells}
    if status:
        cells["s"] = list(status)
        found["status"] = "s"
    for key in ("truth", "frequency", "lower", "upper"):
        if key in entry:
            cells[f"column_{key}"] = entry.pop(key)
            found[key] = f"column_{key}"
    if "largest" in entry:
        cells["top"] = entry.pop("largest")
        found["contributors"] = ["top"]
    return found | entry


def document(*tables: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A release document of these tables; a count unless `changes` say otherwise."""
    variables = {"a": {"total": "T", "codes": ["k", "l", "m"]}}
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": list(tables)} | changes


def report(*tables: dict[str, Any], options: dict[str, Any] | None = None, **changes: Any) -> Report:
    """The audit of such a release; `options` are those of `audit`."""
    return audit(release_from_document(document(*tables, **changes)), **(options or {})).report


def cells(found: Report) -> dict[str, ReportCell]:
    """The listed cells by the codes of all their variables, such as "k" or "k,x"."""
    return {",".join(code for _, code in cell.cell): cell for cell in found.cells}


def interval(cell: ReportCell) -> tuple[Any, Any]:
    """The outer interval."""
    return cell.lower, cell.upper


def one_variable(codes: list[str], cells: dict[str, list[Any]], **table: Any) -> dict[str, Any]:
    """A release document of one count table "t" over one variable d with total T."""
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"d": {"total": "T", "codes": codes}},
        "tables": [{"name": "t", "cells": cells, **table}],
    }


def audited(document: dict[str, Any], **options: Any) -> Report:
    """The report on a release document."""
    return audit(release_from_document(document), **options).report


def many_blocks(years: int = 6) -> dict[str, Any]:
    """Years that are never added up, each a 4 x 4 table with its margins, some of it withheld: one component a year."""
    codes = ["T", "1", "2", "3", "4"]
    cells: dict[str, list[Any]] = {"year": [], "a": [], "b": [], "value": [], "s": []}
    for year in range(years):
        inner = [[(3 * i + 5 * j + 7 * year) % 11 for j in range(4)] for i in range(4)]
        for a in range(5):
            for b in range(5):
                block = [row if b == 0 else [row[b - 1]] for row in (inner if a == 0 else [inner[a - 1]])]
                withheld = 1 <= a <= 3 and 1 <= b <= 3 and (a + b + year) % 3 > 0
                for name, entry in (("year", str(year)), ("a", codes[a]), ("b", codes[b])):
                    cells[name].append(entry)
                cells["value"].append(sum(map(sum, block)))
                cells["s"].append("primary" if withheld else "")
    split = {"total": "T", "codes": codes[1:]}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"year": {"codes": [str(y) for y in range(years)]}, "a": split, "b": split},
        "tables": [{"name": "t", "cells": cells, "status": "s"}],
    }
