"""Errors say what is to be done in the language of the way in: YAML for files, keywords and dicts in Python."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import tableseal as ts
from tableseal.api.cli.app import app

YAML = re.compile(r"\{\w+: (?!\.\.\.)[a-z_]+[,}]|\w+: (?:true|false)\b")
"""Keys and words without quotes: `{leaves: not_released}`, `nonnegative: false`."""

ROWS = {"a": list("xxyyTTT"), "b": list("pTqTpqT"), "n": [3, 9, 4, 4, 3, None, 13]}
"""x / T is 9, and x has a row for p alone."""
CROSSED = pl.DataFrame(ROWS)
NOT_ADDED = {
    "tableseal": 1,
    "kind": "count",
    "variables": {"a": {"total": "T", "codes": ["x", "y"]}},
    "tables": [{"name": "t", "value": "n", "cells": {"a": ["x", "y", "T"], "n": [300, 600, 905]}}],
}
NEGATIVE = {
    "tableseal": 1,
    "kind": "count",
    "intruder": {"nonnegative": False},
    "variables": {"a": {"total": "T", "codes": ["x", "y"]}},
    "tables": [{"name": "t", "value": "n", "cells": {"a": ["x", "y", "T"], "n": [1, 5, 6]}}],
}

CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "absent": (
        lambda: ts.audit(CROSSED, value="n", total="T"),
        "absent={'leaves': 'not_released'}",
    ),
    "rounded": (
        lambda: ts.audit(NOT_ADDED),
        "rounded={'base': '5', 'method': '...'}",
    ),
    "every row": (
        lambda: ts.audit(CROSSED, value="n", total="T", absent={"leaves": "error"}),
        "absent={'leaves': 'error'}",
    ),
    "sap": (lambda: ts.sap(NEGATIVE), "'intruder': {'nonnegative': False}"),
    "changed values": (
        lambda: ts.protect(NEGATIVE, method="perturbation"),
        "'intruder': {'nonnegative': False}",
    ),
    "decimal": (lambda: ts.audit(pl.DataFrame({"a": ["x", "T"], "n": ["1,234", "5,678"]}), value="n"), "decimal"),
}


@pytest.mark.parametrize("call", CALLS)
def test_errors_in_python_speak_python(call: str) -> None:
    # CONVENTION 861
    work, says = CALLS[call]
    with pytest.raises(ts.TablesealError) as raised:
        work()
    text = str(raised.value)
    assert says in text, text
    assert not YAML.search(text), text
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is type(raised.value)


def test_the_command_speaks_yaml(tmp_path: Path) -> None:
    # CONVENTION 861
    path = tmp_path / "t.csv"
    CROSSED.write_csv(path)
    result = CliRunner().invoke(app, ["audit", str(path)])
    assert result.exit_code == 2
    assert "`absent: {leaves: not_released}`" in result.output
