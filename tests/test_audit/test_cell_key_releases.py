"""What a release of counts that were changed by cell keys leaves possible, against every table that fits."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit

ROWS, COLUMNS = "AB", "DEF"


def document(shown: dict[str, int], scheme: dict[str, Any]) -> dict[str, Any]:
    """Two-way counts with margins; names of cells are two letters, T for a total."""
    cells = {"v1": [c[0] for c in shown], "v2": [c[1] for c in shown], "value": list(shown.values())}
    codes = {name: sorted({c[k] for c in shown} - {"T"}) for k, name in enumerate(("v1", "v2"))}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {name: {"total": "T", "codes": own} for name, own in codes.items()},
        "tables": [{"name": "t", "cells": cells, "rounding": scheme}],
    }


def with_margins(inner: dict[str, int]) -> dict[str, int]:
    """Inner cells and their sums."""
    rows, columns = sorted({c[0] for c in inner}), sorted({c[1] for c in inner})
    sums = {r + "T": sum(inner[r + c] for c in columns) for r in rows}
    sums |= {"T" + c: sum(inner[r + c] for r in rows) for c in columns}
    return inner | sums | {"TT": sum(inner.values())}


def results(true: int, widest: int, never: int, zeros: str) -> list[int]:
    """What a count may become."""
    if true == 0 and zeros == "stay":
        return [0]
    return [y for y in range(max(0, true - widest), true + widest + 1) if not 1 <= y <= never]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_audit_agrees_with_all_tables_within_the_range(data: st.DataObject) -> None:
    """CONVENTION 744: 2 x 2 and 2 x 3 counts."""
    widest, zeros = data.draw(st.integers(1, 2)), data.draw(st.sampled_from(["stay", "change"]))
    never = data.draw(st.integers(0, widest))
    columns = COLUMNS[: data.draw(st.integers(2, 3 if widest == 1 else 2))]
    inner = {r + c: data.draw(st.integers(0, 4)) for r in ROWS for c in columns}
    shown = {c: data.draw(st.sampled_from(results(n, widest, never, zeros))) for c, n in with_margins(inner).items()}
    release = release_from_document(
        document(shown, {"method": "cell_key", "range": widest, "never": never, "zeros": zeros})
    )
    found = {"".join(dict(c.cell).values()): (c.lower, c.upper) for c in audit(release).report.cells}
    around = [range(max(0, shown[c] - widest), shown[c] + widest + 1) for c in inner]
    fits = []
    for values in product(*around):
        table = with_margins(dict(zip(inner, values, strict=True)))
        if all(shown[c] in results(n, widest, never, zeros) for c, n in table.items()):
            fits.append(list(table.values()))
    low, high = np.min(fits, axis=0).tolist(), np.max(fits, axis=0).tolist()
    assert found == dict(zip(with_margins(inner), zip(low, high, strict=True), strict=True))


@pytest.mark.parametrize("zeros", ["stay", "change"])
def test_three_of_four_zeros_come_back(zeros: str) -> None:
    """CONVENTION 744. Smith and Elliot 2007, figures 2.2, 2.5 and 2.6: all counts and margins within 1."""
    shown = {"AD": 0, "AE": 3, "AF": 0, "BD": 3, "BE": 0, "BF": 0, "CD": 3, "CE": 3, "CF": 0}
    shown |= {"AT": 3, "BT": 3, "CT": 6, "TD": 9, "TE": 6, "TF": 0, "TT": 12}
    release = document(shown, {"method": "cell_key", "range": 1, "zeros": zeros})
    found = audit(release_from_document(release)).report
    bounds = {"".join(dict(c.cell).values()): (c.lower, c.upper) for c in found.cells}
    expected = {"AD": (0, 1), "AE": (2, 3), "AF": (0, 0), "BD": (3, 4), "BE": (0, 1), "BF": (0, 0)}
    expected |= {"CD": (3, 4), "CE": (2, 3), "CF": (0, 0)}
    assert {name: bounds[name] for name in expected} == expected
