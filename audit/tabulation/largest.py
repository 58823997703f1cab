"""Who contributes to the cells of a table: how many, with which weight, and how much the largest give.

Most contributors have one record. Their numbers add up, and the largest of a cell are among the largest of its parts.
Those with several records (holdings) are brought to every cell first, and then count once: in one pass (`holdings.py`),
or, in tables of too many combinations for that, a block of them at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.tabulation.holdings import gathered, has_room
from tableseal.audit.tabulation.sums import Keys, grouped, refuse_large, sums

_FITS = 2**62
_BLOCK = 500_000
"""Records of contributors with several records that are brought to the cells at once."""


@dataclass(frozen=True)
class Entries:
    """One entry a record: the cell it lies in (`Keys`), its contributor, its contribution in units, the rank of its
    weight (`rules.weights.Ranked`), and whether that is above 0 (1 or 0). Of a contributor in a cell: the sum of the
    amounts of its records, the smallest of the weights, and whether one of them is above 0."""

    key: NDArray[np.int64]
    contributor: NDArray[np.int64]
    amount: NDArray[np.int64]
    weight: NDArray[np.int64]
    answered: NDArray[np.int64]

    def at(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> "Entries":
        """Some of them."""
        return Entries(
            self.key[rows], self.contributor[rows], self.amount[rows], self.weight[rows], self.answered[rows]
        )


@dataclass(frozen=True)
class Contributors:
    """Cell by cell, keys ascending.

    respondents: contributors with a record of a weight above 0. weight: int64 (cells x digits), sums of the digits of
    the weights of contributors, each with the smallest of its records. largest: int64 (cells x ranks), contributions by
    absolute size, with their sign. known: how many of them there are.
    """

    key: NDArray[np.int64]
    respondents: NDArray[np.int64]
    weight: NDArray[np.int64]
    largest: NDArray[np.int64]
    known: NDArray[np.int64]


def contributors(keys: Keys, records: Entries, digits: NDArray[np.int64], ranks: int) -> Contributors:
    """All cells of a table that have a record, with the largest `ranks` contributions.

    digits: int64 (different weights x digits), of the weights by rank.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    refuse_large(records.amount)
    several = np.bincount(records.contributor, minlength=1)[records.contributor] > 1
    single = records.at(~several)
    key, counted = sums(keys, single.key, [single.answered, *digits[single.weight].T])
    top = _top_upward(keys, single.key, single.amount, ranks)
    for merged in _of_several(keys, records.at(several), digits, ranks):
        key, counted = grouped(
            np.concatenate([key, merged.key]),
            [np.concatenate(both) for both in zip(counted, (merged.respondents, *merged.weight.T), strict=True)],
        )
        top = _top(np.concatenate([top[0], merged.of]), np.concatenate([top[1], merged.amount]), ranks)
    cell = np.searchsorted(key, top[0])
    rank = _places(top[0])
    largest = np.zeros((len(key), ranks), np.int64)
    largest[cell, rank] = top[1]
    respondents, *weight = counted
    return Contributors(key, respondents, np.array(weight).T, largest, np.bincount(cell, minlength=len(key)))


class _Several(NamedTuple):
    """Respondents and digits of weights of some contributors by cell (`key`; it may stand there more than once); their
    amounts, at least the largest ones of each cell, and the cell (`of`) of each."""

    key: NDArray[np.int64]
    respondents: NDArray[np.int64]
    weight: NDArray[np.int64]
    of: NDArray[np.int64]
    amount: NDArray[np.int64]


def _of_several(keys: Keys, records: Entries, digits: NDArray[np.int64], ranks: int) -> Iterator[_Several]:
    """What contributors with several records give to the cells."""
    if has_room(keys) and len(records.key):
        entries = (records.key, records.contributor, records.amount, records.weight, records.answered)
        found = gathered(keys, *entries, digits, ranks)
        cell, rank = np.nonzero(np.arange(ranks) < found.number[:, None])
        yield _Several(found.key, found.respondents, found.weight, found.key[cell], found.largest[cell, rank])
        return
    for block in _blocks(records):
        merged = _in_cells(keys, block)
        yield _Several(merged.key, merged.answered, digits[merged.weight], merged.key, merged.amount)


def _blocks(records: Entries) -> Iterator[Entries]:
    """All records, whole contributors at a time."""
    ordered = records.at(np.argsort(records.contributor, kind="stable"))
    begin = 0
    while begin < len(ordered.key):
        last = ordered.contributor[min(begin + _BLOCK, len(ordered.key)) - 1]
        end = int(np.searchsorted(ordered.contributor, last, side="right"))
        yield ordered.at(slice(begin, end))
        begin = end


def _in_cells(keys: Keys, entries: Entries) -> Entries:
    """One entry for each contributor of each cell of the table."""
    entries = _merged(entries)
    for variable in range(len(keys.upward)):
        row, above = keys.expand(entries.key, variable)
        entries = _merged(replace(entries.at(row), key=above))
    return entries


def _merged(entries: Entries) -> Entries:
    """One entry for each key and contributor: the sum of its amounts, the lowest rank of its weights."""
    if not len(entries.key):
        return entries
    ordered = entries.at(_by_cell(entries))
    new = (np.diff(ordered.key) != 0) | (np.diff(ordered.contributor) != 0)
    first = np.flatnonzero(np.append(True, new))
    return Entries(
        ordered.key[first],
        ordered.contributor[first],
        np.add.reduceat(ordered.amount, first),
        np.minimum.reduceat(ordered.weight, first),
        np.maximum.reduceat(ordered.answered, first),
    )


def _by_cell(entries: Entries) -> NDArray[np.intp]:
    """Rows of a key and contributor together: as one number where that fits, which is five times as fast to sort."""
    first = int(entries.contributor.min())
    many = int(entries.contributor.max()) - first + 1
    if int(entries.key.max()) >= _FITS // many:
        return np.lexsort((entries.contributor, entries.key))
    return np.argsort(entries.key * many + (entries.contributor - first))


def _top_upward(
    keys: Keys, key: NDArray[np.int64], amount: NDArray[np.int64], ranks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    key, amount = _top(key, amount, ranks)
    for variable in range(len(keys.upward)):
        row, above = keys.expand(key, variable)
        key, amount = _top(above, amount[row], ranks)
    return key, amount


def _top(key: NDArray[np.int64], amount: NDArray[np.int64], ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The `ranks` rows of each key with the largest absolute amounts, by key and size (of equal ones the positive)."""
    order = np.argsort((amount < 0) - 2 * np.abs(amount))
    order = order[np.argsort(key[order], kind="stable")]
    key, amount = key[order], amount[order]
    kept = _places(key) < ranks
    return key[kept], amount[kept]


def _places(ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64: the place of each row among those of its key, from 0 on; rows of a key stand together."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    first = np.flatnonzero(np.append(True, np.diff(ordered) != 0))
    sizes = np.diff(np.append(first, len(ordered)))
    result: NDArray[np.int64] = np.arange(len(ordered)) - np.repeat(first, sizes)
    return result
