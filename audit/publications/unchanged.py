"""Figures that a revision replaced and that it says nothing new of: whoever kept them takes them for granted."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.keys import Keys, KeySpace, Lookup
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Hierarchy, Release, Table


def unchanged(release: Release, old: Sequence[str], *, inside: bool) -> Release | None:
    """The release with those figures of old tables that nobody has a reason to doubt; None if nothing is left of them.

    A figure is doubted where a newer one of the same cell differs (or its true value, where the agency states one), and
    so are all sums that hold such a cell: they have changed with it. Figures of cells whose exact value is released
    anew add nothing and are left out.

    Parameters
    ----------
    old: names of the tables whose figures are old (exact values and nothing else), the newest first; all other tables
        stand as they are.
    inside: doubt what lies inside a changed cell, too: some of it has changed.
    """
    space, measures = KeySpace.of(release), list(release.measures)
    named = {table.name: table for table in release.tables}
    standing = tuple(table for table in release.tables if table.name not in set(old))
    holders = [_holders(hierarchy) for hierarchy in release.variables.values()]
    cells = merge_cells(replace(release, tables=standing))[0]
    keys = space.keys(cells.measure, cells.codes)
    # The agency knows whether a figure that it withholds now is still what it was: a wrong one gives nothing away.
    low = np.where(cells.truth.known, cells.truth.units, np.where(cells.lower.known, cells.lower.units, NO_LOWER))
    high = np.where(cells.truth.known, cells.truth.units, np.where(cells.upper.known, cells.upper.units, NO_UPPER))
    exact = cells.exact.copy()
    changed: set[object] = set()
    doubted: set[object] = set()
    figures: list[tuple[Table, Keys]] = []
    for name in old:
        table = named[name]
        own = _keys(space, table, measures)
        value = table.value.units
        at = Lookup.of(keys).find(own)
        apart = (at >= 0) & ((value < low[at]) | (value > high[at]))
        for row in np.flatnonzero(apart).tolist():
            changed.add(own[row].item())
            doubted.update(_holding(space, table, row, measures, holders).tolist())
        anew = (at >= 0) & exact[at]
        figures.append((table.take(np.flatnonzero(~apart & ~anew)), own[~apart & ~anew]))
        keys = np.concatenate([keys, own[at < 0]])
        low, high = (np.concatenate([known, value[at < 0]]) for known in (low, high))
        exact = np.concatenate([exact, np.ones(int((at < 0).sum()), np.bool_)])
    left = []
    for table, own in figures:
        kept = np.array([key not in doubted for key in own.tolist()], np.bool_)
        if inside:
            kept &= [
                changed.isdisjoint(_holding(space, table, row, measures, holders).tolist()) for row in range(len(own))
            ]
        left.append(table.take(np.flatnonzero(kept)))
    if not any(len(table.codes) for table in left):
        return None
    return replace(release, tables=(*standing, *(table for table in left if len(table.codes))))


def _holders(hierarchy: Hierarchy) -> list[NDArray[np.int64]]:
    """Of each code those that hold all its leaves, itself among them."""
    common = (hierarchy.members @ hierarchy.members.T).tocoo()
    whole = common.data == hierarchy.members.sum(axis=1)[common.row]
    found: list[list[int]] = [[] for _ in hierarchy.codes]
    for code, holder in zip(common.row[whole].tolist(), common.col[whole].tolist(), strict=True):
        found[code].append(holder)
    return [np.array(codes, np.int64) for codes in found]


def _holding(
    space: KeySpace, table: Table, row: int, measures: Sequence[str], holders: Sequence[Sequence[NDArray[np.int64]]]
) -> Keys:
    """Keys of all cells that hold a cell, itself among them."""
    of_each = [holders[variable][code].tolist() for variable, code in enumerate(table.codes[row].tolist())]
    codes = np.array(list(product(*of_each)), np.int32).reshape(-1, table.codes.shape[1])
    return space.keys(np.full(len(codes), measures.index(table.measure), np.int32), codes)


def _keys(space: KeySpace, table: Table, measures: Sequence[str]) -> Keys:
    return space.keys(np.full(len(table.codes), measures.index(table.measure), np.int32), table.codes)
