"""Tables in hand answer for many insiders at once: the same findings as every insider asked from nothing."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import InputError
from audit.io import release_from_document
from audit.measures.insiders.areas import Area
from audit.measures.insiders.shown import Shown
from audit.pipeline import audit

SEEDS = st.integers(0, 2**40)
Row = tuple[str, str, int, str, str]


def firms(random: Random, shape: tuple[int, int]) -> list[Row]:
    """(activity, region, turnover, id, holding) of a few firms in most cells; some firms are in several cells."""
    holdings = [f"H{k}" for k in range(4)]
    rows = []
    for a in range(shape[0]):
        for b in range(shape[1]):
            for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3, 5])):
                group = random.choice(holdings) if random.random() < 0.3 else ""
                rows.append((f"a{a}", f"b{b}", random.choice([1, 3, 10, 40, 200]), f"f{len(rows)}", group))
    return rows


def document(seed: int) -> dict[str, Any]:
    """A table of a magnitude or of a count, some cells withheld, with the microdata behind it."""
    random = Random(seed)
    shape = random.choice([(2, 3), (3, 3), (3, 4), (4, 4)])
    count = random.random() < 0.4
    rows = firms(random, shape)
    cells: dict[str, list[Any]] = {name: [] for name in ("a", "b", "value", "freq", "x1", "x2", "s", "true")}
    for a in [*(f"a{k}" for k in range(shape[0])), "T"]:
        for b in [*(f"b{k}" for k in range(shape[1])), "T"]:
            given = sorted((r[2] for r in rows if a in (r[0], "T") and b in (r[1], "T")), reverse=True)
            true = len(given) if count else sum(given)
            withheld = random.random() < (0.15 if "T" in (a, b) else 0.7)
            cells["a"].append(a)
            cells["b"].append(b)
            cells["value"].append(None if withheld else true)
            cells["freq"].append(len(given))
            cells["x1"].append(given[0] if given else 0)
            cells["x2"].append(given[1] if len(given) > 1 else 0)
            cells["s"].append(random.choice(["primary", "secondary"]) if withheld else "")
            cells["true"].append(true)
    table: dict[str, Any] = {"name": "t", "cells": cells, "status": "s", "truth": "true"}
    if not count:
        table |= {"frequency": "freq", "contributors": ["x1", "x2"]}
    result: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count" if count else "magnitude",
        "unit": 1,
        "variables": {
            "a": {"total": "T", "codes": [f"a{k}" for k in range(shape[0])]},
            "b": {"total": "T", "codes": [f"b{k}" for k in range(shape[1])]},
        },
        "tables": [table],
        "policy": {"insider": {"p_percent": random.choice([5, 20, 60])}},
        "intruder": {"coalition": random.choice([1, 1, 2, 3])},
    }
    if not count and random.random() < 0.7:
        names = ("a", "b", "sales", "id", "group")
        result["microdata"] = {
            "cells": {name: [row[i] for row in rows] for i, name in enumerate(names)},
            "columns": {"a": "a", "b": "b"},
            "values": {"value": "sales"},
            "id": "id",
            "holding": "group",
        }
    return result


Said = dict[tuple[str, ...], tuple[Any, ...]]


def said(document: dict[str, Any]) -> Said:
    """Verdict of each cell, and who gets how close to it."""
    report = audit(release_from_document(document)).report
    return {
        tuple(code for _, code in cell.cell): (
            cell.verdict,
            cell.reason,
            None if cell.insider is None else (cell.insider.who, *cell.insider.estimates),
        )
        for cell in report.cells
    }


def nothing(self: Shown, area: Area) -> Sequence[np.ndarray]:
    return [np.zeros(len(view.targets), np.bool_) for view in area.views]


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_as_every_insider_from_nothing(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shown, "__call__", nothing)
        alone = said(document(seed))
    assert said(document(seed)) == alone
