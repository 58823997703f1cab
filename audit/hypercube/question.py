"""A table that is asked of a hypercube, with every name already found: which cells of the hypercube go where."""

from dataclasses import dataclass, field
from math import prod

import numpy as np

from tableseal.audit.hypercube.model import BaseCells, Codes, Ints


@dataclass(frozen=True)
class Grouping:
    """A variable of a table, or one that chooses its population.

    Attributes
    ----------
    variable: position in the hypercube. codes: names of the groups, no two of which share a leaf.
    of_leaf: int32 (leaves), the group of each leaf; -1: left out.
    """

    variable: int
    codes: tuple[str, ...]
    of_leaf: Codes = field(repr=False)


@dataclass(frozen=True)
class Question:
    """axes: the variables that span the table, in its order. where: the population; leaves of the group 0 are in it.
    measure: what is added up; None: units are counted. A variable may stand in both."""

    axes: tuple[Grouping, ...]
    where: tuple[Grouping, ...] = ()
    measure: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the table."""
        return tuple(len(axis.codes) for axis in self.axes)

    @property
    def size(self) -> int:
        """Cells of the table."""
        return prod(self.shape)


_OUT = -(2**58)
"""Is added for each variable by which a cell is left out; room for 16 of them beside any cell of a table."""


def cells_of(question: Question, base: BaseCells) -> Ints:
    """int64 (base cells): the cell of the table, row by row, that each belongs to; -1: none."""
    steps: dict[int, Ints] = {}
    stride = 1
    for axis in reversed(question.axes):
        step = np.where(axis.of_leaf < 0, _OUT, axis.of_leaf.astype(np.int64) * stride)
        steps[axis.variable] = step
        stride *= len(axis.codes)
    for chosen in question.where:
        step = np.where(chosen.of_leaf < 0, _OUT, 0)
        steps[chosen.variable] = steps[chosen.variable] + step if chosen.variable in steps else step
    at = np.zeros(len(base), np.int64)
    for variable, step in steps.items():
        at += np.maximum(step, _OUT).take(base.codes[variable])
    return np.maximum(at, -1, out=at)
