"""What everybody may know that published values stand for, where it differs from cell to cell."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Amounts, Rounding, Table
from tableseal.suppression.protections.method import Changed, Optimised
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


def within(
    subject: Subject,
    shown: Ints,
    lower: Ints,
    upper: Ints,
    *,
    additive: bool = True,
    optimised: Optimised | None = None,
    confidence: Fraction | None = None,
    details: tuple[str, ...] = (),
    wider: bool = False,
) -> Changed:
    """What a method gives that publishes every cell, and tells of each between which values the true one lies.

    shown, lower, upper: int64 (cells). wider: see `Rounding`. Others: see `Changed`.
    """
    known = np.ones(len(shown), np.bool_)
    return Changed(
        Amounts(shown, known),
        lambda table: replace(_ranges(table, subject, shown, lower, upper), wider=wider),
        additive=additive,
        optimised=optimised,
        confidence=confidence,
        lower=Amounts(lower, known),
        upper=Amounts(upper, known),
        details=details,
    )


def _ranges(table: Table, subject: Subject, shown: Ints, lower: Ints, upper: Ints) -> Rounding:
    """Of each published value of a table's measure the widest range; bounds of cells say the rest."""
    measure = list(subject.release.measures).index(table.measure)
    own = np.flatnonzero(subject.cells.measure == measure)
    values, at = np.unique(shown[own], return_inverse=True)
    low, high = np.full(len(values), 2**62), np.full(len(values), -(2**62))
    np.minimum.at(low, at, lower[own])
    np.maximum.at(high, at, upper[own])
    return Rounding(1, "ranges", tuple(zip(values.tolist(), low.tolist(), high.tolist(), strict=True)))
