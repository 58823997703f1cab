"""Disclosure risk of the tables of a table generator, with entropy split into small and large counts.

Source: Shlomo, Antal & Elliot 2015, (3) and section 4.2. A table enters only through how many cells have which value,
so that a cell list is as good as a full table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.measures.risk.information import Floats
from tableseal.audit.measures.risk.table_risk import size_term, zeros_after
from tableseal.audit.measures.risk.transition import Transition

SMALL = 6
"""Largest small count; zeros are small."""

WEIGHTS = (0.1, 0.7, 0.1, 0.1)
"""Weights of the paper: zeros, entropy of small counts, entropy of large counts, size."""

LOST = 1e-9
"""Share of the units below which nothing counts as lost: it is rounding of the arithmetic."""


@dataclass(frozen=True)
class Spectrum:
    """The different values of a table, ascending, and how many cells have each; zeros included."""

    values: NDArray[np.int64]
    cells: NDArray[np.int64]

    @staticmethod
    def of(counts: NDArray[np.int64], cells: int) -> "Spectrum":
        """Of a table of so many cells, of which those that are not listed are 0."""
        values, number = np.unique(counts, return_counts=True)
        left_out = cells - len(counts)
        if left_out and len(values) and values[0] == 0:
            number[0] += left_out
        elif left_out:
            values, number = np.insert(values, 0, 0), np.insert(number, 0, left_out)
        return Spectrum(values.astype(np.int64), number.astype(np.int64))

    @property
    def total(self) -> float:
        """N."""
        return float((self.values.astype(np.float64) * self.cells).sum())


@dataclass(frozen=True)
class Protected:
    """The risk of a protected table, and what is to be known about it.

    Attributes
    ----------
    terms: zeros, one or two entropy terms (multiplied), size; without weights.
    multipliers: of each entropy term.
    lost: share of the units expected in cells whose protected value no cell has.
    impossible: cells whose protected value the method cannot make of the original one.
    """

    terms: Floats
    multipliers: tuple[float, ...]
    lost: float
    impossible: int


def unevenness(values: Floats, cells: NDArray[np.int64]) -> float:
    """P = 1 - H / log K of a table in which cells[i] cells have the (expected) count values[i].

    In [0, 1]; 0 if there is no cell, one cell, or nothing but zeros.

    Examples
    --------
    >>> unevenness(np.array([0.0, 2.0]), np.array([2, 2]))
    0.5
    """
    number = int(cells.sum())
    mass = values * cells
    total = float(mass.sum())
    if number < 2 or total <= 0:
        return 0.0
    positive = mass > 0
    share = mass[positive] / total
    uncertain = -float((share * np.log(share / cells[positive])).sum())
    return min(1.0, max(0.0, 1.0 - uncertain / log(number)))


def terms_before(table: Spectrum, *, split: bool) -> Floats:
    """The terms of (3): zeros, entropy (two terms if split: small counts, large counts), size.

    Raises
    ------
    InputError: a table of one cell, or without units.
    """
    cells = _checked(table)
    parts = _entropy_terms(table.values, table.values.astype(np.float64), table.cells, split)
    zeros = float(table.cells[table.values == 0].sum()) / cells
    return np.array([zeros, *parts, float(size_term(np.asarray(table.total)))])


def terms_after(
    original: NDArray[np.int64],
    protected: NDArray[np.int64],
    cells: int,
    transition: Transition,
    *,
    split: bool,
    multipliers: Sequence[float] | None = None,
    cap: int | None = None,
) -> Protected:
    """The terms after protection: every protected value is replaced by what is expected of the cells that have it.

    A value j becomes sum_i i * n_i * p_ij / n'_j, the entropy terms are those of the replaced table (split by the
    protected value) times a multiplier, and the first term is that of R2.

    Parameters
    ----------
    original, protected: counts (m,) of the listed cells; the other `cells` - m are 0 in both.
    multipliers: of the entropy terms; None: those that the transition says itself, for small and for large counts; else
        the mean probability of staying over the states that occur in one of the two tables.
    cap: protected values above it stand for themselves (the paper's L). Sums of changed cells are seldom a value that
        the matrix leads to, so that of large ones nothing would be expected. None: there is none.

    Raises
    ------
    InputError: a table of one cell, or without units; as many multipliers as entropy terms are needed.
    """
    before, found = Spectrum.of(original, cells), Spectrum.of(protected, cells)
    _checked(before)
    expected = transition.expected_totals(before.values, before.cells, found.values)
    lost = max(0.0, 1.0 - float(expected.sum()) / before.total)
    if cap is not None:
        kept = found.values <= cap
        all_of_them = transition.expected_totals(before.values, before.cells, np.arange(cap + 1)).sum()
        lost = max(0.0, float(all_of_them - expected[kept].sum()) / before.total)
        expected = np.where(kept, expected, found.values * found.cells)
    present = np.union1d(before.values, found.values)
    factors = _multipliers(multipliers, transition, present, 2 if split else 1)
    parts = _entropy_terms(found.values, expected / found.cells, found.cells, split)
    left_out = cells - len(original)
    no, none = original == 0, protected == 0
    first = zeros_after(
        np.asarray((no.sum() + left_out) / cells),
        np.asarray((no | none).sum() + left_out),
        np.asarray((no & none).sum() + left_out),
    )
    size = float(size_term(np.asarray(before.total)))
    impossible = int((~transition.possible(original, protected)).sum())
    if left_out:
        zero = np.zeros(1, dtype=np.int64)
        impossible += 0 if transition.possible(zero, zero)[0] else left_out
    return Protected(
        terms=np.array([float(first), *(part * factor for part, factor in zip(parts, factors, strict=True)), size]),
        multipliers=factors,
        lost=lost if lost > LOST else 0.0,
        impossible=impossible,
    )


def _checked(table: Spectrum) -> int:
    cells = int(table.cells.sum())
    if cells < 2:
        raise InputError("the table has one cell, and the risk compares cells: it is not defined for K = 1.")
    if table.total <= 0:
        raise InputError("the table is empty (N = 0), and the risk is not defined for it.")
    return cells


def _entropy_terms(
    counts: NDArray[np.int64], values: Floats, cells: NDArray[np.int64], split: bool
) -> tuple[float, ...]:
    if not split:
        return (unevenness(values, cells),)
    small = counts <= SMALL
    return unevenness(values[small], cells[small]), unevenness(values[~small], cells[~small])


def _multipliers(
    given: Sequence[float] | None, transition: Transition, present: NDArray[np.int64], number: int
) -> tuple[float, ...]:
    if given is None and number > 1 and transition.multipliers is not None:
        return transition.multipliers
    if given is None:
        return (transition.staying(present),) * number
    if len(given) not in (1, number) or not all(0 <= factor <= 1 for factor in given):
        shown = ", ".join(f"{factor:g}" for factor in given)
        expected = "one" if number == 1 else f"{number} (or one for all)"
        raise InputError(f"multipliers {shown}: expected {expected}, from 0 to 1.")
    return tuple(given) * (number // len(given))
