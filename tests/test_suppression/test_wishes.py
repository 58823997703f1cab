"""Costs, decisions by hand, last period's pattern, and what only an audit can judge."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.suppressing import SuppressOptions, run_suppression
from audit.bounds.plan import deciding
from audit.decision.oracle import Oracle
from audit.errors import InputError, LimitError
from audit.io import canonical_document, policy_document, policy_from_document, release_from_document
from audit.model import Policy, Release, Require, SapLimit, Threshold
from audit.pipeline import audit
from audit.solvers.highs import Highs
from suppression.apply import protected_release
from suppression.costs import Costs, Kind
from suppression.decisions import decisions_from_document
from suppression.distance import distances
from suppression.places import Places
from suppression.problem import Problem, build_problem, least_width
from suppression.public import public_release
from suppression.report import suppression_document, suppression_text
from suppression.rounded_release import rounded_release
from suppression.search.method import Tools
from suppression.search.rank import Budget
from suppression.search.result import Found
from suppression.suppress import Suppression, suppress

POLICY = Policy((Threshold(2),))


def line(values: Sequence[int], status: Sequence[str] = (), **columns: Any) -> Release:
    """One variable: its total, which is to be published, and codes 1, 2, ..."""
    codes = [str(k) for k in range(1, len(values) + 1)]
    status = ["must_publish", *(status or [""] * len(values))]
    cells = {"a": ["T", *codes], "value": [sum(values), *values], "s": status, **columns}
    table = {"name": "t", "cells": cells, "status": "s", **{name: name for name in columns}}
    variables = {"a": {"total": "T", "codes": codes}}
    return release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]})


def withheld(result: Suppression) -> set[str]:
    problem, pattern = result.problem, result.found.pattern
    assert pattern is not None
    found = np.flatnonzero(pattern & ~problem.primary).tolist()
    return {problem.release.cell_codes(problem.cells.codes[c])["a"] for c in found}


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
        assert suppression_document(result)["costs"] == kind


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


def test_a_cell_kept_by_hand_stays_and_one_accepted_goes() -> None:
    """CONVENTION 442: decisions bind the search and are reported with reason, name and date."""
    hand = {"reason": "headline figure", "name": "A. Officer", "date": "2026-11-28"}
    decisions = decisions_from_document(
        {
            "decisions": [
                {"decision": "keep_published", "cell": {"a": "3"}, **hand},
                {"decision": "accept", "cell": {"a": "2"}, **hand},
            ]
        }
    )
    result = suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions)
    assert withheld(result) == {"2"}
    assert result.found.status == "optimal"
    assert result.found.cost == 30 * result.problem.scale
    document = suppression_document(result)
    (first, second) = document["decisions"]
    assert (first["decision"], first["cell"], first["reason"]) == ("accept", {"a": "2"}, "headline figure")
    assert (second["decision"], second["name"], second["date"]) == ("keep_published", "A. Officer", "2026-11-28")
    assert document["cells"][0]["accepted"]
    text = suppression_text(result, limit=None)
    assert "3: kept published by A. Officer, 2026-11-28: headline figure" in text
    assert "accepted by hand" in text


def decide(decision: dict[str, Any]) -> Suppression:
    decisions = decisions_from_document({"decisions": [decision]})
    return suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions)


HAND = {"reason": "r", "name": "n", "date": "2026-01-31"}


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ({"decision": "keep_published", "cell": {"a": "1"}, **HAND}, "sensitive and cannot be kept published"),
        ({"decision": "accept", "cell": {"a": "T"}, **HAND}, r"\(must_publish\) is none that may be withheld"),
        ({"decision": "accept", "cell": {"b": "T"}, **HAND}, 'no variable "b"; there are a'),
        ({"decision": "accept", "cell": {"a": "7"}, **HAND}, 'a has no code "7"'),
        ({"decision": "accept", "cell": {"a": "2"}, "measure": "n", **HAND}, 'no measure "n"'),
        ({"decision": "accept", "cell": {"a": "2"}, **HAND, "date": "yesterday"}, 'found "yesterday", expected a date'),
        ({"decision": "accept", "cell": {"a": "2"}, **HAND, "reason": " "}, "reason: is empty"),
        ({"decision": "accept", "cell": {"a": "2"}, "reason": "r", "name": "n"}, "date: is missing"),
        ({"decision": "allow", "cell": {"a": "2"}, **HAND}, "expected keep_published, accept"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_decisions_that_make_no_sense(decision: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decide(decision)


def test_two_people_who_disagree() -> None:
    both = [{"decision": d, "cell": {"a": "2"}, **HAND} for d in ("accept", "keep_published")]
    with pytest.raises(InputError, match="n and n have decided differently"):
        suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions_from_document({"decisions": both}))


def test_cells_kept_by_hand_may_leave_no_pattern() -> None:
    kept = [{"decision": "keep_published", "cell": {"a": c}, **HAND} for c in "234"]
    decisions = decisions_from_document({"decisions": kept})
    result = suppress(line([1, 30, 5, 9]), policy=POLICY, decisions=decisions)
    assert result.conflict is not None
    assert "a=2 (kept published by decision)" in result.conflict.text
    assert "a=T (must be published)" in result.conflict.text


def test_a_pattern_stays_near_last_period() -> None:
    """CONVENTION 443: cells withheld last period are ten times cheaper; how many changed is reported."""
    now = line([1, 30, 5, 9])
    before = line([1, 32, 6, 8], ["primary", "secondary", "", ""])
    result = suppress(now, policy=POLICY, last=before)
    assert withheld(result) == {"2"}
    assert result.changes is not None
    assert (result.changes.kept, result.changes.new, result.changes.returned) == (2, 0, 0)
    assert suppression_document(result)["last_period"] == {"factor": 10, "kept": 2, "new": 0, "returned": 0}
    other = line([1, 32, 6, 8], ["primary", "", "", "secondary"])
    far = suppress(now, policy=POLICY, last=other, costs=Costs(avoid=("a=4", "a=2")))
    assert withheld(far) == {"3"}
    assert far.changes is not None
    assert (far.changes.kept, far.changes.new, far.changes.returned) == (1, 1, 1)


def test_a_last_period_of_something_else_is_refused() -> None:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"b": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"b": ["1", "2"], "value": [1, 2]}}],
    }
    with pytest.raises(InputError, match="has no cell in common"):
        suppress(line([1, 30, 5, 9]), policy=POLICY, last=release_from_document(document))


def test_a_last_period_that_shares_nothing_but_the_total_is_refused() -> None:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"b": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"b": ["T", "1", "2"], "value": [3, 1, 2]}}],
    }
    with pytest.raises(InputError, match="has no cell in common with this release"):
        suppress(line([1, 30, 5, 9]), policy=POLICY, last=release_from_document(document))


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


@given(st.lists(st.integers(1, 50), min_size=3, max_size=5), st.integers(1, 9), st.data())
@settings(max_examples=10, deadline=None)
def test_true_values_that_do_not_add_up_are_named_and_not_shown(
    values: list[int], by: int, data: st.DataObject
) -> None:
    wrong = data.draw(st.integers(0, len(values) - 1))
    status = ["primary" if k == wrong else "" for k in range(len(values))]
    document = canonical_document(line([700 + v for v in values], status))
    document["tables"][0]["cells"]["truth"][1 + wrong] += by
    with pytest.raises(InputError) as caught:
        suppress(release_from_document(document), policy=POLICY)
    text = str(caught.value)
    assert "T = " + " + ".join(str(k) for k in range(1, len(values) + 1)) in text
    assert str(700 + values[wrong]) not in text
    assert str(700 + values[wrong] + by) not in text


def test_a_link_that_true_values_break_is_named() -> None:
    tables = [
        {"name": m, "measure": m, "cells": {"a": ["T", "1", "2"], "value": [5, v, 5 - v], "s": ["", "primary", ""]}}
        for m, v in (("m", 2), ("n", 3))
    ]
    terms = [[1, {"measure": "m", "a": "1"}], [-1, {"measure": "n", "a": "1"}]]
    document = {
        "tableseal": 1,
        "measures": {m: {"kind": "magnitude", "unit": 1} for m in "mn"},
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}},
        "tables": [table | {"status": "s"} for table in tables],
        "links": [{"terms": terms, "lower": 0, "upper": 0}],
    }
    with pytest.raises(InputError, match="true values do not add up"):
        suppress(release_from_document(document))


def test_a_negative_value_beside_a_withheld_status_is_said_to_be_unused() -> None:
    document = canonical_document(line([1, 30, 5, 9]))
    cells = {"a": ["T", "1", "2"], "value": [10, -10, 20], "s": ["", "primary", ""]}
    document["tables"] = [{"name": "t", "cells": cells, "status": "s"}]
    document["variables"] = {"a": {"total": "T", "codes": ["1", "2"]}}
    with pytest.raises(InputError, match="negative counts only with `intruder"):
        suppress(release_from_document(document))


@pytest.mark.parametrize("number", ["1e99999999", "1/0", "nan", "inf", "-1", "", "x"])
def test_numbers_of_wishes_are_small_and_plain(number: str) -> None:
    """A huge exponent would take the memory of the machine, on the command line and in the service."""
    with pytest.raises(InputError, match="expected cells=NUMBER"):
        Budget.parse(f"cost={number}")
    with pytest.raises(InputError, match=r"expected NAME=WEIGHT|not negative"):
        run_suppression(line([1, 30, 5, 9]), SuppressOptions(table_weight=(f"t={number}",)))
    with pytest.raises(InputError, match="rounding:"):
        rounded_release(build_problem(line([1, 30, 5, 9]), POLICY, Costs(), Highs()), number, 0)


def test_a_budget_that_says_one_thing_twice_is_refused() -> None:
    with pytest.raises(InputError, match="expected cells=NUMBER"):
        Budget.parse("cells=1,cells=2")


def test_the_text_says_of_which_measure_a_cell_is() -> None:
    cells = {"a": ["T", "1", "2", "3"], "value": [45, 1, 30, 14], "s": ["must_publish", "primary", "", ""]}
    document = {
        "tableseal": 1,
        "measures": {m: {"kind": "count"} for m in ("men", "women")},
        "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
        "tables": [{"name": m, "measure": m, "cells": cells, "status": "s"} for m in ("men", "women")],
    }
    text = suppression_text(suppress(release_from_document(document)), limit=None)
    assert "- men 3 (needed by men 1" in text
    assert "- women 3 (needed by women 1" in text


def test_a_limit_on_risk_is_met() -> None:
    """DR = 1/log2(m) <= 0.25 asks for 16 values."""
    assert least_width(Fraction(1, 4)) == 15
    assert least_width(None) == 1
    policy = replace(POLICY, require=Require(risk=Fraction(1, 4)))
    result = suppress(line([1, 30, 5, 9]), policy=policy)
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert all(row.risk is not None and row.risk <= 0.25 for row in result.report.cells if row.sensitive)
    assert withheld(suppress(line([1, 30, 5, 9]), policy=POLICY)) == {"3"}
    assert sum({"2": 30, "3": 5, "4": 9}[c] for c in withheld(result)) + 1 >= 15


def test_a_risk_that_nothing_meets_is_said_with_the_largest_interval() -> None:
    policy = replace(POLICY, require=Require(risk=Fraction(1, 10)))
    result = suppress(line([1, 30, 5, 9]), policy=policy)
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    assert (result.conflict.largest.lower, result.conflict.largest.upper) == (0, 45)
    assert "values 1024 apart" in result.conflict.text
    assert "0 to 45" in result.conflict.text


def test_a_limit_on_subtraction_is_met_by_withholding_zeros() -> None:
    """CONVENTION 448: a published zero is recovered by anybody; it has to be withheld, with something else."""
    policy = replace(POLICY, require=Require(sap=SapLimit(1, Fraction(1, 2))))
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {v: {"total": "T", "codes": ["1", "2", "3"]} for v in "ab"},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "a": [i for i in "T123" for _ in "T123"],
                    "b": list("T123") * 4,
                    "value": [60, 15, 20, 25, 15, 0, 7, 8, 20, 7, 6, 7, 25, 8, 7, 10],
                },
            }
        ],
    }
    result = suppress(release_from_document(document), policy=policy, method="heuristic")
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert result.found.pattern is not None
    assert result.found.status == "feasible"
    assert result.found.pattern.sum() >= 3


@pytest.mark.parametrize(
    ("status", "message"),
    [("must_publish", "is sensitive, but must be published"), ("frozen", "has been published already")],
)
def test_a_sensitive_cell_that_must_be_published_is_a_contradiction(status: str, message: str) -> None:
    """CONVENTION 441."""
    with pytest.raises(InputError, match=message):
        suppress(line([1, 30, 5, 9], [status, "", "", ""]), policy=POLICY)


def test_a_rule_without_its_data_is_an_error() -> None:
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 1,
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "1", "2"], "value": [9, 4, 5]}}],
        "policy": {"primary": [{"p_percent": 10}]},
    }
    with pytest.raises(InputError, match='rule "p% 10" needs the 2 largest contributions'):
        suppress(release_from_document(document))


def test_a_solver_that_is_not_installed_is_an_error_for_every_method() -> None:
    for method in ("optimal", "heuristic"):
        with pytest.raises(InputError, match=r"--solver NOPE: not installed; installed are .*HiGHS"):
            suppress(line([1, 30, 5, 9]), policy=POLICY, method=method, solver="NOPE")


def test_cells_withheld_for_nothing_are_ready_to_be_given_back() -> None:
    """A method that does not clean up: everything around the cell, of which one is enough."""

    def lavish(problem: Problem, tools: Tools) -> Found:
        pattern = problem.primary | problem.may
        return Found("feasible", pattern, problem.price(pattern), 0)

    result = suppress(line([1, 30, 5, 9]), policy=POLICY, search=lavish, method="lavish")
    assert withheld(result) == {"2", "3", "4"}
    assert len(result.idle) == 2
    assert "ready to be given back" in suppression_text(result, limit=None)
    given_back = result.found.pattern.copy()  # type: ignore[union-attr]
    given_back[list(result.idle)] = False
    oracle = Oracle(result.problem.equations, result.problem.requirements, deciding(Highs()))
    assert oracle.decide(given_back).safe


def test_where_too_much_hangs_together_the_answer_says_that_nobody_looked_for_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An empty list of reasons would mean that the cell is withheld for nothing."""
    explained = suppression_document(suppress(line([1, 30, 5, 9]), policy=POLICY))
    assert explained["explained"] is True
    assert explained["cells"][0]["needed_by"]  # type: ignore[index, call-overload]
    monkeypatch.setattr("suppression.suppress.MOST_ENTANGLED", 0)
    result = suppress(line([1, 30, 5, 9]), policy=POLICY)
    assert suppression_document(result) == explained | {
        "explained": False,
        "cells": [cell | {"needed_by": []} for cell in explained["cells"]],  # type: ignore[union-attr, operator]
    }
    assert "was not looked for" in suppression_text(result, limit=None)


