"""Columns of a result as a DataFrame of pandas, polars or pyarrow."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

from tableseal.audit.errors import InputError
from tableseal.audit.wording import listing

Kind = Literal["pandas", "polars", "pyarrow"]
KINDS: tuple[Kind, ...] = ("polars", "pandas", "pyarrow")
"""In the order in which one is taken where no frame came in."""


class Whole(list[int | None]):
    """A column of whole numbers."""


class Texts(list[str | None]):
    """A column of text."""


class Flags(list[bool | None]):
    """A column of yes and no."""


class Floats(list[float | None]):
    """A column of numbers."""


Column = Whole | Texts | Flags | Floats


def numbers(values: Sequence[Fraction | int | float | None]) -> Whole | Floats:
    """A column of numbers: whole if all are, else the nearest floats."""
    if all(value is None or (-(2**63) < value < 2**63 and value == int(value)) for value in values):
        return Whole(None if value is None else int(value) for value in values)
    return Floats(None if value is None else float(value) for value in values)


def kind_of(wanted: str | None, given: str | None) -> Kind:
    """The library to make a frame with: the wanted one, else that of the frame that came in, else one that is there.

    Raises
    ------
    InputError: an unknown library, or one that is not installed.
    """
    if wanted is not None and wanted not in KINDS:
        raise InputError(f"to_frame(): kind={wanted!r}: expected one of {listing(KINDS)}.")
    choice = [kind for kind in KINDS if kind == (wanted or given)] or list(KINDS)
    for kind in choice:
        try:
            import_module(kind)
        except ImportError:
            continue
        return kind
    raise InputError(f"to_frame(): {' or '.join(choice)} is not installed: pip install {choice[0]}.")


def frame_of(columns: Mapping[str, Column], kind: Kind, index: Any = None) -> Any:
    """A frame with these columns; nothing is a missing value of the library.

    index: of the first rows, for pandas: levels with names take the place of the columns of these names.
    """
    if kind == "polars":
        import polars

        types = {Whole: polars.Int64, Texts: polars.String, Flags: polars.Boolean, Floats: polars.Float64}
        return polars.DataFrame(
            {name: list(column) for name, column in columns.items()},
            schema={name: types[type(column)] for name, column in columns.items()},
        )
    if kind == "pyarrow":
        import pyarrow

        arrow = {
            Whole: pyarrow.int64(), Texts: pyarrow.string(), Flags: pyarrow.bool_(), Floats: pyarrow.float64()
        }  # fmt: skip
        return pyarrow.table({name: pyarrow.array(list(c), type=arrow[type(c)]) for name, c in columns.items()})
    import pandas

    dtypes = {Whole: "Int64", Texts: "string", Flags: "boolean", Floats: "Float64"}
    found = pandas.DataFrame({name: pandas.array(list(c), dtype=dtypes[type(c)]) for name, c in columns.items()})
    return found if index is None else _indexed(found, index)


def _indexed(frame: Any, index: Any) -> Any:
    """The rows with the index that they came in with; rows that are new behind them get the codes that they have, or
    numbers that go on counting."""
    import pandas

    names = [name for name in index.names if name is not None]
    new = frame.iloc[len(index) :]
    if len(new) and names:
        levels = [new[str(name)].astype(object) if str(name) in new else [None] * len(new) for name in names]
        index = index.append(pandas.MultiIndex.from_arrays(levels) if len(names) > 1 else pandas.Index(levels[0]))
        index.names = names
    elif len(new):
        first = max(index.max() + 1, 0)
        index = index.append(pandas.RangeIndex(first, first + len(new)))
    return frame.set_axis(index, axis=0).drop(columns=[str(name) for name in names], errors="ignore")


def with_codes(
    tables: Sequence[str],
    codes: Mapping[str, Sequence[str | None]],
    figures: Mapping[str, Column],
    whole: frozenset[str],
) -> dict[str, Column]:
    """Columns of codes, named as their variables, then figures; of two columns with one name the figure's gets a `_`.
    Where there are several tables, their names come first.

    whole: variables whose codes came as whole numbers, and are given back so.
    """
    found: dict[str, Column] = {name: _codes(column, name in whole) for name, column in codes.items()}
    first: dict[str, Column] = {}
    named = {"table": Texts(tables)} if len(set(tables)) > 1 else {}
    for place, columns in ((first, named), (found, figures)):
        for name, column in columns.items():
            free = name
            while free in found:
                free += "_"
            place[free] = column
    return first | found


def _codes(codes: Sequence[str | None], whole: bool) -> Whole | Texts:
    if whole:
        try:
            return Whole(None if code is None else int(code) for code in codes)
        except ValueError:  # a combination of codes that no row lists
            pass
    return Texts(codes)
