"""Respondents and weights: each rule against a slow reference in fractions."""

from fractions import Fraction
from math import floor, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, policy_from_document, release_from_document
from tableseal.audit.io.policy_file import policy_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import assess

WEIGHTS = st.sampled_from(["0", "0.1", "0.2", "0.3", "1", "1.5", "2", "2.999999999999999", "3", "7", "1000000.1"])
RECORDS = st.lists(
    st.tuples(st.sampled_from("kl"), st.integers(0, 9), WEIGHTS, st.sampled_from(["", "H", "G"]), st.booleans()),
    min_size=1,
    max_size=7,
)


def release(records: list[Any], rule: dict[str, Any], kind: str = "magnitude") -> Any:
    cells = {"a": ["k", "l", "T"], "value": [None] * 3}
    microdata = {
        "cells": {
            "a": [r[0] for r in records],
            "amount": [r[1] for r in records],
            "w": [r[2] for r in records],
            "h": [r[3] for r in records],
            "asked": [int(r[4]) for r in records],
        },
        "weight": "w",
        "holding": "h",
        "request": "asked",
    }
    if kind == "magnitude":
        microdata["values"] = {"value": "amount"}
    return release_from_document(
        {
            "tableseal": 1,
            "kind": kind,
            "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
            "tables": [{"name": "t", "cells": cells}],
            "microdata": microdata,
            "policy": {"primary": [rule]},
        }
    )


class Cell:
    """What stands behind a cell, in fractions."""

    def __init__(self, records: list[Any], code: str, kind: str) -> None:
        own = [(k, r) for k, r in enumerate(records) if code in (r[0], "T")]
        parts: dict[Any, list[Any]] = {}
        for k, (_, amount, weight, holding, asked) in own:
            size = amount if kind == "magnitude" else 1
            parts.setdefault(holding or k, []).append((size, Fraction(weight), asked))
        self.parts = sorted(
            ((sum(a for a, _, _ in p), min(w for _, w, _ in p)) for p in parts.values()), key=lambda p: (-p[0], p[1])
        )
        self.respondents = sum(any(w > 0 for _, w, _ in p) for p in parts.values())
        self.weighted = sum((w for _, w in self.parts), Fraction())
        self.value = floor(sum((a * w for p in parts.values() for a, w, _ in p), Fraction()) + Fraction(1, 2))
        askers = {r[3] or k for k, r in enumerate(records) if r[4]}
        self.asked = [sum(a for a, _, _ in p) for who, p in parts.items() if who in askers]
        self.top = [a for a, _ in self.parts] + [0, 0]
        # Amounts that are not weighted may be more than a weighted value.
        self.size = floor(sum((a * w for a, w in self.parts), Fraction()) + Fraction(1, 2))
        self.covered = bool(own)


def entropy(cell: Cell) -> float:
    total = sum(a * w for a, w in cell.parts)
    number = cell.weighted
    if number <= 1 or not total:
        return 0
    shares = [(float(w), float(Fraction(a) / total)) for a, w in cell.parts if a]
    return -sum(w * s * log2(s) for w, s in shares) / log2(number)


def reference(cell: Cell, rule: dict[str, Any]) -> bool | None:
    """None: too near to a limit for floats to tell."""
    if "threshold" in rule:
        number = cell.weighted if rule.get("of") == "weighted" else cell.respondents
        return number < rule["threshold"] and (number > 0 or cell.value != 0 or bool(rule.get("zeros")))
    first, second = cell.top[:2]
    if "dominance" in rule:
        n, k = rule["dominance"]["n"], rule["dominance"]["k"]
        top = sum(cell.top[:n])
        return 100 * top > k * max(cell.value, top)
    if "p_percent" in rule:
        total = max(cell.value, first + second)
        return 100 * (total - first - second) < rule["p_percent"] * first
    if "request" in rule:
        if rule["request"] is True:
            return bool(cell.asked)
        return any(100 * a >= rule["request"]["percent"] * cell.value for a in cell.asked)
    found = entropy(cell)
    return None if abs(found - 0.5) < 1e-9 else cell.size > 0 and found < 0.5


RULES: list[dict[str, Any]] = [
    {"threshold": 3},
    {"threshold": 3, "of": "weighted"},
    {"threshold": 2, "zeros": True},
    {"threshold": 2, "zeros": True, "of": "weighted"},
    {"dominance": {"n": 1, "k": 60}},
    {"p_percent": 20},
    {"request": True},
    {"request": {"percent": 30}},
    {"entropy": "0.5"},
]


@given(RECORDS, st.sampled_from(RULES), st.sampled_from(["magnitude", "count"]))
def test_rules_use_weights_as_the_convention_says(records: list[Any], rule: dict[str, Any], kind: str) -> None:
    # CONVENTION 566
    # CONVENTION 567
    if kind == "count" and not ("threshold" in rule or "request" in rule):
        return
    found = release(records, rule, kind)
    cells, _ = merge_cells(found)
    sensitive = assess(found, cells, found.policy).sensitive.tolist()
    for code, got in zip("Tkl", sensitive, strict=True):
        cell = Cell(records, code, kind)
        expected = reference(cell, rule)
        assert expected is None or got == expected, (code, vars(cell))


