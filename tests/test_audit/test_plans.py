"""Plans: which tables hang together, equations between measures, and the releases of clusters."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.plans.clusters import clusters
from tableseal.audit.plans.document import PlanDocument, plan_schema
from tableseal.audit.plans.equations import check_equations, read_equation
from tableseal.audit.plans.plan import Equation, PlannedTable, Spanning
from tableseal.audit.plans.read import plan_from_document, read_plan
from tableseal.audit.plans.releases import links_of, release_of

SHEET = """table_name,field,hrc_field,indicator,hrc_indicator,spanning_1,hrc_spanning_1,spanning_2,hrc_spanning_2
T1,firms,,pizza,,nuts2,hrc_nuts,size,
T2,firms,,pizza,,nuts3,hrc_nuts,size,
T3,firms,,pizza,,a10,hrc_naf,nuts2,hrc_nuts
T4,firms,,pizza,,a10,hrc_naf,nuts3,hrc_nuts
T5,firms,,pizza,,a21,hrc_naf,nuts2,hrc_nuts
T6,firms,,pizza,,a21,hrc_naf,nuts3,hrc_nuts
T7,firms,,batavia,hrc_lettuce,a10,hrc_naf,size,
T8,firms,,batavia,hrc_lettuce,a10,hrc_naf,cj,
T9,firms,,arugula,hrc_lettuce,a10,hrc_naf,size,
T10,firms,,arugula,hrc_lettuce,a10,hrc_naf,cj,
T11,firms,,lettuce,hrc_lettuce,a10,hrc_naf,size,
T12,firms,,lettuce,hrc_lettuce,a10,hrc_naf,cj,
"""
"""The twelve tables of the R package rtauargus (MIT), with shorter names of measures."""
ANSWER = [
    [(("hrc_nuts", "size"), ("T1", "T2")), (("hrc_naf", "hrc_nuts"), ("T3", "T4", "T5", "T6"))],
    [(("hrc_naf", "size"), ("T7", "T9", "T11")), (("hrc_naf", "cj"), ("T8", "T10", "T12"))],
]


def said(found: Any) -> list[list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    return [[(tuple(name for name, _ in j.by), j.tables) for j in cluster.joined] for cluster in found]


def plan_of(document: Mapping[str, Any], folder: Path) -> Any:
    text = yaml.safe_dump({"tableseal-plan": 1, **document}, sort_keys=False)
    (folder / "plan.yaml").write_text(text)
    return read_plan(folder / "plan.yaml")


def test_twelve_tables_are_two_clusters_by_hierarchy(tmp_path: Path) -> None:
    """CONVENTION 799 and 800."""
    (tmp_path / "twelve.csv").write_text(SHEET)
    found = read_plan(tmp_path / "twelve.csv").clusters
    assert said(found) == ANSWER
    assert [cluster.linking for cluster in found] == [("hrc_nuts",), ("hrc_naf",)]
    assert dict(found[0].joined[1].by) == {"hrc_naf": ("a10", "a21"), "hrc_nuts": ("nuts2", "nuts3")}


def test_twelve_tables_are_two_clusters_by_equation(tmp_path: Path) -> None:
    """CONVENTION 799."""
    (tmp_path / "twelve.csv").write_text(SHEET.replace("hrc_lettuce", ""))
    assert len(read_plan(tmp_path / "twelve.csv").clusters) == 4
    plan = plan_of({"sheet": "twelve.csv", "equations": ["lettuce = batavia + arugula"]}, tmp_path)
    assert said(plan.clusters) == ANSWER
    assert [cluster.name for cluster in plan.clusters] == ["pizza", "lettuce"]


def tables_of(*measures: str, population: str = "") -> list[PlannedTable]:
    return [PlannedTable(f"{m}{population}", m, (Spanning("region"),), population) for m in measures]


def equation(text: str) -> Equation:
    names = set(text.replace("=", " ").replace("+", " ").replace("-", " ").split())
    return read_equation(text, names, Place("equations"))


def test_chained_equations_are_one_cluster() -> None:
    said_ = [equation(text) for text in ("A = B + C", "A = D + E", "D = F + G", "Z = X + Y + S")]
    found = clusters(tables_of(*"ABCDEFGZXYS"), said_)
    assert [{table.measure for table in cluster.tables} for cluster in found] == [set("ABCDEFG"), set("ZXYS")]
    assert [cluster.name for cluster in found] == ["A", "Z"]


def test_measures_without_tables_relate_those_that_have_some() -> None:
    found = clusters(tables_of("B", "F"), [equation("A = B + C"), equation("A = D + E"), equation("D = F + G")])
    assert len(found) == 1
    assert len(found[0].equations) == 3


def test_other_populations_are_clusters_of_their_own() -> None:
    found = clusters([*tables_of("A", population="north"), *tables_of("A", population="south")], [])
    assert [cluster.name for cluster in found] == ["A (north)", "A (south)"]


def test_a_table_with_fewer_variables_joins_the_one_that_has_them() -> None:
    small = PlannedTable("small", "m", (Spanning("a"),))
    large = PlannedTable("large", "m", (Spanning("a"), Spanning("b")))
    (cluster,) = clusters([small, large], [])
    assert [j.tables for j in cluster.joined] == [("small", "large")]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ABCDEF"), st.sampled_from(["", "p"]), st.sets(st.sampled_from("xyz"), max_size=3)),
        min_size=1,
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_every_table_is_in_one_cluster_whatever_the_order(listed: list[Any], chance: Any) -> None:
    tables = [
        PlannedTable(f"t{k}", measure, tuple(map(Spanning, sorted(variables))), population)
        for k, (measure, population, variables) in enumerate(listed)
    ]
    equations = [equation("A = B + C")]
    found = clusters(tables, equations)
    assert sorted(t.name for cluster in found for t in cluster.tables) == sorted(t.name for t in tables)
    assert sorted(name for c in found for j in c.joined for name in j.tables) == sorted(t.name for t in tables)
    chance.shuffle(tables)
    assert {frozenset(t.name for t in c.tables) for c in clusters(tables, equations)} == {
        frozenset(t.name for t in c.tables) for c in found
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("turnover", "expected an equation such as"),
        ("a = b = c", "expected an equation such as"),
        ("= b", "expected an equation such as"),
        ("a = b + d", 'there is no measure "d"|"d"'),
        ("a = b + b", 'the measure "b" stands twice'),
        ("a = a + b", 'the measure "a" stands twice'),
        ("a = b + ", "expected an equation such as"),
    ],
)
def test_what_is_no_equation(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_equation(text, {"a", "b", "c"}, Place("equations"))


def test_coefficients_and_names_with_blanks() -> None:
    found = read_equation("net sales = 2 gross - 3 * tax + 2 pi", {"net sales", "gross", "tax", "2 pi"}, Place("e"))
    assert dict(found.parts) == {"gross": 2, "tax": -3, "2 pi": 1}
    assert str(found) == "net sales = 2 gross - 3 tax + 2 pi"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["A = B + C", "B = A + D"], "go in a circle"),
        (["A = B + C", "B = D + E", "D = A - F"], "go in a circle"),
        (["A = B + C", "A = C + B"], "stands twice"),
        (["A = B + C", "B = D + E", "D = A - F"], '"A" -> "B" -> "D" -> "A"'),
        (["A = B + C", "A = B + C + D"], "leave some measure nothing but 0"),
        (["A = B + C", "D = B - C", "D = A + E"], "leave some measure nothing but 0"),
    ],
)
def test_equations_that_cannot_be(texts: list[str], message: str) -> None:
    """CONVENTION 801."""
    with pytest.raises(InputError, match=message):
        check_equations([equation(text) for text in texts], nonnegative=True)


def test_negative_values_may_meet_more_equations() -> None:
    """CONVENTION 1003: E = -2 C is no 0 where values may be negative; D = 0 is one whatever values are."""
    check_equations([equation(text) for text in ("A = B + C", "D = B - C", "D = A + E")], nonnegative=False)
    for texts in (["A = B + C", "A = B + C + D"], ["A = B + C", "A = B + 2 C"], ["A = B + C", "D = A - B", "D = 3 C"]):
        with pytest.raises(InputError, match="leave some measure nothing but 0"):
            check_equations([equation(text) for text in texts], nonnegative=False)


PLAN: dict[str, Any] = {
    "title": "Food",
    "measures": {"food": {"kind": "magnitude"}, "meat": {"kind": "magnitude"}, "fish": {"kind": "magnitude"}},
    "variables": {
        "region": {"total": "T", "tree": {"N": ["N1", "N2"], "S": ["S1"]}},
        "size": {"total": "all", "codes": ["a", "b"]},
    },
    "equations": ["food = meat + fish"],
    "tables": [
        {"name": "food", "measure": "food", "by": ["region@1", "size"]},
        {"name": "meat", "measure": "meat", "by": ["region", "size"]},
        {"name": "fish", "measure": "fish", "by": ["region"]},
    ],
    "microdata": {
        "cells": {
            "region": ["N1", "N1", "N2", "S1", "S1", "S1", "N2"],
            "size": ["a", "b", "a", "a", "b", "b", "b"],
            "meat": [10, 20, 30, 5, 6, 7, 0],
            "fish": [1, 0, 3, 50, 60, 70, 9],
            "food": [11, 20, 33, 55, 66, 77, 9],
        },
        "values": {"food": "food", "meat": "meat", "fish": "fish"},
    },
    "policy": {"primary": [{"threshold": 2}]},
}


def test_equations_hold_in_cells_that_all_their_measures_have(tmp_path: Path) -> None:
    """CONVENTION 802."""
    plan = plan_of(PLAN, tmp_path)
    (cluster,) = plan.clusters
    release = release_of(plan, cluster)
    at = {tuple(release.cell_codes(link.terms[0].codes).values()) for link in release.links}
    assert at == {("T", "all"), ("N", "all"), ("S", "all")}
    assert all([term.coefficient for term in link.terms] == [-1, 1, 1] for link in release.links)


def test_what_one_table_withholds_another_measure_gives_away(tmp_path: Path) -> None:
    """meat of the north is withheld; food - fish gives it."""
    finished = {
        **{key: value for key, value in PLAN.items() if key != "microdata"},
        "tables": [
            {"name": m, "measure": m, "cells": {"region": ["N", "S", "T"], "value": values, "status": status}}
            for m, values, status in (
                ("food", [73, 198, 271], ["", "", ""]),
                ("meat", [60, 18, 78], ["primary", "secondary", ""]),
                ("fish", [13, 180, 193], ["", "", ""]),
            )
        ],
        "policy": {"primary": []},
    }
    plan = plan_of(finished, tmp_path)
    (cluster,) = plan.clusters
    assert audit(release_of(plan, cluster)).report.verdict == "unsafe"
    apart = plan_of({**finished, "equations": []}, tmp_path)
    assert all(audit(release_of(apart, one)).report.verdict != "unsafe" for one in apart.clusters)


def test_a_plan_of_one_table_is_that_release(tmp_path: Path) -> None:
    """CONVENTION 803: byte for byte."""
    document = {key: value for key, value in PLAN.items() if key != "equations"}
    document["measures"] = {"meat": {"kind": "magnitude"}}
    document["tables"] = [{"name": "meat", "measure": "meat", "by": ["region@1", "size"]}]
    document["microdata"] = {**PLAN["microdata"], "values": {"meat": "meat"}}
    plan = plan_of(document, tmp_path)
    release = release_of(plan, plan.clusters[0])
    document["tables"] = [{"name": "meat", "measure": "meat", "by": ["region", "size"], "levels": {"region": 1}}]
    own = release_from_document({"tableseal": 1, **document})
    assert canonical_json(own) == canonical_json(release)
    assert audit(own).report == audit(release).report


def test_populations_choose_records(tmp_path: Path) -> None:
    document = {
        **PLAN,
        "equations": [],
        "populations": {"north": {"region": "N"}},
        "tables": [{"name": "meat", "measure": "meat", "by": ["size"], "population": "north"}],
    }
    plan = plan_of(document, tmp_path)
    release = release_of(plan, plan.clusters[0])
    assert release.tables[0].value.units.tolist() == [60, 40, 20]


def test_a_population_is_a_part_of_all(tmp_path: Path) -> None:
    """CONVENTION 940: its tables hang together with those of all records."""
    tables = [
        {"name": "north", "measure": "meat", "by": ["size"], "population": "north"},
        {"name": "regions", "measure": "meat", "by": ["region"]},
        {"name": "abroad", "measure": "meat", "by": ["region"], "where": {"size": "a"}},
    ]
    document = {**PLAN, "equations": [], "populations": {"north": {"region": "N"}}, "tables": tables}
    (cluster,) = plan_of(document, tmp_path).clusters
    assert said([cluster]) == [[(("size", "region"), ("north", "regions", "abroad"))]]


def finished(**columns: list[Any]) -> dict[str, Any]:
    return {"cells": columns}


def test_finished_tables_have_the_variables_of_their_columns(tmp_path: Path) -> None:
    """CONVENTION 941: by name or as mapped, if more than the total stands there."""
    (tmp_path / "t.csv").write_text("region;Size class;value\nT;a;4\nT;all;9\n")
    document = {
        **{key: value for key, value in PLAN.items() if key != "microdata"},
        "equations": [],
        "tables": [
            {"name": "file", "measure": "meat", "file": "t.csv", "columns": {"Size class": "size"}},
            {"name": "both", "measure": "meat", **finished(region=["N", "T"], size=["a", "all"], value=[3, 9])},
            {"name": "part", "measure": "meat", "where": {"size": "b"}, **finished(region=["N", "T"], value=[1, 5])},
            {"name": "region", "measure": "fish", **finished(region=["N", "T"], value=[1, 5])},
        ],
    }
    plan = plan_of(document, tmp_path)
    assert [sorted(table.variables) for table in plan.tables] == [
        ["size"],
        ["region", "size"],
        ["region", "size"],
        ["region"],
    ]
    assert said(plan.clusters) == [[(("size", "region"), ("file", "both", "part"))], [(("region",), ("region",))]]
    assert [len(release_of(plan, cluster).tables) for cluster in plan.clusters] == [3, 1]


def test_all_pairs_of_variables(tmp_path: Path) -> None:
    """CONVENTION 942: of every measure, and never one variable twice."""
    chosen = {"choose": 2, "of": ["region@1", "region", "size"]}
    plan = plan_of({**PLAN, "tables": [], "combinations": [{**chosen, "measures": ["meat", "fish"]}]}, tmp_path)
    assert [(t.name, t.measure, [str(one) for one in t.by]) for t in plan.tables] == [
        (f"{measure}_{name}_size", measure, [by, "size"])
        for measure in ("meat", "fish")
        for name, by in (("region_1", "region@1"), ("region", "region"))
    ]
    assert [table.name for table in release_of(plan, plan.clusters[0]).tables] == [t.name for t in plan.tables]
    assert len(plan_of({**PLAN, "tables": [], "combinations": [chosen]}, tmp_path).tables) == 6


TEMPLATE = """table_name,indicator,region,size
meat,meat,N1,a
,fish,S1,
,food,N,all
north,,,b
"""


def test_every_row_of_a_template_is_a_cell_of_some_table(tmp_path: Path) -> None:
    """CONVENTION 946."""
    north = {"name": "north", "measure": "meat", "by": ["size"], "population": "north"}
    document = {
        **PLAN,
        "template": "template.csv",
        "populations": {"north": {"region": "N"}},
        "tables": [*PLAN["tables"], north],
    }
    (tmp_path / "template.csv").write_text(TEMPLATE)
    plan = plan_of(document, tmp_path)
    assert tmp_path / "template.csv" in plan.files
    for row, message in {
        ",food,N1,a": r"row 5 \(line 6\).*this cell is in no table of the plan",  # food goes down to level 1
        ",fish,N1,a": "in no table",  # fish is not by size
        "meat,fish,N1,": "in no table",
        "north,,S,b": "in no table",
        ",fish,N9,": 'code "N9" is not in hierarchy "region"',
        ",food,N1,a\n,food,N2,a": "So is 1 more row",
    }.items():
        (tmp_path / "template.csv").write_text(f"{TEMPLATE}{row}\n")
        with pytest.raises(InputError, match=message):
            plan_of(document, tmp_path)
    (tmp_path / "template.csv").write_text("regoin\nN\n")
    with pytest.raises(InputError, match=r"the columns .?regoin"):
        plan_of(document, tmp_path)


def test_a_level_that_is_not_there_is_said_of_the_row_that_asks_for_it(tmp_path: Path) -> None:
    """CONVENTION 999"""
    (tmp_path / "list.csv").write_text("table_name,indicator,spanning_1,hrc_spanning_1\nx,food,nuts7,region\n")
    with pytest.raises(InputError, match=r'^list.csv row 1 \(line 2\), column "table_name": found "nuts7", expected'):
        plan_of({**PLAN, "sheet": "list.csv"}, tmp_path)


def test_a_sheet_of_a_workbook_lists_tables(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in SHEET.splitlines():
        book.active.append(line.split(","))
    book.save(tmp_path / "twelve.xlsx")
    assert said(read_plan(tmp_path / "twelve.xlsx").clusters) == ANSWER


def test_the_schema_takes_what_is_read_and_nothing_else(tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(plan_schema())
    whole = {
        "tableseal-plan": 1,
        **PLAN,
        "populations": {"north": {"region": "N"}},
        "combinations": [{"choose": 1, "of": ["region@1"]}],
        "clusters": {"food": {"method": "heuristic", "time_limit": 5}},
    }
    validator.validate(whole)
    plan_of(whole, tmp_path)
    assert not validator.is_valid(PLAN)
    assert not validator.is_valid({**whole, "equation": []})
    assert set(plan_schema()["properties"]) == {"tableseal-plan", *PlanDocument.model_fields}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tables": []}, "there are no tables"),
        ({"tables": [{"name": "t", "measure": "foot", "by": ["region"]}]}, r'"foot".*did you mean "food"'),
        ({"tables": [{"name": "t", "measure": "food", "by": ["regions"]}]}, r'"regions".*did you mean "region"'),
        ({"tables": [{"name": "t", "by": ["region"]}]}, "say which `measure`"),
        ({"tables": PLAN["tables"] + PLAN["tables"][:1]}, 'the name "food" is given to two tables'),
        ({"clusters": {"meet": {}}}, r'"meet"'),
        ({"equation": []}, "unknown key"),
        ({"equations": ["food = meat + foot"]}, r'"foot"'),
        ({"populations": {"p": {"regoin": "N"}}}, r'"regoin".*did you mean "region"'),
        (
            {"tables": [{"name": "t", "measure": "food", "by": ["region@NUTS2"]}]},
            r'tables.*\(t\).by: found "NUTS2", expected a number from 1 to 2, because the levels of "region" have',
        ),
        ({"tables": [{"name": "t", "measure": "food", "by": ["region@"]}]}, r'found "", expected a number from 1 to 2'),
        ({"tables": [{"name": "t", "measure": "food", "by": ["size@A10"]}]}, 'found "A10", expected no level but 1'),
        ({"combinations": [{"choose": 3, "of": ["region", "size"]}]}, "combinations.*found 3, expected at most 2"),
        ({"combinations": [{"choose": 1, "of": ["regoin"]}]}, r'"regoin".*did you mean "region"'),
        (
            {"period": "2024", "previous": {"period": "2024", "growth": {"food": "any"}, "tables": []}},
            r'previous.period: found "2024", expected another period',
        ),
        ({"tables": [{"name": "t", "measure": "food"}]}, "neither `file` nor `cells` is given"),
        ({"tables": [{"name": "t", "measure": "food", "file": "t.csv"}]}, r'no file "t.csv"'),
    ],
)
def test_what_is_no_plan(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        plan_of({**PLAN, **changes}, tmp_path)


def test_a_plan_says_that_it_is_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected `tableseal-plan: 1`"):
        plan_from_document({"tables": []}, tmp_path / "plan.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("T3,firms,,pizza", "T3,firms,,"), r"row 3.*indicator.*is empty"),
        (("T3,", "T2,"), r'the table "T2" stands twice'),
        (("indicator,", "indikator,"), "indicator"),
        (("a10,hrc_naf,nuts2", "nuts2,hrc_nuts,nuts2"), r'the variable "hrc_nuts" stands twice'),
    ],
)
def test_lists_that_cannot_be_used(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(SHEET.replace(*change, 1))
    with pytest.raises(InputError, match=message):
        read_plan(tmp_path / "list.csv")


def test_links_need_tables_of_all_measures(tmp_path: Path) -> None:
    plan = plan_of({**PLAN, "tables": PLAN["tables"][:2]}, tmp_path)
    release = release_of(plan, plan.clusters[0])
    assert links_of(release, plan.equations[0]) == []
