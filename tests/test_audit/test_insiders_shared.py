"""Tables in hand answer for many insiders at once: the same findings as every insider asked from nothing."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, vstack

from tableseal.audit.attackers import areas
from tableseal.audit.attackers.areas import Area, View
from tableseal.audit.attackers.shown import Cleared, Shown
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.decision import model
from tableseal.audit.decision import near as nearby
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)
Row = tuple[str, str, int, str, str]


def firms(random: Random, shape: tuple[int, int]) -> list[Row]:
    """(activity, region, turnover, id, holding) of a few firms in most cells; some firms are in several cells."""
    holdings = [f"H{k}" for k in range(4)]
    rows: list[Row] = []
    for a in range(shape[0]):
        for b in range(shape[1]):
            for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3, 5])):
                group = random.choice(holdings) if random.random() < 0.3 else ""
                rows.append((f"a{a}", f"b{b}", random.choice([1, 3, 10, 40, 200]), f"f{len(rows)}", group))
    return rows


def document(seed: int) -> dict[str, Any]:
    """A table of a magnitude or of a count, some cells withheld, with the microdata behind it."""
    random = Random(seed)
    shape = random.choice([(2, 3), (3, 3), (3, 4), (4, 4)])
    count = random.random() < 0.4
    rows = firms(random, shape)
    cells: dict[str, list[Any]] = {name: [] for name in ("a", "b", "value", "freq", "x1", "x2", "s", "true")}
    for a in [*(f"a{k}" for k in range(shape[0])), "T"]:
        for b in [*(f"b{k}" for k in range(shape[1])), "T"]:
            given = sorted((r[2] for r in rows if a in (r[0], "T") and b in (r[1], "T")), reverse=True)
            true = len(given) if count else sum(given)
            withheld = random.random() < (0.15 if "T" in (a, b) else 0.7)
            cells["a"].append(a)
            cells["b"].append(b)
            cells["value"].append(None if withheld else true)
            cells["freq"].append(len(given))
            cells["x1"].append(given[0] if given else 0)
            cells["x2"].append(given[1] if len(given) > 1 else 0)
            cells["s"].append(random.choice(["primary", "secondary"]) if withheld else "")
            cells["true"].append(true)
    table: dict[str, Any] = {"name": "t", "cells": cells, "status": "s", "truth": "true"}
    if not count:
        table |= {"frequency": "freq", "contributors": ["x1", "x2"]}
    result: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count" if count else "magnitude",
        "unit": 1,
        "variables": {
            "a": {"total": "T", "codes": [f"a{k}" for k in range(shape[0])]},
            "b": {"total": "T", "codes": [f"b{k}" for k in range(shape[1])]},
        },
        "tables": [table],
        "policy": {"insider": {"p_percent": random.choice([5, 20, 60])}},
        "intruder": {"coalition": random.choice([1, 1, 2, 3])},
    }
    if not count and random.random() < 0.7:
        names = ("a", "b", "sales", "id", "group")
        result["microdata"] = {
            "cells": {name: [row[i] for row in rows] for i, name in enumerate(names)},
            "columns": {"a": "a", "b": "b"},
            "values": {"value": "sales"},
            "id": "id",
            "holding": "group",
        }
    return result


Said = dict[tuple[str, ...], tuple[Any, ...]]


def said(document: dict[str, Any]) -> Said:
    """Verdict of each cell, and who gets how close to it."""
    report = audit(release_from_document(document)).report
    return {
        tuple(code for _, code in cell.cell): (
            cell.verdict,
            cell.reason,
            None if cell.insider is None else (cell.insider.who, *cell.insider.estimates),
        )
        for cell in report.cells
    }


def nothing(_: Shown, area: Area) -> Sequence[Cleared]:
    """No table is in hand."""
    return [Cleared.nothing(len(view.targets)) for view in area.views]


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_as_every_insider_from_nothing(seed: int) -> None:
    """Findings, ends and what is left open, with singletons, holdings and coalitions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shown, "__call__", nothing)
        alone = said(document(seed))
    assert said(document(seed)) == alone


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_few_attackers_at_a_time(seed: int) -> None:
    """Tables found for some attackers and not for others change nothing."""
    together = said(document(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(areas, "MOST", 1)
        assert said(document(seed)) == together


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from([(1, 3), (2,), (4, 6)]))
def test_few_columns_before_all(seed: int, near: tuple[int, ...]) -> None:
    """What is found with few columns near a cell is what is found with all."""
    together = said(document(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "LARGE", 1)
        patch.setattr(nearby, "NEAR", near)
        assert said(document(seed)) == together


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_order_of_rows(seed: int) -> None:
    """Verdicts, and how close the closest comes, do not depend on it."""

    def anonymous(document: dict[str, Any]) -> dict[tuple[str, ...], Any]:
        return {name: (*rest, insider and insider[1:]) for name, (*rest, insider) in said(document).items()}

    one, other = document(seed), document(seed)
    cells = other["tables"][0]["cells"]
    order = Random(seed).sample(range(len(cells["a"])), len(cells["a"]))
    other["tables"][0]["cells"] = {name: [column[k] for k in order] for name, column in cells.items()}
    assert anonymous(one) == anonymous(other)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_each_attacker_is_shown_what_agrees_with_it(seed: int) -> None:
    """Whatever is cleared is not too close by the exact ends that the attacker alone has."""
    cleared: list[tuple[Area, View, np.ndarray]] = []
    called = Shown.__call__

    def kept(self: Shown, area: Area) -> Sequence[Cleared]:
        found = called(self, area)
        cleared.extend(zip([area] * len(found), area.views, [one.marks for one in found], strict=True))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shown, "__call__", kept)
        said(document(seed))
    for area, view, marks in cleared:
        ends = exact_ends(area, view)
        for target, low, high, low_end, high_end in zip(
            view.targets[marks], view.low[marks], view.high[marks], *(e[marks] for e in ends), strict=True
        ):
            assert low_end <= low, target
            assert high_end >= high, target
            assert low_end < high_end, target


def exact_ends(area: Area, view: View) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of each target of a view, with what the attacker knows as rows."""
    component, knows = area.component, np.concatenate([view.known, view.shares])
    held = Component(
        csr_array(vstack([component.matrix, component.targets[knows]], format="csr")),
        np.concatenate([component.lower, view.value, view.least]),
        np.concatenate([component.upper, view.value, np.full(len(view.shares), NO_UPPER)]),
        component.column_lower,
        component.column_upper,
        csr_array(component.targets[view.targets]),
    )
    found = full(Highs()).bounds(held, Limits(values=False)).targets
    low = [NO_LOWER if b.lower.unlimited else b.lower.attained for b in found]
    high = [NO_UPPER if b.upper.unlimited else b.upper.attained for b in found]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)


def test_tables_answer_for_most() -> None:
    """Of what insiders ask, most is answered without a question of their own."""
    asked = answered = 0
    called = Shown.__call__

    def counted(self: Shown, area: Area) -> Sequence[Cleared]:
        nonlocal asked, answered
        found = called(self, area)
        asked += sum(len(one.marks) for one in found)
        answered += sum(int(one.marks.sum()) for one in found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shown, "__call__", counted)
        for seed in range(12):
            said(document(seed))
    assert answered > asked / 2 > 0
