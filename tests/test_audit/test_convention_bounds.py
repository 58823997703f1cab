"""Rules of the convention on bounds, verdicts, insiders and what-ifs that no other test is about."""

from fractions import Fraction
from typing import Any

import pytest
from small import cells, document, interval, report, table

from tableseal.audit.errors import AdditivityError, ContradictionError, InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import public_copy

NOT_RELEASED = {"leaves": "not_released"}
TWO = {"a": {"total": "T", "codes": ["k", "l", "m"]}, "b": {"total": "T", "codes": ["x", "y"]}}
OPEN = table(["T", "k", "l", "m"], [9, None, None, 2])


def test_verdicts_need_proof() -> None:
    # CONVENTION 20
    assert {cell.verdict for cell in report(OPEN).cells} == {"protected"}
    quick = report(OPEN, options={"bounds": "shuttle"})
    assert quick.verdict == "undecided"
    assert {(cell.verdict, cell.attained) for cell in quick.cells} == {("undecided", None)}
    cut_short = report(OPEN, options={"time_limit": 0})
    assert "protected" not in {cell.verdict for cell in cut_short.cells if cell.attained is None}


def test_a_published_cell_that_a_rule_calls_sensitive() -> None:
    # CONVENTION 21, 23
    published = table(["T", "k", "l", "m"], [9, 3, 4, 2])
    found = report(published, policy={"primary": [{"threshold": 3}]})
    assert [(c.cell[0][1], c.verdict, c.reason) for c in found.cells] == [("m", "exposed", "sensitive_published")]
    assert found.verdict == "unsafe"
    without = report(published)
    assert (without.verdict, without.judged, without.cells) == ("undecided", False, ())


def test_a_secondary_cell_that_can_be_computed_is_counted_apart() -> None:
    # CONVENTION 22, 162
    withheld = table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", "secondary", "", ""])
    found = report(withheld, policy={"primary": [{"threshold": 1}]})
    assert (found.verdict, found.summary.exposed, found.summary.secondary_exposed) == ("safe", 0, 1)


def test_what_an_outside_intruder_knows() -> None:
    # CONVENTION 24
    withheld = table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", "primary", "secondary", ""])
    assert interval(cells(report(withheld))["k"]) == (0, 7)
    assert interval(cells(report(withheld, intruder={"nonnegative": False}))["k"]) == (None, None)
    assert interval(cells(report(withheld, intruder={"nonempty": True}))["k"]) == (1, 6)
    assert interval(cells(report(withheld, intruder={"prior": "1/2"}))["k"]) == (2, 4)
    with pytest.raises(InputError, match=r"prior needs the true value"):
        report(OPEN, intruder={"prior": "1/2"})


def test_the_truth_never_narrows_an_interval() -> None:
    # CONVENTION 3, 24
    with_truth = table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", "primary", "primary", ""])
    without = table(["T", "k", "l", "m"], [9, None, None, 2], status=["", "primary", "primary", ""])
    assert [interval(c) for c in report(with_truth).cells] == [interval(c) for c in report(without).cells]


def test_additivity() -> None:
    # CONVENTION 25
    with pytest.raises(AdditivityError, match=r"expected 9 = k 3 \+ l 4 \+ m 2; found 10; difference 1"):
        report(table(["T", "k", "l", "m"], [10, 3, 4, 2]))
    rounded = {"base": 3, "method": "conventional"}
    report(table(["T", "k", "l", "m"], [12, 3, 3, 3], rounding=rounded))
    with pytest.raises(AdditivityError):
        report(table(["T", "k", "l", "m"], [15, 3, 3, 3], rounding=rounded))
    report(table(["T", "k", "l"], [10, 3, 4], absent=NOT_RELEASED))
    with pytest.raises(AdditivityError):
        report(table(["T", "k", "l"], [6, 3, 4], absent=NOT_RELEASED))
    report(table(["T", "k", "l"], [6, 3, 4], absent=NOT_RELEASED), intruder={"nonnegative": False})


def test_only_tables_of_whole_units_count() -> None:
    # CONVENTION 26
    half = [{"terms": [[2, {"a": "k"}]], "lower": 5, "upper": 5}]
    with pytest.raises(ContradictionError):
        report(OPEN, links=half)


