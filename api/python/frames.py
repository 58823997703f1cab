"""DataFrames as columns of text: pandas (with its index), polars, pyarrow and what else narwhals knows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.frames import columns_from_frame
from tableseal.audit.wording import a_kind, listing, quoted, repeated

SOURCE = "frame"
"""What messages call a DataFrame."""

VALUE = "value"
"""Column of the values of a pandas Series without a name."""


@dataclass(frozen=True)
class Frame:
    """A DataFrame as columns of text. kind: of the library it came from. numbers: columns of numbers; whole: those of
    them that hold whole numbers only. index: of its rows, if it is of pandas."""

    columns: Columns
    kind: str
    numbers: frozenset[str]
    whole: frozenset[str]
    index: Any = None


def frame_kind(data: object) -> str | None:
    """The library of a DataFrame (or of a Series of pandas: a frame with its index); None for anything else."""
    kind = type(data)
    home = kind.__module__.partition(".")[0]
    if home == "pandas" and kind.__name__ == "Series":
        return home
    # Of the type: a lazy frame would look at its data.
    return home if any(hasattr(kind, name) for name in ("columns", "column_names")) else None


def read_frame(data: Any, kind: str, source: str = SOURCE) -> Frame:
    """The columns of a DataFrame, with those levels of a pandas index that have names.

    Whole numbers that became floats for the sake of a missing value are whole again.

    Raises
    ------
    InputError: an index that may hold codes and has no name, columns with the same name, objects that are no text and
        no number, no rows.
    """
    index = None
    if kind == "pandas":
        index, data = data.index, _with_index(data, source)
    names = data.column_names if hasattr(data, "column_names") else () if hasattr(data, "collect") else data.columns
    twice = repeated(map(str, names))
    if twice:
        raise InputError(f"several columns are called {listing(twice)}; give each a name of its own.", at=source)
    columns = columns_from_frame(data, source)
    numbers, whole = set(), set()
    texts = dict(columns.data)
    for name, dtype in _types(data).items():
        if dtype in ("int", "float"):
            numbers.add(name)
        if dtype == "int":
            whole.add(name)
        elif dtype == "float" and (entries := _whole(columns.data[name])) is not None:
            texts[name] = entries
            whole.add(name)
    return Frame(replace(columns, data=texts), kind, frozenset(numbers), frozenset(whole), index)


def mask_words(mask: Any, rows: int, data: object) -> Column:
    """A mask (one yes or no a row) as status words.

    data: the frame that it belongs to: a mask of pandas has the same index.

    Raises
    ------
    InputError: another length or index, an entry that is neither yes nor no.
    """
    at = OptionName("primary")
    index, own = getattr(mask, "index", None), getattr(data, "index", None)
    if index is not None and hasattr(index, "equals") and own is not None and not index.equals(own):
        raise InputError("the mask has another index than the frame; align it first (mask.loc[frame.index]).", at=at)
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(mask, method):
            mask = getattr(mask, method)()
            break
    if not isinstance(mask, Sequence) or isinstance(mask, str):
        expected = "the name of a column or a mask of True/False"
        raise InputError(found=a_kind(mask), expected=expected, at=at)
    if len(mask) != rows:
        raise InputError(f"the mask has {len(mask):,} entries, but the frame has {rows:,} rows.", at=at)
    return Column.of(_word(entry, Place("primary", row=row)) for row, entry in enumerate(mask, start=1))


def column_words(columns: Columns, name: str) -> Column:
    """A column of yes and no as status words.

    Raises
    ------
    InputError: no such column, or an entry that is neither yes nor no.
    """
    entries = columns.column(name, "which cells are sensitive")
    return Column.of(_word(entry, columns.place(row, name)) for row, entry in enumerate(entries))


_SAID: dict[Any, str] = {
    True: "primary", "true": "primary", "1": "primary", "yes": "primary", "x": "primary",
    False: "", "false": "", "0": "", "no": "", "": "",
}  # fmt: skip


def _word(entry: object, where: Place) -> str:
    plain = entry.strip().lower() if isinstance(entry, str) else entry
    try:
        return _SAID[plain]
    except (KeyError, TypeError):
        raise InputError(found=quoted(str(entry)), expected="True or False", at=where) from None


def _with_index(data: Any, source: str) -> Any:
    """A pandas frame whose index is plain: levels with names become columns, row numbers are dropped."""
    if not hasattr(data, "columns"):  # a Series, as groupby gives it
        data = data.to_frame(VALUE if data.name is None else data.name)
    if getattr(data.columns, "nlevels", 1) > 1:
        text = "its columns have several levels, expected one; say what a row is with stack() or melt()."
        raise InputError(text, at=source)
    index = data.index
    named = [name for name in index.names if name is not None]
    clash = [str(name) for name in named if name in data.columns]
    if clash:
        raise InputError(f"{listing(clash)} is a level of the index and a column; rename one of them.", at=source)
    if len(named) == index.nlevels:
        return data.reset_index()
    if named or index.nlevels > 1:
        raise InputError("levels of the index have no name; name them, or drop them with reset_index().", at=source)
    if not all(isinstance(label, int) or hasattr(label, "__index__") for label in index):
        raise InputError(
            "the index has no name and holds more than row numbers, so it may hold codes: name it (rename_axis) or "
            "drop it (reset_index(drop=True)).",
            at=source,
        )
    return data.reset_index(drop=True)


def _types(data: Any) -> dict[str, str]:
    """Column -> int, float or other."""
    import narwhals

    found = {}
    for name, dtype in narwhals.from_native(data, eager_only=True).collect_schema().items():
        kind = "int" if dtype.is_integer() else "float" if dtype.is_float() else "other"
        found[str(name)] = kind
    return found


def _whole(entries: Column) -> Column | None:
    """Texts of floats without their decimals, if all are whole."""
    numbers = [None if entry is None else float(entry) for entry in entries.texts]
    if any(number is not None and not (math.isfinite(number) and number.is_integer()) for number in numbers):
        return None
    return entries.rewritten(lambda entry: None if entry is None else str(int(float(entry))))
