"""Nonsense at the door: one type of error, which says what was found and what to pass."""

import contextlib
import inspect
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from frames import PERSONS, WITHHELD

import tableseal as ts

TABLE = pd.DataFrame(WITHHELD)
TRUE = pd.DataFrame(PERSONS)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "found None, expected the path of a release or data file, a release document"),
        (5, "found an int, expected the path"),
        ([1, 2], "found a list, expected the path"),
        (np.ones((2, 2)), "found a numpy.ndarray, expected the path"),
        ("", "found text that is no path"),
        ("tableseal: 1\nkind: count\n", "found text that is no path"),
        (b"x.csv", "found a bytes, expected the path"),
        ({"region": ["N"], "n": [1]}, "found a dict without the key tableseal, expected a release document"),
        ({"tableseal": 1}, "release: variables: is missing"),
        (pl.LazyFrame(WITHHELD), "frame: found a polars.LazyFrame, expected a DataFrame with its data"),
        (pd.DataFrame({"a": [], "n": []}), "frame: has no rows"),
        (pd.DataFrame(WITHHELD).set_axis(["a", "a", "n"], axis=1), "frame: several columns are called a"),
    ],
)
def test_what_is_no_table(data: object, said: str) -> None:
    with pytest.raises(ts.InputError) as error:
        ts.audit(data)
    assert said in str(error.value)


def test_a_path_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "release.yaml").write_text("tableseal: 1\n")
    monkeypatch.chdir(tmp_path)
    for name in ("relaese.yaml", Path("relaese.yaml"), tmp_path / "relaese.yaml"):
        with pytest.raises(ts.InputError, match=r'there is no such file \(did you mean "release.yaml"\?\)'):
            ts.audit(name)
    with pytest.raises(ts.InputError, match="this is a folder"):
        ts.read(tmp_path)