def three_way(a: list[list[int]], b: list[list[int]], c: list[list[int]]) -> dict[str, Any]:
    """Three two-way margins of a 2 x 2 x 2 table, and the table between them asked for."""
    names = {"u": ["1", "2"], "v": ["1", "2"], "w": ["1", "2"]}
    tables: list[dict[str, Any]] = []
    for (one, other), margin in zip((("u", "v"), ("u", "w"), ("v", "w")), (a, b, c), strict=True):
        rows = [(i, j, margin[i][j]) for i in range(2) for j in range(2)]
        columns = {one: [names[one][i] for i, *_ in rows], other: [names[other][j] for _, j, _ in rows]}
        tables.append({"name": one + other, "cells": columns | {"value": [value for *_, value in rows]}})
    asked = {"u": ["1"], "v": ["1"], "w": ["1"], "value": [None]}
    tables.append({"name": "asked", "cells": asked, "absent": NOT_RELEASED})
    variables = {name: {"total": "T", "codes": codes} for name, codes in names.items()}
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": tables}


def test_linear_and_integer_ends() -> None:
    """All six margins of (u, v, w) are 1: the linear interval is [0, 1], and both ends are whole tables."""
    # CONVENTION 27, 28
    ones = [[1, 1], [1, 1]]
    (cell,) = audit(release_from_document(three_way(ones, ones, ones))).report.cells
    assert cell.lp == (0, 1)
    assert (cell.attained, cell.exact) == ((0, 1), True)
    odd = [{"terms": [[2, {"a": "k"}], [-2, {"a": "l"}]], "lower": -1, "upper": 3}]
    k = cells(report(OPEN, links=odd))["k"]  # k + l = 7 and -1/2 <= k - l <= 3/2
    assert k.lp == (Fraction(13, 4), Fraction(17, 4))
    assert (interval(k), k.attained) == ((4, 4), (4, 4))


def test_possible_values() -> None:
    # CONVENTION 29, 160
    network = cells(report(OPEN))["k"].possible
    assert (network.at_least, network.at_most) == (8, 8)
    even = [{"terms": [[1, {"a": "k"}], [-2, {"a": "m"}]], "lower": 0, "upper": 0}]
    stepped = cells(report(table(["T", "k", "l", "m"], [9, None, None, None]), links=even))["k"]
    assert (stepped.lower, stepped.upper) == (0, 6)
    assert stepped.possible.at_most == 7
    assert stepped.possible.at_least is not None
    assert stepped.possible.at_least <= 4  # 0, 2, 4 and 6: values in between are not counted without a table
    unlimited = cells(report(table(["k", "l", "m"], [None, 4, 2])))["k"]
    assert (unlimited.possible.at_most, unlimited.risk, unlimited.entropy_bits) == (None, 0, None)


def test_rank_and_degrees_of_freedom() -> None:
    # CONVENTION 30
    summary = report(OPEN).summary
    assert (summary.rank, summary.degrees_of_freedom, summary.components) == (2, 1, 1)
    by_b = {"name": "by_b", "cells": {"b": ["x", "y", "T"], "value": [5, 4, 9]}}
    apart = report(OPEN, by_b, variables=TWO).summary  # 3 + 2 base cells, T, m and x; y and the other T follow
    assert (apart.rank, apart.degrees_of_freedom) == (3, 1)


def test_a_contradiction_is_named_by_an_irreducible_set() -> None:
    # CONVENTION 31
    with pytest.raises(ContradictionError) as error:
        report(OPEN, links=[{"terms": [[1, {"a": "k"}]], "lower": 8}])
    stated = [line.strip() for line in str(error.value).splitlines()[1:]]
    assert stated == [
        'a=T in table "t" is 9',
        'a=m in table "t" is 2',
        "link 1 is at least 8",
        "no value is below 0",
    ]


def test_missing_cells_are_listed_and_not_judged() -> None:
    # CONVENTION 32
    found = report(
        table(["T", "k", "l", "m"], [9, None, 4, 2], status=["", "missing", "", ""]),
        policy={"primary": [{"threshold": 1}]},
    )
    k = cells(found)["k"]
    assert (found.verdict, interval(k), k.verdict) == ("safe", (3, 3), "not_judged")


def test_rounded_cells_are_sensitive() -> None:
    # CONVENTION 34
    down = {"base": 2, "method": "down"}
    found = report(table(["T", "k", "l", "m"], [8, 2, 2, 4], rounding=down))
    assert all(cell.sensitive for cell in found.cells)
    assert found.verdict == "safe"
    full = report(table(["k"], [2], rounding=down, upper=[2], absent=NOT_RELEASED))
    assert (full.verdict, cells(full)["k"].verdict) == ("unsafe", "exposed")


@pytest.mark.parametrize(("limit", "verdict"), [("0.3", "unsafe"), ("0.4", "safe")])
def test_required_risk(limit: str, verdict: str) -> None:
    # CONVENTION 35
    found = report(OPEN, policy={"require": {"risk": limit}})  # 8 values: the risk is 1/3
    assert found.verdict == verdict
    assert {cell.reason for cell in found.cells} == ({"risk"} if verdict == "unsafe" else {None})


