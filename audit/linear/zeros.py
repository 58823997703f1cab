"""Zeros that a text about a sum need not spell out."""

from collections.abc import Sequence
from enum import IntEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Status

Term = TypeVar("Term")

ZEROS = 3
"""Published zeros that a text still spells out; of more it only says how many there are."""


class Zero(IntEnum):
    """What a term of a sum is: no zero, a published one, or one that everybody knows without a value."""

    NONE = 0
    PUBLISHED = 1
    KNOWN = 2


def zeros_of(cells: Cells, which: NDArray[np.int64]) -> NDArray[np.int8]:
    """Zero of the cells at these positions: structural zeros, and zeros that follow from a row that is not there, are
    known without a value."""
    zero = cells.exact[which] & (cells.lower.units[which] == 0)
    silent = zero & ((cells.status[which] == Status.STRUCTURAL_ZERO) | (cells.row[which] < 0))
    kinds: NDArray[np.int8] = zero.astype(np.int8) + silent.astype(np.int8)
    return kinds


def told(terms: Sequence[Term], zeros: Sequence[int]) -> tuple[list[Term], int]:
    """The terms of a sum that a text spells out, and how many zeros it leaves out: those that everybody knows always,
    published ones where there are more than ZEROS. A few zeros that are all there is are spelled out.

    zeros: Zero of each term.
    """
    few = sum(zero == Zero.PUBLISHED for zero in zeros) <= ZEROS
    most = Zero.PUBLISHED if few else Zero.NONE
    kept = [term for term, zero in zip(terms, zeros, strict=True) if zero <= most]
    if not kept and len(terms) <= ZEROS:
        return list(terms), 0
    return kept, len(terms) - len(kept)


def and_zeros(count: int) -> str:
    """What stands for zeros that are left out; nothing for none."""
    return "" if not count else f" (and {count} known zero{'' if count == 1 else 's'})"
