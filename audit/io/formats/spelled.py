"""Tables with a row for every cell, for formats in which a cell that is not there is a zero."""

from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tableseal.audit.io.formats.grid import Cube, cube_of
from tableseal.audit.model import Absent, Amounts, Release, Table


def spelled_out(release: Release) -> Release:
    """The release with a row for each cell that the codes of its tables make: what has none is zero, a sum or missing.

    Raises
    ------
    InputError, LimitError: as `cube_of`.
    """
    return replace(release, tables=tuple(_whole(release, table) for table in release.tables))


def _whole(release: Release, table: Table) -> Table:
    cube = cube_of(release, table)
    codes = _codes(release, table, cube)
    position = {cell: at for at, cell in enumerate(map(tuple, codes.tolist()))}
    lacking = np.ones(len(codes), np.bool_)
    lacking[[position[cell] for cell in map(tuple, table.codes.tolist())]] = False
    absent = Absent() if lacking.any() or cube.listed.all() else table.absent
    more = np.flatnonzero(lacking)
    if not len(more):
        return replace(table, absent=absent)
    unit = release.measures[table.measure].unit
    texts = [cube.value[at] for at in more.tolist()]
    value = Amounts.of([None if text is None else int(Fraction(text) / unit) for text in texts])
    changed: dict[str, Any] = {
        field.name: _longer(getattr(table, field.name), len(table.codes), len(more)) for field in fields(table)
    }
    changed |= {
        "codes": np.concatenate([table.codes, codes[more]]),
        "status": np.concatenate([table.status, cube.status[more]]),
        "contributors": tuple(_longer(each, len(table.codes), len(more)) for each in table.contributors),
        "value": _joined(table.value, value),
        "truth": _joined(table.truth, value),
        "absent": absent,
    }
    return replace(table, **changed)


def _codes(release: Release, table: Table, cube: Cube) -> "np.ndarray[Any, np.dtype[np.int32]]":
    """int32 (cells x variables): codes of the cells of a cube."""
    axes = []
    for at, (name, hierarchy) in enumerate(release.variables.items()):
        known = {code: number for number, code in enumerate(hierarchy.codes)}
        axes.append([known[code] for code in cube.codes[name]] if name in cube.codes else [int(table.codes[0, at])])
    # The last variable runs fastest, as in the cube.
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1).astype(np.int32)


def _joined(first: Amounts, second: Amounts) -> Amounts:
    return Amounts(np.concatenate([first.units, second.units]), np.concatenate([first.known, second.known]))


def _longer(column: Any, rows: int, more: int) -> Any:
    """What a table says of its rows, with nothing said of some more; anything else as it is."""
    if isinstance(column, Amounts):
        return _joined(column, Amounts.none(more))
    if isinstance(column, np.ndarray):
        nothing = (
            np.full(more, np.nan) if column.dtype.kind == "f" else np.zeros((more, *column.shape[1:]), column.dtype)
        )
        return np.concatenate([column, nothing])
    if isinstance(column, tuple) and len(column) == rows and all(isinstance(entry, str) for entry in column):
        return (*column, *[""] * more)
    return column
