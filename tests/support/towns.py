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


def town(seed: int = 1, persons: int = 600) -> dict[str, Any]:
    """Records of persons by district, sex, age and job: some jobs are rare."""
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
    names = ("id", "district", "sex", "age", "job")
    return {
        "tableseal": 1,
        "title": "Town",
        "kind": "count",
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
        },
    }


def built(folder: Path, name: str = "town", policy: dict[str, Any] | None = None, seed: int = 1) -> Path:
    """A hypercube with its policy and secret, as a service wants them; the folder of the hypercube."""
    (folder / "keys.txt").write_text(SECRET, "utf-8")
    (folder / f"{name}.source.json").write_text(json.dumps(town(seed)), "utf-8")
    (folder / f"{name}.yaml").write_text(json.dumps(policy or POLICY), "utf-8")
    (folder / f"{name}.secret").write_text(SECRET, "utf-8")
    cube = folder / f"{name}.cube"
    found = run("hypercube", "build", folder / f"{name}.source.json", "-o", cube, "--areas", "district")
    assert found.exit_code == 0, found.output
    return cube