@pytest.mark.parametrize(
    ("data", "keywords", "said"),
    [
        # columns
        (TABLE, {"value": "people"}, 'there is no column "people", which is to hold the values'),
        (TABLE, {"value": "persons", "status": "flag"}, 'there is no column "flag", which is to hold the status'),
        (TABLE, {"value": "persons", "variables": ["distrct"]}, 'no column "distrct", which is to hold codes (did you'),
        (TABLE, {"value": "persons", "variables": ["persons"]}, 'column "persons" cannot hold codes'),
        (
            TABLE.assign(n=TABLE["persons"]).rename(columns={"persons": "count"}),
            {},
            "several columns may hold the values",
        ),
        (TABLE.assign(n=TABLE["persons"]).rename(columns={"persons": "count"}), {}, "say which: value='count'"),
        (TABLE.rename(columns={"persons": "x"}).assign(y=1.5), {}, "several columns may hold the values (x, y)"),
        (TABLE.pivot(index="district", columns="sex", values="persons"), {}, "melt a frame that has a column for each"),
        (TABLE.drop(columns="persons"), {}, "no column holds numbers only"),
        # flags
        (TABLE.assign(flag=["c", *[None] * 8]), {"value": "persons"}, "pass status='flag', status_map={'c': '...'}"),
        (
            TABLE.assign(flag=["c", *[None] * 8]),
            {"value": "persons", "status": "flag"},
            "explain other flags with status_map={'c': 'withheld'}",
        ),
        (
            TABLE.assign(hidden=[True, *[False] * 8]),
            {"value": "persons"},
            "status_map={'true': 'withheld', 'false': 'p",
        ),
        # totals and hierarchies
        (TABLE, {"value": "persons", "total": "total"}, 'no classification (did you mean "Total"?)'),
        (
            TABLE,
            {"value": "persons", "total": {"sx": "Total"}},
            'there is no classification "sx" (did you mean "sex"?)',
        ),
        (TABLE, {"value": "persons", "total": {"sex": "All"}}, 'column "sex": there is no code "All"'),
        (TABLE, {"value": "persons", "total": {"sex": "M"}}, 'total "M" is not the sum of the other codes'),
        (
            TABLE,
            {"value": "persons", "hierarchies": {"sx": {"a": ["b"]}}},
            'there is no classification "sx"',
        ),
        (
            TABLE,
            {"value": "persons", "hierarchies": {"district": {"A": ["North"]}}},
            "codes South are not in the hierar",
        ),
        (
            TABLE,
            {"value": "persons", "hierarchies": {"district": 5}},
            "hierarchies['district']: found an int, expected",
        ),
        (TABLE, {"value": "persons", "hierarchies": {"district": "no.hrc"}}, '"no.hrc": there is no such file'),
        (
            TABLE,
            {"value": "persons", "hierarchies": {"district": pd.DataFrame({"code": ["a", "b"], "parent": ["b", "a"]})}},
            "every code lies below another one",
        ),
        # masks
        (TRUE, {"value": "persons", "primary": [True]}, "primary: the mask has 1 entries, but the frame has 9 rows"),
        (TRUE, {"value": "persons", "primary": "persns"}, 'there is no column "persns"'),
        (TRUE, {"value": "persons", "primary": TRUE["persons"]}, 'primary row 1: found "2", expected True or False'),
        (
            TRUE,
            {"value": "persons", "primary": (TRUE["persons"] < 5).set_axis(range(9, 18))},
            "primary: the mask has another index than the frame",
        ),
        (TRUE, {"value": "persons", "primary": 5}, "primary: found an int, expected the name of a column"),
        (TRUE, {"value": "persons", "primary": pd.array([None, *[True] * 8], dtype="boolean")}, "row 1: found"),
        # numbers
        (TRUE.assign(persons=[0.1 + 0.2, *[1.0] * 8]), {"value": "persons"}, "such as unit=0.01"),
        (TRUE.assign(persons=[float("inf"), *[1.0] * 8]), {"value": "persons"}, '"inf" is no number'),
        (TRUE.assign(persons=["many", *range(8)]), {"value": "persons"}, "pass marks={'many': 'withheld'}"),
        (TRUE.assign(sex=["F", "M", None] * 3), {"value": "persons"}, 'column "sex": is empty, expected a code'),
        (TRUE.assign(sex=[object()] * 9), {"value": "persons"}, 'column "sex": holds object objects'),
        (TRUE, {"value": "persons", "kind": "counts"}, "kind counts: expected count or magnitude"),
        (TRUE, {"value": "persons", "unit": 0}, "unit 0: expected a number above 0"),
        (TRUE, {"value": "persons", "unit": "cm"}, "unit cm: expected a number above 0"),
        (TRUE, {"value": "persons", "marks": 5}, "marks 5: expected a dict, such as"),
        (TRUE, {"value": "persons", "status_map": {"c": 5}}, "status_map c: found 5, expected a status word"),
        (TRUE, {"value": "persons", "contributors": 5}, "contributors 5: expected the name of a column, or a list"),
        (pd.concat([TRUE, TRUE.assign(persons=1)]), {"value": "persons"}, "has the same codes as row 1"),
        (TRUE.assign(persons=[3, *PERSONS["persons"][1:]]), {"value": "persons"}, "not the sum of the other codes"),
        (
            TRUE.assign(persons=[3, *PERSONS["persons"][1:]]),
            {"value": "persons", "total": "Total"},
            "expected 17, found 16",
        ),
        # rules and policies
        (TRUE, {"value": "persons", "threshold": 0}, "threshold 0: expected a whole number of at least 1, such as 5"),
        (TRUE, {"value": "persons", "threshold": "few"}, "threshold few: expected a whole number"),
        (TRUE, {"value": "persons", "threshold": [5]}, "threshold: found [5], expected a number"),
        (TRUE, {"value": "persons", "p_percent": -1}, "p_percent -1: expected a percentage above 0"),
        (TRUE, {"value": "persons", "dominance": 3}, "dominance 3: expected N,K"),
        (TRUE, {"value": "persons", "dominance": (1,)}, "dominance 1: expected N,K"),
        (TRUE, {"value": "persons", "dominance": (1, 101)}, "dominance 1,101: expected N,K"),
        (TRUE, {"value": "persons", "policy": 3}, "policy: found an int, expected the path of a policy file"),
        (TRUE, {"value": "persons", "policy": "no.yaml"}, '"no.yaml": there is no such file'),
        (TRUE, {"value": "persons", "policy": {"primry": []}}, 'unknown key "primry"'),
        (
            TRUE,
            {"value": "persons", "policy": {"primary": []}, "threshold": 5},
            "give either policy or rules, not both",
        ),
        (TRUE, {"value": "persons", "kind": "magnitude", "p_percent": 10}, "contributions"),
        # options
        (TRUE, {"valeu": "persons"}, 'audit() has no keyword "valeu" (did you mean "value"?)'),
        (TRUE, {"value": 5}, 'there is no column "5"'),
        (TRUE, {"bounds": "exact"}, "bounds exact: expected shuttle, lp or integer"),
        (TRUE, {"samples": 3}, "samples 3: expected at least 64"),
        (TRUE, {"samples": "many"}, "samples many: expected a whole number"),
        (TRUE, {"time_limit": "soon"}, "time_limit soon: expected a number"),
        (TRUE, {"cumulative": "perhaps"}, "cumulative perhaps: expected True or False"),
        (TRUE, {"jobs": 0}, "jobs 0: expected at least 1"),
        (TRUE, {"value": "persons", "executor": 5}, "executor: found an int"),
        (TRUE, {"value": "persons", "executor": 5, "jobs": 2}, "give either jobs= or executor="),
        (TRUE, {"value": "persons", "progress": 5}, "progress: found 5, expected True or a function"),
        (TRUE, {"value": "persons", "state": 5}, "state: found an int, expected a path"),
    ],
)
def test_what_cannot_be_read_or_asked(data: Any, keywords: dict[str, Any], said: str) -> None:
    with pytest.raises(ts.InputError) as error:
        ts.audit(data, **keywords)
    assert said in str(error.value)
    assert "release file" not in str(error.value) or "absent" in str(error.value) or "microdata" in str(error.value)
    assert "--" not in str(error.value)
    shown = "".join(traceback.format_exception(error.value))
    assert "ValidationError" not in shown


