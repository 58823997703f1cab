"""Random small releases of companies with holdings: hierarchical, linked, with totals that no table shows."""

import itertools
from collections.abc import Sequence
from random import Random
from typing import Any

from oracle import Document

REGIONS: Sequence[dict[str, Any]] = (
    {"total": "T", "codes": ["1", "2", "3"]},
    {"total": "T", "tree": {"A": ["1", "2"], "B": ["3", "4"]}},
    {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}},
    {"total": "T", "trees": [{"A": ["1", "2"], "B": ["3", "4"]}, {"P": ["1", "3"], "Q": ["2", "4"]}]},
)
"""Flat, nested with a one-child level, two groupings that cross."""

LEAVES = {"1": "TAP", "2": "TAQ", "3": "TBP", "4": "TBQ"}
"""What each leaf of a region lies in."""

RULES: Sequence[Sequence[Any]] = (
    [{"threshold": 2}, {"p_percent": 10}],
    [{"threshold": 2}],
    [{"dominance": {"n": 1, "k": 80}}],
    [{"threshold": 3}, {"p_percent": 5}],
)


def companies_document(random: Random, *, few: bool = False) -> Document:
    """One release; every choice comes from `random`. few: cells that are not sensitive are mostly not withheld."""
    region = random.choice(REGIONS)
    shown = sorted({code for v in region.values() for code in _codes(v)} | {"T"})
    leaves = [code for code in shown if code in LEAVES]
    members = [
        (
            random.choice(leaves),
            random.choice("xy"),
            random.choice([1, 5, 20, 90, 300]),
            random.choice(["H", "G", "", ""]),
        )
        for _ in range(random.randint(5, 14))
    ]
    tables = []
    for name, kinds in random.choice(((("t", "Txy"),), (("t", "Txy"),), (("t", "xy"),), (("t", "x"), ("u", "T")))):
        axis = [c for c in shown if c != "T" or random.random() < 0.8]
        tables.append(_table(random, name, members, axis, kinds, fixed=0.5 if few else 0.15))
    records: dict[str, list[Any]] = {v: [m[k] for m in members] for k, v in enumerate(("a", "b", "m", "holding"))}
    return {
        "tableseal": 1,
        "measures": {"m": {"kind": "magnitude", "unit": 1}},
        "variables": {"a": dict(region), "b": {"total": "T", "codes": ["x", "y"]}},
        "tables": [table for table in tables if table["cells"]["value"]],
        "microdata": {
            "cells": {**records, "id": [str(k) for k in range(len(members))]},
            "values": {"m": "m"},
            "id": "id",
            "holding": "holding",
        },
        "intruder": {"coalition": random.choice([1, 1, 2])},
        "policy": {"primary": list(random.choice(RULES)), "insider": {"p_percent": random.choice([1, 10, 50])}},
    }


def _codes(tree: Any) -> list[str]:
    """All codes in a classification."""
    if isinstance(tree, dict):
        return [c for group, inside in tree.items() for c in (group, *_codes(inside))]
    return [c for inside in tree for c in ([inside] if isinstance(inside, str) else _codes(inside))]


def _table(
    random: Random,
    name: str,
    members: Sequence[tuple[str, str, int, str]],
    axis: Sequence[str],
    kinds: str,
    fixed: float,
) -> dict[str, Any]:
    """A table; some of its cells that several companies fill are frozen."""
    cells: dict[str, list[Any]] = {"a": [], "b": [], "value": [], "s": []}
    for a, b in itertools.product(axis, kinds):
        inside = [size for i, j, size, _ in members if a in (i, *LEAVES[i]) and b in ("T", j)]
        if inside:
            frozen = len(inside) > 3 and max(inside) * 2 < sum(inside) and random.random() < fixed
            for column, entry in zip(cells, (a, b, sum(inside), "frozen" if frozen else ""), strict=True):
                cells[column].append(entry)
    return {"name": name, "cells": cells, "status": "s"}
