"""Bounds in closed form for a table whose released margins are decomposable.

If the margins are the cliques of a chordal graph of variables, a cell lies between
max(0, sum of its clique margins - sum of its separator margins) and the least of its clique margins, and both ends are
attained by tables of whole numbers (Dobra and Fienberg 2000; Frechet and Bonferroni for two margins).
"""

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import LimitError
from tableseal.audit.linear.base import BaseTable, clique_tree
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.linear.propagate import Bounds, InfeasibleError
from tableseal.audit.linear.system import LinearSystem

Axes = tuple[int, ...]


def first_bounds(system: LinearSystem) -> Bounds | None:
    """Bounds of base cells to start from: the closed form, in every base table of which only margins are released and
    these are decomposable; 0 and no limit elsewhere.

    None if there is no such table, or values may be negative.

    Raises
    ------
    InfeasibleError: margins disagree.
    LimitError: sums do not fit 64 bits.
    """
    if not system.nonnegative:
        return None
    low = np.zeros(system.matrix.shape[1], np.int64)
    high = np.full(system.matrix.shape[1], NO_UPPER)
    found = False
    for table in system.base.tables:
        shape = tuple(size for size in table.shape if size > 1)
        margins = _released_margins(system, table, shape)
        covered = {axis for axes in margins for axis in axes}
        if shape and len(covered) == len(shape) and decomposable(list(margins)) is not None:
            here = slice(table.offset, table.offset + table.size)
            least, greatest = frechet_bounds(shape, margins)
            low[here], high[here], found = least.ravel(), greatest.ravel(), True
    return (low, high) if found else None


def _released_margins(system: LinearSystem, table: BaseTable, shape: tuple[int, ...]) -> dict[Axes, NDArray[np.int64]]:
    """The margins of a base table that are released in full; none if some of its base cells are released too.

    shape: of the table, without axes of one atom.
    """
    matrix = system.matrix
    size = np.diff(matrix.indptr)
    begin = np.full(len(size), -1, np.int64)
    begin[size > 0] = matrix.indices[matrix.indptr[:-1][size > 0]]
    own = system.exact & (begin >= table.offset) & (begin < table.offset + table.size)
    if (own & (size == 1)).any():
        return {}
    values: dict[Axes, NDArray[np.int64]] = {}
    given: dict[Axes, NDArray[np.bool_]] = {}
    for row in np.flatnonzero(own).tolist():
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        columns = matrix.indices[span] - table.offset
        if (matrix.data[span] != 1).any() or columns.max() >= table.size or columns.min() < 0:
            continue
        at = np.unravel_index(columns, shape)
        kept = tuple(axis for axis, where in enumerate(at) if where.min() == where.max())
        if len(columns) * prod(shape[axis] for axis in kept) != table.size:
            continue  # a sum over some codes only
        cell = tuple(int(at[axis][0]) for axis in kept)
        over = tuple(shape[axis] for axis in kept)
        values.setdefault(kept, np.zeros(over, np.int64))[cell] = system.lower[row]
        given.setdefault(kept, np.zeros(over, np.bool_))[cell] = True
    return {axes: value for axes, value in values.items() if given[axes].all()}


def decomposable(margins: list[Axes]) -> tuple[list[Axes], list[tuple[int, int, Axes]]] | None:
    """Cliques and junction tree (clique, clique, separator) of a set of margins; None if it is not decomposable.

    margins: the variables of each margin. Margins inside another one are left out.
    """
    cliques = sorted({m for m in margins if not any(set(m) < set(other) for other in margins)})
    tree = clique_tree(cliques)
    # Cliques have a junction tree exactly if those with any one variable hang together in a heaviest spanning tree: if
    # it has as many separators with the variable as there are cliques with it, less one (Beeri et al. 1983).
    for axis in {axis for clique in cliques for axis in clique}:
        if sum(axis in clique for clique in cliques) != 1 + sum(axis in common for *_, common in tree):
            return None
    return cliques, tree


def frechet_bounds(
    shape: tuple[int, ...], margins: Mapping[Axes, NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sharp bounds of every cell of a non-negative table given exact, decomposable margins that cover its variables.

    Parameters
    ----------
    shape: of the table. margins: axes (ascending) -> sums over all other axes.

    Returns
    -------
    lower, upper: int64, of the table's shape.

    Raises
    ------
    ValueError: the margins are not decomposable, or do not cover every axis.
    InfeasibleError: they disagree.
    LimitError: sums do not fit 64 bits.
    """
    tree = decomposable(list(margins))
    if tree is None:
        raise ValueError("The margins are not decomposable.")
    cliques, edges = tree
    if {axis for clique in cliques for axis in clique} != set(range(len(shape))):
        raise ValueError("Some axis is in no margin.")
    if sum(float(np.abs(margins[c]).sum(dtype=np.float64)) for c in cliques) >= float(NO_UPPER):
        raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
    upper = np.full(shape, NO_UPPER, dtype=np.int64)
    total = np.zeros(shape, dtype=np.int64)
    for clique in cliques:
        value = _spread(margins[clique], clique, len(shape))
        upper = np.minimum(upper, value)
        total = total + value
    for a, b, common in edges:
        one, other = (
            _collapsed(margins[cliques[a]], cliques[a], common),
            _collapsed(margins[cliques[b]], cliques[b], common),
        )
        if (one != other).any():
            raise InfeasibleError
        total = total - _spread(one, common, len(shape))
    return np.maximum(total, 0), upper


def _collapsed(margin: NDArray[np.int64], axes: Axes, kept: Axes) -> NDArray[np.int64]:
    result: NDArray[np.int64] = margin.sum(axis=tuple(k for k, axis in enumerate(axes) if axis not in kept))
    return result


def _spread(margin: NDArray[np.int64], axes: Axes, dimensions: int) -> NDArray[np.int64]:
    """The margin as an array that broadcasts over the table."""
    missing = tuple(axis for axis in range(dimensions) if axis not in axes)
    return np.expand_dims(margin, missing)
