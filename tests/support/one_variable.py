"""Releases of one variable, and what is withheld of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy, Release
from tableseal.audit.rules import Threshold
from tableseal.suppression.answer import Suppression

POLICY = Policy((Threshold(2),))


def line(values: Sequence[int], status: Sequence[str] = (), **columns: Any) -> Release:
    """One variable: its total, which is to be published, and codes 1, 2, ..."""
    codes = [str(k) for k in range(1, len(values) + 1)]
    status = ["must_publish", *(status or [""] * len(values))]
    cells = {"a": ["T", *codes], "value": [sum(values), *values], "s": status, **columns}
    table = {"name": "t", "cells": cells, "status": "s", **{name: name for name in columns}}
    variables = {"a": {"total": "T", "codes": codes}}
    return release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]})


def withheld(result: Suppression) -> set[str]:
    """Codes of the secondary cells."""
    problem, pattern = result.problem, result.found.pattern
    assert pattern is not None
    found = np.flatnonzero(pattern & ~problem.primary).tolist()
    return {problem.release.cell_codes(problem.cells.codes[c])["a"] for c in found}
