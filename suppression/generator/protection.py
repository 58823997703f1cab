"""How a generator changes counts: pure functions of a count and the key of its cell.

So the same cell has the same value in every table, for everybody and for ever, with nothing kept. Before use keys are
mixed with a secret number: sums of records' keys add up over cells as counts do, and whoever knew how a key becomes a
change would have equations between changes. Mixed, changes of cells with different units have nothing to do with each
other, and all that is left to know is that cells of the same units are changed alike.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.measures.risk.transition import MatrixTransition
from tableseal.suppression.generator.policy import ByRounding, Method
from tableseal.suppression.protections.cell_keys.counts import perturbed_counts
from tableseal.suppression.protections.cell_keys.ptable import PTable
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings, scheme_of

Ints = NDArray[np.int64]
Steps = NDArray[np.int8]


class Protection(Protocol):
    """What is done to counts, and what everybody may know of it."""

    def shown(self, counts: Ints, keys: Ints) -> Ints:
        """int64 (cells): what is published of each true count, by its cell's key."""

    def may_show(self, counts: Ints, shown: Ints) -> NDArray[np.bool_]:
        """bool (cells): whether there is a key by which a count is published so; False below 0."""

    @property
    def transition(self) -> MatrixTransition:
        """With which probability a count becomes another."""

    @property
    def variance(self) -> float:
        """Of the change of a count that is no special case."""


def protection_of(method: Method, modulus: int, secret: int) -> Protection:
    """The protection that a policy states, for keys below a modulus.

    secret: a number that stays with the hypercube; another one is another perturbation.

    Raises
    ------
    InputError: settings that are out of range or do not go together, a perturbation table that cannot be used.
    """
    if isinstance(method, ByRounding):
        return Rounded(method.base, secret)
    settings = CellKeySettings(method.range, method.variance, method.never, method.unchanged, modulus)
    return Perturbed.of(scheme_of(settings, method.ptable, modulus).table, secret)


def mixed(keys: Ints, secret: int) -> NDArray[np.uint64]:
    """uint64 (cells): numbers that look drawn at random, one for each key.

    Source: the finaliser of SplitMix64 (Steele, Lea & Flood 2014).
    """
    with np.errstate(over="ignore"):
        z = keys.astype(np.uint64) + np.uint64(secret % 2**64) * np.uint64(0x9E3779B97F4A7C15)
        for _ in range(2):  # twice: whoever knows keys and values shall not find the secret by a shift
            z = z + np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
    return z


@dataclass(frozen=True)
class Rounded:
    """Unbiased random rounding to a base."""

    base: int
    secret: int

    def shown(self, counts: Ints, keys: Ints) -> Ints:
        """See `Protection`."""
        residual = counts % self.base
        draw = (mixed(keys, self.secret) % np.uint64(self.base)).astype(np.int64)
        return counts - residual + self.base * (draw < residual)

    def may_show(self, counts: Ints, shown: Ints) -> NDArray[np.bool_]:
        """See `Protection`."""
        near: NDArray[np.bool_] = (counts >= 0) & (np.abs(counts - shown) < self.base) & (shown % self.base == 0)
        return near

    @property
    def transition(self) -> MatrixTransition:
        """See `Protection`."""
        return MatrixTransition.rounding(self.base)

    @property
    def variance(self) -> float:
        """The mean over residuals."""
        return (self.base**2 - 1) / 6


@dataclass(frozen=True)
class Perturbed:
    """Perturbation by the cell's key and a perturbation table.

    probabilities: float64 (rows x 2 D + 1), that a count of the row changes by -D ... D.
    """

    table: PTable
    secret: int
    probabilities: NDArray[np.float64]

    @staticmethod
    def of(table: PTable, secret: int) -> "Perturbed":
        """By this table."""
        probabilities = np.zeros((len(table.levels), 2 * table.widest + 1))
        np.add.at(probabilities, (table.row, table.change + table.widest), table.keys / table.modulus)
        return Perturbed(table, secret, probabilities)

    def shown(self, counts: Ints, keys: Ints) -> Ints:
        """See `Protection`."""
        position = (mixed(keys, self.secret) % np.uint64(self.table.modulus)).astype(np.int64)
        return perturbed_counts(counts, position, self.table).shown

    def may_show(self, counts: Ints, shown: Ints) -> NDArray[np.bool_]:
        """See `Protection`."""
        widest = self.table.widest
        change = shown - counts
        inside = (counts >= 0) & (np.abs(change) <= widest)
        row = self.table.row_of(np.maximum(counts, 0))
        found: NDArray[np.bool_] = inside & (self.probabilities[row, np.where(inside, change, 0) + widest] > 0)
        return found

    @property
    def transition(self) -> MatrixTransition:
        """See `Protection`."""
        rows, widest = len(self.probabilities), self.table.widest
        matrix = np.zeros((rows, rows + widest))
        for row in range(rows):
            first = max(0, widest - row)  # nothing goes below zero
            part = self.probabilities[row, first:]
            matrix[row, row - widest + first : row - widest + first + len(part)] = part
        return MatrixTransition(matrix, self.table.repeated)

    @property
    def variance(self) -> float:
        """Of the last row."""
        change = np.arange(-self.table.widest, self.table.widest + 1)
        return float(self.probabilities[-1] @ change**2)


def reach(protection: Protection, counts: Ints, shown: Ints, width: int) -> tuple[Steps, Steps]:
    """int8 (cells), twice: so many units more, and fewer, up to the width, may each cell have for what is shown of it,
    every number of units on the way included."""
    more, fewer = np.zeros(len(counts), np.int8), np.zeros(len(counts), np.int8)
    for steps, sign in ((more, 1), (fewer, -1)):
        open_cells = np.ones(len(counts), np.bool_)
        for units in range(1, width + 1):
            open_cells &= protection.may_show(counts + sign * units, shown)
            steps[open_cells] = units
    return more, fewer
