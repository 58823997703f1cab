"""A small table for comparisons of methods."""

from typing import Any

import numpy as np


def document() -> dict[str, Any]:
    """A two-way table of 4 x 4 counts with two sensitive cells, whose secondaries differ in cost."""
    x = np.array([[1, 9, 7, 8], [6, 5, 9, 4], [8, 6, 2, 7], [9, 4, 6, 5]])
    full = np.block([[x.sum(), x.sum(axis=0)], [x.sum(axis=1)[:, None], x]])
    r, c = np.divmod(np.arange(25), 5)
    cells: dict[str, list[Any]] = {
        "region": ["All" if i == 0 else f"r{i}" for i in r.tolist()],
        "trade": ["All" if j == 0 else f"t{j}" for j in c.tolist()],
        "value": full.ravel().tolist(),
    }
    return {
        "tableseal": 1,
        "title": "Firms <by> region & trade",
        "kind": "count",
        "variables": {
            "region": {"total": "All", "codes": ["r1", "r2", "r3", "r4"]},
            "trade": {"total": "All", "codes": ["t1", "t2", "t3", "t4"]},
        },
        "tables": [{"name": "firms", "cells": cells}],
        "policy": {"primary": [{"threshold": 3}]},
        "intruder": {"insiders": []},
    }
