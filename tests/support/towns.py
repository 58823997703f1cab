"""A small town as a hypercube in a folder, with policy and secret, for tests that ask for tables of it."""

import json
import random
from pathlib import Path
from typing import Any

from commands import run

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


def town(seed: int = 1, persons: int = 600, *, income: bool = False) -> dict[str, Any]:
    """Records of persons by district, sex, age and job: some jobs are rare. income: with what each has, which some
    share as a household."""
    draw = random.Random(seed)
    districts = [f"D{k}" for k in range(6)]
    rows = [
        (
            f"p{k}",
            draw.choices(districts, weights=range(1, 7))[0],
            draw.choice("FM"),
            str(draw.randint(0, 7)),
            draw.choices("abcd", weights=[60, 30, 9, 1])[0],
        )
        for k in range(persons)
    ]
    names: tuple[str, ...] = ("id", "district", "sex", "age", "job")
    more: dict[str, Any] = {}
    if income:
        names = (*names, "income", "household")
        rows = [
            (*row, f"{draw.lognormvariate(7, 0.6):.1f}", f"h{k // 3}" if k % 9 < 3 else "")  # type: ignore[misc]
            for k, row in enumerate(rows)
        ]
        more = {"values": {"income": "income"}, "holding": "household"}
    measures = {"persons": {"kind": "count"}, "income": {"kind": "magnitude", "unit": 0.1}}
    return {
        "tableseal": 1,
        "title": "Town",
        **({"measures": measures} if income else {"kind": "count"}),
        "variables": {
            "district": {"total": "T", "tree": {"North": districts[:3], "South": districts[3:]}},
            "sex": {"total": "T", "codes": ["F", "M"]},
            "age": {"total": "T", "tree": {"young": list("0123"), "old": list("4567")}},
            "job": {"total": "T", "codes": list("abcd")},
        },
        "microdata": {
            "cells": {name: [row[k] for row in rows] for k, name in enumerate(names)},
            "id": "id",
            "secret_file": "keys.txt",
            **more,
        },
    }


def built(
    folder: Path, name: str = "town", policy: dict[str, Any] | None = None, seed: int = 1, *, income: bool = False
) -> Path:
    """A hypercube with its policy and secret, as a service wants them; the folder of the hypercube."""
    (folder / "keys.txt").write_text(SECRET, "utf-8")
    (folder / f"{name}.source.json").write_text(json.dumps(town(seed, income=income)), "utf-8")
    (folder / f"{name}.yaml").write_text(json.dumps(policy or POLICY), "utf-8")
    (folder / f"{name}.secret").write_text(SECRET, "utf-8")
    cube = folder / f"{name}.cube"
    found = run("hypercube", "build", folder / f"{name}.source.json", "-o", cube, "--areas", "district")
    assert found.exit_code == 0, found.output
    return cube
