"""Whole releases: files, measures, links, intruder, policy, microdata; every rebuilt report is read."""

from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import (
    canonical_document,
    canonical_json,
    policy_document,
    policy_from_document,
    read_policy,
    read_release,
)
from tableseal.audit.io.release_file import release_from_document
from tableseal.audit.model import Intruder, Measure, Policy, Require, SapLimit
from tableseal.audit.model.status import WORDS
from tableseal.audit.rules import PQ, Attribute, Dominance, Entropy, Request, Threshold

REPORTS = sorted(
    path
    for path in (Path(__file__).parents[1] / "data" / "reports").glob("*/*.yaml")
    if path.parent.name != "B42_marks"  # does not say what its marks mean
    and "tableseal:" in path.read_text(encoding="utf-8")  # not decisions beside a release
)

BASE: dict[str, Any] = {
    "tableseal": 1,
    "measures": {"n": {"kind": "count"}},
    "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "y": {"codes": ["1", "2"]}},
    "tables": [{"name": "t", "cells": {"a": ["T", "k"], "y": ["1", "1"], "value": [9, 4]}}],
}


def refusal(changes: dict[str, Any]) -> str:
    with pytest.raises(InputError) as error:
        release_from_document({**BASE, **changes}, source="r.yaml")
    return str(error.value)


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rebuilt_reports_are_read(path: Path) -> None:
    release = read_release(path)
    again = release_from_document(canonical_document(release))
    assert canonical_json(again) == canonical_json(release)


def test_there_are_rebuilt_reports() -> None:
    assert len(REPORTS) > 40


def report(name: str) -> Path:
    return Path(__file__).parents[1] / "data" / "reports" / name


def test_codes_are_taken_as_written() -> None:
    # CONVENTION 7
    number_codes = read_release(report("B21_codes/release_number_codes.yaml"))
    assert number_codes.variables["cls"].codes == ("T", "010", "1e3", "12:30")
    assert read_release(report("B21_codes/release_norway.yaml")).variables["geo"].codes == ("T", "DK", "NO", "SE")
    zeros = read_release(report("B21_codes/release_leading_zero.yaml"))
    assert zeros.variables["reg"].codes == ("T", "01", "1", "10", "010")
    assert zeros.tables[0].value.known.tolist() == [True, True, False, False, True]
    blanks = read_release(report("B21_codes/release.yaml"))
    assert blanks.variables["reg"].codes == ("T", " 1", " 2", "10")
    assert blanks.variables["act"].codes[1:] == ("Oak, Elm", "Ash; Fir", ".misc", "Ærø")


def test_whole_numbers_beyond_binary_floating_point_survive() -> None:
    release = read_release(report("B26_scale/release_b.yaml"))
    assert release.tables[0].value.units.tolist() == [9007199254740992, 0, 0, 9007199254740993]


def test_links() -> None:
    release = read_release(report("B38_measures/release.yaml"))
    link = release.links[0]
    assert [(term.coefficient, term.measure) for term in link.terms] == [
        (1, "turnover"),
        (-1, "domestic"),
        (-1, "export"),
    ]
    assert (link.lower, link.upper) == (0, 0)
    percent = read_release(report("B36_percent/release_a.yaml")).links[0]
    assert (percent.lower, percent.upper) == (Fraction("2.97"), Fraction("3.15"))
    one_sided = read_release(report("B16_time/release_b.yaml")).links[0]
    assert (one_sided.lower, one_sided.upper) == (0, None)
    third = release_from_document({**BASE, "links": [{"terms": [[3, {"y": "1"}]], "lower": "1/3"}]}).links[0]
    assert third.lower == Fraction(1, 3)
    assert third.terms[0].codes == (0, 0)


def test_measures_short_and_long() -> None:
    # CONVENTION 16
    short = release_from_document({**BASE, "measures": None, "kind": "magnitude", "unit": "0.5"})
    assert short.measures == {"value": Measure("value", "magnitude", Fraction(1, 2))}
    assert short.tables[0].value.units.tolist() == [18, 8]
    assert release_from_document(BASE).measures == {"n": Measure("n", "count")}


