"""Holdings and coalitions: what contributors know together, by hand and against formulas."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.attackers.estimates import largest_seen_by
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report

A = {"total": "T", "codes": ["k", "l", "m", "n"]}


def magnitudes(value: list[int | None], truth: list[int], firms: dict[str, list[Any]], **intruder: Any) -> Report:
    """Cells k, l, m, n and their total T of a magnitude, with microdata."""
    status = ["" if v is not None else "primary" for v in value]
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 1,
        "variables": {"a": A},
        "tables": [
            {
                "name": "t",
                "cells": {"a": ["T", "k", "l", "m", "n"], "value": value, "s": status, "true": truth},
                "status": "s",
                "truth": "true",
            }
        ],
        "microdata": {
            "cells": firms,
            "columns": {"a": "a"},
            "values": {"value": "sales"},
            "id": "id",
            "holding": "group",
        },
        "intruder": intruder,
    }
    return audit(release_from_document(document)).report


def found(report: Report) -> dict[str, tuple[Any, ...]]:
    """Code -> (who, lower, upper) of each cell that an insider gets too close to."""
    return {
        cell.cell[0][1]: (cell.insider.who, *cell.insider.estimates)
        for cell in report.cells
        if cell.insider is not None
    }


def firms(*rows: tuple[str, int, str, str]) -> dict[str, list[Any]]:
    names = ("a", "sales", "id", "group")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


# k and l are withheld, k + l = 190. Holding H gives 90 of 100 in k and 80 of 90 in l.
HOLDING = firms(
    ("k", 90, "1", "H"),
    ("k", 6, "2", ""),
    ("k", 4, "3", ""),
    ("l", 80, "4", "H"),
    ("l", 5, "5", ""),
    ("l", 5, "6", ""),
    ("m", 50, "7", ""),
    ("n", 60, "8", ""),
)


# CONVENTION 46
def test_a_holding_knows_what_all_its_units_gave() -> None:
    """It knows k >= 90 and l >= 80, hence k in [90, 110]: others in k give between 0 and 20, the true 6 among them."""
    values, truth = [300, None, None, 50, 60], [300, 100, 90, 50, 60]
    asked = magnitudes(values, truth, HOLDING, insiders=["holdings"])
    assert found(asked) == {}  # [0, 20] is no estimate within 10 % of 6
    assert asked.verdict == "safe"


def test_a_holding_that_is_alone_in_one_cell_computes_the_other() -> None:
    """H is all of k: it subtracts and knows l exactly."""
    rows = firms(
        ("k", 70, "1", "H"),
        ("k", 30, "2", "H"),
        ("l", 50, "3", ""),
        ("l", 40, "4", ""),
        ("m", 50, "7", ""),
        ("n", 60, "8", ""),
    )
    values, truth = [300, None, None, 50, 60], [300, 100, 90, 50, 60]
    report = magnitudes(values, truth, rows, insiders=["holdings"])
    assert found(report) == {"l": ('holding "H" (in 1 withheld cell)', 90, 90)}
    assert report.verdict == "unsafe"


def test_lower_bounds_in_several_cells_meet() -> None:
    """H gives 99 of 100 in k, 89 of 91 in l, and k + l = 191: others give 0 to 3 in either, around the true 1 and 2."""
    rows = firms(
        ("k", 99, "1", "H"),
        ("k", 1, "2", ""),
        ("l", 89, "3", "H"),
        ("l", 2, "4", ""),
        ("m", 50, "7", ""),
        ("n", 59, "8", ""),
    )
    report = magnitudes([300, None, None, 50, 59], [300, 100, 91, 50, 59], rows, insiders=["holdings"])
    assert found(report) == {}  # [0, 3] around 1 and around 2: wide in percent


def test_all_contributors_of_a_cell_together() -> None:
    """The two firms of k add up what they gave, and know k, and so l."""
    rows = firms(
        ("k", 60, "1", ""),
        ("k", 40, "2", ""),
        ("l", 30, "3", ""),
        ("l", 30, "4", ""),
        ("l", 30, "5", ""),
        ("m", 50, "7", ""),
        ("n", 60, "8", ""),
    )
    values, truth = [300, None, None, 50, 60], [300, 100, 90, 50, 60]
    alone = magnitudes(values, truth, rows, insiders=["singletons"])
    assert found(alone) == {}
    together = magnitudes(values, truth, rows, insiders=["singletons"], coalition=2)
    who, low, high = found(together)["l"]
    assert "all 2 contributors" in who
    assert (low, high) == (90, 90)


def test_the_next_largest_together_estimate_the_largest() -> None:
    """x = 100 + 60 + 30 + 10 in an interval [0, 290] cut to what outsiders know."""
    low, high = largest_seen_by([60, 30], 4)(190, 205)
    assert (low, high) == (70, 115)


@given(st.lists(st.integers(0, 60), min_size=2, max_size=6), st.integers(0, 20), st.integers(0, 20), st.integers(1, 5))
def test_estimates_of_a_group_are_valid_and_never_wider_than_those_of_the_second(
    given_amounts: list[int], below: int, above: int, size: int
) -> None:
    amounts = sorted(given_amounts, reverse=True)
    n = len(amounts)
    group = amounts[1 : 1 + min(size, n - 1)]
    total = sum(amounts)
    low, high = largest_seen_by(group, n)(total - below, total + above)
    assert low is not None
    assert high is not None
    assert low <= amounts[0] <= high
    second_low, second_high = largest_seen_by(amounts[1:2], n)(total - below, total + above)
    assert second_low is not None
    assert second_high is not None
    assert second_low <= low
    assert high <= second_high


@pytest.mark.parametrize("coalition", [1, 3])
def test_the_coalition_is_part_of_the_release(coalition: int) -> None:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": A},
        "tables": [{"name": "t", "cells": {"a": ["k"], "value": [3]}}],
        "intruder": {"coalition": coalition},
    }
    release = release_from_document(document)
    assert release.intruder.coalition == coalition
    again = canonical_json(release)
    assert (b"coalition" in again) == (coalition > 1)


def alone_in_a_row(l_y: int) -> Report:
    """Row k has one company, all of it in column x; its cells and those of row l are withheld, the totals are not."""
    value = {"kx": 50, "ky": 0, "kT": 50, "lx": 70, "ly": l_y, "lT": 70 + l_y, "Tx": 120, "Ty": l_y, "TT": 120 + l_y}
    count = {"kx": 1, "ky": 0, "kT": 1, "lx": 5, "ly": 5, "lT": 9, "Tx": 6, "Ty": 5, "TT": 9}
    cells = {
        "a": [name[0] for name in value],
        "b": [name[1] for name in value],
        "value": [None if name[0] != "T" else v for name, v in value.items()],
        "true": list(value.values()),
        "n": list(count.values()),
        "x1": [50 if name[0] == "k" and v else min(v, 20) for name, v in value.items()],
        "s": ["" if name[0] == "T" else "primary" for name in value],
    }
    table = {"name": "t", "cells": cells, "status": "s", "truth": "true", "frequency": "n", "contributors": ["x1"]}
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 1,
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "b": {"total": "T", "codes": ["x", "y"]}},
        "tables": [table],
        "intruder": {"insiders": ["singletons"]},
    }
    return audit(release_from_document(document)).report


@pytest.mark.parametrize("l_y", [1, 20, 40])
def test_who_is_alone_in_a_row_knows_that_its_other_cells_hold_nothing(l_y: int) -> None:  # CONVENTION 44
    """From the value of one cell alone it could not tell how row l is divided."""
    report = alone_in_a_row(l_y)
    close = {"".join(c for _, c in cell.cell): cell.insider for cell in report.cells if cell.insider is not None}
    assert set(close) == {"lx", "ly", "lT"}
    assert len({insider.who for insider in close.values()}) == 1


def test_who_is_alone_in_a_cell_knows_its_missing_parts_too() -> None:
    """Row 2 is 2 + withheld 3 + missing 2 = 7; the three units of the withheld margin of column 3, the missing ones
    among them, are left with 3."""
    row = [*"111", *"TTTT", *"2222"]
    column = [*"12T", *"123T", *"123T"]
    status = ["withheld", "", "", "", "withheld", "withheld", "", "", "withheld", "missing", ""]
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {name: {"total": "T", "codes": ["1", "2", "3"]} for name in "ab"},
        "tables": [
            {
                "name": "t",
                "cells": {"a": row, "b": column, "value": [3, 3, 6, 6, 7, 3, 16, 2, 3, 2, 7], "s": status},
                "status": "s",
                "absent": {"leaves": "not_released"},
            }
        ],
        "intruder": {"coalition": 3},
    }
    report = audit(release_from_document(document)).report
    exposed = next(c for c in report.cells if dict(c.cell) == {"a": "2", "b": "2"})
    assert exposed.verdict == "underprotected"
    assert exposed.insider is not None
    assert exposed.insider.estimates == (3, 3)


def test_an_empty_part_of_a_known_cell_is_no_share() -> None:
    """Q holds 2 and 3; its only unit is in 3 and so knows that 2 is empty. A = 1 + 2 is somebody else's."""
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "trees": [{"A": ["1", "2"], "B": ["3", "4"]}, {"Q": ["2", "3"]}]}},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "a": ["A", "1", "2", "B", "3", "Q", "T"],
                    "value": [1, 1, 0, 1, 1, 1, 2],
                    "s": ["primary", "", "withheld", "", "", "secondary", "withheld"],
                },
                "status": "s",
            }
        ],
    }
    report = audit(release_from_document(document)).report
    assert found(report)["A"] == ("only contributor of Q", 1, 1)


def test_who_is_alone_in_a_part_knows_what_lies_around_the_part() -> None:
    """Only S is withheld of those that its unit is alone in: but it is in 2, so alone in W, so 3 is empty, and all of Q
    is somebody else's 4. The unit itself finds out nothing in 3, which holds nobody."""
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "trees": [{"S": ["1", "2"], "Q": ["3", "4"]}, {"W": ["2", "3"]}]}},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "a": ["S", "1", "2", "Q", "3", "4", "W", "T"],
                    "value": [1, 0, 1, 1, 0, 1, 1, 2],
                    "s": ["secondary", "withheld", "missing", "", "primary", "primary", "missing", "withheld"],
                },
                "status": "s",
            }
        ],
    }
    report = audit(release_from_document(document)).report
    assert found(report) == {"4": ("only contributor of S", 1, 1), "T": ("only contributor of S", 2, 2)}
