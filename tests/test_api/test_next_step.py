"""Every text that says a verdict begins with it, names the rule and what to do next, and ends with the verdict; what it
says to do works as it is printed."""

import json
import shlex
import tempfile
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from random import Random
from typing import Any

import pytest
from companies import companies_document
from following import advised, follow, in_order, run
from full_releases import full_release
from hypothesis import given, settings
from hypothesis import strategies as st
from random_releases import Maker
from small import document, table

CSV = "region,sex,count\nN,F,1\nN,M,9\nN,T,10\nS,F,7\nS,M,11\nS,T,18\nT,F,8\nT,M,20\nT,T,28\n"
FIRMS = "region,turnover,top,second\nN,120,100,15\nS,300,100,90\nW,200,90,60\nT,620,100,100\n"  # p%: N is sensitive
FIRMS_YAML = """\
tableseal: 1
kind: magnitude
variables: {region: {total: T, codes: [N, S, W]}}
tables: [{name: t, file: firms.csv, value: turnover, contributors: [top, second]}]
"""
LETTERS = "region,count,flag\nN,1,c\nS,7,\nT,8,\n"
LETTERS_YAML = """\
tableseal: 1
kind: count
variables: {region: {total: T, codes: [N, S]}}
tables: [{name: t, file: letters.csv, value: count, status: flag}]
"""
MANY_YAML = """\
tableseal: 1
kind: count
variables: {region: {total: T, codes: [N, S]}, sex: {total: T, codes: [F, M]}}
tables: [{name: t, file: a.csv, value: count}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("a.csv", CSV),
        ("-odd name's.csv", CSV),
        ("firms.csv", FIRMS),
        ("firms.yaml", FIRMS_YAML),
        ("letters.csv", LETTERS),
        ("letters.yaml", LETTERS_YAML),
        ("rules.yaml", "primary: [{threshold: 3}]\n"),
        ("many/a.csv", CSV),
        ("many/a.yaml", MANY_YAML),
        ("many/sound.json", json.dumps(document(table(["T", "k", "l", "m"], [28, 5, 12, 11])))),
        ("list.csv", "file,policy,bounds\nmany/a.yaml,rules.yaml,lp\n"),
    ):  # fmt: skip
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, "utf-8")
    return tmp_path


CALLS = [
    "audit a.csv --threshold 3",
    "audit a.csv --threshold 3 --explain --risk",
    "audit a.csv --policy rules.yaml --bounds lp",
    "audit a.csv --threshold 3 --withhold-primaries",
    "audit a.csv --threshold 3 --time-limit 0",
    'audit "./-odd name\'s.csv" --threshold 3',
    "audit a.csv",
    "audit firms.yaml --p-percent 20 --dominance 1,80 --dominance 2,95",
    "audit letters.yaml --status-map c=primary --threshold 3",
    "suppress a.csv --threshold 3",
    "suppress a.csv --threshold 3 --explain -o out.csv",
    "suppress a.csv --threshold 3 --confidential kept.yaml",
    "suppress a.csv --threshold 3 -o out.yaml --confidential kept.yaml",
    "suppress a.csv --threshold 3 --method rank --pure --budget cells=0 --no-margins",
    "suppress firms.yaml --p-percent 20 --cost unit --no-insiders --avoid region=S",
    "compare a.csv --threshold 3 --explain",
    "compare a.csv --threshold 3 --methods rank,rank-pure,rounding:3 --budget cells=5 --no-margins --seed 4",
    "compare firms.yaml --p-percent 20 --methods rounding:5",
    "publication audit p a.csv --threshold 3 --data kept",
    "publication audit p firms.yaml --p-percent 1 --data kept",
    "publication audit p a.csv --data kept",
    "batch many -o results",
    "batch many -o results --threshold 3",
    "batch many -o results --threshold 3 --bounds shuttle --together",
    "batch list.csv -o results",
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.usefixtures("folder")
def test_what_is_said_to_come_next_works_as_printed(call: str) -> None:
    # CONVENTION 631, 632
    assert follow(shlex.split(call))[0][0] != 2


@pytest.mark.usefixtures("folder")
def test_advice_repeats_what_was_given() -> None:
    # CONVENTION 632
    def after(call: str) -> list[str] | None:
        return advised(run(call.split())[1])

    out = ["-o", "a_protected.csv", "--confidential", "a_kept.json"]
    assert after("audit a.csv --threshold 3") == ["suppress", "a.csv", "--threshold", "3", *out]
    assert after("audit many/a.csv --policy rules.yaml --risk") == (
        ["suppress", "many/a.csv", "--policy", "rules.yaml", *out]
    )
    assert after("audit firms.yaml --p-percent 20 --dominance 1,80 --dominance 2,95") == [
        "suppress",
        "firms.yaml",
        "--p-percent",
        "20",
        "--dominance",
        "1,80",
        "--dominance",
        "2,95",
        "-o",
        "firms_protected.yaml",
        "--confidential",
        "firms_kept.json",
    ]
    given = "suppress a.csv --threshold 3 --cost unit --prefer region=N --prefer region=S --no-insiders"
    assert after(given) == [*given.split(), *out]
    assert sorted(after(f"{given} -o x.csv") or ()) == sorted([*given.split(), "--output", "x.csv", *out[2:]])
    assert after("batch list.csv -o results") == ["audit", "many/a.yaml", "--policy", "rules.yaml", "--bounds", "lp"]
    assert after("batch many --threshold 3 -o results") == ["audit", "many/a.yaml", "--threshold", "3"]
    assert after("audit letters.yaml --status-map c=primary --threshold 3") == [
        "suppress",
        "letters.yaml",
        "--threshold",
        "3",
        "--status-map",
        "c=primary",
        "-o",
        "letters_protected.yaml",
        "--confidential",
        "letters_kept.json",
    ]


@pytest.mark.usefixtures("folder")
def test_the_whole_way_from_a_table_to_its_publication() -> None:
    """An audit leads to the search, that to the files, the file that is kept to the publication, which publishes."""
    # CONVENTION 632
    codes = [code for code, _ in follow(["audit", "a.csv", "--threshold", "3"])]
    assert codes == [1, 0]
    said = follow(["publication", "audit", "p", "a_kept.json", "--data", "kept"])
    assert [code for code, _ in said] == [0, 0]
    assert "Published as entry 1." in said[-1][1]


@pytest.mark.usefixtures("folder")
def test_what_goes_out_has_no_true_values_and_the_audit_says_which_file_has_them() -> None:
    # CONVENTION 633
    run(["suppress", "a.csv", "--threshold", "3", "-o", "out.csv", "--confidential", "kept.json"])
    code, text = run(["audit", "out.csv", "--threshold", "3", "--json", "found.json"])
    assert code == 1
    (note,) = [n for n in json.loads(Path("found.json").read_text())["notes"] if n["code"] == "requirement_assumed"]
    assert note["count"] == 2
    assert (
        "Next: audit the file that has the true values of withheld cells (what `suppress --confidential` wrote" in text
    )
    code, text = run(["publication", "audit", "p", "out.csv", "--threshold", "3", "--data", "kept"])
    assert (code, "Next: audit the file that has the true values" in text) == (1, True)
    code, text = run(["audit", "kept.json"])
    assert (code, "requirement_assumed" in text, "Next:" in text) == (0, False, False)
    primary = document(table(["T", "k", "l", "m"], [13, 3, 4, 6], status=["", "primary", "", ""]))
    Path("true.json").write_text(json.dumps(primary), "utf-8")
    code, text = run(["audit", "true.json", "--threshold", "4", "--json", "found.json"])
    assert not [n for n in json.loads(Path("found.json").read_text())["notes"] if n["code"] == "requirement_assumed"]


@pytest.mark.usefixtures("folder")
def test_a_long_list_of_what_falls_is_cut() -> None:
    """CONVENTION 631: 60 rows, of each of which one cell is withheld that the other one and the sum give."""
    codes = [f"c{at}" for at in range(60)]
    cells: dict[str, list[Any]] = {"a": [], "b": [], "value": [], "s": []}
    for code in codes:
        for b, value, status in (("k", 3, "primary"), ("l", 4, ""), ("T", 7, "")):
            for name, entry in zip(cells, (code, b, value, status), strict=True):
                cells[name].append(entry)
    variables = {"a": {"codes": codes}, "b": {"total": "T", "codes": ["k", "l"]}}
    held = {"name": "t", "cells": cells, "status": "s"}
    Path("long.json").write_text(
        json.dumps({"tableseal": 1, "kind": "count", "variables": variables, "tables": [held]})
    )
    code, text = run(["publication", "audit", "p", "long.json", "--data", "kept"])
    assert code == 1
    assert in_order(text)
    assert text.count(": exposed, through the new release by itself: ") == 40
    assert "  ... and 20 more cells: see --json FILE.\n" in text
    assert len(text.splitlines()) < 50


@pytest.mark.usefixtures("folder")
def test_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from tableseal.api.cli.app import app

    release = Path("letters.yaml").read_text("utf-8")
    asked: Sequence[str] = ["audit", "-", "--status-map", "c=primary", "--threshold", "3"]
    for code in (1, 0):
        result = CliRunner().invoke(app, asked, input=release)
        assert result.exit_code == code, result.output
        assert in_order(result.output)
        asked = advised(result.output) or []
    assert Path("release_protected.json").exists()


def _all_values(random: Random) -> dict[str, Any]:
    return full_release(random)


def _anything(random: Random) -> dict[str, Any]:
    """Without what only a search refuses: true values that no table fits, and zeros that cannot be."""
    document = Maker(random, truths=60, damaged=0).document()
    document.get("intruder", {}).pop("nonempty", None)
    return document


def _companies(random: Random) -> dict[str, Any]:
    return companies_document(random)


@pytest.mark.parametrize("make", [_all_values, _anything, _companies])
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_of_any_release(make: Callable[[Random], dict[str, Any]], seed: int) -> None:
    # CONVENTION 631, 632
    random = Random(seed)
    release = make(random)
    release.pop("policy", None)
    magnitudes = any(m.get("kind") == "magnitude" for m in release.get("measures", {}).values())
    of_magnitudes, of_counts = ("--p-percent 10", "--dominance 1,80"), ("--threshold 2", "--threshold 6")
    rules = random.choice(of_magnitudes if magnitudes else of_counts)
    verb = random.choice(["audit", "audit", "audit --bounds lp", "suppress", "publication audit p --data kept"])
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("r.json").write_text(json.dumps(release), "utf-8")
        follow([*verb.split(), "r.json", *rules.split()])