def test_keywords_of_frames_beside_what_says_so_itself(tmp_path: Path) -> None:
    release = ts.read(TABLE, value="persons")
    (tmp_path / "r.yaml").write_text("tableseal: 1\n")
    for data in (release, tmp_path / "r.yaml", {"tableseal": 1}):
        with pytest.raises(ts.InputError, match=r"value=, total=: .* says itself what its tables hold"):
            ts.audit(data, value="persons", total="Total")


def test_one_thing_to_work_on() -> None:
    for call in (lambda: ts.audit(), lambda: ts.suppress(TABLE, TABLE), lambda: ts.risk()):  # type: ignore[call-arg]
        with pytest.raises(ts.InputError, match="takes one thing to work on"):
            call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ts.suppress(TRUE, threshold=5, method="best"), "method best: there is no such method; methods are"),
        (lambda: ts.suppress(TRUE, threshold=5, pure=True), "pure, budget and no_margins are for method rank"),
        (lambda: ts.suppress(TRUE, threshold=5, solver="none"), "solver none: not installed; installed are"),
        (lambda: ts.suppress(TRUE, threshold=5, prefer="sex"), "sex"),
        (lambda: ts.suppress(TRUE, threshold=5, table_weight={"table": "x"}), "table_weight table=x: expected NAME="),
        (lambda: ts.suppress(TRUE, threshold=5, decisions=5), "decisions: found an int"),
        (lambda: ts.suppress(TRUE, threshold=5, decisions=[{"cell": {}}]), "decisions: decisions[0]"),
        (lambda: ts.suppress(TRUE, threshold=5, last_period="no.yaml"), '"no.yaml": there is no such file'),
        (lambda: ts.suppress(TRUE), "sensitive"),
        (lambda: ts.compare(TRUE, threshold=5, methods=["best"]), "best"),
        (lambda: ts.compare(TRUE, threshold=5, methods=[]), "no method to compare"),
        (lambda: ts.risk([[1, 2], [3]]), "matrix: the rows have different lengths"),
        (lambda: ts.risk([[1, -2], [3, 4]]), "matrix row 1, column 2: found -2, expected a whole number"),
        (lambda: ts.risk(np.ones(3)), "found 1 dimensions of float64, expected a matrix"),
        (lambda: ts.risk([[1, 2], [3, 4]], table="t"), "table t: matrix is a bare matrix"),
        (lambda: ts.risk([[1, 2], [3, 4]], swap_cap=3), "swap_cap: has no effect here; it belongs to swap_rate"),
        (lambda: ts.risk([[1, 2], [3, 4]], weights="a,b"), "weights a,b: expected numbers"),
        (lambda: ts.sap([[0, 0], [0, 0]]), "no units"),
        (lambda: ts.sap([[1, 0], [2, 3]], rounding=3, upper=[[1, 0], [2, 3]]), "give one of them"),
        (lambda: ts.sap([[1, 0], [2, 3]], upper=[[1, 0]]), "expected the same"),
        (lambda: ts.sap([[1, 0], [2, 3]], target={"rw": 1}), "rw"),
        (lambda: ts.verify(5, ts.read(TABLE)), "found an int, expected a proof"),
        (lambda: ts.verify({"schema": "x"}), "found a proof without its release"),
        (lambda: ts.verify("no.json", ts.read(TABLE)), '"no.json": there is no such file'),
        (lambda: ts.verify(ts.audit(TABLE)), "this audit has no proof"),
    ],
)
def test_the_other_functions(call: Any, said: str) -> None:
    with pytest.raises(ts.InputError) as error:
        call()
    assert said in str(error.value)
    assert " --" not in str(error.value)


