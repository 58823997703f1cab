"""A table that was given, as a file."""

from fractions import Fraction
from io import BytesIO
from typing import Any

from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.words import columns_of
from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.io.frames import polars_module
from tableseal.audit.io.spreadsheet import csv_text


def table_written(told: TableAnswer, name: str) -> str | bytes:
    """The content of a file: Parquet or JSON lines where its name ends so, else CSV.

    Raises
    ------
    ValueError: there is no table. InputError: Parquet needs a package that is not there.
    """
    ending, columns = name.lower().rpartition(".")[2], columns_of(told)
    rows = zip(*columns.values(), strict=True)
    if ending == "jsonl":
        return "".join(f"{dumps(dict(zip(columns, row, strict=True)))}\n" for row in rows)
    if ending != "parquet":
        return csv_text(list(columns), list(rows))
    stream = BytesIO()
    frame = {key: [_plain(value) for value in values] for key, values in columns.items()}
    polars_module().DataFrame(frame).write_parquet(stream)
    return stream.getvalue()


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value
