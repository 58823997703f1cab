"""Instance folders: cells.csv, hier_NAME.csv, meta.json, and patterns that other programs made (withheld_NAME.csv).

Every csv file may be compressed (.csv.gz). `cells.csv` has the codes of each dimension, `freq` (counts) or `value`
(magnitudes), `primary`, and the required distances `lpl` and `upl`; `hier_NAME.csv` has columns code and parent, the
total first; `withheld_NAME.csv` lists rows of `cells.csv`, counted from 0. `cost`, and for magnitudes `freq`, `x1` and
`x2` (contributors, the largest contribution, the second), are for programs that choose patterns. A folder of linked
tables has a folder for each, listed as `tables` in its `meta.json`.
"""

import csv
import gzip
import json
from fractions import Fraction
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.instance import Dimension, Instance
from cases.benchmarks.linked import Linked, link
from tableseal.audit.errors import InputError

DATA = Path(__file__).parent / "data"
"""Instances that are shipped."""

PATTERN = "withheld_"


def names(root: Path) -> list[str]:
    """All instances below a folder, as `TABLE:PATTERN`."""
    files = [path for path in root.glob(f"*/{PATTERN}*") if path.name.endswith((".csv", ".csv.gz"))]
    return sorted({f"{path.parent.name}:{path.name.split('.')[0].removeprefix(PATTERN)}" for path in files})


def load(root: Path, name: str) -> Instance:
    """One instance; `name` is one of `names`, or without a pattern: only the primaries are withheld then.

    Raises
    ------
    InputError: a file or column is missing, a code is unknown, a combination is missing or listed twice, a number is no
        whole number, or the table does not add up.
    """
    table, _, pattern = name.partition(":")
    folder = root / table
    if not (folder / "meta.json").exists():
        raise InputError(f"{table}/meta.json: there is no such file.")
    described = json.loads((folder / "meta.json").read_text("utf-8"))
    dimensions = tuple(_dimension(folder, dimension) for dimension in described["dims"])
    magnitudes = described["kind"] == "mag"
    measure = "value" if magnitudes else "freq"
    rows = _rows(folder, "cells", *described["dims"], measure, "primary", "lpl", "upl")
    cell = np.array([_cell(folder, dimensions, number, row) for number, row in enumerate(rows)], np.int64)
    count = prod(len(d.codes) for d in dimensions)
    if len(np.unique(cell)) < len(cell) or len(cell) != count:
        raise InputError(f"{folder.name}/cells.csv: {len(cell):,} rows, expected each of {count:,} combinations once.")

    def column(field: str) -> np.ndarray:
        result = np.zeros(count, np.int64)
        result[cell] = [
            _whole(folder, number, field, row, up=field in ("lpl", "upl")) for number, row in enumerate(rows)
        ]
        return result

    primary = column("primary") == 1
    withheld = np.zeros(count, np.bool_)
    if pattern:
        withheld[cell[[int(row["row"]) for row in _rows(folder, PATTERN + pattern, "row")]]] = True
    values = column(measure)
    below, above = np.where(primary, column("lpl"), 0), np.where(primary, column("upl"), 0)
    instance = Instance(name, magnitudes, dimensions, values, primary, withheld | primary, below, above)
    wrong = np.flatnonzero(instance.equations @ values)
    if len(wrong):
        raise InputError(f"{folder.name}/cells.csv: {len(wrong):,} equations do not add up.")
    return instance


def size(root: Path, table: str) -> int:
    """Number of cells that a table says it has."""
    described = _described(root, table)
    if "tables" in described:
        return sum(size(root / table, part) for part in described["tables"])
    return int(described["ncells"])


def is_linked(root: Path, name: str) -> bool:
    """Whether a folder holds linked tables."""
    return "tables" in _described(root, name)


def to_protect(root: Path, name: str) -> Instance | Linked:
    """A table without a pattern, or linked tables.

    Raises
    ------
    InputError: see `load`.
    """
    if not is_linked(root, name):
        return load(root, name)
    return link(name, tuple(load(root, f"{name}/{part}") for part in _described(root, name)["tables"]))


def costs(root: Path, instance: Instance | Linked) -> NDArray[np.float64]:
    """float64 (cells), cost of withholding each cell of an instance of the folder."""
    if isinstance(instance, Linked):
        return instance.merged([column(root, table, "cost") for table in instance.tables])
    return column(root, instance, "cost")


def column(root: Path, table: Instance, name: str) -> NDArray[np.float64]:
    """float64 (cells), a column of numbers of a table of the folder.

    Raises
    ------
    InputError: there is none.
    """
    folder = root / table.name.partition(":")[0]
    result = np.zeros(len(table.values))
    for number, row in enumerate(_rows(folder, "cells", *(d.name for d in table.dimensions), name)):
        result[_cell(folder, table.dimensions, number, row)] = float(row[name])
    return result


def _described(root: Path, name: str) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((root / name / "meta.json").read_text("utf-8"))
    return described


def _rows(folder: Path, stem: str, *columns: str) -> list[dict[str, str]]:
    plain, packed = folder / f"{stem}.csv", folder / f"{stem}.csv.gz"
    if plain.exists():
        text = plain.read_text("utf-8")
    elif packed.exists():
        text = gzip.decompress(packed.read_bytes()).decode("utf-8")
    else:
        raise InputError(f"{folder.name}/{stem}.csv: there is no such file.")
    rows = csv.DictReader(text.splitlines())
    missing = [column for column in columns if column not in (rows.fieldnames or ())]
    if missing:
        raise InputError(f'{folder.name}/{stem}.csv: there is no column "{missing[0]}".')
    return list(rows)


def _dimension(folder: Path, name: str) -> Dimension:
    edges = [(row["code"], row["parent"]) for row in _rows(folder, f"hier_{name}", "code", "parent")]
    position = {code: at for at, (code, _) in enumerate(edges)}
    if edges[0][1] or not all(parent in position for _, parent in edges[1:]):
        raise InputError(
            f"{folder.name}/hier_{name}.csv: expected the total first, and a listed parent for all others."
        )
    return Dimension(name, tuple(position), tuple(position.get(parent, -1) for _, parent in edges))


def _cell(folder: Path, dimensions: tuple[Dimension, ...], number: int, row: dict[str, str]) -> int:
    cell = 0
    for d in dimensions:
        at = d.position.get(row[d.name])
        if at is None:
            raise InputError(f'{folder.name}/cells.csv row {number}, column {d.name}: unknown code "{row[d.name]}".')
        cell = cell * len(d.codes) + at
    return cell


def _whole(folder: Path, number: int, field: str, row: dict[str, str], *, up: bool) -> int:
    value = Fraction(row[field])
    if value.denominator != 1 and not up:
        raise InputError(f"{folder.name}/cells.csv row {number}, column {field}: expected a whole number.")
    return ceil(value)
