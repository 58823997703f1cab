"""A small town: made-up persons by district, sex, age and job, some jobs rare, as what a hypercube is made of."""

import random
from typing import Any

DISTRICTS = tuple(f"D{k}" for k in range(6))


def town(draw: random.Random, persons: int) -> dict[str, Any]:
    """A release document with the records, whose keys are made of `keys.txt`."""
    rows = [
        (
            f"p{k}",
            draw.choices(DISTRICTS, weights=range(1, 7))[0],
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
            "district": {"total": "T", "tree": {"North": list(DISTRICTS[:3]), "South": list(DISTRICTS[3:])}},
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
