"""Documents as Python objects: what a file says as dicts and lists, with DataFrames where columns stand."""

from collections.abc import Mapping
from typing import Any

from tableseal.api.python.frames import frame_kind, read_frame


def with_columns(data: Mapping[Any, Any]) -> dict[Any, Any]:
    """The document with the columns of every DataFrame (`cells` of tables or of `microdata`) in place of it.

    Raises
    ------
    InputError: a DataFrame that cannot be read.
    """
    return {key: _plain(item) for key, item in data.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return with_columns(value)
    if isinstance(value, list | tuple):
        return [_plain(item) if isinstance(item, Mapping | list | tuple) else item for item in value]
    kind = frame_kind(value)
    if kind is None:
        return value
    return {name: list(column) for name, column in read_frame(value, kind).columns.data.items()}
