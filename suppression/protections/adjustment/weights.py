"""What a change by one unit costs in each cell: what adjustment makes small is the sum of changes times costs.

Source of weights that fall with the value: Castro 2006, section 5 (changes as shares of values).
"""

from fractions import Fraction
from typing import Literal

import numpy as np

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import place_of
from tableseal.suppression.problem.costs import costs_given
from tableseal.suppression.protections.adjustment.part import Ints
from tableseal.suppression.protections.subject import Subject

Cost = Literal["unit", "inverse", "column"]

WORDS = {
    "unit": "sum of absolute changes",
    "inverse": "sum of absolute changes times costs, which fall with the value",
    "column": "sum of absolute changes times costs of the release",
}

FINEST = 10**6
"""Costs are whole numbers up to this: what is cheaper by more than that costs 1."""


def weights_of(subject: Subject, cost: Cost) -> Ints:
    """int64 (cells), 1 or more.

    unit: 1 each. inverse: FINEST times the smallest positive value of the measure over that of the cell, rounded.
    column: what tables say, all times the least number that makes them whole, or rounded to parts of FINEST of the
    largest where that is above FINEST.

    Raises
    ------
    InputError: a cell whose cost no table says, or a cost that is negative.
    """
    if cost == "unit":
        return np.ones(len(subject.cells), np.int64)
    if cost == "inverse":
        return _inverse(subject)
    given = costs_given(subject.release, subject.cells)
    if not given:
        text = "no table says what its cells cost; name the column that holds it as "
        raise InputError(text, '"cost".', at=OptionName("cost", "column"))
    changeable = subject.value != 0
    without = np.flatnonzero(changeable & ~np.isin(np.arange(len(subject.cells)), list(given)))
    if len(without):
        place = place_of(subject.release, subject.cells, int(without[0]))
        raise InputError("has no cost, and changes are to cost what the release says.", at=place)
    amounts = [given.get(cell, Fraction(0)) for cell in range(len(subject.cells))]
    scale = Fraction(int(np.lcm.reduce([min(a.denominator, 10**6) for a in amounts], initial=1)))
    largest = max(amounts)
    if largest * scale > FINEST:
        scale = FINEST / largest
    return np.array([max(1, round(a * scale)) for a in amounts], np.int64)


def _inverse(subject: Subject) -> Ints:
    weights = np.full(len(subject.cells), FINEST, np.int64)
    for measure in range(len(subject.release.measures)):
        own = np.flatnonzero((subject.cells.measure == measure) & (subject.value > 0))
        if len(own):
            smallest = int(subject.value[own].min())
            exact = [max(1, round(Fraction(FINEST * smallest, v))) for v in subject.value[own].tolist()]
            weights[own] = exact
    return weights
