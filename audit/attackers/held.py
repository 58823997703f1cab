"""Which cells hold nobody but the contributors of another one: of all cells with as many contributors at once.

A cell inside another one that has no more contributors holds none but those. Two cells of which one lies inside the
other and that have as many hold the same; so do all that hang together in this way.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.sparse import spans

AT_ONCE = 4_000
"""Cells of which the cells around them are looked up together."""

Ints = NDArray[np.int64]

NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64))
"""No cells."""


def held_together(
    few: Ints,
    alike: NDArray[np.bool_],
    codes: NDArray[np.int32],
    around: Sequence[csr_array],
    added: tuple[Ints, Ints] = NOTHING,
) -> tuple[dict[int, int], list[Ints]]:
    """(cell -> its group, for those that are alike; cells that hold nobody but the contributors of a group, ascending).

    few: int64, ascending, cells that have no more contributors than asked, or nobody knows how many; alike: bool (few),
    they have as many. codes: int32 (few x variables), different ones. around: see `codes_around`. added: int64, int64,
    cells that are parts of others, and those others.
    """
    from scipy.sparse.csgraph import connected_components  # only here: small audits without contributors need it not

    same = np.flatnonzero(alike)
    inner, whole = inside(codes, codes[same], around)
    place = np.full(len(few), -1, np.int64)
    place[same] = np.arange(len(same))
    parts, wholes = (places(few, cells) for cells in added)
    there = (parts >= 0) & (place[wholes] >= 0) & (wholes >= 0) if len(few) else np.empty(0, np.bool_)
    inner, whole = np.append(inner, parts[there]), np.append(whole, place[wholes[there]])
    both = place[inner] >= 0
    edges = (place[inner[both]], whole[both])
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(len(same), len(same)))
    count, label = connected_components(graph, directed=False)
    pair = np.unique(label[whole].astype(np.int64) * len(few) + inner)
    cuts = np.searchsorted(pair, np.arange(1, count) * len(few))
    cells = np.split(few[pair % max(1, len(few))], cuts)
    return dict(zip(few[same].tolist(), label.tolist(), strict=True)), cells


def places(few: Ints, cells: Ints) -> Ints:
    """int64: where cells stand among few (ascending); -1: nowhere."""
    at = np.minimum(np.searchsorted(few, cells), max(len(few) - 1, 0))
    return np.where(few[at] == cells, at, -1) if len(few) else np.full(len(cells), -1, np.int64)


def codes_around(members: csr_array) -> csr_array:
    """bool csr (codes x codes): which others hold all members of a code. members: csr (codes x leaves)."""
    held = csr_array((members != 0).astype(np.int64))
    shared, size = csr_array(held @ held.T), np.diff(held.indptr)
    row = np.repeat(np.arange(len(size)), np.diff(shared.indptr))
    inside = shared.data == size[row]
    codes = (row[inside], shared.indices[inside])
    return csr_array((np.ones(len(codes[0]), np.bool_), codes), shape=shared.shape)


def inside(codes: NDArray[np.int32], wholes: NDArray[np.int32], around: Sequence[csr_array]) -> tuple[Ints, Ints]:
    """(cells, cells around them among some): all pairs, as positions. codes, wholes: int32 (cells x variables).

    Variable by variable: of the combinations of codes around a cell those are kept that some whole begins with.
    """
    begins, steps = np.zeros(len(wholes), np.int64), []
    for v, wider in enumerate(around):
        known, begins = np.unique(begins * wider.shape[0] + wholes[:, v], return_inverse=True)
        steps.append(known)
    numbered = np.argsort(begins)  # each combination of codes is one cell
    found = []
    for first in range(0, len(codes), AT_ONCE):
        cell = np.arange(first, min(first + AT_ONCE, len(codes)))
        begun = np.zeros(len(cell), np.int64)
        for v, (wider, known) in enumerate(zip(around, steps, strict=True)):
            own = codes[cell, v]
            many = np.diff(wider.indptr)[own]
            key = np.repeat(begun, many) * wider.shape[0] + wider.indices[spans(wider.indptr, own)]
            begun = np.minimum(np.searchsorted(known, key), len(known) - 1)
            hit = known[begun] == key if len(known) else np.zeros(len(key), np.bool_)
            cell, begun = np.repeat(cell, many)[hit], begun[hit]
        found.append((cell, numbered[begun]))
    return (
        np.concatenate([np.empty(0, np.int64), *(cell for cell, _ in found)]),
        np.concatenate([np.empty(0, np.int64), *(whole for _, whole in found)]),
    )
