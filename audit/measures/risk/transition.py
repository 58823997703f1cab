"""Transition matrices of protection methods: how probable it is that a count becomes another count.

Source: Shlomo, Antal & Elliot 2015, sections 3.3 and 4.2.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.measures.risk.information import Floats

Integers = NDArray[np.int64]

LARGEST_BASE = 1000
"""Largest rounding base of which the transition matrix is written out."""


class Transition(Protocol):
    """What the measure after protection asks of a method."""

    def expected_totals(self, values: Integers, cells: Integers, at: Integers) -> Floats:
        """For each value j of `at` the expected sum_i i * n_i * p_ij over the cells that end up with value j.

        values, cells: the different original values i (ascending) and how many cells n_i have them.
        """

    def staying(self, values: Integers) -> float:
        """Mean probability of staying, over the states that occur among the values."""

    @property
    def multipliers(self) -> tuple[float, ...] | None:
        """Of the entropy of small and of large counts, where the method says them itself; None: it does not."""

    def possible(self, original: Integers, protected: Integers) -> NDArray[np.bool_]:
        """Whether each protected value can come from its original."""


@dataclass(frozen=True)
class GivenMatrix:
    """A matrix as it was given. multipliers: of small and of large counts, where they stand beside it."""

    probabilities: Floats
    multipliers: tuple[float, ...] | None = None


@dataclass(frozen=True)
class MatrixTransition:
    """Perturbation by a matrix over the values 0, 1, ..., whose last rows repeat.

    Attributes
    ----------
    probabilities: (S x T) with T >= S: row s holds the probabilities that the value s becomes 0, ..., T - 1.
    cycle: the last `cycle` rows stand for all larger values too, by residual; moves are then relative to the value.
    multipliers: see `Transition`.
    """

    probabilities: Floats
    cycle: int = 1
    multipliers: tuple[float, ...] | None = None

    @staticmethod
    def rounding(base: int) -> "MatrixTransition":
        """Unbiased random rounding to a base.

        Raises
        ------
        InputError: a base below 2 or above 1,000, whose matrix would be too large.
        """
        if not 2 <= base <= LARGEST_BASE:
            raise InputError(f"rounding base {base}: expected a whole number from 2 to {LARGEST_BASE:,}.")
        matrix = np.zeros((base, base + 1))
        matrix[:, base] = np.arange(base) / base
        matrix[:, 0] = 1 - matrix[:, base]
        return MatrixTransition(matrix, cycle=base)

    @staticmethod
    def of(given: GivenMatrix, cycle: int = 1, *, tolerance: float = 1e-3) -> "MatrixTransition":
        """A matrix as given; rows that sum to 1 within the tolerance (printed digits) are scaled to sum to 1.

        Raises
        ------
        InputError: a wrong shape or cycle, a negative probability, or a row that sums to something else.
        """
        matrix = given.probabilities
        if matrix.ndim != 2 or matrix.shape[0] < 1 or matrix.shape[1] < matrix.shape[0]:
            raise InputError(f"transition matrix: has the shape {matrix.shape}, expected a column for every row.")
        if not 1 <= cycle <= len(matrix):
            raise InputError(f"transition matrix: cycle {cycle}, expected 1 to {len(matrix)}, its number of rows.")
        sums = matrix.sum(axis=1)
        wrong = np.flatnonzero(~(matrix >= 0).all(axis=1) | ~(np.abs(sums - 1) <= tolerance))
        if len(wrong):
            raise InputError(
                f"transition matrix row {wrong[0] + 1}: sums to {sums[wrong[0]]:g}, expected probabilities that are "
                "not negative and sum to 1."
            )
        return MatrixTransition(matrix / sums[:, None], cycle, given.multipliers)

    def _states(self, values: Integers) -> Integers:
        first = len(self.probabilities) - self.cycle
        return np.where(values < first, values, first + (values - first) % self.cycle)

    def expected_totals(self, values: Integers, cells: Integers, at: Integers) -> Floats:
        """See `Transition`."""
        states = self._states(values)
        totals = np.zeros(len(at))
        mass = values.astype(np.float64) * cells
        for target in range(self.probabilities.shape[1]):
            moved = values + (target - states)
            place = np.minimum(np.searchsorted(at, moved), len(at) - 1)
            found = at[place] == moved
            np.add.at(totals, place[found], (mass * self.probabilities[states, target])[found])
        return totals

    def staying(self, values: Integers) -> float:
        """See `Transition`."""
        states = np.unique(self._states(values))
        return float(self.probabilities[states, states].mean())

    def possible(self, original: Integers, protected: Integers) -> NDArray[np.bool_]:
        """See `Transition`."""
        states = self._states(original)
        target = states + (protected - original)
        inside = (target >= 0) & (target < self.probabilities.shape[1])
        result: NDArray[np.bool_] = inside & (self.probabilities[states, np.where(inside, target, 0)] > 0)
        return result


@dataclass(frozen=True)
class SwappingTransition:
    """Record swapping: a count stays with probability 1 - rate, else becomes any other of 0, ..., cap, all equally.

    Counts above the cap stay as they are.
    """

    rate: float
    cap: int
    multipliers: None = None

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise InputError(f"swap rate {self.rate:g}: expected a share from 0 to 1, such as 0.1.")
        if self.cap < 1:
            raise InputError(f"swapping: the largest state is {self.cap}, expected at least 1.")

    def expected_totals(self, values: Integers, cells: Integers, at: Integers) -> Floats:
        """See `Transition`."""
        mass = values.astype(np.float64) * cells
        place = np.minimum(np.searchsorted(values, at), len(values) - 1)
        own = np.where(values[place] == at, mass[place], 0.0)
        elsewhere = mass[values <= self.cap].sum() - own
        result: Floats = np.where(at <= self.cap, (1 - self.rate) * own + self.rate / self.cap * elsewhere, own)
        return result

    def staying(self, values: Integers) -> float:
        """See `Transition`."""
        return float(np.where(values <= self.cap, 1 - self.rate, 1.0).mean())

    def possible(self, original: Integers, protected: Integers) -> NDArray[np.bool_]:
        """See `Transition`."""
        within = (np.maximum(original, protected) <= self.cap) & (self.rate > 0)
        result: NDArray[np.bool_] = (original == protected) | within
        return result