def test_intruder() -> None:
    assert release_from_document(BASE).intruder == Intruder()
    given = {"nonnegative": False, "nonempty": True, "prior": 0.5, "insiders": ["largest", "second"]}
    assert release_from_document({**BASE, "intruder": given}).intruder == Intruder(
        False, True, Fraction(1, 2), ("largest", "second")
    )
    assert release_from_document({**BASE, "intruder": {"insiders": []}}).intruder.insiders == ()


def test_a_json_release_and_a_command_line_status_map(tmp_path: Path) -> None:
    # CONVENTION 109
    (tmp_path / "r.json").write_bytes(canonical_json(release_from_document(BASE)))
    assert read_release(tmp_path / "r.json").tables[0].value.units.tolist() == [9, 4]
    (tmp_path / "t.csv").write_text("a,y,value,s\nT,1,9,\nk,1,4,c\n")
    (tmp_path / "r.yaml").write_text(
        "tableseal: 1\nkind: count\nvariables: {a: {total: T, codes: [k]}, y: {codes: [1]}}\n"
        "tables: [{name: t, file: t.csv, status: s}]\n"
    )
    release = read_release(tmp_path / "r.yaml", status_map={"c": "withheld"})
    assert release.tables[0].status.tolist() == [WORDS[""], WORDS["withheld"]]
    with pytest.raises(InputError, match='status_map c: found "x"'):
        read_release(tmp_path / "r.yaml", status_map={"c": "x"})


POLICY = """
primary:                      # what is sensitive
  - {threshold: 3}
  - {threshold: 4, zeros: true, protection_percent: 12.5}
  - {p_percent: 10}
  - {dominance: {n: 2, k: 85}}
  - {pq: {p: 10, q: 60}}
  - {entropy: 0.3, protection_percent: 10}
  - {request: true}
  - {request: {percent: 10}, protection_percent: 5}
  - {request: false}
  - {attribute: {given: [a], populated: 2}}
require: {exposed: true, protection: false, basis: integer, risk: 0.2, sap: {n: 2, max: 0.05}}
insider: {p_percent: 15}
"""
RULES = (
    Threshold(3),
    Threshold(4, True, protection_percent=Fraction(25, 2)),
    PQ(Fraction(10)),
    Dominance(2, Fraction(85)),
    PQ(Fraction(10), Fraction(60)),
    Entropy(Fraction(3, 10), Fraction(10)),
    Request(),
    Request(Fraction(10), Fraction(5)),
    Attribute(("a",), 2),
)


def test_policies(tmp_path: Path) -> None:
    # CONVENTION 115, 150
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    policy = read_policy(path)
    require = Require(True, False, "integer", Fraction(1, 5), SapLimit(2, Fraction(1, 20)))
    assert policy == Policy(RULES, require, Fraction(15), sha256(POLICY.encode()).hexdigest())
    again = policy_from_document(policy_document(policy))
    assert (again.primary, again.require, again.insider_p) == (RULES, require, 15)
    assert policy_from_document(policy_document(again)) == again
    assert policy_from_document({}).primary == ()


