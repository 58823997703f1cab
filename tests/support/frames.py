"""One table as DataFrames of every library that the door takes."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

PERSONS: dict[str, list[Any]] = {
    "district": ["North", "North", "North", "South", "South", "South", "Total", "Total", "Total"],
    "sex": ["F", "M", "Total"] * 3,
    "persons": [2, 17, 19, 14, 21, 35, 16, 38, 54],
}
"""One sensitive cell, North / F, if fewer than 5 are sensitive."""

WITHHELD: dict[str, list[Any]] = {**PERSONS, "persons": [None, *PERSONS["persons"][1:]]}
"""The same with that cell withheld, which can be computed."""

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def frame(kind: str, columns: dict[str, list[Any]]) -> Any:
    """A frame of the library."""
    return MAKERS[kind](columns)


def values(frame: Any, column: str) -> list[Any]:
    """A column as a list, with None where nothing is."""
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(value) else value for value in frame[column].tolist()]
    return frame[column].to_pylist() if isinstance(frame, pa.Table) else frame[column].to_list()
