"""Results in the form that the client asks for (CONVENTION 366); large ones never as a whole in memory."""

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import polars
import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.json_rows import rows_in
from tableseal.api.http.renderings import CSV, JSON, LINES, PARQUET, chosen, rendered
from tableseal.api.jobs.kinds import Rows
from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.report import ReportCell

TYPES = (JSON, LINES, CSV, PARQUET)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def job(client: TestClient) -> str:
    release = json.loads(json.dumps(EXAMPLE).replace('"N"', '"=N+1"'))
    response = client.post("/v1/audits", json=release, headers=WAIT)
    assert response.status_code == 200, response.text
    return path_of(response)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON),
        ("*/*", JSON),
        ("text/html, application/json;q=0.5", JSON),
        ("text/*", CSV),
        ("application/json;q=0.1, text/csv", CSV),
        ("application/*;q=0.2, application/x-ndjson;q=0.9", LINES),
        ("application/json;q=0, */*", LINES),
        (PARQUET.upper(), PARQUET),
        ("text/html", None),
        ("text/csv;q=0", None),
        ("text/csv;q=nonsense", None),
        ("", JSON),
    ],
)
def test_what_the_client_likes_best(accept: str | None, expected: str | None) -> None:
    assert chosen(accept, TYPES) == expected


def test_the_same_cells_in_every_form(client: TestClient, job: str) -> None:
    cells = client.get(f"{job}/result").json()["cells"]
    lines = client.get(f"{job}/result", headers={"Accept": LINES})
    assert lines.headers["content-type"].startswith(LINES)
    assert [json.loads(line) for line in lines.text.splitlines()] == cells
    table = client.get(f"{job}/result", params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert len(rows) == len(cells)
    for row, cell in zip(rows, cells, strict=True):
        assert row["cell.size"] == cell["cell"]["size"]
        assert row["lower"] == str(cell["lower"])
        assert [row["attained.lower"], row["attained.upper"]] == [str(end) for end in cell["attained"]]
        assert row["exact"] == json.dumps(cell["exact"])
        assert row["required.lower"] == ("" if cell["required"] is None else str(cell["required"][0]))
    frame = polars.read_parquet(io.BytesIO(client.get(f"{job}/result", headers={"Accept": PARQUET}).content))
    assert frame.columns == list(rows[0])
    assert frame["upper"].to_list() == [cell["upper"] for cell in cells]
    assert frame["exact"].to_list() == [cell["exact"] for cell in cells]
    assert frame["cell.region"].to_list() == [cell["cell"]["region"] for cell in cells]


def test_no_spreadsheet_runs_what_is_in_a_table(client: TestClient, job: str) -> None:
    text = client.get(f"{job}/result", params={"format": "csv"}).text
    regions = {row["cell.region"] for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert "'=N+1" in regions
    assert "=N+1" not in regions


def test_an_answer_at_once_is_negotiated_too(client: TestClient) -> None:
    response = client.post("/v1/audits", json=EXAMPLE, headers={**WAIT, "Accept": CSV})
    assert response.headers["content-type"].startswith(CSV)
    assert response.headers["preference-applied"] == "wait=60"
    assert response.text.startswith("table,")


def test_what_cannot_be_had_is_not_worked_on(client: TestClient, job: str) -> None:
    count = len(client.get("/v1/jobs").json())
    for response in (
        client.post("/v1/audits", json=EXAMPLE, headers={**WAIT, "Accept": "image/png"}),
        client.get(f"{job}/result", headers={"Accept": "image/png"}),
        client.post("/v1/sap", content="1,0\n2,3\n", headers={**WAIT, "Content-Type": "text/csv", "Accept": CSV}),
    ):
        assert response.status_code == 406
        assert response.json()["type"].endswith(":not-acceptable")
    assert len(client.get("/v1/jobs").json()) == count
    assert client.get(f"{job}/result", params={"format": "xls"}).status_code == 422


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40)
@given(
    before=st.dictionaries(st.text(max_size=4).filter(lambda key: key != "rows"), VALUES, max_size=3),
    rows=st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=4),
    indent=st.sampled_from([None, 1]),
    piece=st.integers(1, 40),
)
def test_rows_are_read_from_any_cut(
    before: dict[str, Any], rows: list[dict[str, Any]], indent: int | None, piece: int
) -> None:
    text = dumps({**before, "rows": rows, "after": 1}, indent=indent).encode()
    pieces = [text[k : k + piece] for k in range(0, len(text), piece)]
    expected = json.loads(text, parse_float=Decimal)["rows"]
    assert list(rows_in(pieces, "rows")) == expected


def test_no_object_is_an_error() -> None:
    for text in (b"", b"[1]", b'{"rows": [', b'{"rows"'):
        with pytest.raises(ValueError, match=r"\S"):
            list(rows_in([text], "rows"))


def test_long_results_are_never_wholly_in_memory() -> None:
    """4 MB of JSON become CSV within a fraction of that."""
    row = dumps({"table": "x" * 200, "cost": Decimal("0.125"), "cell": {"a": "=1"}}).encode()

    def pieces() -> Iterator[bytes]:
        yield b'{"a": {"b": [1, 2]}, "cells": ['
        for _ in range(300):
            yield b",".join([row] * 50) + b","
        yield row + b"]}"

    rows = Rows("suppression", "cells")
    assert rows.layout.keys  # loads what declares them
    tracemalloc.start()
    size = sum(len(part) for part in rendered(pieces(), CSV, rows))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 3_000_000
    assert peak < 1_500_000


def test_columns_follow_from_what_records_declare() -> None:
    cells = Rows("report", "cells").layout
    assert cells.objects == {"cell", "possible"}
    assert cells.pairs == {"attained", "lp", "required"}
    assert cells.flags == {"exact", "sensitive"}
    ends = {f"{pair}.{end}" for pair in cells.pairs for end in ("lower", "upper")}
    values = {"possible.at_least", "possible.at_most", "truth", "lower", "upper", "entropy_bits", "risk"}
    assert cells.numbers == ends | values
    assert cells.keys == ReportCell._fields
    assert "required_unknown" in Rows("batch", "releases").layout.keys
    assert Rows("suppression", "cells").layout.objects == {"cell"}
    assert Rows("comparison", "methods").layout.numbers == {"secondary", "cost", "bound", "gap", "most_rank"}
