"""DataFrames as columns of text: pandas (with its index), polars, pyarrow and what else narwhals knows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tableseal.audit.errors import InputError
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.frames import columns_from_frame
from tableseal.audit.io.wording import listing, quoted, repeated

SOURCE = "frame"
"""What messages call a DataFrame."""

VALUE = "value"
"""Column of the values of a pandas Series without a name."""


@dataclass(frozen=True)
class Frame:
    """A DataFrame as columns of text. kind: of the library it came from. numbers: columns of numbers; whole: those of
    them that hold whole numbers only."""

    columns: Columns
    kind: str
    numbers: frozenset[str]
    whole: frozenset[str]


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
    if kind == "pandas":
        data = _with_index(data, source)
    names = data.column_names if hasattr(data, "column_names") else () if hasattr(data, "collect") else data.columns
    twice = repeated(map(str, names))
    if twice:
        raise InputError(f"{source}: several columns are called {listing(twice)}; give each a name of its own.")
    eager = _eager(data, source)
    columns = columns_from_frame(eager, source)
    numbers, whole = set(), set()
    texts = dict(columns.data)
    for name, dtype in _types(eager).items():
        if dtype in ("int", "float"):
            numbers.add(name)
        if dtype == "int":
            whole.add(name)
        elif dtype == "float":
            texts[name] = entries = _whole(columns.data[name])
            if entries is not columns.data[name]:
                whole.add(name)
    return Frame(replace(columns, data=texts), kind, frozenset(numbers), frozenset(whole))


def mask_words(mask: Any, rows: int, data: object, what: str) -> list[str]:
    """A mask (one yes or no a row) as status words.

    data: the frame that it belongs to: a mask of pandas has the same index.

    Raises
    ------
    InputError: another length or index, an entry that is neither yes nor no.
    """
    index, own = getattr(mask, "index", None), getattr(data, "index", None)
    if index is not None and hasattr(index, "equals") and own is not None and not index.equals(own):
        raise InputError(
            f"{what}: the mask has another index than the frame; align them first (mask.loc[frame.index])."
        )
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(mask, method):
            mask = getattr(mask, method)()
            break
    if not isinstance(mask, Sequence) or isinstance(mask, str):
        raise InputError(
            f"{what}: found a {type(mask).__name__}, expected the name of a column or a mask of True/False."
        )
    if len(mask) != rows:
        raise InputError(f"{what}: the mask has {len(mask):,} entries, but the frame has {rows:,} rows.")
    return [_word(entry, f"{what}, row {row}") for row, entry in enumerate(mask, start=1)]


def column_words(columns: Columns, name: str, what: str) -> list[str]:
    """A column of yes and no as status words.

    Raises
    ------
    InputError: no such column, or an entry that is neither yes nor no.
    """
    entries = columns.column(name, "which cells are sensitive")
    return [_word(entry, f"{what}: {columns.place(row, name)}") for row, entry in enumerate(entries)]


_SAID: dict[Any, str] = {
    True: "primary", "true": "primary", "1": "primary", "yes": "primary", "x": "primary",
    False: "", "false": "", "0": "", "no": "", "": "",
}  # fmt: skip


def _word(entry: object, where: str) -> str:
    plain = entry.strip().lower() if isinstance(entry, str) else entry
    try:
        return _SAID[plain]
    except (KeyError, TypeError):
        raise InputError(f"{where}: found {quoted(str(entry))}, expected True or False.") from None


def _eager(data: Any, source: str) -> Any:
    """The frame as narwhals has it.

    Raises
    ------
    InputError: the extra is not installed, or the frame has no data yet.
    """
    try:
        import narwhals
    except ImportError:
        raise InputError("DataFrames need an extra package: pip install 'tableseal[frames]'.") from None
    try:
        return narwhals.from_native(data, eager_only=True)
    except TypeError:
        found = f"found a {type(data).__name__}, expected a DataFrame with its data"
        hint = " (collect() it first)" if hasattr(data, "collect") else ""
        raise InputError(f"{source}: {found}{hint}.") from None


def _with_index(data: Any, source: str) -> Any:
    """A pandas frame whose index is plain: levels with names become columns, row numbers are dropped."""
    if not hasattr(data, "columns"):  # a Series, as groupby gives it
        data = data.to_frame(VALUE if data.name is None else data.name)
    if getattr(data.columns, "nlevels", 1) > 1:
        raise InputError(
            f"{source}: its columns have several levels, expected one; say what a row is with stack() or melt()."
        )
    index = data.index
    named = [name for name in index.names if name is not None]
    clash = [str(name) for name in named if name in data.columns]
    if clash:
        raise InputError(f"{source}: {listing(clash)} is a level of the index and a column; rename one of them.")
    if len(named) == index.nlevels:
        return data.reset_index()
    if named or index.nlevels > 1:
        raise InputError(
            f"{source}: some levels of the index have no name; name them, or drop them with reset_index()."
        )
    if not all(isinstance(label, int) or hasattr(label, "__index__") for label in index):
        raise InputError(
            f"{source}: the index has no name and holds more than row numbers, so it may hold codes: name it "
            "(rename_axis) or drop it (reset_index(drop=True))."
        )
    return data.reset_index(drop=True)


def _types(data: Any) -> dict[str, str]:
    """Column -> int, float or other."""
    found = {}
    for name, dtype in data.collect_schema().items():
        kind = "int" if dtype.is_integer() else "float" if dtype.is_float() else "other"
        found[str(name)] = kind
    return found


def _whole(entries: Sequence[str | None]) -> Sequence[str | None]:
    """Texts of floats without their decimals, if all are whole; else as they are."""
    numbers = [None if entry is None else float(entry) for entry in entries]
    if any(number is not None and not (math.isfinite(number) and number.is_integer()) for number in numbers):
        return entries
    return [None if number is None else str(int(number)) for number in numbers]