JUNK = [
    *(0, -1, 1.5, float("nan"), "", "x", "persons", b"x", True, pd.NA, object(), ts.InputError, range(3), np.int64(3)),
    *([], [1], ["sex"], [None], (1, 2), (1, 85), np.array([1, 2]), TRUE, TRUE["persons"], TRUE["persons"] < 5),
    *({}, {"sex": "F"}, {"sex": None}, {1: 2}, {"sex": ["F"]}, {"sex": {"a": {"b": {}}}}, lambda *_: 0),
]


@pytest.mark.parametrize("keyword", list(inspect.signature(ts.read).parameters)[1:])
def test_nonsense_is_refused_or_read_and_never_anything_else(keyword: str) -> None:
    for junk in JUNK:
        with contextlib.suppress(ts.TablesealError):
            ts.read(TRUE, **{"value": "persons", keyword: junk})


def test_nonsense_in_place_of_tables() -> None:
    for junk in JUNK:
        for function in (ts.audit, ts.suppress, ts.compare, ts.risk, ts.sap, ts.verify, ts.read):
            with contextlib.suppress(ts.TablesealError):
                function(junk)


def test_results_that_are_asked_for_what_they_have_not(tmp_path: Path) -> None:
    found = ts.audit(TABLE, value="persons")
    for call, said in (
        (lambda: bool(found), "neither true nor false; ask what is meant"),
        (lambda: found.save(tmp_path / "x.txt"), "found .txt, expected .json or .html"),
        (lambda: found.save(tmp_path / "none" / "x.json"), "there is no folder"),
        (lambda: found.save(5), "save(): found an int, expected a path"),
        (lambda: found.save_proof(tmp_path / "p.json"), "there is no proof; ask for one"),
        (lambda: found.to_frame("spark"), "kind='spark': expected one of polars, pandas, pyarrow"),
        (lambda: found.distribution({"sx": "F"}), 'there is no variable "sx" (did you mean "sex"?)'),
        (lambda: found.distribution({"sex": "F"}), "no open cell is sex=F"),
    ):
        with pytest.raises(ts.InputError) as error:
            call()
        assert said in str(error.value)


def test_nothing_unsafe_goes_out(tmp_path: Path) -> None:
    """One sensitive cell, and nothing to hide it behind."""
    alone = pd.DataFrame({"a": ["x", "y", "Total"], "n": [2, 10, 12], "status": ["", "must_publish", "must_publish"]})
    found = ts.suppress(alone, value="n", total="Total", threshold=5)
    assert found.verdict == "unsafe"
    assert found.pattern is None
    assert found.audit is None
    assert "Total" in str(found.conflict)
    for call in (
        lambda: found.protected,
        lambda: found.to_frame(),
        lambda: found.save(tmp_path / "out.csv"),
        lambda: found.save_confidential(tmp_path / "kept.json"),
    ):
        with pytest.raises(ts.InputError, match="only a release whose audit says safe goes out"):
            call()
    assert not list(tmp_path.iterdir())
    assert found.document["verdict"] == "unsafe"


def test_files_that_were_read_are_not_overwritten(tmp_path: Path) -> None:
    data = tmp_path / "table.csv"
    TRUE.to_csv(data, index=False)
    before = data.read_text()
    safe = ts.suppress(data, threshold=5)
    with pytest.raises(ts.InputError, match="this file was read; choose another name"):
        safe.save(data)
    assert data.read_text() == before
