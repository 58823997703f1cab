"""Rules of the convention on cells and releases that no other test is about."""

import pytest
from small import cells, interval, report, table

from tableseal.audit.errors import ContradictionError, InputError
from tableseal.audit.io import release_from_document

NOT_RELEASED = {"leaves": "not_released"}
TWO = {"a": {"total": "T", "codes": ["k", "l", "m"]}, "b": {"total": "T", "codes": ["x", "y"]}}


def test_tables_that_disagree_about_one_cell_are_refused() -> None:
    # CONVENTION 1
    by_b = {"name": "by_b", "cells": {"b": ["x", "y", "T"], "value": [6, 4, 10]}}
    with pytest.raises(ContradictionError, match=r"by_b.* row 3 says 10"):
        report(table(["k", "l", "m", "T"], [2, 3, 4, 9]), by_b, variables=TWO)


def test_missing_elsewhere_does_not_withhold() -> None:
    # CONVENTION 2
    other = table(["k"], [None], status=["missing"], name="u", absent=NOT_RELEASED)
    assert report(table(["T", "k", "l", "m"], [9, 3, 4, 2]), other).cells == ()


def test_a_withheld_cell_without_a_reason_is_sensitive() -> None:
    # CONVENTION 4, 20
    found = report(table(["T", "k", "l", "m"], [9, None, 4, 2]))
    assert found.verdict == "unsafe"
    assert cells(found)["k"].sensitive


def test_an_absent_leaf_is_a_zero_at_the_finest_level_that_the_table_lists() -> None:
    # CONVENTION 5
    tree = {"a": {"total": "T", "tree": {"East": ["k", "l"], "West": ["m"]}}}
    groups = report(table(["T", "East"], [9, None]), variables=tree)
    assert interval(cells(groups)["East"]) == (9, 9)  # West has no row: zero, and so are its leaves
    part = report(table(["East", "k"], [9, None]), variables=tree)
    assert interval(cells(part)["k"]) == (9, 9)  # l has none: zero
    beside = table(["m", "T"], [None, 12], name="u", absent=NOT_RELEASED)
    both = report(table(["East", "k"], [9, None]), beside, variables=tree)
    assert interval(cells(both)["m"]) == (3, 3)  # the table of the East says nothing of m


def test_a_variable_without_total_is_never_completed() -> None:
    # CONVENTION 5
    years = {"a": {"codes": ["k", "l", "m"]}}
    assert not any(note.code == "absent_zero" for note in report(table(["k"], [4]), variables=years).notes)


def test_rows_are_never_added_up() -> None:
    # CONVENTION 6
    same = report(table(["T", "k", "l", "m", "m"], [9, 3, 4, 2, 2]))
    assert [note.count for note in same.notes if note.code == "duplicate_rows"] == [1]
    with pytest.raises(ContradictionError, match="listed twice in one table"):
        report(table(["T", "k", "l", "m", "m"], [9, 3, 4, 1, 1 + 1]))
    with pytest.raises(ContradictionError, match="with different content"):
        report(table(["T", "k", "l", "m", "m"], [9, 3, 4, 2, 2], status=["", "", "", "", "primary"]))


@pytest.mark.parametrize(("status", "verdict"), [("primary", "unsafe"), ("secondary", "undecided")])
def test_what_one_table_publishes_is_out(status: str, verdict: str) -> None:
    # CONVENTION 2, 11, 22
    other = table(["k"], [3], name="u", absent=NOT_RELEASED)
    found = report(table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", status, "", ""]), other)
    assert (cells(found)["k"].status, cells(found)["k"].verdict) == ("published", "exposed")
    assert (found.verdict, found.judged) == (verdict, status == "primary")


def test_a_withheld_cell_that_another_table_makes_zero_is_exposed() -> None:
    # CONVENTION 12
    found = report(table(["T", "k", "l", "m"], [9, None, None, None]), table(["T", "k", "l"], [9, 5, 4], name="u"))
    assert interval(cells(found)["m"]) == (0, 0)
    assert (cells(found)["m"].status, cells(found)["m"].verdict) == ("withheld", "exposed")


@pytest.mark.parametrize("column", ["frequency", "largest"])
def test_two_tables_give_a_cell_the_same_agency_knowledge(column: str) -> None:
    # CONVENTION 13
    first = table(["T", "k", "l", "m"], [9, 3, 4, 2], **{column: [8, 3, 4, 2]})
    second = table(["k"], [3], name="u", absent=NOT_RELEASED, **{column: [2]})
    with pytest.raises(InputError, match="give a different"):
        report(first, second)


def test_computed_totals() -> None:
    # CONVENTION 14
    compute = {"totals": "compute"}
    known = report(table(["k", "l", "m"], [3, 4, 2], status=["primary", "", ""], absent=compute))
    assert interval(cells(known)["k"]) == (3, 3)
    unknown = report(table(["k", "l", "m"], [None, 4, 2], absent=compute))
    assert interval(cells(unknown)["k"]) == (0, None)
    with pytest.raises(InputError, match="cannot be combined with rounding"):
        report(table(["k", "l", "m"], [3, 3, 3], rounding={"base": 3, "method": "random"}, absent=compute))


def test_a_unit_has_a_finite_decimal_expansion_and_a_count_the_unit_1() -> None:
    # CONVENTION 16
    for changes in ({"kind": "magnitude", "unit": "1/3"}, {"unit": 10}):
        with pytest.raises(InputError, match="unit"):
            report(table(["T", "k", "l", "m"], [9, 3, 4, 2]), **changes)
    link = {"terms": [[3, {"a": "k"}]], "upper": "10/3"}
    found = report(table(["T", "k", "l", "m"], [9, None, None, 2]), links=[link])
    assert interval(cells(found)["k"]) == (0, 1)


def test_known_bounds_hold_whatever_the_status() -> None:
    # CONVENTION 17
    found = report(table(["T", "k", "l", "m"], [9, None, None, 2], lower=[None, 4, None, None]))
    assert interval(cells(found)["l"]) == (0, 3)
    released = table(["T", "k", "l", "m"], [9, 3, 4, 2], lower=[None, 4, None, None])
    with pytest.raises(ContradictionError, match="k"):
        report(released)


def test_a_truth_that_is_withheld_is_in_no_message() -> None:
    # CONVENTION 3
    withheld = table(["T", "k", "l", "m"], [9, 31337, None, 2], status=["", "primary", "primary", ""])
    known = [{"terms": [[1, {"a": "k"}]], "lower": 8}]
    with pytest.raises(ContradictionError) as error:
        report(withheld, links=known)
    assert "31337" not in str(error.value)
    assert "link 1 is at least 8" in str(error.value)


def test_a_list_of_all_codes_of_a_group_is_that_group() -> None:
    # CONVENTION 15
    variables = TWO | {"a": {"total": "T", "tree": {"East": ["k", "l"], "West": ["m"]}}}
    entry = {"name": "t", "cells": {"b": ["T"], "value": [9]}, "where": {"a": ["l", "k"]}}
    release = release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [entry]})
    assert release.cell_codes(release.tables[0].codes[0])["a"] == "East"
