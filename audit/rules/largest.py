"""The largest contributions of every cell, for dominance, p% and pq."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.exact import Whole, as_units, combine
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import demand_value
from tableseal.audit.rules.rule import Rule


@dataclass(frozen=True)
class Largest:
    """Absolute contributions in units.

    top: one int64 column (cells) per rank, largest first. total: int64 (cells), the cell's value, of which
    they are parts. known: bool (cells), all of it is known; the numbers mean nothing elsewhere.
    """

    top: tuple[NDArray[np.int64], ...]
    total: NDArray[np.int64]
    known: NDArray[np.bool_]


class OfLargest(Rule):
    """A rule about the largest contributions of a cell and nothing else."""

    @abstractmethod
    def beyond(self, shares: Largest) -> Whole:
        """(cells), whole numbers: above 0 where the largest contributions are too large."""

    @abstractmethod
    def leading(self, shares: Largest) -> NDArray[np.bool_]:
        """bool (cells): whether the largest contributor of a cell may be that of a sensitive set of which it is a part.

        What a cell holds besides its largest contributions is no more than what any set that contains it holds besides
        its own ones; so False is certain where that is too much already beside the largest contributor.
        """


def largest(facts: Facts, n: int, rule: str) -> Largest:
    """The n largest contributions of the magnitude cells.

    A contribution that no column gives is 0 where the number of contributors, or the value itself, leaves
    nothing for it; otherwise it is taken from the microdata. Where values can be negative the total is the
    sum of absolute contributions as far as it is known (microdata, or the columns if they hold more than the
    value).

    Raises
    ------
    InputError: a magnitude cell that must be judged lacks its true value or one of the contributions.
    """
    demand_value(facts, facts.magnitudes, rule)
    top, total, known = _from_columns(facts, n)
    sources = facts.largest(n)
    if sources is not None:
        fill = ~known & sources.covered
        top = [np.where(fill, np.abs(sources.nth(k)), column) for k, column in enumerate(top)]
        known = known | fill
        if not facts.release.intruder.nonnegative:
            total = np.where(sources.covered, np.maximum(total, sources.size), total)
    known = known & facts.value.known
    ranks = "largest contribution" if n == 1 else f"{n} largest contributions"
    facts.demand(
        facts.magnitudes & ~known,
        rule,
        f"the {ranks}",
        'name the columns that hold them as "contributors" (and the number of contributors as "frequency"), '
        "or add microdata",
    )
    shown = [np.where(known, column, 0) for column in top]
    total = np.maximum(np.where(known, total, 0), as_units(combine(*((1, column) for column in shown))))
    return Largest(tuple(shown), total, known & facts.magnitudes)


def _from_columns(facts: Facts, n: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int64], NDArray[np.bool_]]:
    """(contributions, total, whether all are known) as far as the tables' own columns go."""
    columns, frequency = facts.cells.contributors, facts.frequency
    nonnegative = facts.release.intruder.nonnegative
    total = np.abs(facts.value.units)
    rest: Whole = total
    resolved = facts.value.known.copy()
    top: list[NDArray[np.int64]] = []
    for rank in range(max(n, len(columns))):
        exhausted = nonnegative & (rest <= 0).astype(np.bool_)
        nobody = frequency.known & (frequency.units <= rank) & ((rank > 0) | (total == 0))
        there, size = exhausted | nobody, np.zeros(len(total), dtype=np.int64)
        if rank < len(columns):
            listed = columns[rank]
            there = there | listed.known
            size = np.where(listed.known, np.abs(listed.units), 0)
        rest = combine((1, rest), (-1, size))
        if rank < n:
            resolved &= there
            top.append(size)
    resolved &= (top[0] > 0) | (total == 0)
    # More listed than the value says: contributions of both signs meet, and the listed sum is the total.
    return top, as_units(combine((1, total), (-1, np.minimum(rest, 0)))), resolved