def table(rule: dict[str, Any], kind: str = "magnitude", **columns: Any) -> Any:
    cells = {"a": ["k", "l", "m", "T"], "value": [10, 20, 30, 60]} | {name: c for name, (_, c) in columns.items()}
    return release_from_document(
        {
            "tableseal": 1,
            "kind": kind,
            "variables": {"a": {"total": "T", "codes": ["k", "l", "m"]}},
            "tables": [{"name": "t", "cells": cells} | {key: name for name, (key, _) in columns.items()}],
            "policy": {"primary": [rule]},
        }
    )


def sensitive(release: Any) -> list[bool]:
    cells, _ = merge_cells(release)
    found: list[bool] = assess(release, cells, release.policy).sensitive.tolist()
    return [*found[1:], found[0]]


FIRMS = ("frequency", [2, 3, 0, 5])
SUMS = ("weighted", ["2.9", "3", "0.000001", "5.900001"])


@pytest.mark.parametrize("kind", ["magnitude", "count"])
def test_columns_of_respondents_and_of_weights(kind: str) -> None:
    # CONVENTION 566
    both = {"n": FIRMS, "w": SUMS}
    assert sensitive(table({"threshold": 3}, kind, **both)) == [True, False, True, False]
    assert sensitive(table({"threshold": 3, "of": "weighted"}, kind, **both)) == [True, False, True, False]
    assert sensitive(table({"threshold": 6, "of": "weighted"}, kind, **both)) == [True, True, True, True]
    again = release_from_document(canonical_document(table({"threshold": 3, "of": "weighted"}, kind, **both)))
    assert sensitive(again) == [True, False, True, False]


def test_sums_of_weights_that_nobody_gives() -> None:
    # CONVENTION 566
    with pytest.raises(InputError, match="needs the sum of the weights"):
        sensitive(table({"threshold": 3, "of": "weighted"}, n=FIRMS))
    assert sensitive(table({"threshold": 25, "of": "weighted"}, "count")) == [True, True, False, False]


def test_a_count_whose_respondents_are_others_is_only_kept_from_coming_out_exactly() -> None:
    # CONVENTION 568
    given = table({"threshold": 3}, "count", n=("frequency", [2, 3, 4, 9]))
    cells, _ = merge_cells(given)
    assert not assess(given, cells, given.policy).required_lower.known.any()
    own = table({"threshold": 11}, "count")
    assert assess(own, merge_cells(own)[0], own.policy).required_upper.known.tolist() == [False, True, False, False]


def test_weights_have_digits_that_can_be_kept() -> None:
    # CONVENTION 567
    for weight in ("0.1234567890123456789", "12345678901234567890.5"):
        with pytest.raises(InputError, match="at most 15 digits"):
            release([("k", 1, weight, "", False)], {"threshold": 3})


def test_the_policy_keeps_what_is_counted() -> None:
    policy = policy_from_document({"primary": [{"threshold": 3, "of": "weighted"}, {"threshold": 3}]})
    assert policy_from_document(policy_document(policy)) == policy
    assert [rule.of for rule in policy.primary] == ["weighted", "respondents"]  # type: ignore[union-attr]
    with pytest.raises(InputError, match="expected respondents, weighted"):
        policy_from_document({"primary": [{"threshold": 3, "of": "weights"}]})


def test_the_rule_that_was_applied_is_named() -> None:
    found = audit(table({"threshold": 3, "of": "weighted"}, w=SUMS)).report
    assert {c.rule for c in found.cells} == {"threshold 3 (weighted)"}


@pytest.mark.parametrize(("total", "verdict", "sensitive"), [(111, "unsafe", 1), (113, "safe", 0), (None, "safe", 0)])
def test_a_weighted_count_that_no_row_lists_is_judged_by_its_respondents(
    total: int | None, verdict: str, sensitive: int
) -> None:
    # CONVENTION 568
    cells = {"a": ["A", "B", "T"], "value": [5000, 6000, 12200], "n": [50, 60, total]}
    table = {"name": "t", "frequency": "n", "cells": cells, "absent": {"leaves": "not_released"}}
    found = audit(
        release_from_document(
            {
                "tableseal": 1,
                "kind": "count",
                "variables": {"a": {"total": "T", "codes": ["A", "B", "C"]}},
                "tables": [table],
                "policy": {"primary": [{"threshold": 3}]},
            }
        )
    ).report
    assert found.verdict == verdict
    assert found.summary.implied is not None
    assert (found.summary.implied.sensitive, found.summary.implied.judged) == (sensitive, int(total is not None))
