"""Withheld cells of which nothing says how wide their interval must stay: rule by rule, with and without its data."""

from typing import Any

import pytest
from small import audited

PRIMARY = ["missing", "primary", "missing"]
RECORDS: dict[str, Any] = {
    "a": ["k"] * 4 + ["l"] * 3,
    "x": [20, 15, 15, 10, 20, 10, 10],
    "asks": [""] * 7,
    "w": [1] * 7,
}
"""60 in k and 40 in l; nobody asks for protection."""


def released(
    policy: dict[str, Any], *, kind: str = "magnitude", records: tuple[str, ...] | None = None, **columns: Any
) -> dict[str, Any]:
    """k is withheld for itself, and nothing is said of the others, which no rule must judge.

    columns: of the table, each under its own name, `top1`, ... for contributors; records: columns of microdata (None:
    none)."""
    value = [100, 60, 40]
    cells = {"a": ["T", "k", "l"], "value": [None] * 3, "s": PRIMARY, "truth": value, **columns}
    table: dict[str, Any] = {"name": "t", "status": "s", "truth": "truth", "cells": cells}
    table |= {key: key for key in ("frequency", "weighted") if key in columns}
    table |= {"contributors": tops} if (tops := [name for name in columns if name.startswith("top")]) else {}
    protection = {side: side for side in ("lower", "upper", "sliding") if side in columns}
    table |= {"protection": protection} if protection else {}
    document = {
        "tableseal": 1,
        "measures": {"x": {"kind": kind}},
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": [table],
        "intruder": {"insiders": []},
        "policy": policy,
    }
    if records is not None:
        keys = ("a", "x", *records)
        known: dict[str, Any] = {"cells": {key: RECORDS[key] for key in keys}, "values": {"x": "x"}}
        known |= {"request": "asks"} if "asks" in records else {}
        known |= {"weight": "w"} if "w" in records else {}
        document["microdata"] = known
    return document


def rule(*rules: Any, **require: Any) -> dict[str, Any]:
    return {"primary": list(rules), **({"require": require} if require else {})}


FEW, ONE, TWO = {"threshold": 3}, {"dominance": {"n": 1, "k": 80}}, {"dominance": {"n": 2, "k": 80}}
PQ, ENTROPY, REQUEST = {"pq": {"p": 10, "q": 50}}, {"entropy": "0.1"}, {"request": {}}
ATTRIBUTE, WEIGHTED = {"attribute": {"given": ["a"]}}, {"threshold": 3, "of": "weighted"}
UNITS = {"threshold": 3, "level": "unit"}
LARGEST = {"top1": [20, 20, 20], "top2": [20, 15, 10]}
NO_TRUTH = {"truth": [100, None, 40]}


@pytest.mark.parametrize(
    ("document", "unknown"),
    [
        (released(rule()), 1),
        # thresholds
        (released(rule(FEW)), 1),
        (released(rule(FEW), frequency=[9, 4, 5]), 0),
        (released(rule(FEW), kind="count"), 0),
        (released(rule(FEW), kind="count", **NO_TRUTH), 0),  # it asks for [0, 3] of such counts
        (released(rule(WEIGHTED), frequency=[9, 4, 5]), 1),
        (released(rule(WEIGHTED), weighted=[9, 4, 5]), 0),
        (released(rule(WEIGHTED), kind="count"), 0),
        (released(rule(UNITS), frequency=[9, 4, 5]), 1),  # the column may speak of holdings
        (released(rule(UNITS), records=()), 0),
        (released(rule(FEW), records=()), 0),
        (released(rule(FEW), kind="count", records=("w",)), 0),
        # magnitudes only
        (released(rule(ONE)), 1),
        (released(rule(ONE), top1=[20, 20, 20]), 0),
        (released(rule(ONE), top1=[20, None, 20]), 1),
        (released(rule(TWO), top1=[20, 20, 20]), 1),
        (released(rule(TWO), **LARGEST), 0),
        (released(rule(TWO), records=()), 0),
        (released(rule(PQ), top1=[20, 20, 20]), 1),
        (released(rule(PQ), **LARGEST), 0),
        (released(rule(ENTROPY)), 1),
        (released(rule(ENTROPY), **LARGEST), 1),
        (released(rule(ENTROPY), records=()), 0),
        (released(rule(ONE), kind="count"), 1),
        (released(rule(PQ), kind="count"), 1),
        (released(rule(ENTROPY), kind="count", records=()), 1),
        # counts only, and both
        (released(rule(ATTRIBUTE)), 1),
        (released(rule(ATTRIBUTE), kind="count"), 0),
        (released(rule(REQUEST)), 1),
        (released(rule(REQUEST), records=("asks",)), 0),
        (released(rule(REQUEST), kind="count"), 1),
        (released(rule(REQUEST), kind="count", records=("asks",)), 0),
        # all rules that concern the cell
        (released(rule(ONE, FEW), top1=[20, 20, 20]), 1),
        (released(rule(FEW, ONE), top1=[20, 20, 20]), 1),
        (released(rule(FEW, ONE), frequency=[9, 4, 5], top1=[20, 20, 20]), 0),
        (released(rule(ONE, ATTRIBUTE), top1=[20, 20, 20]), 0),
        (released(rule(ONE, FEW), kind="count"), 0),
        # sensitive by a rule, or with distances
        (released(rule({"threshold": 5}), frequency=[9, 4, 5]), 0),
        (released(rule(), upper=[None, 5, None]), 0),
        (released(rule(), lower=[None, 5, None]), 0),
        (released(rule(), sliding=[None, 5, None]), 0),
        # where the policy says what is enough
        (released(rule(ONE, protection=False)), 0),
        (released(rule(risk=1)), 0),
        (released(rule(ONE, risk=1)), 1),
        # only what is withheld for itself
        (released(rule(), s=["missing", "secondary", "secondary"]), 0),
        (released(rule(), s=["missing", "withheld", "secondary"]), 1),
        (released(rule(), s=["missing", "withheld", "primary"]), 2),
    ],
)
def test_a_cell_counts_as_judged_if_every_rule_that_concerns_it_has_its_data(
    document: dict[str, Any], unknown: int
) -> None:
    # CONVENTION 621
    assert audited(document).required_unknown == unknown
