"""Who contributes to a measure in which cell: what rules for magnitudes need, of base cells and of any sums of them.

Of a contributor all whose records lie in one base cell, nothing but its contribution matters to any cell above it, so
that the largest few of each cell are enough: those of a sum of cells are among those of its parts. A contributor with
records in several base cells (a holding with units here and there) may be small in each and large in their sum. Of
these every entry is kept. So the largest of any table are exact, up to the rank that is kept.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.adding import Ints, counted, sums
from tableseal.audit.hypercube.ranks import RANKS


@dataclass(frozen=True, repr=False)
class Amounts:
    """Contributions to one measure, in units of it. Confidential.

    Attributes
    ----------
    size: int64 (cells), sums of the absolute contributions of contributors with a single base cell. largest: int64
    (cells x ranks), the largest absolute ones of these, falling, 0 where there are fewer. entry: int64 (entries), with
    its sign what each contributor with several base cells gives to a cell.
    """

    size: Ints
    largest: Ints
    entry: Ints


@dataclass(frozen=True, repr=False)
class Contributions:
    """Contributors of cells. Confidential.

    Attributes
    ----------
    number: int64 (cells), contributors with a single base cell. cell, contributor: int64 (entries), one for each cell
    of a contributor with several, by cell and then by contributor. amounts: measure -> what they give.
    """

    number: Ints
    cell: Ints
    contributor: Ints
    amounts: Mapping[str, Amounts] = field(default_factory=dict)

    @property
    def respondents(self) -> Ints:
        """int64 (cells): all contributors."""
        return self.number + counted(self.cell, len(self.number))

    def size(self, measure: str) -> Ints:
        """int64 (cells): sums of absolute contributions, of all contributors."""
        own = self.amounts[measure]
        return own.size + sums(self.cell, np.abs(own.entry), len(self.number))

    def largest(self, measure: str) -> Ints:
        """int64 (cells x ranks): the largest absolute contributions, falling, of all contributors."""
        own = self.amounts[measure]
        if not len(self.cell):
            return own.largest
        several = _top(self.cell, np.abs(own.entry), len(self.number), own.largest.shape[1])
        return _highest(np.concatenate([own.largest, several], axis=1), own.largest.shape[1])

    def only(self, measures: Collection[str]) -> "Contributions":
        """Of some measures."""
        return Contributions(self.number, self.cell, self.contributor, {name: self.amounts[name] for name in measures})

    def rows(self, begin: int, end: int) -> "Contributions":
        """Of the cells from one to before another."""
        first, last = np.searchsorted(self.cell, [begin, end]).tolist()
        return Contributions(
            self.number[begin:end],
            self.cell[first:last] - begin,
            self.contributor[first:last],
            {
                name: Amounts(own.size[begin:end], own.largest[begin:end], own.entry[first:last])
                for name, own in self.amounts.items()
            },
        )


def contributions_of(
    cell: Ints, contributor: Ints, given: Mapping[str, Ints], cells: int, ranks: int = RANKS
) -> Contributions:
    """Of records.

    Parameters
    ----------
    cell: int64 (records), the base cell of each. contributor: int64 (records), from 0 on. given: measure -> int64
        (records). ranks: largest contributions that are kept.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    place, who, which = _pairs(cell, contributor)
    single = (counted(who, int(who.max(initial=-1)) + 1) == 1)[who]
    amounts = {}
    for name, values in given.items():
        own = sums(which, values, len(place))
        size = np.abs(own[single])
        amounts[name] = Amounts(sums(place[single], size, cells), _top(place[single], size, cells, ranks), own[~single])
    number = counted(place[single], cells)
    return _renumbered(Contributions(number, place[~single], who[~single], amounts))


def _renumbered(found: Contributions) -> Contributions:
    """The same with numbers that follow from what each contributor gives, and not from the order of records."""
    rows = np.stack([found.cell, *(own.entry for own in found.amounts.values())], axis=1)
    order = np.argsort(found.contributor, kind="stable")
    first = np.flatnonzero(np.diff(found.contributor[order], prepend=-1))
    profiles = [rows[own].tobytes() for own in np.split(order, first[1:])] if len(first) else []
    place = np.empty(len(first), np.int64)
    place[sorted(range(len(first)), key=profiles.__getitem__)] = np.arange(len(first))
    number = np.searchsorted(found.contributor[order][first], found.contributor)
    who = place[number] if len(first) else found.contributor
    again = np.lexsort((who, found.cell))
    amounts = {name: Amounts(own.size, own.largest, own.entry[again]) for name, own in found.amounts.items()}
    return Contributions(found.number, found.cell[again], who[again], amounts)


