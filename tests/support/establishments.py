"""Releases of magnitudes with the records behind them: nested regions by activities, in one table or linked ones."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release

REGIONS = {"A": ("1", "2"), "B": ("3", "4")}
KINDS = ("x", "y", "z")

Record = tuple[str, str, int, str]
"""Region, activity, amount, holding."""

P_PERCENT: dict[str, Any] = {"primary": [{"p_percent": 10}]}


def establishments(number: int, seed: int, holdings: int | None = None) -> list[Record]:
    """Skewed amounts; each holding has a few establishments."""
    random = np.random.default_rng(seed)
    amounts = np.ceil(np.exp(random.normal(5, 1.2, number))).astype(np.int64)
    regions = random.choice([code for codes in REGIONS.values() for code in codes], number)
    kinds = random.choice(KINDS, number)
    owner = random.integers(0, holdings or max(1, number // 2), number)
    rows = zip(regions.tolist(), kinds.tolist(), amounts.tolist(), owner.tolist(), strict=True)
    return [(region, kind, amount, f"h{h}") for region, kind, amount, h in rows]


def document(records: Sequence[Record], *, linked: bool = False, **more: Any) -> dict[str, Any]:
    """linked: a table of regions and one of activities by groups of regions, in place of one of all."""
    region, kind = [*"1234", *REGIONS, "T"], [*KINDS, "T"]
    axes = {"t": (region, kind)} if not linked else {"t": (region, ["T"]), "u": ([*REGIONS, "T"], kind)}
    tables = []
    for name, (own_regions, own_kinds) in axes.items():
        rows = list(product(own_regions, own_kinds))
        inside = {r: REGIONS.get(r, tuple("1234") if r == "T" else (r,)) for r in own_regions}
        value = [sum(v for i, j, v, _ in records if i in inside[r] and k in (j, "T")) for r, k in rows]
        tables.append(
            {"name": name, "cells": {"region": [r for r, _ in rows], "kind": [k for _, k in rows], "value": value}}
        )
    columns = dict(zip(("region", "kind", "m", "holding"), map(list, zip(*records, strict=True)), strict=True))
    return {
        "tableseal": 1,
        "measures": {"m": {"kind": "magnitude", "unit": 1}},
        "variables": {
            "region": {"total": "T", "tree": {group: list(codes) for group, codes in REGIONS.items()}},
            "kind": {"total": "T", "codes": list(KINDS)},
        },
        "tables": tables,
        "microdata": {"cells": columns, "values": {"m": "m"}, "holding": "holding"},
    } | more


def published(records: Sequence[Record], **more: Any) -> Release:
    return release_from_document(document(records, **more))
