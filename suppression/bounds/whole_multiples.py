"""Rows of floats that stand for fractions, as multiples in whole numbers."""

from math import lcm

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENOMINATORS = (*range(1, 13), 24, 60)
"""Of multipliers of one row, tried first; then each has its own."""

FINEST, MOST = 3_000, 2**20
"""Denominators of single multipliers, and of all of a row together, at most."""

NEARLY, CLOSE = 1e-6, 1e-8
"""How far a float may be from the fraction that it stands for, with one of DENOMINATORS and with another one."""

NOTHING = 1e-9
"""Floats below are none."""


def whole_multiples(multiplier: Floats) -> tuple[Ints, Ints, Ints]:
    """int64 (entries): row, column and value of rows of multipliers times a denominator of each; nothing of rows whose
    floats are no fractions."""
    row, column = np.nonzero(np.abs(multiplier) > NOTHING)
    value = multiplier[row, column]
    whole, found = np.zeros(len(value), np.int64), np.zeros(len(multiplier), np.bool_)
    small = np.ones(len(multiplier), np.bool_)
    small[row[np.abs(value) >= MOST]] = False
    for parts in DENOMINATORS:
        rounded = np.rint(value * parts)
        fits = small & ~found
        fits[row[np.abs(value * parts - rounded) >= NEARLY]] = False
        whole[fits[row]] = rounded[fits[row]].astype(np.int64)
        found |= fits
        if found.all():
            break
    numerator, parts = _fractions(np.where(small[row], value, 0.0))
    small[row[parts == 0]] = False
    for k in np.flatnonzero(small & ~found).tolist():
        own = slice(*np.searchsorted(row, [k, k + 1]).tolist())
        common = lcm(*set(parts[own].tolist()))
        if common <= MOST:
            whole[own] = numerator[own] * (common // parts[own])
    kept = whole != 0
    return row[kept], column[kept], whole[kept]


def _fractions(value: Floats) -> tuple[Ints, Ints]:
    """int64: (numerators, denominators) of the fractions that floats stand for, by continued fractions; a denominator
    of 0 where there is none up to FINEST."""
    size = np.abs(value)
    whole = np.floor(size)
    above, before_above = whole, np.ones(len(value))
    below, before_below = np.ones(len(value)), np.zeros(len(value))
    rest = size - whole
    while True:
        left = (np.abs(size - above / below) > CLOSE) & (below <= FINEST)
        if not left.any():
            break
        whole = np.floor(1 / np.where(left, rest, 1.0))
        above, before_above = np.where(left, whole * above + before_above, above), np.where(left, above, before_above)
        below, before_below = np.where(left, whole * below + before_below, below), np.where(left, below, before_below)
        rest = np.where(left, 1 / np.where(left, rest, 1.0) - whole, rest)
    known = below <= FINEST
    return np.where(known, np.sign(value) * above, 0).astype(np.int64), np.where(known, below, 0).astype(np.int64)
