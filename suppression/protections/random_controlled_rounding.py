"""Controlled rounding drawn at random: multiples of a base that add up, and are the nearest to nothing but chance.

Whoever knows that a published table is the nearest one can rule out true tables from which the method would have made
another (of random tables of two by two cells and base 3, a fifth). Here each cell gets a weight that is drawn,
whatever its true value is, and of all tables of neighbouring multiples the lightest is published. Every such table is a
corner of those that there are, and so the lightest for some weights: whatever true table has what is published among
its own roundings could be behind it. What the audit leaves possible is possible for those who know the method, too.
It is not unbiased: a cell goes up as often as sums allow, not residual / base of the time.
"""

from dataclasses import dataclass, replace

import numpy as np

from tableseal.suppression.protections.bases import RoundingSettings
from tableseal.suppression.protections.controlled_rounding import Relations, changed, kind, settled
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.subject import Subject

WEIGHTS = 4_096
"""Different weights."""

LARGEST = 2**62 // WEIGHTS
"""Multiples of the base below which a value has to be: beyond, a weight beside it leaves the numbers of 64 bits."""


@dataclass(frozen=True)
class RandomControlledRounding(RoundingSettings):
    """Multiples that add up, drawn."""


def round_controlled_at_random(subject: Subject, settings: RandomControlledRounding, tools: Tools) -> Changed:
    """A table that the seed decides, not the distance.

    Raises
    ------
    InputError: a value of 2^50 bases or more. LimitError: no table of multiples was found in time.
    """
    units = settings.units(subject.release)
    problem = Relations.of(subject, subject.bases(units))
    text = "is too large to be drawn a multiple of this base for; take a larger base, or a larger unit"
    subject.refuse(np.abs(problem.low) >= LARGEST, text)
    weights = np.empty(len(subject.cells), np.int64)
    weights[subject.order] = tools.random.integers(1, WEIGHTS, len(weights))
    between = problem.value % problem.base > 0
    drawn = replace(  # the same neighbours and relations; how near they are is drawn
        problem,
        value=problem.low * WEIGHTS + np.where(between, weights, 0),
        base=np.full_like(problem.base, WEIGHTS),
    )
    steps, found = settled(drawn, tools)
    return replace(changed(subject, units, problem, steps, None), details=(kind(problem, steps, found),))
