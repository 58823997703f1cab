"""Files that go with the one that is named: they go over no input, and are not the main file of a request."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.uploads import Fields, main_among
from tableseal.audit.io import file_names, release_files, release_from_document
from tableseal.audit.io.formats.registry import FORMATS

CELLS = {"a": ["x", "y", "T"] * 2, "b": ["1"] * 3 + ["2"] * 3, "value": [3, 6, 9, 4, 5, 9]}
RELEASE = release_from_document(
    {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "tree": {"x": [], "y": []}}, "b": {"total": "S", "codes": ["1", "2"]}},
        "tables": [{"name": "t", "cells": CELLS, "absent": {"totals": "compute"}}],
    }
)

DATA = "a,value\nx,3\ny,6\nT,9\n"
X = """tableseal: 1
kind: count
variables: {a: {total: T, codes: [x, y]}}
tables: [{name: t, file: o.csv}]
policy: {primary: [{threshold: 4}]}
"""


@pytest.mark.parametrize("one", [one for one in FORMATS if one.writes], ids=lambda one: str(one.key))
def test_every_file_is_known_before_it_is_written(tmp_path: Path, one: object) -> None:
    # CONVENTION 853
    ending = one.written or one.endings[0]  # type: ignore[attr-defined]
    target = tmp_path / f"o{ending}"
    assert set(release_files(RELEASE, target)) <= set(file_names(RELEASE, target))
    assert file_names(RELEASE, target)[-1] == target


def test_no_input_is_written_over(tmp_path: Path) -> None:
    # CONVENTION 853: o.csv goes with o.csv-metadata.json, and is an input
    (tmp_path / "o.csv").write_text(DATA)
    (tmp_path / "x.yaml").write_text(X)
    done = CliRunner().invoke(app, ["suppress", str(tmp_path / "x.yaml"), "-o", str(tmp_path / "o.csv-metadata.json")])
    assert done.exit_code == 2
    assert "o.csv" in done.output
    assert (tmp_path / "o.csv").read_text() == DATA


@pytest.mark.parametrize(
    ("names", "main"),
    [
        (["t.rda", "t.tab", "region.hrc"], "t.tab"),
        (["book.xlsm"], "book.xlsm"),
        (["survey.sav"], "survey.sav"),
        (["survey.dta"], "survey.dta"),
        (["p.jj"], "p.jj"),
        (["release.yaml", "t.tab", "t.rda"], "release.yaml"),
        (["t.csv-metadata.json", "t.csv"], "t.csv-metadata.json"),
    ],
)
def test_the_main_file_of_a_request(names: list[str], main: str) -> None:
    # CONVENTION 853: every format that is read can be sent
    assert main_among(names, "the form", Fields("release")) == main


def test_a_request_without_one() -> None:
    with pytest.raises(ProblemError, match="There is no release"):
        main_among(["region.hrc"], "the form", Fields("release"))
