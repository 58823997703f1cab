"""Problems of the R package sdcTable as JSON, as jsonlite writes and reads the arguments of `makeProblem`:

    toJSON(list(dimList = ..., data = ..., freqVar = "freq", numVar = "turnover"))

`dimList`: variable -> data frame of `levels` (`@` the total, `@@` below it, ...) and `codes`. `data`: one row for each
cell (as `sdcProb2df(problem, dimCodes = "original")` gives it), by rows or by columns: codes of the variables, `freq`
(number of contributors), magnitudes, `sdcStatus` (s, z, u, x, w) and perhaps `weight` (cost). Ours has `decimals`
besides, the precision of magnitudes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final

from tableseal.audit.codec.exact_json import Json, dumps
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.shown import ShownCell, ShownTable, shown_table
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.format import Letters
from tableseal.audit.io.hierarchies import sign_edges
from tableseal.audit.io.numbers import decimal, decimal_text, places
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.model import Hierarchy, Release, Status
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import listing, quoted, suggestion

FREQUENCY, STATUS, WEIGHT = "freq", "sdcStatus", "weight"
_LETTERS: Final[Mapping[Status, str]] = {
    Status.PUBLISHED: "s",
    Status.MUST_PUBLISH: "z",
    Status.PRIMARY: "u",
    Status.SECONDARY: "x",
    Status.MISSING: "w",
}


def read(folder: Folder, name: str, letters: Letters) -> dict[str, Any]:
    """The release of a problem.

    Raises
    ------
    InputError: no dimension lists or rows, variables that rows do not have, levels that are none, unknown letters.
    """
    top = Place(name)
    document = _object(parse_document(folder.text(name, top), name, json_only=True), top)
    variables = {
        variable: _variable(entry, top / "dimList" / variable)
        for variable, entry in _object(document.get("dimList"), top / "dimList").items()
    }
    if not variables:
        raise InputError(expected="a dimension list for each variable", at=top / "dimList")
    columns = _columns(document.get("data"), top / "data")
    for variable in variables:
        columns.column(variable, f"the codes of {quoted(variable)}")
    columns.column(STATUS, "the statuses of cells")
    frequency = _named(document, "freqVar", columns, top) or (FREQUENCY if FREQUENCY in columns.data else None)
    value = _named(document, "numVar", columns, top) or frequency
    if value is None:
        raise InputError(f"has neither {quoted(FREQUENCY)} nor a `numVar` that says where values are.", at=top / "data")
    counts = value == frequency
    table: dict[str, Any] = {"name": _stem(name), "value": value, "decimal": ".", "cells": columns}
    table["status"] = {"column": STATUS, "map": _statuses() | dict(letters)}
    if not counts and frequency is not None:
        table["frequency"] = frequency
    if WEIGHT in columns.data:
        table["cost"] = WEIGHT
    measure = {"kind": "count"}
    if not counts:
        measure = {"kind": "magnitude", "unit": _unit(document, columns, value, top)}
    return {
        "tableseal": "1",
        "title": "",
        "measures": {value: measure},
        "variables": variables,
        "tables": [table | {"measure": value}],
        "intruder": {"nonnegative": not any((text or "").startswith("-") for text in columns.data[value].texts)},
    }


def write(release: Release, name: str) -> dict[str, bytes]:
    """The problem of a release of one table.

    Raises
    ------
    InputError: several tables, or what `shown_table` cannot list.
    """
    if len(release.tables) != 1 or release.statistics:
        count = len(release.tables) + len(release.statistics)
        raise InputError(f"the release has {count} tables, and a problem of sdcTable has one.", at=name)
    shown = shown_table(release, 0)
    taken = {h.name for h in shown.dimensions} & {FREQUENCY, STATUS, WEIGHT, shown.table.measure}
    if taken:
        raise InputError(f"variables are called {listing(sorted(taken))}, as other columns are.", at=name)
    document: dict[str, Json] = {"dimList": {h.name: _dimension_list(h) for h in shown.dimensions}}
    measure = shown.table.measure
    if shown.counts:
        document["freqVar"] = measure
    else:
        document["numVar"] = measure
        document["decimals"] = shown.decimals
    document["data"] = [_row(shown, cell) for cell in shown.cells]
    return {name: (dumps(document, indent=1) + "\n").encode()}


def dimension_list(hierarchy: Hierarchy) -> list[tuple[str, str]]:
    """Levels and codes, the total first, in the order of the tree."""
    below: dict[int, list[int]] = {}
    for code, parent in enumerate(hierarchy.parents[0].tolist()):
        if parent >= 0:
            below.setdefault(parent, []).append(code)
    assert hierarchy.total_index is not None
    found: list[tuple[str, str]] = []
    left = [(hierarchy.total_index, 1)]
    while left:
        code, depth = left.pop()
        found.append(("@" * depth, hierarchy.codes[code]))
        left += [(child, depth + 1) for child in reversed(below.get(code, []))]
    return found


def _dimension_list(hierarchy: Hierarchy) -> list[Json]:
    return [{"levels": level, "codes": code} for level, code in dimension_list(hierarchy)]


def _row(shown: ShownTable, cell: ShownCell) -> dict[str, Json]:
    found: dict[str, Json] = {h.name: code for h, code in zip(shown.dimensions, cell.codes, strict=True)}
    found[shown.table.measure] = cell.value
    if not shown.counts and shown.table.frequency is not None:
        found[FREQUENCY] = cell.frequency
    if shown.table.cost is not None:
        found[WEIGHT] = cell.cost
    return found | {STATUS: _LETTERS[cell.status]}


def _object(found: Document | None, where: Place) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise InputError(found="nothing" if found is None else "no object", expected="an object", at=where)
    return found


def _columns(found: Document | None, where: Place) -> Columns:
    """A data frame, by rows or by columns."""
    if isinstance(found, Mapping):
        data = {key: _entries(entries, where / key) for key, entries in found.items()}
    elif isinstance(found, list) and found:
        rows = [_object(row, where / at) for at, row in enumerate(found)]
        names = list(dict.fromkeys(key for row in rows for key in row))
        data = {key: [_entry(row.get(key), where / at / key) for at, row in enumerate(rows)] for key in names}
    else:
        raise InputError(expected="rows", at=where)
    lengths = {key: len(entries) for key, entries in data.items()}
    if len(set(lengths.values())) != 1 or not all(lengths.values()):
        raise InputError("its columns have different lengths, or none.", at=where)
    return Columns.of(where, data)


def _entries(found: object, where: Place) -> list[str | None]:
    if not isinstance(found, list):
        raise InputError(expected="a list", at=where)
    return [_entry(entry, where / at) for at, entry in enumerate(found)]


def _entry(found: object, where: Place) -> str | None:
    if found is not None and not isinstance(found, str):
        raise InputError(expected="a text or a number", at=where)
    return found


def _variable(found: Document | None, where: Place) -> dict[str, Any]:
    columns = _columns(found, where)
    edges = sign_edges(columns, "levels", "codes")
    tops = [code for parent, code in edges if parent is None]
    if len(tops) != 1:
        text = f"has {len(tops)} codes of level @ ({listing(tops[:5])}), expected the total alone."
        raise InputError(text, at=where)
    codes = [code for _, code in edges if code != tops[0]]
    return {"total": tops[0], "codes": codes, "tree": _nested(edges, tops[0])}


def _nested(edges: Sequence[Edge], total: str) -> dict[str, Any]:
    """What lies below the total. Rows are in the order of the tree, so that parents come first."""
    trees: dict[str, dict[str, Any]] = {total: {}}
    for parent, code in edges:
        if parent is not None:
            trees[parent][code] = trees[code] = {}
    return trees[total]


def _named(document: Mapping[str, Any], key: str, columns: Columns, top: Place) -> str | None:
    """The column that the document names; jsonlite writes a text as a list of one."""
    said = document.get(key)
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    if said is None:
        return None
    if not isinstance(said, str) or said not in columns.data:
        near = suggestion(str(said), columns.data)
        raise InputError(f"there is no such column{near}; columns are {listing(columns.data)}.", at=top / key)
    return said


def _statuses() -> dict[str, str]:
    return {letter: status.word for letter, status in SCHEMES["sdctable"].items() if letter}


def _unit(document: Mapping[str, Any], columns: Columns, value: str, top: Place) -> str:
    said = document.get("decimals")
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    if said is not None:
        if not isinstance(said, str) or not (said.isascii() and said.isdigit() and len(said) < 3 and int(said) <= 15):
            raise InputError(expected="a whole number up to 15", at=top / "decimals")
        return decimal_text(Fraction(1, 10 ** int(said)))
    digits = 0
    for row, text in enumerate(columns.data[value]):
        try:
            digits = max(digits, places(decimal(text)) or 0) if text else digits
        except ValueError:
            raise InputError(found=quoted(text), expected="a number", at=columns.place(row, value)) from None
    return decimal_text(Fraction(1, 10**digits))


def _stem(name: str) -> str:
    return PurePath(name).name.partition(".")[0]
