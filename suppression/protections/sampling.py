"""A simple random sample of the records, without replacement; tables are estimates from it.

Of N records n are drawn, every set of n as likely. A cell with s of them is estimated by s * N / n, rounded to a whole
number; before that the estimate has no bias. Everybody may know N and n, and so s; behind it stand from s to
s + N - n records.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attacks.confidence import small_below
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import decimal
from tableseal.suppression.protections.believed import believed
from tableseal.suppression.protections.inner_cells import true_combinations
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.perturbation.draws import below
from tableseal.suppression.protections.perturbation.shown_small import DIGITS, kept_digits
from tableseal.suppression.protections.ranges import within
from tableseal.suppression.protections.records import Records
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sampling:
    """share: of the records that are drawn, to the nearest number of records."""

    share: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(expected="a share between 0 and 1", at=OptionName("share", decimal(1, self.share)))


def sample_records(subject: Subject, settings: Sampling, tools: Tools) -> Changed:
    """Draw, and estimate.

    Raises
    ------
    InputError: see `Records.of`; a share of no record, or of all of them.
    """
    records = Records.of(subject, "sampling")
    everybody = len(records.data.codes)
    size = int(settings.share * everybody + Fraction(1, 2))
    if not 0 < size < everybody:
        text = f"is {size} of {everybody} records; expected fewer than all, and at least one."
        raise InputError(text, at=OptionName("share", decimal(1, settings.share)))
    draw = below(tools.random)
    left = records.order.tolist()
    for at in range(size):  # the first ones of an order by chance
        other = at + draw(everybody - at)
        left[at], left[other] = left[other], left[at]
    drawn = sampled(records, np.array(left[:size], np.int64))
    shown = estimate(drawn, everybody, size)
    everything = records.covering(set())
    low = np.where(everything, everybody, drawn)
    high = np.where(everything, everybody, drawn + everybody - size)
    small = small_below(tools.policy or subject.release.policy)
    return within(
        subject,
        shown,
        low,
        high,
        additive=False,
        confidence=confidence_of_sample(subject.value, everybody, size, small),
        details=(f"{size:,} of {everybody:,} records drawn",),
    )


def confidence_of_sample(value: Ints, everybody: int, size: int, below: int) -> Fraction | None:
    """The a-posteriori probability that an estimate from 1 to `below` - 1 is the true count, to 40 decimals; None: no
    estimate can be one.

    Of a cell with c of N records s are among the n drawn with the hypergeometric probability. That no one is, follows
    from that of a cell with one record less; that s are, from that of s - 1.

    value: int64 (cells), true counts.
    """
    left = everybody - size
    few = [s for s in range(min(size, below) + 1) if estimate(s, everybody, size) < below]
    chances: list[tuple[int, int, Mapping[int, Fraction]]] = []
    with localcontext() as context:
        context.prec = DIGITS
        none, upto = Decimal(1), 0  # with which probability none of `upto` records is drawn
        for count, cells in zip(*map(np.ndarray.tolist, np.unique(value, return_counts=True)), strict=True):
            first = max(0, count - left)
            for k in range(upto, count if first == 0 else upto):
                none *= Decimal(left - k) / (everybody - k)
            upto = count
            row: dict[int, Fraction] = {}
            for s in few[first:]:
                if s == first:
                    likely = none if s == 0 else Decimal(comb(count, s)) / comb(everybody, size)
                else:
                    likely *= Decimal((count - s + 1) * (size - s + 1)) / (s * (left - count + s))
                row[estimate(s, everybody, size)] = Fraction(likely)
            chances.append((count, cells, row))
    return kept_digits(believed(chances, below))


def estimate(drawn: Any, everybody: int, size: int) -> Any:
    """The nearest whole number to what a number in the sample stands for. drawn: of numbers, or int64 (cells)."""
    return (2 * drawn * everybody + size) // (2 * size)


def sampled(records: Records, drawn: Ints) -> Ints:
    """int64 (cells): how many of some records each cell has."""
    found = true_combinations(records.subject, records.data)
    kinds, kind = np.unique(records.data.codes, axis=0, return_inverse=True)
    number = np.bincount(kind.ravel()[drawn], minlength=len(kinds))
    return np.asarray(found.forms @ np.tile(number, len(found.value) // len(kinds)))
