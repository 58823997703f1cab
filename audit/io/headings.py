"""A table as it is written to a CSV file, with the names and the mark of the user's own file."""

from collections.abc import Mapping
from typing import Any

from tableseal.audit.io.canonical import free_name
from tableseal.audit.io.numbers import looks_like_number
from tableseal.audit.io.separators import Signs, recognised
from tableseal.audit.model import Release, Status, Table


def reads_as_number(text: str) -> bool:
    """Whether a mark would be taken for a number, by us or by a spreadsheet."""
    try:
        float(text)  # "nan" and "inf" among them
    except ValueError:
        return looks_like_number(text) or recognised([text]) != Signs()
    return True


def with_headings(written: Mapping[str, Any], table: Table, release: Release, mark: str | None) -> dict[str, Any]:
    """An entry of `tables` of a canonical document whose columns are called as in the user's file.

    mark: stands for every withheld value that is not told; None: that is left empty.
    """
    found, cells = dict(written), dict(written["cells"])
    if mark is not None:
        hidden = (table.status >= Status.SECONDARY) & ~table.value.known
        if hidden.any():
            values = zip(cells[found["value"]], hidden.tolist(), strict=True)
            cells[found["value"]] = [mark if withheld else value for value, withheld in values]
            found["marks"] = {mark: Status.WITHHELD.word}
    if table.headings is None:
        return found | {"cells": cells}
    own = {name: table.headings.variables.get(name, name) for name in table.named}
    names = {**own, found["value"]: table.headings.value}
    taken = {*names.values(), *release.variables}
    for column in cells:
        if column not in names:
            names[column] = free_name(column, taken)
    found["cells"] = {names[column]: entries for column, entries in cells.items()}
    for key in ("value", "status", "truth", "frequency", "weighted", "lower", "upper", "cost", "reason", "cell_key"):
        if key in found:
            found[key] = names[found[key]]
    if "contributors" in found:
        found["contributors"] = [names[column] for column in found["contributors"]]
    if "protection" in found:
        found["protection"] = {side: names[column] for side, column in found["protection"].items()}
    if any(own[name] != name for name in own):
        found["columns"] = {column: name for name, column in own.items()}
    return found