def test_accepted_exposures_stay_in_the_list() -> None:
    # CONVENTION 36
    found = report(table(["T", "k", "l", "m"], [9, None, 4, 2]), policy={"require": {"exposed": True}})
    assert (found.verdict, cells(found)["k"].verdict) == ("safe", "exposed")


def test_arithmetic_of_exposures() -> None:
    # CONVENTION 37
    released = {"T": 9, "l": 4, "m": 2}
    k = cells(report(table(["T", "k", "l", "m"], [9, None, 4, 2])))["k"]
    assert k.reveals is not None
    assert k.reveals.kind == "equation"
    assert sum(term.coefficient * released[dict(term.of.cell)["a"]] for term in k.reveals.terms) == k.lower == 3
    zero = cells(report(table(["T", "k", "l", "m"], [6, None, None, 6])))["k"]
    assert zero.reveals is not None
    assert zero.reveals.kind == "bounds"
    third = [{"terms": [[3, {"a": "k"}]], "lower": 10, "upper": 14}]
    whole = cells(report(OPEN, links=third))["k"]
    assert whole.reveals is not None
    assert (whole.reveals.kind, whole.lower) == ("integer", 4)


SINGLE = table(
    ["T", "k", "l", "m"],
    [700, 180, 120, 400],
    status=["", "primary", "primary", ""],
    frequency=[11, 1, 1, 9],
    largest=[180, 180, 120, 70],
)


def test_only_contributors() -> None:
    # CONVENTION 40, 43, 44
    found = report(SINGLE, kind="magnitude", unit=1)
    assert found.verdict == "unsafe"
    k = cells(found)["k"]
    assert k.insider is not None
    assert (k.verdict, k.reason, k.insider.estimates) == ("underprotected", "insider", (180, 180))
    nobody = report(SINGLE, kind="magnitude", unit=1, intruder={"insiders": []})
    assert (nobody.verdict, cells(nobody)["k"].insider) == ("safe", None)


def test_insiders_that_the_data_do_not_allow_are_noted() -> None:
    # CONVENTION 40
    assert [note.count for note in report(OPEN).notes if note.code == "insiders_not_audited"] == [2]


def test_insiders_do_not_make_secondary_cells_unsafe() -> None:
    # CONVENTION 44
    cells_of = SINGLE["cells"] | {"s": ["", "secondary", "secondary", ""]}
    policy = {"primary": [{"threshold": 1}]}
    found = report(SINGLE | {"cells": cells_of}, kind="magnitude", unit=1, policy=policy)
    assert found.verdict == "safe"
    assert {(cell.verdict, cell.insider) for cell in found.cells} == {("protected", None)}


def test_only_the_sensitive_cells_are_withheld() -> None:
    # CONVENTION 50
    options = {"withhold_primaries": True}
    policy = {"primary": [{"threshold": 3}]}
    values = table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", "secondary", "", ""])
    found = report(values, policy=policy, options=options)
    assert (cells(found)["m"].status, interval(cells(found)["m"])) == ("primary", (2, 2))
    assert cells(report(values, policy=policy))["k"].status == "secondary"
    assert found.summary.withheld == 1
    frozen = table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", "", "", "frozen"])
    assert cells(report(frozen, policy=policy, options=options))["m"].reason == "sensitive_published"
    with pytest.raises(InputError, match="no true value"):
        report(table(["T", "k", "l", "m"], [9, None, 4, 2], status=["", "secondary", "", ""]), options=options)


def test_one_table_after_another() -> None:
    # CONVENTION 51
    first = table(["T", "m"], [9, 2], name="first", absent=NOT_RELEASED)
    again = table(["m"], [2], name="again", absent=NOT_RELEASED)
    then = table(["k", "l"], [None, 4], name="then", lower=[1, None], absent=NOT_RELEASED)
    k = cells(report(first, again, then, options={"cumulative": True}))["k"]
    assert [(step.table, step.lower, step.upper) for step in k.steps] == [
        ("first", 1, 7),
        ("again", 1, 7),
        ("then", 3, 3),
    ]


def test_a_prior_makes_a_public_copy_impossible() -> None:
    # CONVENTION 186
    withheld = table(["T", "k", "l", "m"], [9, 3, 4, 2], status=["", "primary", "secondary", ""])
    found = audit(release_from_document(document(withheld, intruder={"prior": "1/2"}))).report
    with pytest.raises(InputError, match="prior"):
        public_copy(found)
