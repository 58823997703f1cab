"""The door as it is used in a notebook: read a frame, see the leak, withhold, compare, verify, save."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import MAKERS, PERSONS, WITHHELD, frame, values

import tableseal as ts


def test_a_session_with_pandas(tmp_path: Path) -> None:
    df = pd.DataFrame(WITHHELD)
    found = ts.audit(df, value="persons", total="Total")
    assert found.verdict == "unsafe"
    assert repr(found) == (
        "AuditResult(verdict='unsafe', called='unsafe', cells=9, withheld=1, exposed=1, underprotected=0, undecided=0)"
    )
    leak = found.to_frame()
    assert isinstance(leak, pd.DataFrame)
    assert leak.loc[0, ["district", "sex", "lower", "upper"]].tolist() == ["North", "F", 2, 2]
    assert leak.loc[0, "arithmetic"] == "North / F = Total / F - South / F = 16 - 14 = 2"
    assert found.cells[0].lower == 2
    assert found.document["summary"]["exposed"] == 1
    assert found.stopped_by is None
    assert found.public().document["confidential"] is False

    true = pd.DataFrame(PERSONS).set_index(["district", "sex"])
    safe = ts.suppress(true, value="persons", threshold=5)
    assert (safe.verdict, safe.status, safe.cost, safe.bound, safe.stopped_by) == ("safe", "optimal", 52, 52, None)
    assert true[safe.pattern]["persons"].tolist() == [2, 17, 14, 21]
    out = safe.to_frame()
    assert isinstance(out, pd.DataFrame)
    assert values(out, "persons") == [None, None, 19, None, None, 35, 16, 38, 54]
    assert set(out["status"]) == {"withheld", "published"}
    assert values(safe.to_frame(tell_statuses=True), "status")[0] == "primary"
    assert safe.audit is not None
    assert safe.audit.verdict == "safe"

    compared = ts.compare(true, value="persons", threshold=5, methods=["optimal", "modular"])
    assert values(compared.to_frame(), "method") == ["optimal", "modular"]
    assert values(compared.to_frame(), "verdict") == ["safe", "safe"]
    assert compared.best == "optimal"

    proved = ts.audit(safe.confidential, proof=True)
    accepted = ts.verify(proved)
    assert accepted
    assert (accepted.accepted, accepted.reason) == (True, None)

    assert [path.name for path in safe.save(tmp_path / "out.yaml")] == ["out_table.csv", "out.yaml"]
    assert safe.save(str(tmp_path / "out.csv")) == (tmp_path / "out.csv",)
    assert "2" not in pd.read_csv(tmp_path / "out.csv", dtype=str)["persons"].tolist()
    safe.save(tmp_path / "found.json")
    safe.save(tmp_path / "page.html")
    safe.save_confidential(tmp_path / "kept.json")
    proved.save_proof(tmp_path / "proof.json")
    assert ts.verify(tmp_path / "proof.json", tmp_path / "kept.json").accepted
    assert ts.audit(tmp_path / "out.yaml").cells[0].lower == 0  # nothing of it can be computed any more


def test_a_session_with_polars(tmp_path: Path) -> None:
    df = pl.DataFrame(WITHHELD).with_columns(flag=pl.when(pl.col("persons").is_null()).then(pl.lit("withheld")))
    leak = ts.audit(df, value="persons", status="flag").to_frame()
    assert isinstance(leak, pl.DataFrame)
    assert leak.select("district", "sex", "lower", "upper", "verdict").row(0) == ("North", "F", 2, 2, "exposed")

    true = pl.DataFrame(PERSONS)
    safe = ts.suppress(true, value="persons", primary=true["persons"] < 5)
    assert isinstance(safe.to_frame(), pl.DataFrame)
    assert true.filter(safe.pattern)["persons"].to_list() == [2, 17, 14, 21]
    assert ts.audit(safe.to_frame(), value="persons").verdict == "safe"
    assert isinstance(ts.compare(true, threshold=5, methods="optimal").to_frame(), pl.DataFrame)
    risk = ts.risk(true, value="persons")
    assert risk.to_frame()["part"][0] == "whole table"
    assert risk.before == pytest.approx(risk.document["whole"]["R1"])
    sap = ts.sap(true, value="persons", n=range(0, 3))
    assert sap.to_frame().columns == ["n", "sap", "fraction", "low", "high"]
    found = ts.audit(true, threshold=5, withhold_primaries=True)
    assert [cell.cell for cell in found.cells] == [(("district", "North"), ("sex", "F"))]
    assert found.save(tmp_path / "report.json") == (tmp_path / "report.json",)


def test_a_session_with_pyarrow() -> None:
    table = pa.table(PERSONS)
    safe = ts.suppress(table, value="persons", threshold=5)
    out = safe.to_frame()
    assert isinstance(out, pa.Table)
    assert out["persons"].to_pylist() == [None, None, 19, None, None, 35, 16, 38, 54]
    assert isinstance(ts.audit(out).to_frame(), pa.Table)


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_answer_whatever_the_tables_come_as(kind: str, tmp_path: Path) -> None:
    """Frame, file (str and Path), document and release give one report."""
    data = frame(kind, WITHHELD)
    release = ts.read(data, value="persons", total="Total")
    pl.DataFrame(WITHHELD).write_csv(tmp_path / "table.csv")
    document = {
        "tableseal": 1,
        "title": release.title,
        "kind": "count",
        "variables": {
            "district": {"total": "Total", "codes": ["North", "South"]},
            "sex": {"total": "Total", "codes": ["F", "M"]},
        },
        "tables": [{"name": "table", "cells": WITHHELD, "value": "persons"}],
    }
    given = [data, release, document, tmp_path / "table.csv", str(tmp_path / "table.csv")]
    keywords = [{"value": "persons"}, {}, {}, {"value": "persons"}, {}]
    reports = [ts.audit(one, **more).document for one, more in zip(given, keywords, strict=True)]
    for report in reports:
        assert report["cells"] == reports[0]["cells"]
        assert report["verdict"] == "unsafe"
    assert reports[0]["release"] == reports[1]["release"] == reports[2]["release"]


def test_rules_that_need_contributors_are_said_with_keywords() -> None:
    """One line with p%: 500 of one, 20 of another, 5 of the rest."""
    df = pd.DataFrame(
        {
            "trade": ["a", "b", "Total"],
            "turnover": [525.0, 300.0, 825.0],
            "firms": [9, 12, 21],
            "first": [500.0, 40.0, 500.0],
            "second": [20.0, 39.0, 40.0],
        }
    )
    roles = {"value": "turnover", "frequency": "firms", "contributors": ["first", "second"], "unit": 0.1}
    found = ts.audit(df, **roles, p_percent=10)
    assert [cell.rule for cell in found.cells] == ["p% 10"]
    assert ts.audit(df, **roles, dominance=(1, 95)).to_frame()["rule"].tolist() == ["dominance (1, 95)"]
    assert ts.audit(df, **roles, dominance=[(1, 99), (2, 99)]).to_frame()["rule"].tolist() == ["dominance (2, 99)"]