def grouped(found: Contributions, group: Ints, groups: int) -> Contributions:
    """Of groups of cells. group: int64 (cells), -1: left out.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    inside = group >= 0
    own = group[inside]
    kept = inside[found.cell]
    place, who, which = _pairs(group[found.cell[kept]], found.contributor[kept])
    amounts = {}
    for name, given in found.amounts.items():
        ranks = given.largest.shape[1]
        amounts[name] = Amounts(
            sums(own, given.size[inside], groups),
            _top(np.repeat(own, ranks), given.largest[inside].ravel(), groups, ranks),
            sums(which, given.entry[kept], len(place)),
        )
    return Contributions(sums(own, found.number[inside], groups), place, who, amounts)


def added(parts: Sequence[Contributions]) -> Contributions:
    """Of the same cells, as different records give them, a contributor with several cells under one number in all.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    if len(parts) == 1:
        return parts[0]
    cell = np.concatenate([part.cell for part in parts])
    place, who, which = _pairs(cell, np.concatenate([part.contributor for part in parts]))
    amounts = {}
    for name, first in parts[0].amounts.items():
        ranks = first.largest.shape[1]
        own = [part.amounts[name] for part in parts]
        amounts[name] = Amounts(
            np.sum([one.size for one in own], axis=0),
            _highest(np.concatenate([one.largest for one in own], axis=1), ranks),
            sums(which, np.concatenate([one.entry for one in own]), len(place)),
        )
    return Contributions(np.sum([part.number for part in parts], axis=0), place, who, amounts)


def behind(parts: Sequence[Contributions]) -> Contributions:
    """Of cells one part behind the other."""
    upto = np.cumsum([0, *(len(part.number) for part in parts)])
    return Contributions(
        np.concatenate([part.number for part in parts]),
        np.concatenate([part.cell + begin for part, begin in zip(parts, upto, strict=False)]),
        np.concatenate([part.contributor for part in parts]),
        {
            name: Amounts(
                *(
                    np.concatenate([getattr(part.amounts[name], column) for part in parts])
                    for column in ("size", "largest", "entry")
                )
            )
            for name in parts[0].amounts
        },
    )


def no_contributions(cells: int, measures: Collection[str], ranks: int = RANKS) -> Contributions:
    """Of cells without contributors."""
    nothing, none = np.zeros(cells, np.int64), np.zeros(0, np.int64)
    amounts = {name: Amounts(nothing, np.zeros((cells, ranks), np.int64), none) for name in measures}
    return Contributions(nothing, none, none, amounts)


def _pairs(cell: Ints, contributor: Ints) -> tuple[Ints, Ints, Ints]:
    """Cell and contributor of each pair that there is, in order, and which one each entry is of."""
    order = np.lexsort((contributor, cell))
    place, who = cell[order], contributor[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (place[1:] != place[:-1]) | (who[1:] != who[:-1])
    which = np.empty(len(order), np.int64)
    which[order] = np.cumsum(new) - 1
    return place[new].astype(np.int64), who[new].astype(np.int64), which


def _top(cell: Ints, size: Ints, cells: int, ranks: int) -> Ints:
    """int64 (cells x ranks): the largest sizes of each cell, falling."""
    there = size > 0
    cell, size = cell[there], size[there]
    order = np.lexsort((-size, cell))
    own, ordered = cell[order], size[order]
    number = counted(own, cells)
    rank = np.arange(len(own)) - np.repeat(np.cumsum(number) - number, number)
    found = np.zeros((cells, ranks), np.int64)
    kept = rank < ranks
    found[own[kept], rank[kept]] = ordered[kept]
    return found


def _highest(columns: NDArray[np.int64], ranks: int) -> Ints:
    """The largest of each row, falling."""
    return -np.sort(-columns, axis=1)[:, :ranks]
