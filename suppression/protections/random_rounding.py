"""Unbiased random rounding.

Source: Shlomo, Antal & Elliot 2015, section 3.2: x is rounded up with probability residual / base, else down.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.confidence import small_below
from tableseal.audit.errors import InputError
from tableseal.audit.model import Amounts, Rounding
from tableseal.suppression.protections.bases import LARGEST_BASE, RoundingSettings
from tableseal.suppression.protections.believed import believed
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.subject import Subject


@dataclass(frozen=True)
class RandomRounding(RoundingSettings):
    """Every cell on its own, to one of its two neighbouring multiples, so that it keeps its expectation."""


def round_at_random(subject: Subject, settings: RandomRounding, tools: Tools) -> Changed:
    """Each distinct cell is drawn once, whatever lists it, in an order that no file changes."""
    units = settings.units(subject.release)
    order, random = subject.order, tools.random
    measure = subject.cells.measure[order]
    shown = subject.value.copy()
    for m, base in enumerate(units.values()):
        own = order[measure == m]
        shown[own] = random_rounding(subject.value[own], base, random)[0]
    return drawn_one_by_one(subject, shown, units, tools)


def drawn_one_by_one(subject: Subject, shown: NDArray[np.int64], units: Mapping[str, int], tools: Tools) -> Changed:
    """What roundings give of which each cell goes up with probability residual / base, however they are drawn.

    shown: int64 (cells). units: base of each measure.
    """
    chances: list[tuple[int, int, Mapping[int, Fraction]]] = []
    for m, (base, measure) in enumerate(zip(units.values(), subject.release.measures.values(), strict=True)):
        if measure.kind == "count" and measure.unit == 1:
            counts, cells = np.unique(subject.value[subject.cells.measure == m], return_counts=True)
            rows = [rounding_chances(count, base) for count in counts.tolist()]
            chances += zip(counts.tolist(), cells.tolist(), rows, strict=True)
    confidence = believed(chances, small_below(tools.policy or subject.release.policy))
    everything = Amounts(shown, np.ones(len(shown), np.bool_))
    return Changed(everything, lambda table: Rounding(units[table.measure], "random"), confidence=confidence)


def rounding_chances(count: int, base: int) -> dict[int, Fraction]:
    """What a count becomes, with which probability.

    Examples
    --------
    >>> rounding_chances(4, 3), rounding_chances(6, 3)
    ({3: Fraction(2, 3), 6: Fraction(1, 3)}, {6: Fraction(1, 1)})
    """
    residual = count % base
    up = {count - residual + base: Fraction(residual, base)} if residual else {}
    return {count - residual: Fraction(base - residual, base), **up}


def random_rounding(
    values: NDArray[np.int64], base: int, random: np.random.Generator, versions: int = 1
) -> NDArray[np.int64]:
    """Values rounded independently to a neighbouring multiple of `base`, so that each keeps its expectation.

    Multiples stay as they are. Draws are whole numbers, so the probabilities are exact; one call for many versions
    gives the same as many calls for one.

    Parameters
    ----------
    values: (m,) in units.
    random: a generator; the same seed gives the same versions.

    Returns
    -------
    (versions x m) rounded values.

    Raises
    ------
    InputError: a base below 2 or above 10^9.
    """
    if not 2 <= base <= LARGEST_BASE:
        raise InputError(f"rounding base {base}: expected a whole number from 2 to {LARGEST_BASE:,}.")
    residual = values % base
    open_cells = np.flatnonzero(residual)
    result = np.broadcast_to(values - residual, (versions, len(values))).copy()
    # One version after another, whatever the number asked for at once: the stream of draws is the same.
    up = random.integers(0, base, size=(versions, len(open_cells))) < residual[open_cells]
    result[:, open_cells] += base * up
    return result
