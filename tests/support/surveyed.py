"""Releases of counts with the records that give them."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release
from tableseal.suppression.protections.protect import Protection

Said = Mapping[str, Any]
"""Of a release file: variable -> what it says."""


def groups_of(said: Said) -> dict[str, tuple[str, ...]]:
    """Every code with the leaves that it covers; `T` is the total, and `tree` the rest."""
    tree = said.get("tree", {code: [code] for code in said.get("codes", ())})
    covers = {code: tuple(below) or (code,) for code, below in tree.items()}
    leaves = tuple(leaf for below in covers.values() for leaf in below)
    return {"T": leaves, **{leaf: (leaf,) for leaf in leaves}, **covers}


def surveyed(
    variables: Mapping[str, Said],
    records: Sequence[Mapping[str, str]],
    margins: Sequence[Sequence[str]] = (),
    **more: Any,
) -> Release:
    """A table of all codes of all variables (or one for each of these sets of variables) and its records, whose other
    columns `more` names as the `microdata` of a release file do."""
    tables = []
    for number, kept in enumerate(margins or [list(variables)]):
        covers = [groups_of(variables[v]) for v in kept]
        rows = list(product(*covers))
        inside = [
            sum(all(r[v] in cover[c] for v, cover, c in zip(kept, covers, row, strict=True)) for r in records)
            for row in rows
        ]
        cells = {v: [row[k] for row in rows] for k, v in enumerate(kept)}
        tables.append({"name": f"t{number}", "cells": cells | {"value": inside}})
    columns = {name: [record.get(name, "") for record in records] for name in records[0]}
    told = {v: {"total": "T", **said} for v, said in variables.items()}
    microdata = {"cells": columns, **more}
    return release_from_document(
        {"tableseal": 1, "kind": "count", "variables": told, "tables": tables, "microdata": microdata}
    )


def values(found: Protection, column: str) -> dict[tuple[str, ...], int]:
    """Of the cells of all tables of a protected release, by their codes."""
    release = found.release
    return {
        tuple(release.cell_codes(codes).values()): value
        for table in release.tables
        for codes, value in zip(table.codes, getattr(table, column).units.tolist(), strict=True)
    }
