"""Small counts of two periods, and every pair of tables that fits what is said of them."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

CODES = ["A", "B", "C"]
Row = dict[str, int]


def random_pair(random: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """This period's table and last period's: code -> (true value, status); the totals are published."""

    def table() -> dict[str, Any]:
        values = {code: random.choice([0, 1, 2, 3, 4, 6]) for code in CODES}
        found = {code: (value, random.choice(["primary", "secondary", "published"])) for code, value in values.items()}
        return {**found, "T": (sum(values.values()), "published")}

    return table(), table()


def random_range(random: Random) -> tuple[Fraction, Fraction]:
    """A range of growth with awkward factors."""
    low = Fraction(random.choice(["0", "1/2", "0.7", "0.9", "1"]))
    return low, max(low, Fraction(random.choice(["1", "1.1", "4/3", "1.5", "2", "3"])))


def document(now: dict[str, Any], then: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """The release file of both periods, with true values; said: `growth` or `change`."""

    def table(cells: dict[str, Any]) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {"region": [], "value": [], "status": []}
        for code, (value, status) in cells.items():
            columns["region"].append(code)
            columns["value"].append(value)
            columns["status"].append(status)
        return {"name": "t", "measure": "n", "status": "status", "cells": columns}

    return {
        "tableseal": 1,
        "measures": {"n": {"kind": "count"}},
        "variables": {"region": {"total": "T", "codes": CODES}},
        "tables": [table(now)],
        "previous": {"period": "before", "tables": [table(then)], **said},
    }


def tables_of(cells: dict[str, Any]) -> list[Row]:
    """Every table that fits what one period publishes."""
    total = cells["T"][0]
    free = [code for code in CODES if cells[code][1] != "published"]
    fixed = {code: cells[code][0] for code in CODES if code not in free}
    found = []
    for values in product(range(total + 1), repeat=len(free)):
        row = {**fixed, **dict(zip(free, values, strict=True))}
        if sum(row.values()) == total:
            found.append({**row, "T": total})
    return found


def pairs(now: dict[str, Any], then: dict[str, Any], fits: Any) -> Iterator[tuple[Row, Row]]:
    """Every pair of tables in which each cell that has to fit does. fits: (code, now, then) -> bool."""
    before = tables_of(then)
    for one in tables_of(now):
        for other in before:
            if all(fits(code, one[code], other[code]) for code in one):
                yield one, other
