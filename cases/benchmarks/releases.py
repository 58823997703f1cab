"""Benchmark instances as releases of tableseal: in memory, and as files."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked, tables_of
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release

TABLE = "table"
STATUS = "status"
VALUE = "value"
PROTECTION = {"lower": "lpl", "upper": "upl"}

AT_ONCE = 1_000_000
"""Cells whose texts are in memory together."""


def release(instance: Instance) -> Release:
    """The release that an agency would audit: withheld cells with their true values, as its own knowledge."""
    document = _document(instance, _trees(instance), {"cells": _texts(instance)})
    return release_from_document(document, folder=Path.cwd(), source=instance.name)


def to_protect(
    instance: Instance | Linked,
    cost: NDArray[np.float64],
    contributions: Sequence[dict[str, NDArray[np.float64]]] | None = None,
) -> Release:
    """The release whose secondary cells are to be found, against outsiders only.

    cost: float64 (cells), of withholding. contributions: to ask about single contributors, too: for each table `freq`,
    `x1`, `x2` (see `folder`) of its cells, or nothing for tables of counts.
    """
    variables: dict[str, Any] = {}
    listed = []
    tables = tables_of(instance)
    places = instance.places if isinstance(instance, Linked) else [np.arange(len(cost))]
    for at, (table, place) in enumerate(zip(tables, places, strict=True)):
        columns = _texts(table) | {"cost": cost[place].tolist()}
        document = _document(table, _trees(table), {"cells": columns})
        variables |= document["variables"]
        described = document["tables"][0] | {"name": f"{TABLE}{at}", "cost": "cost"}
        if contributions and contributions[at]:
            columns |= {name: column.tolist() for name, column in contributions[at].items()}
            described |= {"frequency": "freq", "contributors": ["x1", "x2"]}
        listed.append(described)
    whole = document | {"title": instance.name, "variables": variables, "tables": listed}
    whole["intruder"] = {"insiders": [] if contributions is None else ["singletons"]}
    return release_from_document(whole, folder=Path.cwd(), source=instance.name)


def write(instance: Instance, folder: Path, *, insiders: bool = False) -> Path:
    """Write release.json, cells.csv and hier_NAME.csv into the folder; the path of release.json.

    insiders: also ask for the insider audit, as a release does that says nothing about it.
    """
    files = []
    for d in instance.dimensions:
        files.append({"file": f"hier_{d.name}.csv"})
        parents = ["" if parent < 0 else d.codes[parent] for parent in d.parents]
        _write_csv(folder / f"hier_{d.name}.csv", [{"code": list(d.codes), "parent": parents}])
    count = len(instance.values)
    _write_csv(
        folder / "cells.csv",
        (_columns(instance, np.arange(at, min(at + AT_ONCE, count))) for at in range(0, count, AT_ONCE)),
    )
    path = folder / "release.json"
    document = _document(instance, files, {"file": "cells.csv"})
    if not insiders:
        document["intruder"] = {"insiders": []}
    path.write_text(json.dumps(document, indent=1), "utf-8")
    return path


def _document(instance: Instance, variables: list[dict[str, Any]], cells: dict[str, Any]) -> dict[str, Any]:
    total = [{"total": d.codes[0]} for d in instance.dimensions]
    return {
        "tableseal": "1",
        "title": instance.name,
        "kind": "magnitude" if instance.magnitudes else "count",
        "unit": "1",
        "variables": {d.name: t | v for d, t, v in zip(instance.dimensions, total, variables, strict=True)},
        "tables": [{"name": TABLE, **cells, "value": VALUE, "status": STATUS, "protection": PROTECTION}],
    }


def _tree(instance: Instance, axis: int) -> Any:
    d = instance.dimensions[axis]

    def below(group: int) -> Any:
        children = d.children[group]
        if not any(child in d.children for child in children):
            return [d.codes[child] for child in children]
        return {d.codes[child]: below(child) if child in d.children else None for child in children}

    return below(0)


def _trees(instance: Instance) -> list[dict[str, Any]]:
    return [{"codes": list(d.codes[1:]), "tree": _tree(instance, axis)} for axis, d in enumerate(instance.dimensions)]


def _texts(instance: Instance) -> dict[str, list[Any]]:
    """Columns as a document has them."""
    columns = _columns(instance, np.arange(len(instance.values)))
    return {name: [None if v == "" else v for v in column] for name, column in columns.items()}


def _columns(instance: Instance, cells: NDArray[np.int64]) -> dict[str, list[str]]:
    """Columns of the table as text, of some cells."""
    primary = instance.primary[cells]
    status = np.full(len(cells), "published")
    status[instance.withheld[cells]] = "secondary"
    status[primary] = "primary"
    places = np.unravel_index(cells, instance.shape)
    codes = {d.name: np.array(d.codes)[at].tolist() for d, at in zip(instance.dimensions, places, strict=True)}
    required = {
        name: np.where(primary, distance[cells].astype(str), "").tolist()
        for name, distance in (("lpl", instance.below), ("upl", instance.above))
    }
    return {**codes, VALUE: instance.values[cells].astype(str).tolist(), STATUS: status.tolist(), **required}


def _write_csv(path: Path, parts: Iterable[dict[str, list[str]]]) -> None:
    """The columns of each part, one below the other."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for at, columns in enumerate(parts):
            if at == 0:
                writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
