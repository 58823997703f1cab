"""A table that was given, as a file."""

import csv
from io import BytesIO, StringIO

from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.words import columns_of
from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.io.frames import polars_module


def table_csv(told: TableAnswer) -> str:
    """CSV with a column for each variable and the values.

    Raises
    ------
    ValueError: there is no table.
    """
    columns = columns_of(told)
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def table_written(told: TableAnswer, name: str) -> str | bytes:
    """The content of a file: Parquet or JSON lines where its name ends so, else CSV.

    Raises
    ------
    ValueError: there is no table. InputError: Parquet needs a package that is not there.
    """
    ending = name.lower().rpartition(".")[2]
    if ending == "jsonl":
        columns = columns_of(told)
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        return "".join(f"{dumps(row)}\n" for row in rows)
    if ending != "parquet":
        return table_csv(told)
    stream = BytesIO()
    polars_module().DataFrame({key: list(values) for key, values in columns_of(told).items()}).write_parquet(stream)
    return stream.getvalue()
