"""Cells that no row lists: a list of every table against examples by hand and against the audit of random releases."""

from fractions import Fraction
from random import Random
from typing import Any

from agreement import report_of
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from implied_agreement import asked, assert_implied
from implied_oracle import Implied, implied_cells
from implied_releases import LeavingOut

from tableseal.audit.report import Report

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=25, deadline=None)
NOT_RELEASED = {"leaves": "not_released", "totals": "not_released"}


def document(variables: dict[str, Any], *tables: dict[str, Any], threshold: str = "3", **rule: Any) -> dict[str, Any]:
    listed = [{"measure": "n", "absent": NOT_RELEASED, **t} for t in tables]
    return {
        "tableseal": "1",
        "measures": {"n": {"kind": "count"}},
        "variables": variables,
        "tables": listed,
        "policy": {"primary": [{"threshold": threshold, **rule}]},
    }


def sensitive(found: list[Implied] | None) -> dict[str, tuple[int, int]]:
    assert found is not None
    return {" / ".join("".join(sorted(p)) for p in c.parts): (c.low, c.high) for c in found if c.sensitive}


def test_a_row_left_out_by_hand() -> None:
    """100 - 55 - 43 = 2."""
    release = document(
        {"sex": {"total": "T", "codes": ["F", "M", "N"]}},
        {"name": "t", "cells": {"sex": ["F", "M", "T"], "value": ["55", "43", "100"]}},
    )
    assert sensitive(implied_cells(release)) == {"N": (2, 2)}


def test_nested_queries_by_hand() -> None:
    """57 - 56 = 1 woman in department C."""
    release = document(
        {"dept": {"codes": ["A", "B", "C"]}, "sex": {"total": "T", "codes": ["F", "M"]}},
        {"name": "q1", "where": {"dept": ["A", "B", "C"]}, "cells": {"sex": ["F", "M"], "value": ["57", "40"]}},
        {"name": "q2", "where": {"dept": ["A", "B"]}, "cells": {"sex": ["F", "M"], "value": ["56", "31"]}},
        threshold="4",
    )
    assert sensitive(implied_cells(release)) == {"C / F": (1, 1)}


def test_overlapping_groups_by_hand() -> None:
    """A+B and B+C make 7 and 8, all 13: B has 2."""
    release = document(
        {"a": {"total": "T", "codes": ["A", "B", "C"]}},
        {"name": "q1", "where": {"a": ["A", "B"]}, "cells": {"value": ["7"]}},
        {"name": "q2", "where": {"a": ["B", "C"]}, "cells": {"value": ["8"]}},
        {"name": "q3", "cells": {"a": ["T"], "value": ["13"]}},
    )
    assert sensitive(implied_cells(release)) == {"B": (2, 2)}


def test_three_two_way_tables_by_hand() -> None:
    """No table crosses all three, but their ones leave the cell of all three no other value than one."""
    variables = {name: {"total": "T", "codes": ["1", "2"]} for name in ("a", "b", "c")}
    pair = {"value": ["1", "0", "0", "9"]}
    release = document(
        variables,
        *(
            {"name": one + other, "cells": {one: ["1", "1", "2", "2"], other: ["1", "2", "1", "2"], **pair}}
            for one, other in (("a", "b"), ("a", "c"), ("b", "c"))
        ),
    )
    assert sensitive(implied_cells(release))["1 / 1 / 1"] == (1, 1)


def test_narrow_by_hand() -> None:
    """3 in all of two that no row tells apart from what is rounded: 1 to 2 each way."""
    release = document(
        {"a": {"total": "T", "codes": ["A", "B", "C"]}},
        {
            "name": "t",
            "cells": {
                "a": ["A", "B", "T"],
                "value": ["10", None, "15"],
                "status": ["published", "primary", "published"],
                "lo": [None, "3", None],
                "hi": [None, "4", None],
            },
            "status": "status",
            "lower": "lo",
            "upper": "hi",
        },
    )
    found = implied_cells(release)
    assert sensitive(found) == {"C": (1, 2)}
    assert [c.narrow for c in found or () if c.sensitive] == [True]


def test_frequencies_and_microdata_judge_magnitudes_by_hand() -> None:
    """C is 100 - 60 - 30 = 10: by two contributors, as frequencies add up (9 - 4 - 3), or as the records say."""
    release = document(
        {"a": {"total": "T", "codes": ["A", "B", "C"]}},
        {"name": "t", "cells": {"a": ["A", "B", "T"], "value": ["60", "30", "100"], "f": ["4", "3", "9"]}},
    )
    release["measures"] = {"n": {"kind": "magnitude", "unit": "1"}}
    assert [c.sensitive for c in implied_cells(release) or ()] == [None]
    release["tables"][0]["frequency"] = "f"
    assert [c.sensitive for c in implied_cells(release) or ()] == [True]
    records = {"a": list("AAABBBCCC"), "id": list("123456789"), "m": list("999999811")}
    release["microdata"] = {"cells": records, "id": "id", "values": {"n": "m"}}
    assert [c.sensitive for c in implied_cells(release) or ()] == [False]
    release["policy"]["primary"] = [{"p_percent": "20"}]
    assert [c.sensitive for c in implied_cells(release) or ()] == [True]


