"""A simple random sample of the records, without replacement; tables are estimates from it.

Of N records n are drawn, every set of n as likely. A cell with s of them is estimated by s * N / n, rounded to a whole
number; before that the estimate has no bias. Everybody may know N and n, and so s; behind it stand from s to
s + N - n records.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import decimal
from tableseal.suppression.protections.inner_cells import true_combinations
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.perturbation.draws import below
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
    shown = (2 * drawn * everybody + size) // (2 * size)
    everything = records.covering(set())
    low = np.where(everything, everybody, drawn)
    high = np.where(everything, everybody, drawn + everybody - size)
    return within(subject, shown, low, high, additive=False, details=(f"{size:,} of {everybody:,} records drawn",))


def sampled(records: Records, drawn: Ints) -> Ints:
    """int64 (cells): how many of some records each cell has."""
    found = true_combinations(records.subject, records.data)
    kinds, kind = np.unique(records.data.codes, axis=0, return_inverse=True)
    number = np.bincount(kind.ravel()[drawn], minlength=len(kinds))
    return np.asarray(found.forms @ np.tile(number, len(found.value) // len(kinds)))
