"""Releases of all margins of an array of counts."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release

LETTERS = "abcd"


def nested_codes(letter: str, leaves: int, groups: int) -> tuple[list[str], NDArray[np.int64], dict[str, Any]]:
    """Codes of a classification (leaves, groups if there are any, total), which leaves each has, and what a release
    file says of it."""
    codes = [f"{letter}{k}" for k in range(leaves)]
    rows = [*np.eye(leaves, dtype=np.int64)]
    if groups > 1:
        of = [k * groups // leaves for k in range(leaves)]
        tree = {f"{letter}g{g}": [c for c, own in zip(codes, of, strict=True) if own == g] for g in range(groups)}
        said: dict[str, Any] = {"total": "T", "tree": tree}
        rows += [np.array([own == g for own in of], np.int64) for g in range(groups)]
        codes += list(tree)
    else:
        said = {"total": "T", "codes": codes[:]}
    return [*codes, "T"], np.array([*rows, np.ones(leaves, np.int64)]), said


def tabulated(
    counts: NDArray[np.int64], groups: Sequence[int] = (), margins: Sequence[Sequence[int]] = (), **more: Any
) -> Release:
    """A table of all sums of an array; margins: instead, a table for each of these sets of its axes.

    groups: how many groups of codes each classification has.
    """
    wide = [*groups, *[1] * (counts.ndim - len(groups))]
    axes = [nested_codes(LETTERS[k], size, wide[k]) for k, size in enumerate(counts.shape)]
    tables = []
    for number, kept in enumerate(margins or [range(counts.ndim)]):
        sums = counts
        for k in range(counts.ndim):
            adder = axes[k][1] if k in kept else axes[k][1][-1:]
            sums = np.moveaxis(np.tensordot(adder, sums, axes=(1, k)), 0, k)
        rows = list(product(*(axes[k][0] for k in kept)))
        cells: dict[str, Any] = {LETTERS[k]: [row[at] for row in rows] for at, k in enumerate(kept)}
        tables.append({"name": f"t{number}", "cells": cells | {"value": sums.ravel().tolist()}})
    variables = {LETTERS[k]: said for k, (_, _, said) in enumerate(axes)}
    return release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": tables, **more})