@FEW
@given(SEEDS)
def test_combinations_that_are_asked_for_have_these_intervals(seed: int) -> None:
    """Where combinations are listed with empty values, the audit's bounds are those of the list of every table."""
    release = LeavingOut(Random(seed)).document()
    note(str(release))
    found = implied_cells(release)
    assume(found)
    assert found is not None
    release.pop("microdata", None)
    said = report_of({**asked(release, found[:5]), "policy": {"primary": []}})
    assume(said is not None)
    assert said is not None
    for number, wanted in enumerate(found[:5]):
        [cell] = [c for c in said.cells if c.table == f"asked{number}"]
        unit = Fraction(release["measures"][cell.measure].get("unit", "1"))
        assert (cell.lower, cell.upper) == (wanted.low * unit, wanted.high * unit)


# CONVENTION 523: what is not crossed follows from a cell that is sensitive itself.
@settings(FEW, max_examples=60)
@given(SEEDS)
def test_findings_are_those_of_a_list_of_every_table(seed: int) -> None:
    document = LeavingOut(Random(seed)).document()
    note(str(document))
    found, report = implied_cells(document), report_of(document)
    assume(found is not None)
    assume(report is not None)
    assert found is not None
    assert report is not None
    assert_implied(document, found, report)


def agrees(document: dict[str, Any]) -> Report:
    found, report = implied_cells(document), report_of(document)
    assert found is not None
    assert report is not None
    assert_implied(document, found, report)
    return report


def test_a_measure_that_stands_in_links_alone() -> None:
    """Turnover is published, and a link gives the firms: 5 - 4 = 1."""
    release = document(
        {"a": {"total": "T", "codes": ["A", "B"]}},
        {"name": "t", "measure": "m", "cells": {"a": ["A", "B"], "value": ["4", "9"]}},
        threshold="3",
    )
    release["measures"] = {"m": {"kind": "count"}, "n": {"kind": "count"}}
    terms = [["1", {"measure": "m", "a": "A"}], ["1", {"measure": "n", "a": "T"}]]
    release["links"] = [{"terms": terms, "lower": "5", "upper": "5"}]
    [cell] = agrees(release).implied
    assert (cell.measure, cell.cell, cell.upper) == ("n", (("a", "T"),), 1)


def test_nobody_contributes_to_what_a_row_left_out_says_is_zero() -> None:
    """A total of a row and of a zero that has no row: two contribute to it."""
    variables = {name: {"total": "T", "codes": ["1", "2"]} for name in ("a", "b")}
    release = document(
        variables,
        {
            "name": "t",
            "cells": {"a": ["1", "2", "2"], "b": ["1", "1", "2"], "value": ["5", "6", "7"], "f": list("245")},
        },
    )
    release["measures"] = {"n": {"kind": "magnitude", "unit": "1"}}
    release["tables"][0] |= {"frequency": "f", "absent": {"leaves": "zero", "totals": "not_released"}}
    assert ("1", "T") in [tuple(code for _, code in cell.cell) for cell in agrees(release).implied]


def test_what_intervals_and_records_both_show_is_found_once() -> None:
    """A and B make 2: whatever they are, and by the records, both are sensitive."""
    release = document(
        {"a": {"codes": ["A", "B", "C"]}, "b": {"total": "T", "codes": ["x", "y"]}},
        {"name": "t", "where": {"a": ["A", "B"]}, "cells": {"b": ["x", "y"], "value": ["2", "9"]}},
        {"name": "u", "cells": {"a": ["A", "B", "C"], "b": ["T", "T", "T"], "value": ["6", "5", "0"]}},
        zeros=True,
    )
    records = {"a": list("AAAAAABBBBB"), "b": list("xyyyyyxyyyy"), "id": list("abcdefghijk")}
    release["microdata"] = {"cells": records, "id": "id"}
    assert {tuple(code for _, code in cell.cell) for cell in agrees(release).implied} >= {("A", "x"), ("B", "x")}


def test_one_value_by_bounds_counts_as_computed() -> None:
    """A is withheld and at least 2, all are 4: B is at most 2, and at least that, as everybody knows."""
    cells = {"a": ["A", "T"], "value": [None, "4"], "status": ["secondary", "published"], "truth": ["2", "4"]}
    more = {"lo": ["2", None], "hi": [None, None]}
    release = document(
        {"a": {"total": "T", "codes": ["A", "B"]}, "b": {"total": "T", "codes": ["x", "y"]}},
        {"name": "t", "cells": cells | more, "status": "status", "truth": "truth", "lower": "lo"},
        {"name": "u", "where": {"a": "B"}, "cells": {"b": ["x"], "value": ["2"]}},
    )
    report = agrees(release)
    [cell] = [c for c in report.implied if dict(c.cell) == {"a": "B", "b": "T"}]
    assert (cell.lower, cell.upper, cell.verdict) == (2, 2, "exposed")
    assert report.summary.implied is not None
    assert report.summary.implied.computed >= 1