@pytest.mark.parametrize("partner", ["3", "4", "2"])
def test_sliding_protection_asks_for_a_width(partner: str) -> None:
    """CONVENTION 153: widths from 6 on need a larger partner; the audit says the same."""
    width = {"3": 6, "4": 10, "2": 14}[partner]
    document = canonical_document(line([1, 30, 5, 9], ["primary", "", "", ""]))
    document["tables"][0]["protection"] = {"sliding": "sliding"}
    document["tables"][0]["cells"]["sliding"] = [None, width, None, None, None]
    release = release_from_document(document)
    assert canonical_document(release_from_document(canonical_document(release))) == canonical_document(release)
    result = suppress(release, costs=Costs("unit", avoid=("a=2",), prefer=("a=3",)))
    assert result.report is not None
    assert result.report.verdict == "safe"
    spans = [row.upper - row.lower for row in result.report.cells if row.status == "primary"]  # type: ignore[operator]
    assert min(spans) >= width
    (told,) = suppression_document(result)["required_widths"]  # type: ignore[misc]
    assert told["cell"] == {"a": "1"}
    assert told["width"] == width
    assert told["possible"][1] - told["possible"][0] in spans
    assert f"1: {width} required, " in suppression_text(result, limit=None)
    narrow = {"4": "3", "2": "4"}.get(partner)
    if narrow is not None:
        pattern = result.problem.primary.copy()
        places = Places(result.problem.release, result.problem.cells)
        pattern[places.of({"a": narrow}, None, "test")] = True
        problem = result.problem
        report = audit(protected_release(problem.release, problem.cells, problem.primary, pattern)).report
        assert report.verdict == "unsafe"
        assert {row.reason for row in report.cells if row.verdict == "underprotected"} == {"protection"}


