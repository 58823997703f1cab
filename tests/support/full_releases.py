"""Random small releases in which every cell is listed with its value: what a search for patterns starts from."""

import itertools
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from oracle import Document, variables_of
from random_releases import SCHEMAS, SHAPES


def full_release(random: Random, *, base: int = 18, largest: int = 4) -> Document:
    """A document of one count; no cell is withheld."""
    while True:
        schema = random.choice(SCHEMAS)
        names = [f"v{k}" for k in range(1 + max(itertools.chain.from_iterable(schema)))]
        shapes = {name: random.choice(SHAPES) for name in names}
        variables = variables_of({"variables": shapes, "tables": []})
        size = 1
        for variable in variables.values():
            size *= len(variable.leaves)
        if size <= base and all(
            "total" in shapes[names[k]] or k in table for k in range(len(names)) for table in schema
        ):
            break
    leaves = [variable.leaves for variable in variables.values()]
    hidden = {leaf: random.randint(0, largest) for leaf in itertools.product(*leaves)}
    tables = [
        _table(f"t{number}", [names[k] for k in sorted(table)], variables, hidden)
        for number, table in enumerate(schema)
    ]
    return {"tableseal": 1, "kind": "count", "variables": shapes, "tables": tables}


def _table(
    name: str, crossed: Sequence[str], variables: Mapping[str, Any], hidden: Mapping[tuple[str, ...], int]
) -> dict[str, Any]:
    cells: dict[str, list[Any]] = {v: [] for v in crossed} | {"value": [], "s": []}
    for codes in itertools.product(*(variables[v].covers for v in crossed)):
        inside = {v: variables[v].covers[c] for v, c in zip(crossed, codes, strict=True)}
        total = sum(
            x for leaf, x in hidden.items() if all(leaf[k] in inside.get(v, leaf) for k, v in enumerate(variables))
        )
        for v, code in zip(crossed, codes, strict=True):
            cells[v].append(code)
        cells["value"].append(total)
        cells["s"].append("")
    return {"name": name, "cells": cells, "status": "s"}
