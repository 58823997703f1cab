"""Earlier tables that have nothing to do with a new release: no sum, no equation and no cell relates the two.

What follows from such tables followed from them when they went out. Whoever publishes year after year under one name
does not have every year judged again.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.naming import plural
from tableseal.audit.linear.system import build_system, known_bounds
from tableseal.audit.model import APART, Note, Release


def groups_apart(release: Release, new: Collection[str]) -> list[frozenset[str]]:
    """Tables of a release that hang together, as names, but for those that hang together with new ones.

    new: names of the tables that are new. Two tables hang together where some base cell counts for a cell of each, some
    equation relates such base cells, or other tables do.

    Raises
    ------
    InputError, LimitError: as for the linear system of the release.
    """
    label = _together(release)
    names = [table.name for table in release.tables]
    touched = {label[at] for at, name in enumerate(names) if name in new}
    groups: dict[int, set[str]] = {}
    for at, name in zip(label.tolist(), names, strict=True):
        if at not in touched:
            groups.setdefault(at, set()).add(name)
    return [frozenset(group) for group in groups.values()]


def not_judged_again(tables: int) -> Note:
    """What a report says of them."""
    return Note(
        APART,
        f"No sum or equation relates {plural(tables, 'earlier table')} to the new ones: what they tell was found safe "
        "when they went out, and was not judged again.",
        tables,
    )


def _together(release: Release) -> NDArray[np.int64]:
    """int64 (tables), the same number for tables that hang together."""
    from scipy.sparse.csgraph import connected_components  # only here: releases by themselves need it not

    cells = merge_cells(release)[0]
    system = build_system(release, cells, *known_bounds(release, cells))
    tables = len(release.tables)
    rows, columns = system.matrix.shape
    first_cell, first_row = tables, tables + len(cells)
    first_column = first_row + rows
    row, column = system.matrix.nonzero()
    form, part = system.forms.nonzero()
    stated = np.flatnonzero(system.cell >= 0)
    edges = [
        (cells.table.astype(np.int64), first_cell + np.arange(len(cells))),
        (cells.listing_table.astype(np.int64), first_cell + cells.listing_cell.astype(np.int64)),
        (first_cell + system.cell[stated], first_row + stated),
        (first_row + row, first_column + column),
        (first_cell + system.open_cells[form], first_column + part),
    ]
    one, other = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    size = first_column + columns
    graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(size, size))
    found: NDArray[np.int64] = connected_components(graph, directed=False)[1][:tables].astype(np.int64)
    return found
