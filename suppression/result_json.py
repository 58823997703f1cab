"""The outcome of a suppression as JSON, schema tableseal/suppression/1."""

from fractions import Fraction

import numpy as np

from audit.linear.naming import full_name
from audit.model import Release
from audit.report.exact_json import Json, dumps
from audit.report.to_json import report_document
from suppression.suppress import Suppression

SCHEMA = "tableseal/suppression/1"


def suppression_json(result: Suppression, *, indent: int | None = 1) -> str:
    """The outcome as JSON text; costs are exact."""
    found, problem = result.found, result.problem
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "method": result.method,
        "status": found.status,
        "cost": None if found.pattern is None else Fraction(found.cost, problem.scale),
        "bound": None if found.pattern is None else Fraction(found.bound, problem.scale),
        "gap": found.gap,
        "primary": int(problem.primary.sum()),
        "secondary": 0 if found.pattern is None else int((found.pattern & ~problem.primary).sum()),
        "cells": _cells(result),
        "audit": None if result.report is None else report_document(result.report),
    }
    if found.impossible is not None:
        cell = found.impossible.cell
        name = full_name(problem.release, problem.cells, cell)
        document["conflict"] = {
            "cells": [_cell(problem.release, result, cell)],
            "text": f"{name}: even with everything withheld that may be, its interval stays too narrow",
        }
    return dumps(document, indent=indent)


def _cells(result: Suppression) -> list[Json]:
    pattern, problem = result.found.pattern, result.problem
    if pattern is None:
        return []
    return [
        {
            **_cell(problem.release, result, cell),
            "status": "secondary",
            "needed_by": [_cell(problem.release, result, p) for p in result.needed_by.get(cell, ())],
        }
        for cell in np.flatnonzero(pattern & ~problem.primary).tolist()
    ]


def _cell(release: Release, result: Suppression, cell: int) -> dict[str, Json]:
    cells = result.problem.cells
    return {
        "table": release.tables[int(cells.table[cell])].name,
        "measure": list(release.measures)[int(cells.measure[cell])],
        "cell": dict(release.cell_codes(cells.codes[cell])),
    }
