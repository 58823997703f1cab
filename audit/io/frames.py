"""DataFrames and Parquet files -> columns of text (needs the extras `frames` or `parquet`)."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.parquet_sizes import check_sizes
from tableseal.audit.io.scalars import scalar_text
from tableseal.audit.wording import a_kind


def table_from_frame(frame: object, name: str, **settings: object) -> dict[str, object]:
    """An entry for `tables` of a release document, with the cells of a DataFrame inline.

    Parameters
    ----------
    frame: any eager DataFrame that narwhals accepts (pandas, polars, pyarrow, modin, ...).
    name: name of the table.
    settings: everything else that a table may say: value="turnover", status="flag", columns={...}, ...

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"a": ["T", "k", "l"], "n": [9, 4, None]})
    >>> table_from_frame(frame, "t", value="n")["cells"]["n"]
    ['9', '4', None]
    """
    columns = columns_from_frame(frame, name)
    return {"name": name, "cells": {column: list(entries) for column, entries in columns.data.items()}, **settings}


def columns_from_frame(frame: object, source: str) -> Columns:
    """The columns of a DataFrame as text; missing values become None.

    Raises
    ------
    InputError: the extra is not installed, not a DataFrame, no rows, a kind of value that has no text form.
    """
    try:
        import narwhals
    except ImportError:
        raise _missing("frames", "DataFrames") from None
    try:
        eager = narwhals.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(f"found {a_kind(frame)}, expected a DataFrame with its data.", at=source) from None
    return _columns(eager.to_dict(as_series=False), source)


def columns_from_parquet(content: bytes, source: str) -> Columns:
    """The columns of a Parquet file, given its content, as text.

    Raises
    ------
    InputError: the extra is not installed, not a Parquet file, no rows. LimitError: see `check_sizes`.
    """
    polars = polars_module()
    check_sizes(content, source)
    try:
        columns = polars.read_parquet(BytesIO(content)).to_dict(as_series=False)
    except (Exception, polars.exceptions.PanicException) as error:  # its many error types share no base
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"is not a readable Parquet file ({reason}).", at=source) from None
    return _columns(columns, source)


def polars_module() -> Any:
    """polars, which reads and writes Parquet files.

    Raises
    ------
    InputError: the extra is not installed.
    """
    try:
        import polars
    except ImportError:
        raise _missing("parquet", "Parquet files") from None
    return polars


def _columns(data: Mapping[str, list[Any]], source: str) -> Columns:
    columns: dict[str, Column] = {}
    for name, values in data.items():
        try:
            columns[str(name)] = _column(values)
        except TypeError as error:
            place = Place(source, column=str(name))
            raise InputError(f"holds {error} objects, expected text or numbers.", at=place) from None
    found = Columns(Place(source), columns)
    if not len(found):
        raise InputError("has no rows.", at=source)
    return found


def _column(values: list[Any]) -> Column:
    """The texts of values; where all are of one kind, equal values have equal texts, so that each is looked at once."""
    if set(map(type, values)) - {type(None)} in ({str}, {int}, {float}):
        return Column.of(values).rewritten(scalar_text)
    return Column.of(map(scalar_text, values))


def _missing(extra: str, what: str) -> InputError:
    return InputError(f"{what} need an extra package: pip install 'tableseal[{extra}]'.")
