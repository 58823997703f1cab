"""Cells that are released rounded: what a search does for them, and what it cannot."""

from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Status
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.suppress import suppress


def beside(values: list[int], rounded: list[int], status: list[str], require: dict[str, Any]) -> dict[str, Any]:
    """Counts of x, y, z and their total, exactly; the same but for y rounded to base 5."""
    cells = {"a": ["x", "y", "z", "T"], "value": values, "status": status}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y", "z"]}, "b": {"total": "U", "codes": ["p", "q"]}},
        "tables": [
            {"name": "exact", "cells": cells, "status": "status"},
            {
                "name": "crossed",
                "cells": {"a": ["x", "x"], "b": ["p", "q"], "value": rounded, "truth": [values[0] - 4, 4]},
                "truth": "truth",
                "rounding": {"base": 5, "method": "random"},
                "absent": {"leaves": "not_released", "totals": "not_released"},
            },
        ],
        "policy": {"require": require},
        "intruder": {"insiders": []},
    }


def test_what_is_withheld_elsewhere_keeps_rounded_cells_open() -> None:
    """CONVENTION 605: x = p + q is published; p and q have as many values as p + q = x leaves them. A limit on the risk
    that this does not meet is met once x is withheld."""
    free = suppress(release_from_document(beside([7, 30, 8, 45], [5, 5], ["", "primary", "", ""], {})))
    risk = suppress(release_from_document(beside([7, 30, 8, 45], [5, 5], ["", "primary", "", ""], {"risk": 0.33})))
    assert free.verdict == risk.verdict == "safe"
    assert free.problem.requirements != risk.problem.requirements
    rounded = [c for c in risk.report.cells if c.table == "crossed"]  # type: ignore[union-attr]
    assert [c.risk is not None and c.risk <= 0.33 for c in rounded] == [True, True]


def test_a_rounding_that_leaves_too_few_values_is_refused_with_the_reason() -> None:
    """CONVENTION 605: nine values are the most that base 5 leaves."""
    document = beside([7, 30, 8, 45], [5, 5], ["", "primary", "", ""], {"risk": 0.3})
    result = suppress(release_from_document(document))
    assert (result.found.status, result.verdict) == ("infeasible", "unsafe")
    assert "It stands in a rounded table" in suppression_text(result, limit=None)
    assert suppression_report(result).verdict == "unsafe"


@pytest.mark.parametrize("status", ["", "must_publish"])
def test_a_cell_that_another_table_publishes_exactly_is_withheld_if_it_may_be(status: str) -> None:
    """CONVENTION 605 and 606: rounding it was for nothing, and it is as sensitive as any cell that must not come out;
    else the reason is given."""
    document = beside([7, 30, 8, 45], [5, 5], ["", "primary", status, ""], {})
    again = {**document["tables"][1], "name": "again", "cells": {"a": ["z"], "value": [10]}}
    document["tables"].append({key: value for key, value in again.items() if key != "truth"})
    result = suppress(release_from_document(document))
    if status:
        assert result.found.status == "infeasible"
        assert "another one publishes its exact value" in suppression_text(result, limit=None)
    else:
        assert result.verdict == "safe"
        assert result.release is not None
        assert [Status(int(t.status[at])).word for t, at in zip(result.release.tables[::2], (2, 0), strict=True)] == [
            "primary",
            "primary",
        ]


def test_true_values_that_withheld_cells_cannot_have_are_named() -> None:
    """CONVENTION 607."""
    cells = {"a": ["x", "y", "z", "T"], "value": [0, 6, 3, 9], "s": ["primary", "", "", ""]}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y", "z"]}},
        "tables": [{"name": "t", "cells": cells, "status": "s"}],
        "intruder": {"nonempty": True},
    }
    with pytest.raises(InputError, match=r"a=x in table .t.: is withheld, but its true value contradicts .*nonempty"):
        suppress(release_from_document(document))


def all_rounded(status: str, shown: int | None) -> dict[str, Any]:
    """A table rounded to base 5 whose first cell, 2, is sensitive by rule."""
    cells = {
        "a": [a for a in "xyzT" for _ in range(3)],
        "b": ["p", "q", "U"] * 4,
        "value": [shown, 10, 15, 20, 30, 50, 5, 5, 10, 30, 45, 75],
        "truth": [2, 11, 13, 21, 31, 52, 4, 6, 10, 27, 48, 75],
        "status": [status] + [""] * 11,
    }
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y", "z"]}, "b": {"total": "U", "codes": ["p", "q"]}},
        "tables": [
            {
                "name": "t",
                "cells": cells,
                "truth": "truth",
                "status": "status",
                "rounding": {"base": 5, "method": "random"},
            }
        ],
        "policy": {"primary": [{"threshold": 3}]},
        "intruder": {"insiders": []},
    }


def test_a_sensitive_cell_of_a_rounded_table_is_refused_with_what_to_do_and_that_works() -> None:
    """CONVENTION 609"""
    with pytest.raises(
        InputError, match=r'a=x, b=p in table "t".*rounded table \(1 such cell\).*leave the cell\'s value'
    ):
        suppress(release_from_document(all_rounded("", 0)))
    result = suppress(release_from_document(all_rounded("primary", None)))
    assert (result.verdict, result.secondary) == ("safe", 0)
    assert result.report is not None
    left_out = next(c for c in result.report.cells if c.cell == (("a", "x"), ("b", "p")))
    assert left_out.upper is not None
    assert left_out.upper - (left_out.lower or 0) >= 13
