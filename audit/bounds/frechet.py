"""Bounds in closed form for a table whose released margins are decomposable.

If the margins are the cliques of a chordal graph of variables, a cell lies between
max(0, sum of its clique margins - sum of its separator margins) and the least of its clique margins, and both ends are
attained by tables of whole numbers (Dobra and Fienberg 2000; Frechet and Bonferroni for two margins).
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.errors import LimitError
from audit.linear.base import clique_tree
from audit.linear.integers import NO_UPPER

Axes = tuple[int, ...]


def decomposable(margins: list[Axes]) -> tuple[list[Axes], list[tuple[int, int, Axes]]] | None:
    """Cliques and junction tree (clique, clique, separator) of a set of margins; None if it is not decomposable.

    margins: the variables of each margin. Margins inside another one are left out.
    """
    import networkx as nx

    cliques = sorted({m for m in margins if not any(set(m) < set(other) for other in margins)})
    graph = nx.Graph()
    for clique in cliques:
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    if not nx.is_chordal(graph):
        return None
    found = {tuple(sorted(c)) for c in nx.find_cliques(graph)}
    if graph and found != set(cliques):
        return None  # a clique of the graph is not a margin: three two-way margins of a three-way table
    return cliques, clique_tree(cliques)


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
    ValueError: the margins are not decomposable, do not cover every axis, or disagree.
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
            raise ValueError("The margins disagree.")
        total = total - _spread(one, common, len(shape))
    return np.maximum(total, 0), upper


def _collapsed(margin: NDArray[np.int64], axes: Axes, kept: Axes) -> NDArray[np.int64]:
    result: NDArray[np.int64] = margin.sum(axis=tuple(k for k, axis in enumerate(axes) if axis not in kept))
    return result


def _spread(margin: NDArray[np.int64], axes: Axes, dimensions: int) -> NDArray[np.int64]:
    """The margin as an array that broadcasts over the table."""
    missing = tuple(axis for axis in range(dimensions) if axis not in axes)
    return np.expand_dims(margin, missing)
