"""Results: what they show, and what they never show."""

import dataclasses
import re
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from frames import PERSONS

import tableseal as ts
from tableseal.api.python import to_frame

SECRET = 987_654
"""The value of a withheld cell that nothing gives away."""

OPEN = pl.DataFrame(
    {
        "a": ["x", "x", "x", "y", "y", "y", "T", "T", "T"],
        "b": ["p", "q", "T"] * 3,
        "n": [SECRET, 5, SECRET + 5, 7, 3, 10, SECRET + 7, 8, SECRET + 15],
        "status": ["primary", "secondary", "", "secondary", "secondary", "", "", "", ""],
    }
)


def every_result() -> list[Any]:
    found = ts.audit(OPEN, value="n", status="status", proof=True)
    return [
        found,
        found.public(),
        ts.suppress(OPEN, value="n", status="status"),
        ts.compare(OPEN, value="n", status="status", methods="optimal"),
        ts.risk(OPEN, value="n", status="status"),
        ts.sap([[SECRET, 0], [1, 2]], n=1),
        ts.verify(found),
        ts.read(OPEN, value="n", status="status"),
    ]


RESULTS = every_result()


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_repr_is_short_and_holds_no_value(result: Any) -> None:
    # CONVENTION 674
    shown = repr(result)
    assert "\n" not in shown
    assert len(shown) < 250
    assert str(SECRET) not in shown
    assert f"{SECRET:,}" not in shown


@pytest.mark.parametrize("result", RESULTS[:-1], ids=lambda result: type(result).__name__)
def test_results_are_frozen_and_have_all_that_results_have(result: Any, tmp_path: Path) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.origin = None
    assert result.document["schema"].startswith("tableseal/")
    assert result.stopped_by is None
    assert len(result.to_frame()) > 0
    assert isinstance(result.to_frame("pandas"), pd.DataFrame)
    assert isinstance(result.text(), str)
    page = result._repr_html_()
    assert page.startswith(("<iframe", "<pre>"))
    assert "<script" not in re.sub(r'srcdoc="[^"]*"', "", page)
    (path,) = result.save(tmp_path / "result.json")
    assert path.read_text("utf-8").strip() == result.to_json().strip()


def test_the_page_of_a_notebook_is_the_page_that_exists(tmp_path: Path) -> None:
    found = RESULTS[0]
    found.save(tmp_path / "page.html")
    inside = re.search(r'srcdoc="([^"]*)"', found._repr_html_())
    assert inside is not None
    assert unescape(inside[1]) == (tmp_path / "page.html").read_text("utf-8")


def test_nothing_that_is_public_holds_the_value() -> None:
    public = RESULTS[1]
    plain = [public.to_json(), public.to_html(), public.text(), str(public.to_frame().to_dicts()), repr(public.release)]
    assert all(str(SECRET) not in text.replace(",", "").replace(" ", "") for text in plain)
    assert not any(table.truth.known[table.status != 0].any() for table in public.release.tables)
    protected = RESULTS[2].protected
    assert all((table.truth.known == table.value.known).all() for table in protected.tables)
    assert SECRET not in protected.tables[0].truth.units.tolist()


def test_stopped_by_says_which_limit() -> None:
    """CONVENTION 675: linear programming leaves ends of overlapping groups apart."""
    assert ts.audit(OPEN, value="n", status="status").stopped_by is None
    groups = Path(__file__).parents[2] / "cases" / "overlapping_groups" / "release.yaml"
    assert ts.audit(groups, bounds="lp").stopped_by == "bounds"
    assert ts.audit(groups).stopped_by is None
    assert ts.audit(groups, time_limit=0).stopped_by == "time"
    cut = ts.suppress(pl.DataFrame(PERSONS), value="persons", threshold=5, time_limit=0)
    assert cut.stopped_by == "time"
    assert ts.compare(pl.DataFrame(PERSONS), threshold=5, methods="optimal", time_limit=0).stopped_by == "time"
    enough = ts.suppress(pl.DataFrame(PERSONS), value="persons", threshold=5, time_limit=100)
    assert (enough.stopped_by, enough.status) == (None, "optimal")


