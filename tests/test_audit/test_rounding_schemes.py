"""Rounding as it is practised, against true values that are rounded one by one."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schemes import PLAIN, SCHEMES

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import check
from tableseal.audit.report.model import Report

MOST = 40


def document(shown: list[int], scheme: dict[str, Any], **more: Any) -> dict[str, Any]:
    cells = {"a": [*(f"c{k}" for k in range(len(shown) - 1)), "T"], "value": shown}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": cells["a"][:-1]}},
        "tables": [{"name": "t", "cells": cells, "rounding": scheme}],
    } | more


def report(shown: list[int], scheme: dict[str, Any], **more: Any) -> Report:
    return audit(release_from_document(document(shown, scheme, **more))).report


@pytest.mark.parametrize("name", SCHEMES)
@settings(max_examples=15)
@given(data=st.data())
def test_what_published_values_leave_possible(name: str, data: st.DataObject) -> None:
    # CONVENTION 571
    scheme, shows = SCHEMES[name]
    true = data.draw(st.lists(st.integers(0, 13), min_size=2, max_size=2))
    shown = [data.draw(st.sampled_from(sorted(shows(x)))) for x in (*true, sum(true))]
    fits = [
        (x, y, x + y)
        for x, y in product(range(MOST), repeat=2)
        if all(s in shows(v) for s, v in zip(shown, (x, y, x + y), strict=True))
    ]
    release = release_from_document(document(shown, scheme))
    found = audit(release).report
    for cell in found.cells:
        k = {"c0": 0, "c1": 1, "T": 2}[dict(cell.cell)["a"]]
        values = {f[k] for f in fits}
        assert cell.lower == min(values)
        endless = max(values) >= MOST - 1
        assert cell.upper == (None if endless else max(values))
    # What the scheme leaves one meaning is published, and not listed: of schemes that show some values as they are.
    meanings = [len({v for v in range(4 * MOST) if value in shows(v)}) for value in shown]
    exact = [k for k in range(3) if meanings[k] == 1 and name not in PLAIN]
    assert len(found.cells) == 3 - len(exact)
    again = release_from_document(canonical_document(release))
    assert canonical_json(again) == canonical_json(release)
    assert audit(again).report.cells == found.cells


@pytest.mark.parametrize("name", SCHEMES)
def test_the_verifier_reads_what_values_stand_for(name: str) -> None:
    # CONVENTION 571
    scheme, shows = SCHEMES[name]
    shown = [max(shows(v)) for v in (2, 8, 10)]
    release = release_from_document(document(shown, scheme))
    found = audit(release, prove=True)
    assert found.proof is not None
    assert check(proof_json(found.proof).encode(), canonical_json(release))


@pytest.mark.parametrize(
    ("scheme", "shown", "message"),
    [
        ({"base": 6, "method": "midpoint"}, [3, 6, 9], 'row 2, column "value".*found "6".*middles of 6 values'),
        ({"base": 3, "method": "small"}, [2, 3, 5], 'row 1, column "value".*found "2".*shown as 0 or 3'),
        ({"ranges": {"5": ["1", "4"]}}, [5, 5, 8], 'row 3, column "value".*cannot give'),
        ({"bands": [{"lower": 1, "upper": 4, "shown": 5}]}, [5, 0, 5], 'row 2, column "value".*cannot give'),
        ({"bands": [{"lower": 1, "upper": 4, "shown": 5}, {"base": 5}]}, [5, 5, 10], None),
        (
            {"bands": [{"lower": 0, "upper": 1, "shown": 5}, {"lower": 4, "upper": 6, "base": 5}]},
            [5, 5, 10],
            "others between",
        ),
        ({"bands": [{"lower": 1, "upper": 4, "shown": 5}, {"lower": 4, "base": 5}]}, [5, 5, 10], "overlap"),
        ({"bands": [{"base": 5}, {"base": 3}]}, [5, 5, 10], "two bands have no"),
        ({"bands": [{"lower": 4, "upper": 1, "shown": 5}]}, [5, 5, 10], "above"),
        ({"bands": [{"lower": 4}]}, [5, 5, 10], "one of `shown` and `base`"),
        ({"base": 5}, [5, 5, 10], "both `base` and `method`"),
        ({}, [5, 5, 10], "give one of"),
        ({"base": 5, "method": "up", "bands": [{"base": 5}]}, [5, 5, 10], "give one of"),
        ({"ranges": {"5": ["4", "1"]}}, [5, 5, 5], "above the upper"),
        ({"ranges": {"5": "x"}}, [5, 5, 5], "expected a file or ranges"),
        ({"ranges": {"5": ["a", "b"]}}, [5, 5, 5], "expected a number"),
        ({"base": 6, "method": "midpoint", "top": 9}, [3, 3, 9], "goes with bands"),
        ({"method": "cell_key", "range": 3, "never": 2}, [0, 2, 4], 'row 2, column "value".*no value from 1 to 2'),
        ({"method": "cell_key"}, [0, 3, 4], "needs `range`"),
        ({"method": "cell_key", "range": 2, "base": 3}, [0, 3, 4], "neither base, bands nor top"),
        ({"method": "cell_key", "range": "2.5"}, [0, 3, 4], "multiple of the unit"),
        ({"method": "cell_key", "range": 2, "never": 3}, [0, 4, 4], "never: expected from 0 to the range"),
        ({"method": "cell_key", "range": 2, "unchanged": "1.5"}, [0, 4, 4], "unchanged: expected a share"),
        ({"base": 3, "method": "up", "range": 2}, [0, 3, 3], "go with method cell_key"),
        ({"base": 3, "method": "up", "share": "0.2"}, [0, 3, 3], "goes with methods noise, adjusted and cell_key"),
        ({"method": "noise", "range": 2}, [0, 3, 3], "needs `share`"),
        ({"method": "adjusted", "share": "0.2", "never": 1}, [0, 3, 3], "needs `share`, and has `range`"),
        ({"method": "noise", "share": "1"}, [0, 3, 3], "share: expected above 0 and below 1"),
        ({"method": "adjusted", "share": "0"}, [0, 3, 3], "share: expected above 0 and below 1"),
        ({"method": "noise", "share": "0.1234567"}, [0, 3, 3], "at most 6 decimals"),
    ],
)
def test_schemes_and_values_that_do_not_fit(scheme: dict[str, Any], shown: list[int], message: str | None) -> None:
    # CONVENTION 571
    if message is None:
        assert len(report(shown, scheme).cells) == 3
        return
    with pytest.raises(InputError, match=message):
        report(shown, scheme)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_table_that_publishes_nothing_is_read_and_audited_by_every_scheme(name: str) -> None:
    """CONVENTION 571: what its values stand for is an empty list in the canonical form."""
    given = document([0, 0, 0], SCHEMES[name][0])
    given["tables"][0]["cells"] |= {"value": [None] * 3, "s": ["primary", "primary", "secondary"]}
    given["tables"][0]["status"] = "s"
    release = release_from_document(given)
    found = audit(release, prove=True)
    assert found.report.verdict == "safe"
    assert [cell.upper for cell in found.report.cells] == [None] * 3
    again = release_from_document(canonical_document(release))
    assert canonical_json(again) == canonical_json(release)
    assert found.proof is not None
    assert check(proof_json(found.proof).encode(), canonical_json(again))


def test_values_that_may_be_negative_need_a_method_for_them() -> None:
    # CONVENTION 571
    with pytest.raises(InputError, match="may be negative"):
        report([3, 3, 9], {"base": 6, "method": "midpoint"}, intruder={"nonnegative": False})
