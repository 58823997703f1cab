"""Unbiased random rounding.

Source: Shlomo, Antal & Elliot 2015, section 3.2: x is rounded up with probability residual / base, else down.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.model import Amounts, Rounding
from tableseal.suppression.protections.bases import LARGEST_BASE, RoundingSettings
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
    everything = Amounts(shown, np.ones(len(shown), np.bool_))
    return Changed(everything, lambda table: Rounding(units[table.measure], "random"))


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
