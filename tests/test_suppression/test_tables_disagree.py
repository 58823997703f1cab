"""Searches where tables say different things of one cell: withheld in one, and published, rounded or without a row in
another one."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Status
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.decisions import Decision
from tableseal.suppression.report import suppression_text
from tableseal.suppression.search.methods import METHODS
from tableseal.suppression.suppress import suppress

TRUTH: Mapping[str, int] = {"x": 7, "y": 2, "z": 6, "u": 5, "T": 20}

HIDDEN = ("primary", "secondary", "withheld", "missing")


def table(
    statuses: Mapping[str, str],
    codes: Iterable[str] = TRUTH,
    *,
    base: int | None = None,
    truth: Mapping[str, int] = TRUTH,
    **more: Any,
) -> dict[str, Any]:
    """Counts in full or rounded down to a base; what its status hides has a true value only."""
    codes = list(codes)
    status = [statuses.get(code, "") for code in codes]
    value = [None if s in HIDDEN else truth[c] // (base or 1) * (base or 1) for c, s in zip(codes, status, strict=True)]
    return {
        "cells": {"a": codes, "value": value, "truth": [truth[c] for c in codes], "status": status},
        "truth": "truth",
        "status": "status",
        "absent": {"leaves": "not_released"},
        **({} if base is None else {"rounding": {"base": base, "method": "down"}}),
        **more,
    }


def searched(*tables: dict[str, Any], method: str = "optimal", insiders: Any = (), **options: Any) -> Suppression:
    """What a search finds for these tables, t0, t1, ..., with one cell as dear as another."""
    more = options.pop("document", {})
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y", "z", "u"]}},
        "tables": [{"name": f"t{number}", **made} for number, made in enumerate(tables)],
        "intruder": {"insiders": list(insiders)},
        **more,
    }
    return suppress(release_from_document(document), method=method, costs=Costs("unit"), **options)


def written(result: Suppression, number: int) -> dict[str, tuple[str, int | None]]:
    """Status and value of each cell of a table of the protected release."""
    assert result.release is not None
    found = result.release.tables[number]
    codes = [result.release.variables["a"].codes[at] for at in found.codes[:, 0].tolist()]
    values = [found.value.get(row) for row in range(len(codes))]
    return {c: (Status(s).word, v) for c, s, v in zip(codes, found.status.tolist(), values, strict=True)}


@pytest.mark.parametrize("method", METHODS)
def test_what_a_rounded_table_withholds_for_others_stays_withheld(method: str) -> None:
    """CONVENTION 610: its true value stood there, in place of a rounded one."""
    result = searched(table({"x": "secondary", "y": "primary"}, base=5), method=method)
    assert written(result, 0) == {
        "x": ("secondary", None),
        "y": ("primary", None),
        "z": ("published", 5),
        "u": ("published", 5),
        "T": ("published", 20),
    }
    assert (result.verdict, result.found.cost, result.secondary, result.idle) == ("safe", 0, 1, ())


def test_the_text_says_why_it_stays() -> None:
    """CONVENTION 610"""
    result = searched(table({"x": "secondary", "y": "primary"}, base=5))
    assert "x (withheld by a rounded table, which cannot give it back)" in suppression_text(result, limit=None)


def test_an_exact_table_gives_back_what_a_rounded_one_withholds_too() -> None:
    """CONVENTION 610: of x and z, withheld for y, one is enough."""
    statuses = {"x": "secondary", "y": "primary", "z": "secondary", "u": "frozen", "T": "frozen"}
    result = searched(table(statuses), table(statuses, "xyz", base=5))
    assert [written(result, 0)[code] == ("published", TRUTH[code]) for code in "xz"].count(True) == 1
    assert {written(result, 1)[code] for code in "xz"} == {("secondary", None)}
    assert (result.verdict, result.secondary) == ("safe", 1)


@pytest.mark.parametrize("status", ["secondary", "withheld", "primary"])
def test_no_table_gives_back_what_another_one_shows_rounded(status: str) -> None:
    """CONVENTION 610: exactly that is what the rounding is to hide."""
    result = searched(table({"x": status, "y": "primary"}), table({}, ["x"], base=5))
    assert written(result, 0)["x"] == (status, None)
    assert written(result, 1) == {"x": ("published", 5)}
    assert result.verdict == "safe"


def test_whoever_knows_a_cell_that_stays_withheld_is_an_insider() -> None:
    """CONVENTION 610: the one unit of x sees that y = T - x - z - u."""
    truth = {"x": 1, "y": 2, "z": 6, "u": 5, "T": 14}
    tables = table({"y": "primary"}, "yzuT", truth=truth), table({"x": "secondary"}, "x", base=5, truth=truth)
    assert searched(*tables).secondary == 1
    result = searched(*tables, insiders=["singletons"])
    assert (result.verdict, result.secondary) == ("safe", 2)


def test_no_decision_publishes_what_only_a_rounded_table_withholds() -> None:
    """CONVENTION 610"""

    def decided(kind: Any) -> Suppression:
        decision = Decision(kind, (("a", "x"),), None, "why", "who", "2026-01-01")
        return searched(table({"x": "secondary", "y": "primary"}, base=5), decisions=[decision])

    with pytest.raises(InputError, match=r"a rounded table withholds the cell, and what it would show instead"):
        decided("keep_published")
    assert "x (accepted by hand)" in suppression_text(decided("accept"), limit=None)


@pytest.mark.parametrize("base", [None, 5])
@pytest.mark.parametrize("method", METHODS)
def test_what_one_table_calls_sensitive_no_other_one_publishes(method: str, base: int | None) -> None:
    """CONVENTION 611: its status was lost with the value that was given back, and the release called safe."""
    result = searched(table({}), table({"y": "primary"}, ["y"], base=base), method=method)
    assert result.problem.primary.sum() == 1
    assert [written(result, number)["y"] for number in (0, 1)] == [("primary", None)] * 2
    assert result.secondary >= 1
    assert result.verdict == "safe" or result.found.guarantee != "intervals"


def test_what_one_table_rounds_and_another_one_publishes_is_sensitive() -> None:
    """CONVENTION 605 and 611: withheld, it is not there to protect others, and the result is judged."""
    result = searched(table({}), table({}, ["y"], base=5))
    assert [written(result, number)["y"] for number in (0, 1)] == [("primary", None)] * 2
    assert result.verdict == "safe"


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ("must_publish", 'must be published (table "t0")'),
        ("frozen", 'has been published already, as it is frozen (table "t0")'),
        ("structural_zero", 'is a zero that everyone knows (table "t0")'),
        ("consent", 'is published by consent (table "t0")'),
    ],
)
@pytest.mark.parametrize("base", [None, 5])
def test_what_one_table_calls_sensitive_and_another_one_must_publish_is_refused(
    base: int | None, status: str, why: str
) -> None:
    """CONVENTION 611"""
    truth = {"x": 7, "y": 0, "z": 6, "u": 5, "T": 18}
    tables = table({"y": status}, truth=truth), table({"y": "primary"}, ["y"], base=base, truth=truth)
    with pytest.raises(InputError) as error:
        searched(*tables)
    assert str(error.value) == f'a=y in table "t0": is sensitive (table "t1"), but {why}; it cannot be protected'


@pytest.mark.parametrize("base", [None, 5])
def test_what_one_table_calls_sensitive_and_another_one_leaves_out_as_zero_is_refused(base: int | None) -> None:
    """CONVENTION 611"""
    truth = {"x": 7, "y": 0, "z": 6, "u": 5, "T": 18}
    tables = table({}, "xzuT", truth=truth, absent={}), table({"y": "primary"}, ["y"], base=base, truth=truth)
    with pytest.raises(InputError, match=r'a=y in table "t1": is sensitive .*has no row for it.*not_released'):
        searched(*tables)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("tables", "why"),
    [
        ((table({"y": "primary"}, base=5) | {"rounding": {"base": 5, "method": "up"}},), "x .*published rounded"),
        ((table({}, "xzu", absent={}), table({"y": "secondary", "x": "primary"}, "xy")), "y .*no row for it"),
        ((table({"y": "secondary", "x": "primary"}, "xy"), table({}, "xzu", absent={})), "y .*no row for it"),
        ((table({"y": "primary"}), table({"y": "primary"}, "y", truth={"y": 3})), "y .*different true values"),
        ((table({"y": "primary"}), table({"y": "primary"}, "y", truth={"y": 3}, base=5)), "y .*different true values"),
        ((table({"y": "missing", "x": "primary"}, lower="lo"),), "y .*contradicts what bounds everybody knows of it"),
    ],
)
def test_true_values_that_contradict_what_everybody_knows_are_wrong_input(
    tables: tuple[dict[str, Any], ...], why: str, method: str
) -> None:
    """CONVENTION 612: a search that began with them ended in a traceback."""
    for made in tables:
        if "lower" in made:
            made["cells"]["lo"] = [3 if code == "y" else None for code in made["cells"]["a"]]
    with pytest.raises(InputError, match=f"a={why}"):
        searched(*tables, method=method)


def test_an_empty_cell_that_stays_withheld_contradicts_that_none_is_empty() -> None:
    """CONVENTION 607 and 610"""
    truth = {"x": 0, "y": 2, "z": 6, "u": 5, "T": 13}
    given = table({"x": "secondary", "y": "primary"}, base=5, truth=truth)
    with pytest.raises(InputError, match=r"a=x in table .t0.: .*nonempty"):
        searched(given, document={"intruder": {"nonempty": True}})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("by", ["decision", "rounded table"])
def test_what_is_withheld_for_no_sensitive_cell_may_be_computed(by: str, method: str) -> None:
    """CONVENTION 442 and 610: nothing is withheld beside x of the second year, which its total gives."""
    years = [table({"y": "primary"}, where={"year": "1"}), table({}, where={"year": "2"})]
    decisions = [Decision("accept", (("a", "x"), ("year", "2")), None, "why", "who", "2026-01-01")]
    if by == "rounded table":
        years[1] = table({}, "yzuT", where={"year": "2"})
        years.append(table({"x": "secondary"}, "x", base=5, where={"year": "2"}))
        decisions = []
    variables = {"a": {"total": "T", "codes": ["x", "y", "z", "u"]}, "year": {"codes": ["1", "2"]}}
    result = searched(*years, method=method, decisions=decisions, document={"variables": variables})
    assert written(result, 0)["y"] == ("primary", None)
    assert written(result, len(years) - 1)["x"] == ("secondary", None)
    assert result.secondary == 2 or method.startswith("rank")
    assert result.verdict == "safe"
    if method == "optimal":
        assert result.found.status == "optimal"


@pytest.mark.parametrize("method", [name for name in METHODS if name != "network"])
@pytest.mark.parametrize("group", ["missing", "rounded"])
def test_whoever_is_alone_in_a_cell_that_is_never_published_knows_it(group: str, method: str) -> None:
    """CONVENTION 613: the one unit of x is the one of A, which is not released or rounded, and sees y = T - A - z."""
    truth = {"T": 9, "A": 1, "x": 1, "y": 2, "z": 6}
    variables = {"a": {"total": "T", "tree": {"A": ["x", "w"], "B": ["y", "z"]}}}
    tables = [table({"x": "primary", "y": "primary", "A": "missing"}, truth, truth=truth)]
    if group == "rounded":
        tables = [table({"x": "primary", "y": "primary"}, "Txyz", truth=truth), table({}, "A", base=5, truth=truth)]

    def found(*insiders: str) -> Suppression:
        return searched(*tables, method=method, insiders=insiders, document={"variables": variables})

    assert (found().verdict, found().secondary) == ("safe", 0)
    bound = found("singletons")
    assert (bound.verdict, bound.secondary) == ("safe", 1) or bound.found.guarantee != "intervals"
