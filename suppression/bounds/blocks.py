"""The parts of a table of which each says by itself what a safe pattern needs: sub-tables, or slices of larger ones.

What is left out of a block are relations. Whoever has to move has to move in those that are left, too, so what a block
needs every safe pattern has.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.equations import stored
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.sub_tables import sub_tables

LARGEST = (3_000_000, 600_000, 60_000, 6_000)
"""Entries of a dictionary (relations times cells) up to which a block is one: the first of these with which all blocks
together keep ROOM."""

ROOM = 100_000_000
"""Entries of all dictionaries together, of 8 bytes (34,440 cells: 2.5 10^7, 241,080 cells in slices of two
classifications: 2.4 10^7)."""

Ints = NDArray[np.int64]

Block = tuple[Ints, Ints]
"""(its cells; short relations that hold no others)"""


def blocks(problem: Problem) -> list[Block]:
    """The blocks of a table, from the top down, as far as there is ROOM; each has two relations or more."""
    codes, short = problem.cells.codes, problem.equations.short
    wholes = [(part.cells, part.rows) for part in sub_tables(problem)]
    found: list[Block] = []
    for largest in LARGEST:
        found = [block for whole in wholes for block in _within(whole, codes, short, largest)]
        if sum(map(_entries, found)) <= ROOM:
            return found
    held = np.cumsum([_entries(block) for block in found])
    return found[: int(np.searchsorted(held, ROOM, side="right"))]


def _within(whole: Block, codes: NDArray[np.int32], short: csr_array, largest: int) -> Iterator[Block]:
    """A sub-table, if it is small enough; else its slices with the most classifications that are, if there are any:
    each combination of codes of the other ones."""
    varying = np.flatnonzero([len(np.unique(codes[whole[0], v])) > 1 for v in range(codes.shape[1])])
    for kept in range(len(varying), 1, -1):
        chosen = combinations(varying.tolist(), kept)
        slices = [block for among in chosen for block in _slices(whole, codes, short, among)]
        if all(_entries(block) <= largest for block in slices):
            yield from slices
            return


def _slices(whole: Block, codes: NDArray[np.int32], short: csr_array, among: tuple[int, ...]) -> Iterator[Block]:
    """What is left of a sub-table where all classifications stand still but some."""
    cells, rows = whole
    still = [v for v in range(codes.shape[1]) if v not in among]
    fixed = codes[cells][:, still].astype(np.int64)
    _, slice_of = np.unique(fixed, axis=0, return_inverse=True)
    of_cell = np.full(short.shape[1], -1, np.int64)
    of_cell[cells] = slice_of.ravel()
    which, column, _ = stored(short, rows)
    start = np.searchsorted(which, np.arange(len(rows)))
    least, most = np.minimum.reduceat(of_cell[column], start), np.maximum.reduceat(of_cell[column], start)
    inside = least == most
    own, order = least[inside], np.argsort(of_cell[cells], kind="stable")
    rows, cells, ordered = rows[inside], cells[order], of_cell[cells][order]
    by_slice = np.argsort(own, kind="stable")
    numbers, first = np.unique(own[by_slice], return_index=True)
    for number, block_rows in zip(numbers.tolist(), np.split(rows[by_slice], first[1:]), strict=True):
        if len(block_rows) > 1:
            yield cells[np.searchsorted(ordered, number) : np.searchsorted(ordered, number, "right")], block_rows


def _entries(block: Block) -> int:
    cells, rows = block
    return min(len(rows), len(cells)) * len(cells)
