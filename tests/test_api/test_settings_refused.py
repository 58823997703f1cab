"""Nonsense for every setting of every method that changes values, from Python, by the command and over HTTP: one clear
error that names the setting, in our own words, and nothing is written."""

import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asking import WAIT, asked
from commands import run
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tableseal as ts
from tableseal.audit.errors import TablesealError
from tableseal.suppression.protections.names import NEEDS, TAKES, WORDS

RECORDS: dict[str, list[Any]] = {
    "region": ["n1"] * 7 + ["n2"] * 10,
    "sex": ["F"] * 3 + ["M"] * 4 + ["F"] * 4 + ["M"] * 6,
    "hold": [f"h{k}" for k in range(17)],
    "turnover": [10 * k + 5 for k in range(17)],
    "key": [round(k * 0.618034 % 1, 6) for k in range(17)],
}


def release(kind: str) -> dict[str, Any]:
    amounts = [1] * 17 if kind == "count" else RECORDS["turnover"]
    rows: dict[tuple[str, str], int] = {}
    for region, sex, amount in zip(RECORDS["region"], RECORDS["sex"], amounts, strict=True):
        for codes in ((region, sex), (region, "T"), ("all", sex), ("all", "T")):
            rows[codes] = rows.get(codes, 0) + amount
    values = {} if kind == "count" else {"values": {"m": "turnover"}}
    return {
        "tableseal": 1,
        "measures": {"m": {"kind": kind}},
        "variables": {"region": {"total": "all", "codes": ["n1", "n2"]}, "sex": {"total": "T", "codes": ["F", "M"]}},
        "tables": [{"name": "t", "measure": "m", "cells": {
            "region": [a for a, _ in rows], "sex": [b for _, b in rows], "value": list(rows.values())}}],
        "microdata": {"cells": RECORDS, "holding": "hold", "key": "key", **values},
        "policy": {"primary": [{"threshold": 2}]},
    }  # fmt: skip


COUNTS, SUMS = release("count"), release("magnitude")
USUAL = {"base": 5, "variable": "region", "rate": "0.3", "share": "0.3", "least": "0.1"}
BESIDES: Mapping[str, dict[str, Any]] = {
    "cell-key": {"range": 3, "variance": 2},
    "cell-key-magnitudes": {"range": 3, "variance": 2},
    "perturbation": {"stay": "0.5", "reach": 2},
    "post-randomisation": {"stay": "0.6"},
}
SETTINGS = [(method, name) for method in WORDS for name in (*NEEDS.get(method, ()), *TAKES.get(method, ()))]
FLAGS = ("additive", "missing_keys", "zero_keys", "balanced", "invariant", "neighbours")
TEXTS = ["nan", "inf", "-inf", "1e400", "-1", "0", "2.5", "zz", "", " ", "1/3", "1/0", "9" * 30, "5%", "é" * 300]
VALUES: list[Any] = [
    *TEXTS, math.nan, math.inf, -math.inf, -1, -0.5, 0, 2.5, True, False, [], [math.nan], ["zz"], {}, {"a": 1}, 10**30,
    1e300, 1e-300, np.float64("nan"), np.float32("nan"), np.int64(-3), np.array([1.0, 2.0]), Fraction(1, 3),
    Decimal("NaN"), b"x", object(), 1 + 2j, {1, 2}, range(3), 2**63,
]  # fmt: skip
NOT_OURS = ("Input should", "pydantic", "np.", "numpy", "Traceback", "object at", "Fraction(", "NaN to", "array is too")


def usual(method: str) -> dict[str, Any]:
    return {name: USUAL[name] for name in NEEDS.get(method, ())} | dict(BESIDES.get(method, {}))


def data_of(method: str) -> dict[str, Any]:
    return SUMS if method in ("noise", "cell-key-magnitudes") else COUNTS


def test_settings_that_are_usual_are_taken() -> None:
    for method in WORDS:
        more = {"range": 9} if method == "tabular-adjustment" else {}
        assert ts.protect(data_of(method), method=method, **usual(method), **more).verdict


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SETTINGS), st.sampled_from(VALUES))
def test_from_python(setting: tuple[str, str], value: object) -> None:
    """CONVENTION 879."""
    method, name = setting
    said = {**usual(method), name: value}
    try:
        ts.protect(data_of(method), method=method, **said)
    except TablesealError as error:
        text = str(error)
        assert not any(word in text for word in NOT_OURS), text
        assert name in text or "cannot move by what protects it" in text
    else:
        assert not (isinstance(value, float | Decimal) and value != value)
        assert value is not True or name in FLAGS


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([one for one in SETTINGS if one[1] not in FLAGS]), st.sampled_from(TEXTS))
def test_by_the_command(tmp_path: Path, setting: tuple[str, str], value: str) -> None:
    """CONVENTION 879."""
    method, name = setting
    file = tmp_path / "release.json"
    file.write_text(json.dumps(data_of(method)), "utf-8")
    said = {**usual(method), name: value}
    options = [word for key, one in said.items() for word in ("--" + key.replace("_", "-"), one)]
    outputs = ["-o", tmp_path / "out.json", "--json", tmp_path / "done.json"]
    done = run("protect", file, "--method", method, *options, *outputs)
    written = [one.name for one in tmp_path.iterdir() if one != file]
    if done.exit_code == 2:
        assert "--" + name.replace("_", "-") in done.stderr or "cannot move by what" in done.stderr
        assert not any(word in done.stderr for word in NOT_OURS), done.stderr
        assert not written
    else:
        assert done.exit_code in (0, 1, 3), done.output
        for one in written:
            (tmp_path / one).unlink()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SETTINGS), st.sampled_from(TEXTS))
def test_over_http(client: TestClient, setting: tuple[str, str], value: str) -> None:
    """CONVENTION 879."""
    method, name = setting
    said = {"method": method, **usual(method), name: value}
    answer = client.post("/v1/protections", params=said, json=data_of(method), headers=WAIT)
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 422:
        found = answer.json()
        assert not any(word in answer.text for word in NOT_OURS), answer.text
        assert found.get("parameter") == name or "cannot move by what" in found["detail"] or name in found["detail"]


def test_numbers_that_are_none_are_not_taken_for_nothing_said() -> None:
    """CONVENTION 879: NaN was dropped, and the method ran with its usual settings."""
    for method, name in (("cell-key", "unchanged"), ("cell-key-magnitudes", "small_share"), ("perturbation", "stay")):
        with pytest.raises(TablesealError, match=f'{name}: found "nan", expected a number'):
            ts.protect(data_of(method), method=method, **{**usual(method), name: math.nan})
    with pytest.raises(TablesealError, match="scale zz: expected top, mean, range or sum"):
        ts.protect(SUMS, method="cell-key-magnitudes", **usual("cell-key-magnitudes"), scale="zz")
    with pytest.raises(TablesealError, match="seed True: expected a whole number"):
        ts.protect(COUNTS, method="synthetic", seed=True)
    with pytest.raises(TablesealError, match="variance 0: expected more than 0"):
        ts.protect(SUMS, method="cell-key-magnitudes", range=3, variance=0)
