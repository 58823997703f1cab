"""What a pattern leaves open, found out without the package: every table of whole units listed."""

import copy
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracle import Cell, Document, Oracle, read

from tableseal.suppression.problem.problem import Problem


def cell_of(problem: Problem, position: int) -> Cell:
    """(measure, codes) of a cell of a problem."""
    codes = problem.release.cell_codes(problem.cells.codes[position])
    return list(problem.release.measures)[int(problem.cells.measure[position])], tuple(codes.values())


def with_pattern(document: Document, problem: Problem, pattern: NDArray[np.bool_]) -> Document:
    """The document of a release without statuses, with a pattern put in by the codes of its cells."""
    status = {
        cell_of(problem, c): "primary" if problem.primary[c] else "secondary" for c in np.flatnonzero(pattern).tolist()
    }
    found = copy.deepcopy(document)
    measure = found.pop("kind", None)
    if measure is not None:
        found["measures"] = {"value": {"kind": measure}}
    names = list(found["variables"])
    for table in found["tables"]:
        table["measure"] = table.get("measure", "value")
        cells: dict[str, list[Any]] = table["cells"]
        totals = [found["variables"][name].get("total") for name in names]
        keys = [
            (table["measure"], tuple(cells[n][row] if n in cells else totals[v] for v, n in enumerate(names)))
            for row in range(len(cells["value"]))
        ]
        cells["status"] = [status.get(key, "published") for key in keys]
        cells.pop("s", None)
        table["status"] = "status"
        cells["value"] = [None if key in status else v for key, v in zip(keys, cells["value"], strict=True)]
    return found


def misses(document: Document, problem: Problem, pattern: NDArray[np.bool_]) -> list[Cell]:
    """Sensitive cells that do not keep what outsiders' requirements ask: by listing every table of whole units that
    fits or, where these have no end, by linear programming."""
    independent = read(with_pattern(document, problem, pattern))
    tables = independent.tables()
    assert tables is None or len(tables)
    found = []
    for need in problem.requirements:
        if need.attacker.known:
            continue
        cell = cell_of(problem, need.cell)
        low, high = _ends(independent, tables, independent.forms[cell])
        enough = (need.lower is None or low <= need.lower) and (need.upper is None or high >= need.upper)
        if not enough or high - low < need.width:
            found.append(cell)
    return found


def cube() -> Document:
    """A 2 x 2 x 2 table of counts with all its margins; one cell holds 1."""
    leaves = dict(zip(itertools.product("12", repeat=3), [1, 5, 6, 7, 5, 8, 6, 9], strict=True))
    places = list(itertools.product("T12", repeat=3))
    cells: dict[str, list[Any]] = {v: [place[k] for place in places] for k, v in enumerate("xyz")}
    cells["value"] = [
        sum(n for leaf, n in leaves.items() if all(p in ("T", q) for p, q in zip(place, leaf, strict=True)))
        for place in places
    ]
    shape = {"total": "T", "codes": ["1", "2"]}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": dict.fromkeys("xyz", shape),
        "tables": [{"name": "t", "cells": cells}],
        "intruder": {"insiders": []},
    }


def _ends(independent: Oracle, tables: NDArray[np.float64] | None, form: NDArray[np.float64]) -> tuple[float, float]:
    if tables is not None:
        values = tables @ form
        return float(round(values.min())), float(round(values.max()))
    low, high = independent.linear(form), independent.linear(-form)
    assert low is not None
    assert high is not None
    return low, -high


def determined(document: Document, problem: Problem, pattern: NDArray[np.bool_]) -> list[Cell]:
    """Sensitive cells that are combinations of what is released exactly, by exact ranks over the rationals."""
    from sympy import Matrix

    independent: Oracle = read(with_pattern(document, problem, pattern))
    exact = independent.matrix[independent.lower == independent.upper].astype(int)
    rank = Matrix(exact.tolist()).rank() if len(exact) else 0
    found = []
    for position in np.flatnonzero(problem.primary).tolist():
        form = independent.forms[cell_of(problem, position)].astype(int)
        if Matrix([*exact.tolist(), form.tolist()]).rank() == rank:
            found.append(cell_of(problem, position))
    return found