@pytest.mark.parametrize("time_limit", [None, 0.0, 5.0])
def test_what_is_neither_shown_nor_refuted_is_not_blamed_on_time(
    monkeypatch: pytest.MonkeyPatch, time_limit: float | None
) -> None:
    """The search for a safe pattern that comes last has no limit, so more time cannot help."""
    monkeypatch.setattr("suppression.rounds.cover", lambda *_: (None, None))

    def nothing(problem: Problem, tools: Tools) -> Found:
        return Found("unfinished", None, 0, 0)

    with pytest.raises(LimitError) as caught:
        suppress(line([1, 30, 5, 9]), policy=POLICY, search=nothing, method="nothing", time_limit=time_limit)
    assert "1" in str(caught.value)
    assert "time" not in str(caught.value)


@pytest.mark.parametrize("withheld_total", [False, True])
def test_totals_that_are_computed_can_be_withheld(withheld_total: bool) -> None:
    """CONVENTION 440: a sum that a table leaves to be computed is listed once it is withheld."""
    cells = {"a": ["A1", "A2", "B1", "B2"], "value": [1, 3, 7, 9]}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "tree": {"A": ["A1", "A2"], "B": ["B1", "B2"]}}},
        "tables": [{"name": "t", "cells": cells, "absent": {"leaves": "zero", "totals": "compute"}}],
    }
    costs = Costs("unit", prefer=("a=T", "a=A") if withheld_total else ())
    result = suppress(release_from_document(document), policy=POLICY, costs=costs)
    assert result.report is not None
    assert result.report.verdict == "safe"
    assert ("A" in withheld(result)) == withheld_total
    assert result.release is not None
    public = public_release(result.release)
    assert audit(public).report.verdict == "safe"
    assert public.tables[0].absent.totals == "not_released"
    shown = {public.cell_codes(c)["a"] for c in public.tables[0].codes}
    assert {"A1", "A2", "B1", "B2", "B"} <= shown


