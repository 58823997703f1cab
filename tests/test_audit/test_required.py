"""What must stay possible: its floor where withheld cells are known to be no empty ones, widths, and own shares."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import audited, cells, one_variable

from tableseal.audit.bounds.component import End, TargetBounds
from tableseal.audit.model import Require
from tableseal.audit.report.verdict import judge

RULES: list[dict[str, Any]] = [
    {"threshold": 5},
    {"threshold": 5, "protection_percent": 300},
    {"p_percent": 300},
    {"dominance": {"n": 1, "k": 1}},
]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize(("intruder", "floor"), [({}, 0), ({"nonempty": True}, 1)], ids=["usual", "nonempty"])
def test_nobody_can_be_made_to_doubt_that_a_cell_is_not_empty(
    rule: dict[str, Any], intruder: dict[str, Any], floor: int
) -> None:
    """Each rule asks for an interval that reaches as far down as anybody can believe."""
    # CONVENTION 646
    columns = {"d": ["T", "k", "l", "m"], "value": [60, None, None, 50], "truth": [60, 4, 6, 50]}
    columns |= {"n": [9, 2, 5, 9], "top": [50, 4, 3, 40], "next": [5, 0, 2, 5], "s": ["", "primary", "secondary", ""]}
    document = one_variable(
        ["k", "l", "m"], columns, truth="truth", status="s", frequency="n", contributors=["top", "next"]
    )
    document |= {"intruder": {**intruder, "insiders": []}, "policy": {"primary": [rule]}}
    if "threshold" not in rule:
        document["kind"] = "magnitude"
    if document["kind"] == "count":
        columns["n"] = columns["truth"]
        del document["tables"][0]["contributors"]
    found = cells(audited(document))["k"]
    assert found.required is not None
    assert found.required[0] == floor
    assert found.required[1] >= 5
    assert found.lower == floor


def bounds(low: int | None, high: int | None, attained: tuple[int | None, int | None]) -> TargetBounds:
    ends = [
        End(None if outer is None else Fraction(outer), outer, reached, None, outer is None)
        for outer, reached in zip((low, high), attained, strict=True)
    ]
    seen = 2 if None in attained or attained[0] != attained[1] else 1
    return TargetBounds(ends[0], ends[1], True, seen)


@pytest.mark.parametrize(
    ("outer", "attained", "width", "verdict"),
    [
        ((10, 14), (10, 14), 4, "protected"),
        ((10, 14), (10, 14), 5, "underprotected"),
        ((10, 14), (11, 14), 4, "undecided"),
        ((10, 14), (11, 14), 3, "protected"),
        ((10, None), (12, None), 10**9, "protected"),
        ((None, 14), (None, 14), 10**9, "protected"),
        ((10, 11), (10, 11), 0, "protected"),
    ],
)
def test_a_width_must_be_spanned_wherever_it_lies(outer: Any, attained: Any, width: int, verdict: str) -> None:
    # CONVENTION 646
    def judged(require: Require) -> tuple[str, str | None]:
        found = judge(bounds(*outer, attained), None, require, width=width, insider=False, insider_open=False)
        return found.verdict, found.reason

    assert judged(Require()) == (verdict, "protection" if verdict == "underprotected" else None)
    assert judged(Require(protection=False)) == ("protected", None)


ENDS = st.tuples(*(st.integers(0, 4) for _ in range(4))).map(sorted)


@given(ENDS, st.booleans(), st.booleans(), st.integers(0, 4), st.integers(0, 4))
def test_what_is_required_must_be_reached_at_both_ends(
    ends: list[int], no_floor: bool, no_ceiling: bool, low: int, high: int
) -> None:
    """Underprotected where an end of what is required is proved impossible; protected only where both are in hand."""
    # CONVENTION 646
    outer = (None if no_floor else ends[0], None if no_ceiling else ends[3])
    reached = (None if no_floor else ends[1], None if no_ceiling else ends[2])
    required = (min(low, high), max(low, high))
    far = 10**9  # stands for no limit

    def room(interval: tuple[int | None, int | None]) -> range:
        return range(-far if interval[0] is None else interval[0], (far if interval[1] is None else interval[1]) + 1)

    whole, hand = room(outer), room(reached)
    if len(whole) == 1:
        expected = "exposed"
    elif not all(value in whole for value in required):
        expected = "underprotected"
    elif len(hand) > 1 and all(value in hand for value in required):
        expected = "protected"
    else:
        expected = "undecided"
    found = judge(bounds(*outer, reached), required, Require(), insider=False, insider_open=False)
    assert found.verdict == expected


@pytest.mark.parametrize(("width", "verdict"), [(6, "protected"), (7, "underprotected")])
def test_a_width_that_a_file_asks_for(width: int, verdict: str) -> None:
    # CONVENTION 646
    columns = {"d": ["T", "k", "l", "m"], "value": [9, None, None, 3], "s": ["", "primary", "secondary", ""]}
    columns["w"] = [None, width, None, None]
    document = one_variable(["k", "l", "m"], columns, status="s", protection={"sliding": "w"})
    document["intruder"] = {"insiders": []}
    found = cells(audited(document))["k"]
    assert (found.lower, found.upper, found.verdict) == (0, 6, verdict)


@pytest.mark.parametrize(
    ("amounts", "nonnegative", "verdict"),
    [
        ([45, 45, 10], True, "underprotected"),  # k >= 90, so the third gives 15 at most
        ([45, 45, 10], False, "protected"),
        ([60, 50, -10], False, "protected"),  # k <= 110: who took its 110 for the least value would call it 110
    ],
)
def test_an_own_share_bounds_a_cell_only_where_nobody_gives_less_than_nothing(
    amounts: list[int], nonnegative: bool, verdict: str
) -> None:
    """A holding with two units in k, and one other contributor."""
    # CONVENTION 46 and 646
    records = {"d": ["k", "k", "k", "l", "l"], "x": [*amounts, 3, 2], "g": ["H", "H", "", "", ""]}
    value = sum(amounts)
    columns = {"d": ["T", "k", "l"], "value": [value + 5, None, None], "truth": [value + 5, value, 5]}
    columns |= {"s": ["", "primary", "secondary"], "lo": [None, 0, -1000], "hi": [None, 110, 1000]}
    document = one_variable(["k", "l"], columns, truth="truth", status="s", lower="lo", upper="hi")
    document |= {
        "measures": {"x": {"kind": "magnitude"}},
        "microdata": {"cells": records, "values": {"x": "x"}, "holding": "g"},
        "intruder": {"nonnegative": nonnegative},
        "policy": {"primary": [], "insider": {"p_percent": 60}},
    }
    del document["kind"]
    found = cells(audited(document))["k"]
    assert found.verdict == verdict
    assert (found.insider is not None) == (verdict == "underprotected")
