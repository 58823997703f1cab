"""A small town as a hypercube in a folder, with policy and secret, for tests that ask for tables of it."""

import json
import random
from pathlib import Path
from typing import Any

from commands import run

from cases.service.town import town

SECRET = "keep this beside the true values"

POLICY: dict[str, Any] = {
    "tableseal-generator": 1,
    "threshold": 3,
    "rules": {"variables": 3, "filters": 2, "cells": 2000, "population": {"table": 50, "area": 20}},
    "protection": {"cell_key": {"range": 4, "variance": 2}},
}


MEASURES: dict[str, Any] = {
    **POLICY,
    "protection": {"cell_key": {"range": 5, "variance": 4}},
    "measures": {"share": 0.2, "range": 3, "variance": 2, "rules": [{"p_percent": 10}], "error": 0.05},
    "memory": {"error": 0.4},
}
"""A policy that gives sums and means."""


def surveyed_town(seed: int = 1, persons: int = 600, *, income: bool = False) -> dict[str, Any]:
    """A town; income: with what each person has, which some share as a household."""
    draw = random.Random(seed)
    found = town(draw, persons)
    if income:
        del found["kind"]
        found["measures"] = {"persons": {"kind": "count"}, "income": {"kind": "magnitude", "unit": 0.1}}
        found["microdata"]["cells"] |= {
            "income": [f"{draw.lognormvariate(7, 0.6):.1f}" for _ in range(persons)],
            "household": [f"h{k // 3}" if k % 9 < 3 else "" for k in range(persons)],
        }
        found["microdata"] |= {"values": {"income": "income"}, "holding": "household"}
    return found


def built(
    folder: Path, name: str = "town", policy: dict[str, Any] | None = None, seed: int = 1, *, income: bool = False
) -> Path:
    """A hypercube with its policy and secret, as a service wants them; the folder of the hypercube."""
    (folder / "keys.txt").write_text(SECRET, "utf-8")
    (folder / f"{name}.source.json").write_text(json.dumps(surveyed_town(seed, income=income)), "utf-8")
    (folder / f"{name}.yaml").write_text(json.dumps(policy or POLICY), "utf-8")
    (folder / f"{name}.secret").write_text(SECRET, "utf-8")
    cube = folder / f"{name}.cube"
    found = run("hypercube", "build", folder / f"{name}.source.json", "-o", cube, "--areas", "district")
    assert found.exit_code == 0, found.output
    return cube
