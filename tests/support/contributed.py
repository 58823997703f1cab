"""Small hypercubes of records with contributors, some of whom have records in several base cells."""

from dataclasses import replace

import numpy as np
from cubes import about

from tableseal.audit.hypercube.gather import Contributors, gathered
from tableseal.audit.hypercube.model import HeldCells

Record = tuple[tuple[int, ...], int, int]
"""Leaves, contributor, what it gives."""


def cube_of(sizes: tuple[int, ...], records: list[Record], ranks: int = 3, modulus: int = 2**16) -> HeldCells:
    """Of records whose keys are drawn, always the same ones. sizes: leaves of each variable."""
    values = np.array([value for _, _, value in records], np.int64)
    cells = gathered(
        [np.array([leaves[at] for leaves, _, _ in records], np.int32) for at in range(len(sizes))],
        np.ones(len(records), np.int64),
        np.random.default_rng(len(records)).integers(0, modulus, len(records)),
        {"turnover": values},
        modulus,
        Contributors(np.array([who for _, who, _ in records], np.int64), ranks),
    )
    return HeldCells(replace(about(sizes), ranks=ranks, units=len(records), cells=len(cells), modulus=modulus), cells)
