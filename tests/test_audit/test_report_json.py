"""The JSON of reports: exact numbers, the agreed shape, and back again."""

import json
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.attackers.answer import Whose
from tableseal.audit.codec.documents import document_of, schema_of
from tableseal.audit.codec.exact_json import decimal_text, dumps, loads
from tableseal.audit.errors import InputError
from tableseal.audit.model import Note
from tableseal.audit.report import Report, ReportCell, public_copy, report_from_json, report_json
from tableseal.audit.report.model import (
    Accepted,
    BeyondHelp,
    CellRank,
    Figure,
    ImpliedCount,
    InsiderFinding,
    InsiderRisk,
    Linked,
    OverTables,
    PanelEntry,
    Possible,
    Reason,
    Released,
    Reveals,
    Step,
    Summary,
    Term,
)

# ---------------------------------------------------------------- strategies

texts = st.text(max_size=12)
decimals = st.builds(lambda n, k: Fraction(n, 10**k), st.integers(-(2**62), 2**62), st.integers(0, 6))
ends = st.none() | decimals
pairs = st.tuples(ends, ends)
places = st.dictionaries(texts, texts, max_size=3).map(lambda d: tuple(d.items()))
floats = st.floats(0, 60, allow_nan=False)
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
terms = st.builds(
    Term,
    decimals,
    st.builds(Released, texts, places, st.none() | texts) | st.builds(Linked, st.integers(0, 99)),
)
insiders = st.builds(InsiderFinding, texts, st.sampled_from(get_args(Whose)), pairs)
possibles = st.builds(Possible, st.none() | st.integers(0, 2**60), st.none() | st.integers(0, 2**70))
statuses = st.sampled_from(["published", "frozen", "missing", "secondary", "withheld", "primary"])
cells = st.builds(
    ReportCell,
    table=texts,
    also_in=st.lists(texts, max_size=2).map(tuple),
    measure=texts,
    cell=places,
    status=statuses,
    truth=ends,
    lower=ends,
    upper=ends,
    attained=st.none() | pairs,
    exact=st.booleans(),
    lp=st.none() | pairs,
    possible=possibles,
    entropy_bits=st.none() | floats,
    risk=st.none() | floats,
    required=st.none() | st.tuples(decimals, decimals),
    sensitive=st.none() | st.booleans(),
    rule=st.none() | texts,
    verdict=st.sampled_from(["exposed", "underprotected", "protected", "undecided", "not_judged"]),
    basis=st.sampled_from(["integer", "continuous", None]),
    reason=st.sampled_from([*get_args(Reason), None]),
    reveals=st.none()
    | st.builds(
        Reveals,
        st.sampled_from(["equation", "bounds", "integer"]),
        st.lists(terms, max_size=3).map(tuple),
        texts,
    ),
    insider=st.none() | insiders,
    insider_risk=st.none()
    | st.builds(InsiderRisk, texts, st.sampled_from(get_args(Whose)), pairs, st.none() | floats, st.none() | floats),
    steps=st.lists(st.builds(Step, texts, ends, ends, st.none() | floats), max_size=2).map(tuple),
    over_tables=st.none()
    | st.builds(
        OverTables,
        floats,
        st.sampled_from(["exact", "sampled"]),
        st.none() | st.integers(1, 2**90),
        st.tuples(floats, floats),
        st.none() | floats,
        st.none() | floats,
    ),
    rank=st.none() | st.builds(CellRank, st.booleans(), st.booleans()),
)
panels = st.builds(
    PanelEntry,
    texts,
    texts,
    st.lists(st.builds(Figure, texts, texts, st.none() | st.integers(0, 2**60) | floats), max_size=3).map(tuple),
    texts,
    texts,
    st.booleans(),
)
counts = st.integers(0, 10**7)
reports = st.builds(
    Report,
    verdict=st.sampled_from(["safe", "unsafe", "undecided"]),
    title=texts,
    release_sha256=digests | st.none(),
    policy_sha256=st.none() | digests,
    bounds=st.sampled_from(["shuttle", "lp", "integer"]),
    summary=st.builds(
        Summary,
        **(
            dict.fromkeys(Summary.__dataclass_fields__, counts)
            | {"implied": st.none() | st.builds(ImpliedCount, *[counts] * len(ImpliedCount._fields))}
        ),
    ),
    cells=st.lists(cells, max_size=3).map(tuple),
    notes=st.lists(st.builds(Note, texts, texts, counts), max_size=2).map(tuple),
    confidential=st.booleans(),
    risk_panel=st.lists(panels, max_size=2).map(tuple),
    implied=st.lists(cells, max_size=2).map(tuple),
    beyond_help=st.lists(
        st.builds(
            BeyondHelp,
            texts,
            texts,
            places,
            st.lists(insiders, min_size=1, max_size=2).map(tuple),
            st.none() | st.builds(Accepted, texts, texts, st.none() | st.dates().map(date.isoformat)),
        ),
        max_size=2,
    ).map(tuple),
)

# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(406), "406"),
        (Fraction(33, 10), "3.3"),
        (Fraction(1, 10000), "0.0001"),
        (Fraction(-5, 4), "-1.25"),
        (Fraction(9007199254740993), "9007199254740993"),
        (Fraction(900719925474099300001, 10000), "90071992547409930.0001"),
        (2**64 + 1, "18446744073709551617"),
        (Decimal("12.50"), "12.5"),
        (Fraction(1, 3), "0.3333333333333333"),
        (Fraction(10**400, 3), str(10**400 // 3)),
        (8.668884984266247, "8.668884984266247"),
        (-0.0, "0.0"),
        (1e-05, "1e-05"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_numbers_are_written_exactly(value, text):
    # CONVENTION 160
    assert dumps(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("Infinity")])
def test_what_json_does_not_know_is_never_written(value):
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        dumps([value])


@given(decimals)
def test_decimals_come_back_exactly(value):
    assert Fraction(loads(dumps(value))) == value
    assert "e" not in decimal_text(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)


@given(json_values, st.sampled_from([None, 1, 2]))
def test_writes_what_the_standard_library_reads(value, indent):
    assert json.loads(dumps(value, indent=indent)) == value
    assert json.loads(dumps(value, indent=indent)) == json.loads(json.dumps(value))


def test_indented_like_the_standard_library():
    value = {"a": [1, {"b": None}], "c": [], "d": {}, "50 %": "%s", "e %s": [["%", 2], [1, 2, 3]]}
    assert dumps(value, indent=2) == json.dumps(value, indent=2)
    assert dumps(value) == json.dumps(value)


def test_keys_stay_in_order_and_unknown_types_are_refused():
    assert dumps({"b": 1, "a": 2}) == '{"b": 1, "a": 2}'
    with pytest.raises(TypeError, match="object cannot be written as JSON"):
        dumps([object()])


# ---------------------------------------------------------------- reports

SCHEMA = jsonschema.Draft202012Validator(schema_of(Report))


@given(reports)
def test_a_report_read_back_equals_itself(report):
    text = report_json(report)
    back = report_from_json(text)
    assert back == report
    assert report_json(back) == text


@given(reports)
def test_cells_that_are_written_one_by_one_are_those_of_the_document(report):
    document = document_of(report)
    assert report_json(report) == dumps({**document, "cells": list(document["cells"])}, indent=1)
    assert len(document["cells"]) == len(report.cells)


@given(reports)
def test_every_report_fits_the_schema(report):
    SCHEMA.validate(json.loads(report_json(report)))


@given(reports)
def test_every_public_copy_fits_the_schema(report):
    SCHEMA.validate(json.loads(report_json(public_copy(report))))


def test_the_schema_is_a_schema_and_describes_every_key():
    schema = schema_of(Report)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "tableseal/report/1"

    def objects(part):
        if isinstance(part, dict):
            if "properties" in part:
                yield part
            for inner in part.values():
                yield from objects(inner)
        elif isinstance(part, list):
            for inner in part:
                yield from objects(inner)

    for found in objects(schema):
        assert found["additionalProperties"] is False
        for name, entry in found["properties"].items():
            assert entry.get("description") or "$ref" in entry, name


O03_CELL = ReportCell(
    table="t1",
    also_in=(),
    measure="value",
    cell=(("activity", "5"), ("size", "5")),
    status="primary",
    truth=None,
    lower=Fraction(0),
    upper=Fraction(406),
    attained=(Fraction(0), Fraction(406)),
    exact=True,
    lp=(Fraction(0), Fraction(406)),
    possible=Possible(407, 407),
    entropy_bits=8.668884984266247,
    risk=0.11535508912795225,
    required=None,
    sensitive=True,
    rule=None,
    verdict="protected",
    basis="integer",
    reason=None,
)
O03 = Report(
    verdict="safe",
    title="O03",
    release_sha256="0" * 64,
    bounds="integer",
    summary=Summary(36, 32, 4, 0, 0, 0, 4, 0, 0, 0, 24, 1, 1),
    cells=(O03_CELL,),
    notes=(),
)


def test_the_shape_is_the_agreed_one():
    # CONVENTION 161
    written = json.loads(report_json(O03))
    assert list(written) == [
        *("schema", "verdict", "called", "judged", "confidential", "release", "policy", "rules", "engine", "summary"),
        "risk_panel",
        *("cells", "implied", "beyond_help", "notes"),
    ]
    assert written["release"] == {"title": "O03", "sha256": "0" * 64}
    assert written["policy"] is None
    assert list(written["engine"]) == ["version", "bounds"]
    assert list(written["summary"].items()) == [
        *(("cells", 36), ("published", 32), ("withheld", 4), ("exposed", 0), ("secondary_exposed", 0)),
        *(("underprotected", 0), ("protected", 4), ("protected_continuous", 0), ("undecided", 0)),
        *(("not_judged", 0), ("rank", 24), ("degrees_of_freedom", 1), ("components", 1), ("implied", None)),
    ]
    assert list(written["cells"][0].items()) == [
        *(("table", "t1"), ("also_in", []), ("measure", "value"), ("cell", {"activity": "5", "size": "5"})),
        *(("status", "primary"), ("truth", None), ("lower", 0), ("upper", 406), ("attained", [0, 406])),
        *(("exact", True), ("lp", [0, 406]), ("possible", {"at_least": 407, "at_most": 407})),
        *(("entropy_bits", 8.668884984266247), ("risk", 0.11535508912795225), ("required", None)),
        *(("verdict", "protected"), ("basis", "integer"), ("reason", None), ("reveals", None)),
        *(("insider", None), ("sensitive", True), ("rule", None)),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d.update(schema="other/1"),
            r'report\.schema: found a text where one of "tableseal/report/1"',
        ),
        (lambda d: d.pop("notes"), 'report: the key "notes" is missing'),
        (lambda d: d.update(extra=1), 'report: the key "extra" does not belong there'),
        (
            lambda d: d["cells"][0].update(lower="low"),
            r"report\.cells\[0\]\.lower: found a text where a number",
        ),
        (
            lambda d: d["cells"][0].update(verdict="fine"),
            r'cells\[0\]\.verdict: found a text where one of "exposed", ',
        ),
        (lambda d: d["cells"][0].update(lp=[1]), r"cells\[0\]\.lp: found a list where a list of two"),
        (lambda d: d["cells"][0].update(cell=None), r"cells\[0\]\.cell: found null where an object"),
        (lambda d: d["summary"].update(rank=1.5), r"summary\.rank: found a number where a whole number"),
        (lambda d: d.update(confidential=1), r"confidential: found a whole number where true or false"),
    ],
)
def test_a_report_with_a_fault_is_refused_and_the_place_named(change, message):
    document = json.loads(report_json(O03))
    change(document)
    with pytest.raises(InputError, match=message):
        report_from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[NaN]", "[1e999999999]", "[" * 100_000, "[" + "9" * 5000 + "]"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InputError, match="The report"):
        report_from_json(text)


@given(st.text(max_size=40))
def test_garbage_gives_nothing_but_input_errors(text):
    with pytest.raises(InputError):
        report_from_json(text)
