"""How large a cluster is and how long it takes, as its plan alone tells, and what one that is too large is split by."""

from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.system import build_system, known_bounds
from tableseal.audit.plans.forecast import LONG, in_words, seconds_of
from tableseal.audit.plans.read import Plan, plan_from_document, read_plan
from tableseal.audit.plans.releases import release_of
from tableseal.audit.plans.report import plan_report, plan_text
from tableseal.audit.plans.sizes import base_cells_of, cells_of, records_of
from tableseal.audit.plans.splitting import cheapest_cut

VARIABLES: dict[str, Any] = {
    "act": {"total": "T", "tree": {"X": ["a", "b"], "Y": ["c", "d", "e"]}},
    "reg": {"total": "all", "codes": ["1", "2", "3"]},
    "size": {"total": "all", "codes": ["s", "l"]},
    "year": {"codes": ["2024", "2025"]},
}
TABLES = [["act"], ["act@1", "reg"], ["act", "size"], ["reg", "size"], ["reg"], ["act", "reg", "size"]]


def plan_of(tables: list[dict[str, Any]], **more: Any) -> Plan:
    document = {
        "tableseal-plan": 1,
        "measures": {name: {"kind": "count"} for name in dict.fromkeys(t["measure"] for t in tables)},
        "variables": VARIABLES,
        "microdata": {
            "cells": {"act": list("abcde"), "reg": list("12312"), "size": list("slsls"), "year": ["2024"] * 5}
        },
        "tables": [{"name": f"t{at}", **table} for at, table in enumerate(tables)],
        **more,
    }
    parsed = yaml.load(yaml.safe_dump(document), yaml.BaseLoader)
    return plan_from_document(parsed, Path("plan.yaml"))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(TABLES), min_size=1, max_size=4, unique_by=tuple), st.booleans())
def test_base_cells_are_those_of_the_system(chosen: list[list[str]], two: bool) -> None:
    """CONVENTION 977: a variable at one code counts once."""
    measures = ["n", "m"] if two else ["n"]
    tables = [{"measure": m, "by": by, "where": {"year": "2024"}} for by in chosen for m in measures]
    plan = plan_of(tables)
    for cluster in plan.clusters:
        release = release_of(plan, cluster)
        cells, _ = merge_cells(release)
        system = build_system(release, cells, *known_bounds(release, cells))
        assert base_cells_of(cluster.tables, plan.variables) == system.base.columns


def test_a_variable_that_is_fixed_counts_once() -> None:
    plan = plan_of([{"measure": "n", "by": ["reg"], "where": {"year": "2024"}}])
    (cluster,) = plan.clusters
    assert cells_of(cluster.tables, plan.variables) == 4
    assert records_of(plan) == 5


def test_a_forecast_grows_with_every_size() -> None:
    """CONVENTION 977"""
    assert seconds_of(100, 0, 1) < seconds_of(10_000, 0, 1) < seconds_of(10_000, 10**6, 1) < seconds_of(10**6, 10**6, 9)
    assert [in_words(s) for s in (0.1, 89, 90, 5_399, 5_400, 10**7)] == [
        "1 s",
        "89 s",
        "2 min",
        "90 min",
        "2 h",
        "2,778 h",
    ]


def test_the_cheapest_cut_by_hand() -> None:
    """Two flat tables that share three districts, and an equation that relates two totals of nothing but sizes."""
    plan = plan_of(
        [
            {"measure": "a", "by": ["act", "reg"]},
            {"measure": "a", "by": ["reg", "size"]},
            {"measure": "b", "by": ["act", "size"]},
            {"measure": "s", "by": ["size"]},
        ],
        equations=["s = a + b"],
    )
    (cluster,) = plan.clusters
    cut = cheapest_cut(cluster, plan.variables)
    assert cut is not None
    assert sorted(t.name for part in cut.parts for t in part) == ["t0", "t1", "t2", "t3"]
    assert max(base_cells_of(part, plan.variables) or 0 for part in cut.parts) < (
        base_cells_of(cluster.tables, plan.variables) or 0
    )
    assert cut.cells >= 1
    assert cut.links


def test_one_table_has_no_cut() -> None:
    plan = plan_of([{"measure": "n", "by": ["act", "reg"]}])
    assert cheapest_cut(plan.clusters[0], plan.variables) is None


def test_what_is_too_large_is_said_with_the_link_and_the_risk() -> None:
    """CONVENTION 978: three tables of long classifications in a ring."""
    long = {name: {"total": "T", "codes": [f"{name}{k}" for k in range(90)]} for name in ("a", "b", "c")}
    tables = [{"measure": "n", "by": by} for by in (["a", "b"], ["b", "c"], ["a", "c"])]
    plan = plan_of(tables, variables=long, microdata={"cells": {n: [f"{n}1"] for n in long}})
    report = plan_report(plan)
    (cluster,) = report.clusters
    assert cluster.base_cells == 90**3
    assert cluster.seconds is not None
    assert cluster.seconds > LONG
    assert cluster.split is not None
    assert cluster.split.cells == 2 * 91
    assert len(cluster.split.larger) == 2
    assert len(cluster.split.smaller) == 1
    assert cluster.split.seconds < cluster.seconds
    text = plan_text(report)
    assert "share 182 cells" in text
    assert "Judged apart" in text


def test_without_classifications_nothing_is_forecast(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "table_name,field,hrc_field,indicator,hrc_indicator,spanning_1,hrc_spanning_1\n"
        "T1,firms,,pizza,,size,\nT2,firms,,pizza,,region,\n"
    )
    (cluster,) = plan_report(read_plan(tmp_path / "t.csv")).clusters
    assert cluster.base_cells is None
    assert cluster.seconds is None
    assert cluster.split is None
