"""Contradictions of one unit between released values of any size are named, and nothing else is."""

from random import Random
from typing import Any

import pytest
from small import audited

from tableseal.audit.errors import ContradictionError

CODES = ["1", "2", "3", "4"]


def contradiction(size: int, seed: int, *, small: bool) -> dict[str, Any]:
    """Margins of a hidden 4 x 4 table, and two links that leave row 1 one unit short; `small`: of few units."""
    random = Random(seed)
    hidden = {(a, b): random.randrange(size, 3 * size) for a in CODES for b in CODES}
    if small:
        hidden |= {("1", b): random.randrange(1, 5) for b in CODES}
    margins = {("T", "T"): sum(hidden.values())}
    for code in CODES:
        margins[code, "T"] = sum(hidden[code, b] for b in CODES)
        margins["T", code] = sum(hidden[a, code] for a in CODES)
    cells = {
        "a": [a for a, _ in (*margins, *hidden)],
        "b": [b for _, b in (*margins, *hidden)],
        "value": [*map(str, margins.values()), *[None] * len(hidden)],
        "status": ["published"] * len(margins) + ["withheld"] * len(hidden),
    }
    variable = {"total": "T", "codes": CODES}
    return {
        "tableseal": "1",
        "kind": "magnitude",
        "unit": "1",
        "variables": {"a": variable, "b": variable},
        "tables": [{"name": "t", "value": "value", "status": "status", "cells": cells}],
        "links": [
            {
                "terms": [["1", {"a": "1", "b": b}] for b in pair],
                "upper": str(sum(hidden["1", b] for b in pair) - short),
            }
            for pair, short in ((("1", "2"), 0), (("3", "4"), 1))
        ],
    }


@pytest.mark.parametrize("size", [10, 10**9, 10**13, 10**15, 10**16])
@pytest.mark.parametrize("small", [False, True])
def test_one_unit_is_told_from_rounding_errors(size: int, small: bool) -> None:
    for seed in range(3):
        with pytest.raises(ContradictionError) as told:
            audited(contradiction(size, seed, small=small))
        lines = str(told.value).splitlines()[1:]
        assert any("link 1 " in line for line in lines)
        assert any("link 2 " in line for line in lines)
        assert any("a=1, b=T" in line for line in lines) or len(lines) > 5  # or what adds up to it
