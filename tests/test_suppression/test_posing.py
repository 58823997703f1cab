"""What a search is asked for, and releases of which nothing can be asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_variable import POLICY, line, withheld

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, policy_document, policy_from_document, release_from_document
from tableseal.audit.model import Status
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.places import Places
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.suppress import suppress


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
    (told,) = suppression_report(result).required_widths
    assert told.cell == (("a", "1"),)
    assert told.width == width
    low, high = told.possible
    assert low is not None
    assert high is not None
    assert high - low in spans
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


@pytest.mark.parametrize(
    ("status", "message"),
    [("must_publish", "is sensitive, but must be published"), ("frozen", "has been published already")],
)
def test_a_sensitive_cell_that_must_be_published_is_a_contradiction(status: str, message: str) -> None:
    """CONVENTION 441."""
    with pytest.raises(InputError, match=message):
        suppress(line([1, 30, 5, 9], [status, "", "", ""]), policy=POLICY)


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
    """Of several measures each by its name."""
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
    with pytest.raises(InputError, match="true values do not add up, with those of withheld cells: m 1 = n 1;"):
        suppress(release_from_document(document))


def test_a_negative_value_beside_a_withheld_status_is_said_to_be_unused() -> None:
    document = canonical_document(line([1, 30, 5, 9]))
    cells = {"a": ["T", "1", "2"], "value": [10, -10, 20], "s": ["", "primary", ""]}
    document["tables"] = [{"name": "t", "cells": cells, "status": "s"}]
    document["variables"] = {"a": {"total": "T", "codes": ["1", "2"]}}
    with pytest.raises(InputError, match="negative counts only with `intruder"):
        suppress(release_from_document(document))


def test_a_solver_that_is_not_installed_is_an_error_for_every_method() -> None:
    for method in ("optimal", "heuristic"):
        with pytest.raises(InputError, match=r"^solver NOPE: not installed; installed are .*HiGHS"):
            suppress(line([1, 30, 5, 9]), policy=POLICY, method=method, solver="NOPE")


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
    public = public_release(result.release, tell_statuses=True)
    assert audit(public).report.verdict == "safe"
    assert public.tables[0].absent.totals == "not_released"
    shown = {public.cell_codes(c)["a"] for c in public.tables[0].codes}
    assert {"A1", "A2", "B1", "B2", "B"} <= shown


def test_a_cell_that_one_table_withholds_as_sensitive_is_withheld_in_the_other_one_too() -> None:
    """CONVENTION 440: it was taken for a published one, which a pattern may use but need not."""
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"d": {"total": "T", "codes": ["k", "l", "m", "n"]}},
        "tables": [
            {
                "name": "a",
                "status": "s",
                "cells": {
                    "d": ["T", "k", "l", "m", "n"],
                    "value": [46, 19, 12, 1, 14],
                    "s": ["", "primary", "", "", "withheld"],
                },
            },
            {"name": "b", "absent": {"leaves": "not_released"}, "cells": {"d": ["k", "l"], "value": [19, 12]}},
        ],
    }
    result = suppress(release_from_document(document))
    assert result.verdict == "safe"
    assert result.release is not None
    assert [table.status[row] for table, row in zip(result.release.tables, (1, 0), strict=True)] == [Status.PRIMARY] * 2
    assert result.secondary == 0