def test_rules_of_units_and_of_holdings() -> None:
    """CONVENTION 154: three units of one holding are one contributor, or three."""
    records = {"a": ["1", "1", "1", "2", "2", "2"], "m": [40, 30, 20, 8, 9, 10], "h": ["H", "H", "H", "", "", ""]}
    document = {
        "tableseal": 1,
        "measures": {"m": {"kind": "magnitude", "unit": 1}},
        "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
        "tables": [{"name": "t", "cells": {"a": ["1", "2"], "value": [90, 27]}}],
        "microdata": {"cells": {**records, "u": list("123456")}, "values": {"m": "m"}, "id": "u", "holding": "h"},
    }
    by_level = {}
    for level in ("holding", "unit"):
        policy = {"primary": [{"threshold": 3, "level": level}, {"dominance": {"n": 1, "k": 42}, "level": level}]}
        release = release_from_document({**document, "policy": policy})
        assert release.policy is not None
        assert policy_from_document(policy_document(release.policy)) == release.policy
        problem = build_problem(release, release.policy, Costs(), Highs())
        by_level[level] = {
            problem.release.cell_codes(problem.cells.codes[c])["a"]: r for c, r in enumerate(problem.reason)
        }
    assert by_level["holding"] == {"1": "threshold 3", "2": None, "3": None}
    assert by_level["unit"] == {"1": "dominance (1, 42) (units)", "2": None, "3": None}


