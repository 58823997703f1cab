"""Families of seeded random instances: counts on hierarchical classifications, and a simple secondary pattern.

Leaf counts are Poisson with gamma intensities around a product of lognormal effects; small counts are primaries, and
cells are added until no equation has exactly one withheld cell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cases.benchmarks.instance import Dimension, Instance, equations

LETTERS = "abcdefgh"
GAMMA_SHAPE = 1.5


@dataclass(frozen=True)
class Family:
    """Parameters of a family.

    branches: for each dimension the number of children at each level, from the total down.
    mean: mean leaf count. primary: counts from 1 to this are primaries.
    zeros: share of leaves that are set to zero. spread: sigma of the lognormal effects over all dimensions.
    """

    branches: tuple[tuple[int, ...], ...]
    mean: float
    primary: int
    zeros: float = 0.15
    spread: float = 1.3


FAMILIES = {
    "2d100": Family(((100,),) * 2, mean=12, primary=3),
    "2d300": Family(((300,),) * 2, mean=12, primary=3),
    "3d20": Family(((20,),) * 3, mean=14, primary=2),
    "3d40": Family(((40,),) * 3, mean=14, primary=2),
    "hierM": Family(((5, 5), (3, 4, 4), (4,)), mean=25, primary=2),
    "hierL_sparse": Family(((5, 5, 4), (3, 4, 4, 4), (5,)), mean=200, primary=2, zeros=0.1, spread=1.0),
    "hierL": Family(((5, 5, 4), (3, 4, 4, 4), (5,)), mean=25, primary=2),
    "hierH1": Family(((5, 5, 4), (3, 4, 4), (4,)), mean=4, primary=3, zeros=0.5, spread=1.6),
}


def generate(name: str, family: Family, seed: int = 1) -> Instance:
    """The instance of a family and a seed; always the same one."""
    dimensions, values = counts(family, seed)
    primary = (values >= 1) & (values <= family.primary)
    withheld = complete(equations(dimensions), values, costs(dimensions, values), primary)
    level = primary.astype(np.int64)
    return Instance(name, False, dimensions, values, primary, withheld, below=level, above=level)


def counts(family: Family, seed: int = 1) -> tuple[tuple[Dimension, ...], NDArray[np.int64]]:
    """Classifications of a family, and int64 (cells), the counts of a seed with all margins."""
    rng = np.random.default_rng(seed)
    dimensions = tuple(dimension(letter, b) for letter, b in zip(LETTERS, family.branches, strict=False))
    table = _leaf_counts(tuple(int(np.prod(b)) for b in family.branches), family, rng)
    for axis, d in enumerate(dimensions):
        table = np.moveaxis(np.tensordot(_members(d), table, axes=(1, axis)), 0, axis)
    return dimensions, table.ravel()


def costs(dimensions: tuple[Dimension, ...], values: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64 (cells), cost of withholding: what a cell shows, ten times more for each level above the leaves."""
    shape = tuple(len(d.codes) for d in dimensions)
    height = np.zeros(shape, np.int64)
    for axis, d in enumerate(dimensions):
        height += np.expand_dims(_heights(d), tuple(a for a in range(len(shape)) if a != axis))
    cost: NDArray[np.float64] = (values + 3.0) * 10.0 ** height.ravel()
    return cost


def dimension(name: str, branches: tuple[int, ...]) -> Dimension:
    """A regular tree, numbered level by level."""
    parents, level = [-1], [0]
    for children in branches:
        below = [parent for parent in level for _ in range(children)]
        level = list(range(len(parents), len(parents) + len(below)))
        parents += below
    return Dimension(name, ("T", *(f"{name}{k}" for k in range(1, len(parents)))), tuple(parents))


def _members(d: Dimension) -> NDArray[np.int64]:
    """0/1 matrix (codes x leaves)."""
    leaves = [k for k in range(len(d.codes)) if k not in d.children]
    members = np.zeros((len(d.codes), len(leaves)), np.int64)
    members[leaves, np.arange(len(leaves))] = 1
    for child in range(len(d.codes) - 1, 0, -1):
        members[d.parents[child]] += members[child]
    return members


def _heights(d: Dimension) -> NDArray[np.int64]:
    """Levels between each code and the leaves."""
    depth = np.zeros(len(d.codes), np.int64)
    for child, parent in enumerate(d.parents[1:], start=1):
        depth[child] = depth[parent] + 1
    heights: NDArray[np.int64] = depth.max() - depth
    return heights


def _leaf_counts(shape: tuple[int, ...], family: Family, rng: np.random.Generator) -> NDArray[np.int64]:
    intensity = np.ones(shape)
    for axis, size in enumerate(shape):
        effect = rng.lognormal(0.0, family.spread / np.sqrt(len(shape)), size)
        intensity *= np.expand_dims(effect, tuple(a for a in range(len(shape)) if a != axis))
    intensity *= rng.gamma(GAMMA_SHAPE, 1 / GAMMA_SHAPE, shape)
    counts: NDArray[np.int64] = rng.poisson(intensity * (family.mean / intensity.mean())).astype(np.int64)
    counts[rng.random(shape) < family.zeros] = 0
    return counts


def complete(
    matrix: csr_array, values: NDArray[np.int64], cost: NDArray[np.float64], primary: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Add non-zero cells to the primaries until no equation has exactly one withheld cell.

    Greedy: each lonely cell gets the neighbour that costs least for the equations that it mends and opens anew.
    Every equation with a non-zero cell has two of them, so this always ends.
    """
    withheld = primary.copy()
    transposed = csr_array(matrix.T.tocsr())
    count = abs(matrix) @ withheld.astype(np.int64)

    def price(cell: int) -> float:
        seen = count[_row(transposed, cell)]
        return float(cost[cell]) * (1 + int((seen == 0).sum())) / int((seen == 1).sum())

    while len(lonely := np.flatnonzero(count == 1)):
        for row in lonely.tolist():
            if count[row] == 1:
                members = _row(matrix, row)
                best = min(members[~withheld[members] & (values[members] > 0)].tolist(), key=price)
                withheld[best] = True
                count[_row(transposed, best)] += 1
    return withheld


def _row(matrix: csr_array, row: int) -> NDArray[np.int32]:
    """Columns of the entries of a row."""
    found: NDArray[np.int32] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    return found
