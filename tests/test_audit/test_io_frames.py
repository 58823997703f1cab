"""DataFrames and Parquet files."""

import builtins
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release, release_from_document, table_from_frame

FRAME = pl.DataFrame(
    {
        "a": ["T", "k", "l"],
        "y": [2024, 2024, 2024],
        "n": [9007199254740993, 4, None],
        "x": [0.1, float("nan"), None],
        "d": [Decimal("1.10"), None, Decimal("-2")],
        "b": [True, False, None],
    }
)
DOCUMENT: dict[str, Any] = {
    "tableseal": 1,
    "kind": "count",
    "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "y": {"codes": ["2024"]}},
}


def test_a_frame_becomes_exact_text() -> None:
    table = table_from_frame(FRAME, "t", value="n")
    assert (table["name"], table["value"]) == ("t", "n")
    assert table["cells"] == {
        "a": ["T", "k", "l"],
        "y": ["2024", "2024", "2024"],
        "n": ["9007199254740993", "4", None],
        "x": ["0.1", None, None],
        "d": ["1.10", None, "-2.00"],
        "b": ["true", "false", None],
    }
    release = release_from_document({**DOCUMENT, "tables": [{**table, "status": "none"}]})
    assert release.tables[0].value.units.tolist() == [9007199254740993, 4, 0]


def test_parquet_in_a_release_and_alone(tmp_path: Path) -> None:
    FRAME.select("a", "y", "n").write_parquet(tmp_path / "x.parquet")
    document = {**DOCUMENT, "tables": [{"name": "t", "file": "x.parquet", "value": "n"}]}
    assert release_from_document(document, folder=tmp_path).tables[0].value.units.tolist() == [9007199254740993, 4, 0]
    document, _ = infer_document(tmp_path / "x.parquet")
    assert list(document["variables"]) == ["a"]
    assert len(read_release(tmp_path / "x.parquet").tables[0].value) == 3


def test_what_is_no_frame_or_no_parquet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="t: found a list, expected a DataFrame"):
        table_from_frame([1], "t")
    with pytest.raises(InputError, match="t: has no rows"):
        table_from_frame(FRAME.head(0), "t")
    with pytest.raises(InputError, match='t, column "o": holds list objects'):
        table_from_frame(pl.DataFrame({"o": [[1], [2]]}), "t")
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"x\.parquet: is not a readable Parquet file"):
        read_release(tmp_path / "x.parquet")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    real = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name in ("narwhals", "polars"):
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"pip install 'tableseal\[frames\]'"):
        table_from_frame(FRAME, "t")
    with pytest.raises(InputError, match=r"pip install 'tableseal\[parquet\]'"):
        read_release(tmp_path / "x.parquet")
