"""What withholding a cell costs, and what was preferred and avoided."""

from dataclasses import replace
from fractions import Fraction
from typing import get_args

import pytest
from one_variable import POLICY, line, withheld

from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.suppressing import run_suppression
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io import release_from_document
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.comparison.compare import compare
from tableseal.suppression.problem.costs import Costs, Kind
from tableseal.suppression.problem.distance import distances
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.report import suppression_report
from tableseal.suppression.search.rank import Budget
from tableseal.suppression.suppress import suppress


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        (Costs("value"), "3"),
        (Costs("frequency"), "3"),
        (Costs("log"), "3"),
        (Costs("column"), "4"),
        (Costs("value", prefer=("a=2",)), "2"),
        (Costs("value", avoid=("a=3",)), "4"),
    ],
    ids=str,
)
def test_the_cheapest_partner_is_withheld(costs: Costs, expected: str) -> None:
    release = line([1, 30, 5, 9], cost=[0, 0, 50, 40, 7])
    assert withheld(suppress(release, policy=POLICY, costs=costs)) == {expected}


def test_every_kind_of_cost_can_be_paid() -> None:
    release = line([1, 30, 5, 9])
    for kind in get_args(Kind):
        result = suppress(release, policy=POLICY, costs=Costs(kind))
        assert result.found.cost > 0
        assert suppression_report(result).costs == kind


def test_weights_of_tables() -> None:
    cells = {"a": ["1", "2", "3"], "value": [1, 4, 6], "s": [""] * 3}
    sums = {"a": ["T", "A"], "value": [11, 5], "s": ["must_publish", ""]}
    variables = {"a": {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}}}
    tables = [
        {"name": "parts", "cells": cells, "status": "s"},
        {"name": "sums", "cells": sums, "status": "s", "absent": {"leaves": "not_released"}},
    ]
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": tables}
    release = release_from_document(document | {"intruder": {"insiders": []}})
    assert withheld(suppress(release, policy=POLICY)) == {"2"}
    dear = suppress(release, policy=POLICY, costs=Costs(tables={"parts": Fraction(3), "sums": Fraction(1, 10)}))
    assert dear.found.cost == dear.found.bound
    assert dear.problem.cost.tolist() != suppress(release, policy=POLICY).problem.cost.tolist()
    with pytest.raises(InputError, match='weight of table "u": there is no such table; there are parts, sums'):
        suppress(release, policy=POLICY, costs=Costs(tables={"u": Fraction(2)}))
    with pytest.raises(InputError, match="found -1, expected a number that is not negative"):
        suppress(release, policy=POLICY, costs=Costs(tables={"sums": Fraction(-1)}))


def test_a_cost_by_frequency_needs_frequencies() -> None:
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 1,
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "1", "2"], "value": [9, 4, 5], "s": ["", "primary", ""]}}],
    }
    document["tables"][0]["status"] = "s"  # type: ignore[index]
    with pytest.raises(InputError, match="cost by frequency needs its number of contributors"):
        suppress(release_from_document(document), costs=Costs("frequency"))


def test_distance_is_the_way_through_the_classification() -> None:
    """CONVENTION 444: parent and child are one step apart, siblings two, cousins four; variables add up."""
    codes = ["T", "A", "A1", "A2", "B", "B1", "B2"]
    value = [20, 6, 1, 5, 14, 8, 6]
    variables = {"a": {"total": "T", "tree": {"A": ["A1", "A2"], "B": ["B1", "B2"]}}, "y": {"codes": ["1", "2"]}}
    cells = {"a": codes * 2, "y": ["1"] * 7 + ["2"] * 7, "value": value + [2 * v for v in value]}
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [{"name": "t", "cells": cells}]}
    problem = build_problem(release_from_document(document), POLICY, Costs("distance"), Highs())
    found = distances(problem.release, problem.cells, problem.primary)
    names = [tuple(problem.release.cell_codes(c).values()) for c in problem.cells.codes]
    by_name = dict(zip(names, found.tolist(), strict=True))
    assert [by_name[c, "1"] for c in codes] == [2, 1, 1, 2, 3, 4, 4]
    assert {by_name[c, "2"] for c in codes} == {5}
    assert (problem.cost == found * problem.scale).all()


def test_a_code_that_is_preferred_and_avoided_is_a_contradiction() -> None:
    with pytest.raises(InputError, match='"a=3": is to be preferred and avoided'):
        suppress(line([1, 30, 5, 9]), policy=POLICY, costs=Costs(prefer=("a=3", "a=2"), avoid=("a=4", "a=3")))


def test_costs_of_cells_that_are_never_withheld_may_be_of_any_size() -> None:
    """Only what a solver has to add up must be exact there."""
    huge = 2**53
    assert withheld(suppress(line([1, huge, 5, 9], ["", "frozen", "", ""]), policy=POLICY)) == {"3"}
    with pytest.raises(LimitError, match=r"by column.*logarithm of the value \(log\)"):
        suppress(line([1, huge, 5, 9]), policy=POLICY)
    assert withheld(suppress(line([1, huge, 5, 9]), policy=POLICY, costs=Costs("log"))) == {"3"}


@pytest.mark.parametrize("number", ["1e99999999", "1/0", "nan", "inf", "-1", "", "x"])
def test_numbers_of_wishes_are_small_and_plain(number: str) -> None:
    """A huge exponent would take the memory of the machine, on the command line and in the service."""
    with pytest.raises(InputError, match="expected cells=NUMBER"):
        Budget.parse(f"cost={number}")
    given = replace(line([1, 30, 5, 9]), policy=POLICY)
    with pytest.raises(InputError, match=r"expected NAME=WEIGHT|not negative"):
        run_suppression(given, SuppressOptions(table_weight=(f"t={number}",)))
    with pytest.raises(InputError, match=f"rounding:{number}: expected a"):
        compare(given, [f"rounding:{number}"])


def test_a_budget_that_says_one_thing_twice_is_refused() -> None:
    with pytest.raises(InputError, match="expected cells=NUMBER"):
        Budget.parse("cells=1,cells=2")