def test_a_rule_of_units_needs_microdata() -> None:
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 1,
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "frequency": "n", "cells": {"a": ["1", "2"], "value": [4, 5], "n": [7, 8]}}],
        "policy": {"primary": [{"threshold": 3, "level": "unit"}]},
    }
    with pytest.raises(InputError, match=r"threshold 3.*microdata"):
        suppress(release_from_document(document))


def test_nothing_safe_where_withheld_cells_are_known_not_to_be_empty() -> None:
    """Found by random tests: of the zero, were it withheld as well, more would be known than is true."""
    release = line([1, 0, 7], ["primary", "", "must_publish"])
    release = replace(release, intruder=replace(release.intruder, nonempty=True, prior=Fraction(1, 2)))
    result = suppress(release)
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    assert "what is left is a single value" in result.conflict.text


@pytest.mark.parametrize("method", ["optimal", "heuristic"])
def test_what_needs_a_cell_is_said_of_the_pattern_before_nothing_was_enough(method: str) -> None:
    """Found by random tests: its audit finds the risk too high, more was asked for, and nothing can do that."""
    rows = [
        ("1", "x", 20, ""),
        ("1", "y", 90, ""),
        ("2", "y", 130, ""),
        ("3", "x", 300, ""),
        ("A", "x", 20, ""),
        ("A", "y", 220, "frozen"),
        ("T", "x", 320, ""),
    ]
    members = [("3", "x", 300, "H"), ("2", "y", 90, ""), ("1", "x", 20, ""), ("1", "y", 90, ""), ("2", "y", 20, "H")]
    microdata = {name: [m[k] for m in members] for k, name in enumerate(("a", "b", "m", "holding"))}
    microdata["id"] = [str(k) for k in range(len(members))]
    release = release_from_document(
        {
            "tableseal": 1,
            "measures": {"m": {"kind": "magnitude", "unit": 1}},
            "variables": {
                "a": {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}},
                "b": {"total": "T", "codes": ["x", "y"]},
            },
            "tables": [
                {
                    "name": "t",
                    "cells": {name: [row[k] for row in rows] for k, name in enumerate(("a", "b", "value", "s"))},
                    "status": "s",
                }
            ],
            "microdata": {"cells": microdata, "values": {"m": "m"}, "id": "id", "holding": "holding"},
            "intruder": {"prior": "1"},
            "policy": {
                "primary": [{"dominance": {"n": 1, "k": 80}}],
                "insider": {"p_percent": 1},
                "require": {"risk": 0.4},
            },
        }
    )
    result = suppress(release, method=method)
    assert result.explained
    assert result.found.pattern is not None
    secondary = np.flatnonzero(result.found.pattern & ~result.problem.primary)
    assert set(result.needs) == set(secondary.tolist())
