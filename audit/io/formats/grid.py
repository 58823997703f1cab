"""The cells of a cube, the last variable running fastest: how PC-Axis and JSON-stat order figures."""

from collections.abc import Collection, Mapping, Sequence
from math import prod

import numpy as np

from tableseal.audit.io.column import Column

MOST_CELLS = 20_000_000
"""Cells of a cube, at most."""


def codes_of_cells(codes: Mapping[str, Sequence[str]]) -> dict[str, Column]:
    """Variable -> its code in each cell."""
    sizes = [len(each) for each in codes.values()]
    after, before = prod(sizes), 1
    found: dict[str, Column] = {}
    for (variable, each), size in zip(codes.items(), sizes, strict=True):
        after //= size
        number = np.tile(np.repeat(np.arange(size, dtype=np.int32), after), before)
        found[variable] = Column(tuple(each), number)
        before *= size
    return found


def free(name: str, taken: Collection[str]) -> str:
    """A column name that no variable has."""
    while name in taken:
        name += "_"
    return name