def test_ends_that_an_audit_without_limits_leaves_apart_are_for_size() -> None:
    found = RESULTS[0]
    cells = (found.report.cells[0]._replace(exact=False), *found.report.cells[1:])
    left = dataclasses.replace(found, report=dataclasses.replace(found.report, cells=cells))
    assert left.stopped_by == "size"
    assert "stopped_by='size'" in repr(left)


def test_progress_and_executor_and_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[str, int, int]] = []
    plain = ts.audit(OPEN, value="n", status="status")
    seen = ts.audit(
        OPEN,
        value="n",
        status="status",
        progress=lambda what, done, total: told.append((what, done, total)),
        state=tmp_path / "state",
    )
    assert told
    assert seen.document == plain.document
    assert (tmp_path / "state").exists()

    class Counting:
        def __init__(self) -> None:
            self.items = 0

        def map(self, work: Any, items: Any) -> Any:
            self.items += len(items)
            return map(work, items)

        def as_completed(self, work: Any, items: Any) -> Any:
            return ((k, work(item)) for k, item in enumerate(items))

    executor = Counting()
    assert ts.audit(OPEN, value="n", status="status", executor=executor).document == plain.document
    assert executor.items
    capsys.readouterr()
    ts.audit(OPEN, value="n", status="status", progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "bounds: " in captured.err
    assert captured.err.endswith("\r")


def test_frames_by_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = to_frame.import_module

    def without(*missing: str) -> Any:
        def found(name: str) -> Any:
            if name in missing:
                raise ImportError(name)
            return real(name)

        return found

    frame = ts.read(OPEN, value="n", status="status")
    assert isinstance(ts.audit(ts.read(OPEN.to_pandas(), value="n", status="status")).to_frame(), pd.DataFrame)
    (table,) = frame.tables
    release = ts.audit(dataclasses.replace(frame, tables=(dataclasses.replace(table, headings=None),)))
    assert isinstance(release.to_frame(), pl.DataFrame)
    monkeypatch.setattr(to_frame, "import_module", without("polars"))
    assert isinstance(release.to_frame(), pd.DataFrame)
    with pytest.raises(ts.InputError, match="polars is not installed: pip install polars"):
        RESULTS[0].to_frame()
    monkeypatch.setattr(to_frame, "import_module", without("polars", "pandas", "pyarrow"))
    with pytest.raises(ts.InputError, match="polars or pandas or pyarrow is not installed"):
        release.to_frame()


def test_a_figure_that_bears_the_name_of_a_variable_steps_back() -> None:
    table = pl.DataFrame({"status": ["x", "y", "Total"], "verdict": ["a", "a", "a"], "n": [None, 3, 5]})
    found = ts.audit(table, value="n", variables=["status", "verdict"], total={"status": "Total", "verdict": None})
    shown = found.to_frame()
    assert shown["status"].to_list() == ["x"]
    assert shown["status_"].to_list() == ["withheld"]
    assert shown["verdict_"].to_list() == ["exposed"]


def test_cells_that_no_row_lists_are_in_the_frame() -> None:
    """A row left out is its total minus the others."""
    table = pl.DataFrame({"a": ["x", "y", "Total"], "n": [10, 12, 25]})
    found = ts.audit(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "Total", "codes": ["x", "y", "z"]}},
            "tables": [
                {
                    "name": "t",
                    "value": "n",
                    "cells": table.to_dict(as_series=False),
                    "absent": {"leaves": "not_released"},
                }
            ],
        },
        threshold=5,
    )
    assert found.verdict == "unsafe"
    rows = found.to_frame().filter(pl.col("status") == "not_listed")
    assert rows.select("a", "lower", "upper").rows() == [("z", 3, 3)]


def test_the_next_release_stays_near_the_last_one() -> None:
    first = ts.suppress(pl.DataFrame(PERSONS), value="persons", threshold=5)
    again = ts.suppress(pl.DataFrame(PERSONS), value="persons", threshold=5, last_period=first.confidential)
    assert again.document["last_period"]["kept"] == 4
    decision = {
        "decision": "keep_published",
        "cell": {"district": "South", "sex": "M"},
        "reason": "published last year",
        "name": "A. Nyone",
        "date": "2026-11-28",
    }
    kept = ts.suppress(pl.DataFrame(PERSONS), value="persons", threshold=5, decisions=[decision])
    assert not kept.pattern[4]