def test_a_policy_given_goes_before_the_one_in_the_release(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("primary: [{threshold: 3}]")
    (tmp_path / "q.yaml").write_text("primary: [{threshold: 5}]")
    release = release_from_document({**BASE, "policy": "p.yaml"}, folder=tmp_path)
    assert release.policy is not None
    assert release.policy.primary == (Threshold(3),)
    release = release_from_document({**BASE, "policy": "p.yaml"}, folder=tmp_path, policy=tmp_path / "q.yaml")
    assert release.policy is not None
    assert release.policy.primary == (Threshold(5),)
    inline = release_from_document({**BASE, "policy": {"primary": [{"threshold": 3}]}})
    assert inline.policy is not None
    assert len(inline.policy.sha256) == 64


@pytest.mark.parametrize(
    ("policy", "mentions"),
    [
        ({"primary": [{"treshold": 3}]}, ["policy.primary[0]", "treshold", 'did you mean "threshold"?', "dominance"]),
        ({"primary": [{"threshold": 0}]}, ["policy.primary[0].threshold", '"0"', "at least 1"]),
        ({"primary": [{"threshold": 3, "zero": True}]}, ["primary[0]", '"zero"', 'did you mean "zeros"?']),
        ({"primary": [{"dominance": {"n": 1, "k": 120}}]}, ["dominance.k", '"120"', "at most 100"]),
        ({"primary": [{"dominance": {"n": 1.5, "k": 85}}]}, ["dominance.n", "whole number"]),
        ({"primary": [{"pq": {"p": 10}}]}, ["primary[0].pq.q", "missing"]),
        ({"primary": [{"request": "maybe"}]}, ["primary[0].request", '"maybe"', "true or false"]),
        ({"primary": [{"attribute": {"given": []}}]}, ["attribute.given", "at least 1"]),
        ({"primary": [{"attribute": {"given": ["b"]}}]}, ['"b"', "does not have", '"a", "y"']),
        ({"primary": ["threshold"]}, ["primary[0]", '"threshold"', "expected one of"]),
        ({"require": {"spa": {}}}, ["policy.require", '"spa"', 'did you mean "sap"?']),
        ({"require": {"sap": {"n": 2}}}, ["policy.require.sap.max", "missing"]),
        ({"require": {"sap": {"n": 0, "max": 0}}}, ["policy.require.sap.n", '"0"', "at least 1"]),
        ({"require": {"sap": {"n": 2, "max": 5}}}, ["policy.require.sap.max", '"5"', "at most 1"]),
        ({"require": {"basis": "int"}}, ["policy.require.basis", '"int"', "any, integer"]),
        ("no.yaml", ["policy", '"no.yaml"', "without a folder"]),
    ],
)
def test_bad_policies(policy: Any, mentions: list[str]) -> None:
    message = refusal({"policy": policy})
    for mention in mentions:
        assert mention in message


MICRODATA = {
    "cells": {
        "a": ["k", "", "l"],
        "y": ["1", "1", None],
        "Sales": [1, 2, None],
        "Id": ["u1", "u2", "u3"],
        "G": ["g", "g", None],
        "W": [1, 1.5, 2],
        "R": ["yes", 0, ""],
    },
    "values": {"n": "Sales"},
    "id": "Id",
    "holding": "G",
    "weight": "W",
    "request": "R",
}


def test_microdata() -> None:
    found = release_from_document({**BASE, "microdata": MICRODATA}).microdata
    assert found is not None
    assert found.codes.tolist() == [[1, 0], [-1, 0], [2, -1]]
    assert found.values["n"].known.tolist() == [True, True, False]
    assert (found.unit_id, found.holding) == (("u1", "u2", "u3"), ("g", "g", ""))
    assert found.weight is not None
    assert found.weight.tolist() == [1.0, 1.5, 2.0]
    assert found.request is not None
    assert found.request.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("column", "entry", "mentions"),
    [
        ("a", "m", ['microdata.cells row 2, column "a"', '"m"']),
        ("Sales", "7x", ['row 2, column "Sales"', "expected a number", "confidential"]),
        ("Sales", "-7", ['row 2, column "Sales"', "negative"]),
        ("W", "-1", ['row 2, column "W"', "at least 0"]),
        ("W", "", ['row 2, column "W"', "expected a weight"]),
        ("R", "perhaps", ['row 2, column "R"', '"perhaps"', "expected 1 or 0"]),
    ],
)
def test_bad_microdata(column: str, entry: str, mentions: list[str]) -> None:
    cells = {name: list(entries) for name, entries in MICRODATA["cells"].items()}  # type: ignore[attr-defined]
    cells[column][1] = entry
    message = refusal({"microdata": {**MICRODATA, "cells": cells}})
    for mention in mentions:
        assert mention in message


@pytest.mark.parametrize(
    ("changes", "mentions"),
    [
        ({"tableseal": 2}, ["r.yaml: tableseal", '"2"', "expected 1"]),
        ({"titel": "x"}, ["r.yaml", '"titel"', 'did you mean "title"?', "known keys"]),
        ({"tables": []}, ["r.yaml: tables", "at least 1"]),
        ({"tables": [{"name": "t", "absent": {"leafs": "zero"}}]},
         ["tables[0].absent", '"leafs"', 'did you mean "leaves"?']),
        ({"tables": [{"name": "t", "absent": {"leaves": "zeros"}}]},
         ["tables[0].absent.leaves", '"zeros"', 'did you mean "zero"?']),
        ({"tables": [{"name": "t", "status": {"colum": "s"}}]}, ["tables[0].status", '"colum"']),
        ({"tables": [{"name": "t", "status": {"s": 1}}]}, ["tables[0].status", "column, scheme, map"]),
        ({"tables": [{"name": "t", "value": ["a"]}]}, ["tables[0].value", "a list", "expected text"]),
        ({"tables": [*BASE["tables"], *BASE["tables"]]}, ['the name "t" is given to two tables']),
        ({"tables": "x"}, ["tables", '"x"', "expected a list"]),
        ({"measures": None}, ["kind: count"]),
        ({"kind": "count"}, ["`kind` and `unit`", "measures"]),
        ({"measures": {"n": {"kind": "counts"}}}, ["measures.n.kind", 'did you mean "count"?']),
        ({"measures": {"n": {"kind": "count", "unit": 1000}}}, ["measures.n.unit", "unit of a count is 1"]),
        ({"measures": {"n": {"kind": "magnitude", "unit": 0}}}, ["measures.n.unit", '"0"', "above 0"]),
        ({"measures": {"n": {"kind": "magnitude", "unit": "1/3"}}}, ["measures.n.unit", "finite decimal"]),
        ({"measures": {"n": {"kind": "count"}, "m": {"kind": "count"}}},
         ["tables[0] (t)", "which `measure`", "n, m"]),
        ({"intruder": {"nonnegative": "maybe"}}, ["intruder.nonnegative", '"maybe"', "true or false"]),
        ({"intruder": {"prior": -1}}, ["intruder.prior", "at least 0"]),
        ({"intruder": {"insiders": ["first"]}}, ["intruder.insiders[0]", '"first"', "largest"]),
        ({"links": [{"terms": [[1, {"y": "1"}]]}]}, ["links[0]", "`lower`, `upper` or both"]),
        ({"links": [{"terms": [[1, {"y": "1"}]], "lower": 3, "upper": 2}]}, ["links[0]", "above"]),
        ({"links": [{"terms": [[1, {"a": "k"}]], "lower": 3}]}, ["links[0].terms[0]", '"y" has no total']),
        ({"links": [{"terms": [[1, {"y": "3"}]], "lower": 3}]}, ["links[0].terms[0][1].y", '"3"', "1, 2"]),
        ({"links": [{"terms": [[1, {"z": "3"}]], "lower": 3}]}, ["links[0].terms[0]", 'no variable "z"']),
        ({"links": [{"terms": [[1, {"measure": "m", "y": "1"}]], "lower": 3}]}, ['no measure "m"']),
        ({"links": [{"terms": [[0, {"y": "1"}]], "lower": 3}]}, ["links[0].terms[0]", "coefficient is 0"]),
        ({"links": [{"terms": [["0.5", {"y": "1"}]], "lower": 3}]}, ["links[0].terms[0][0]", "whole number"]),
        ({"links": [{"terms": [[1]], "lower": 3}]}, ["links[0].terms[0]", "missing"]),
    ],
)  # fmt: skip
def test_bad_releases(changes: dict[str, Any], mentions: list[str]) -> None:
    message = refusal(changes)
    for mention in mentions:
        assert mention in message


def test_bad_files(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("tables\n")
    with pytest.raises(InputError, match=r'r\.yaml: found "tables", expected a mapping'):
        read_release(tmp_path / "r.yaml")
    with pytest.raises(InputError, match=r"x\.yaml: there is no such file"):
        read_release(tmp_path / "x.yaml")
    (tmp_path / "r.json").write_text("{")
    with pytest.raises(InputError, match=r"r\.json line 1, column 2: not valid JSON"):
        read_release(tmp_path / "r.json")
    (tmp_path / "e.yaml").write_text("")
    with pytest.raises(InputError, match="the file is empty"):
        read_release(tmp_path / "e.yaml")
