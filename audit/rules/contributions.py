"""Microdata brought to the cells: who contributes what to which cell.

Records that belong to one holding are one contributor; so are records of one unit. Sampling weights estimate the value
and the number of contributors of the population; who answered (`frequency`), and single contributions, are those of the
records themselves.

A contributor with a single record only adds to a cell what its record holds, so such records are added up by the codes
that cells tell apart before they are brought to the cells. Those with several records are brought there one by one.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import is_
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.integers import bound_sum
from tableseal.audit.model import Hierarchy, Measure, Microdata, Release
from tableseal.audit.rules.contributors import contributor_numbers
from tableseal.audit.rules.exact import Whole, as_units
from tableseal.audit.rules.memberships import Relation, alike, overlapping, ranges
from tableseal.audit.rules.weights import Weights, exact_weights, rounded_half_up, weighted_sum

_SAFE = 2**62


@dataclass(frozen=True)
class Contributions:
    """One entry per contributor of a cell, cell after cell, the largest absolute contribution first.

    Attributes
    ----------
    start: int64 (cells + 1); the entries of cell c are start[c] up to start[c + 1].
    contributor: int64 (entries), the same number for the same contributor in every cell.
    records: int64 (contributors), how many records each one has. first: int64 (contributors), the first of them.
    amount: int64 (entries), contribution in units, with its sign, not weighted.
    weight: float64 (entries), sampling weight of the contributor (1 without weights); records of one
        contributor count once, with the smallest of their weights.
    requested: bool (entries), the contributor asked for protection (in any of its records).
    covered: bool (cells), the microdata have the cell's measure, every record that may belong to the cell is
        known to do so, and its contribution is known. Nothing may be concluded from the entries of other
        cells.
    value, size: int64 (cells), weighted sum of contributions and of their absolute values, rounded to units.
    frequency: int64 (cells), respondents: contributors with a record of a weight above 0.
    weighted: sum of the weights of the contributors of each cell, exactly.
    ranks: so many of the largest contributions of a cell are among its entries, as are all of contributors with several
        records, or who asked for protection; None: all are.
    """

    start: NDArray[np.int64]
    contributor: NDArray[np.int64]
    records: NDArray[np.int64]
    first: NDArray[np.int64]
    amount: NDArray[np.int64]
    weight: NDArray[np.float64]
    requested: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    value: NDArray[np.int64]
    size: NDArray[np.int64]
    frequency: NDArray[np.int64]
    weighted: Weights
    ranks: int | None

    @property
    def cell(self) -> NDArray[np.int64]:
        """int64 (entries): the cell of each entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def nth(self, rank: int) -> NDArray[np.int64]:
        """The contribution with the (rank + 1)-th largest absolute value in every cell, 0 where there are fewer."""
        if self.ranks is not None and rank >= self.ranks:
            raise IndexError(f"rank {rank}: only {self.ranks} are known")
        at = self.start[:-1] + rank
        there = at < self.start[1:]
        result = np.zeros(len(at), dtype=np.int64)
        result[there] = self.amount[at[there]]
        return result


@dataclass(frozen=True)
class _Entries:
    """(cell, contributor) pairs, in any order. answered: bool, some record has a weight above 0."""

    cell: NDArray[np.int64]
    contributor: NDArray[np.int64]
    amount: NDArray[np.int64]
    weight: NDArray[np.float64]
    answered: NDArray[np.bool_]


def contributions(release: Release, cells: Cells, microdata: Microdata, ranks: int | None = None) -> Contributions:
    """Match records with cells, merge the records of each contributor and sort by size.

    ranks: how many of the largest contributions are asked for; None: all.

    Raises
    ------
    LimitError: sums beyond 2^62 units.
    """
    n = len(cells)
    contributor = contributor_numbers(microdata)
    records = np.bincount(contributor)
    asked = np.zeros(len(records), dtype=np.bool_)
    if microdata.request is not None:
        asked[contributor[microdata.request]] = True
    matched = _Matched(release, cells, microdata, contributor, (records > 1) | asked, ranks)
    entries = _merged(matched.entries())
    one = records[entries.contributor] == 1
    several = _Entries(*(column[~one] for column in vars(entries).values()))
    heads = exact_weights(several.weight)
    ones, size = np.ones(len(several.cell), np.int64), np.abs(several.amount)
    order = np.lexsort((entries.weight, -np.abs(entries.amount), entries.cell))
    first = np.full(len(records), len(contributor), np.int64)
    np.minimum.at(first, contributor, np.arange(len(contributor)))
    return Contributions(
        start=np.searchsorted(entries.cell[order], np.arange(n + 1)).astype(np.int64),
        contributor=entries.contributor[order],
        records=records,
        first=first,
        amount=entries.amount[order],
        weight=entries.weight[order],
        requested=asked[entries.contributor[order]],
        covered=matched.covered,
        value=as_units(rounded_half_up(matched.value)),
        size=as_units(rounded_half_up(_both(matched.size, weighted_sum(size, heads, several.cell, n)))),
        frequency=matched.frequency + np.bincount(several.cell[several.answered], minlength=n).astype(np.int64),
        weighted=_both(matched.weighted, weighted_sum(ones, heads, several.cell, n)),
        ranks=ranks,
    )


_LATEST: "deque[_Known]" = deque(maxlen=4)
"""What was found last. A search asks for the same cells again and again, with one pattern after another."""


@dataclass(frozen=True)
class _Known:
    """What was found, and of what: records that are still the same object, cells that are equal."""

    microdata: "ref[Microdata]"
    variables: tuple[Hierarchy, ...]
    measures: Mapping[str, Measure]
    cells: tuple[NDArray[np.int32], NDArray[np.int32]]
    ranks: int | None
    found: Contributions

    def answers(self, release: Release, cells: Cells, microdata: Microdata, ranks: int | None) -> bool:
        """It is the answer to this question."""
        return (
            self.microdata() is microdata
            and self.ranks == ranks
            and all(map(is_, self.variables, release.variables.values()))
            and len(self.variables) == len(release.variables)
            and self.measures == release.measures
            and all(map(np.array_equal, self.cells, (cells.codes, cells.measure)))
        )


def contributions_of(release: Release, cells: Cells, microdata: Microdata, ranks: int | None) -> Contributions:
    """`contributions`, remembered."""
    known = next((one for one in tuple(_LATEST) if one.answers(release, cells, microdata, ranks)), None)
    if known is None:
        found = contributions(release, cells, microdata, ranks)
        variables = tuple(release.variables.values())
        known = _Known(ref(microdata), variables, release.measures, (cells.codes, cells.measure), ranks, found)
        _LATEST.append(known)
    return known.found


class _Matched:
    """Records brought to the cells.

    value: of all records. size, weighted, frequency: of contributors with a single record. covered: see
    `Contributions`.
    """

    def __init__(
        self,
        release: Release,
        cells: Cells,
        microdata: Microdata,
        contributor: NDArray[np.int64],
        kept: NDArray[np.bool_],
        ranks: int | None,
    ) -> None:
        """kept: bool (contributors), whose records become entries whatever they give."""
        n = len(cells)
        self._release, self._cells, self._microdata = release, cells, microdata
        self._contributor, self._ranks = contributor, ranks
        self._single = np.bincount(contributor)[contributor] == 1
        self._kept = kept[contributor]
        records = len(contributor)
        self._weight = np.ones(records) if microdata.weight is None else microdata.weight
        self._weights = (
            Weights(np.ones(records, np.int64), 1) if microdata.weight is None else exact_weights(microdata.weight)
        )
        self.covered = np.ones(n, np.bool_)
        self.frequency = np.zeros(n, np.int64)
        scale = self._weights.scale
        self.value, self.size, self.weighted = (Weights(np.zeros(n, np.int64), scale) for _ in range(3))

    def entries(self) -> _Entries:
        """Entries of records, one by one; all else is added up on the way."""
        none = np.empty(0, np.int64)
        found = [_Entries(none, none, none, np.empty(0), np.empty(0, np.bool_))]
        amounts = [self._amounts(name) for name in self._release.measures]
        largest = [self._by_size(amount, known) for amount, known in amounts]
        for own, variables, relations in self._groups():
            distinct, kind = alike(self._microdata.codes[:, variables], relations)
            measure = self._cells.measure[own]
            for m in np.unique(measure).tolist():
                here = own[measure == m]
                amount, known = amounts[m]
                found += self._brought(here, variables, relations, distinct, kind, amount, known, largest[m])
                name, kinds = list(self._release.measures.items())[m]
                if name not in self._microdata.values and (kinds.kind == "magnitude" or kinds.previous is not None):
                    self.covered[here] = False
        return _Entries(
            *(np.concatenate(column) for column in zip(*(vars(one).values() for one in found), strict=True))
        )

    def _brought(
        self,
        own: NDArray[np.int64],
        columns: NDArray[np.int64],
        relations: list[Relation],
        distinct: NDArray[np.int32],
        kind: NDArray[np.int64],
        amount: NDArray[np.int64],
        known: NDArray[np.bool_],
        largest: NDArray[np.int64],
    ) -> Iterator[_Entries]:
        """Entries of cells of one measure that tell apart the same variables; all else of theirs is added up.

        own: int64, these cells. distinct, kind: see `alike`, of the columns. amount, known: of each record.
        """
        size, single, weights = len(distinct), self._single & known, self._weights

        def added(rows: NDArray[np.bool_], what: NDArray[np.int64]) -> Whole:
            chosen = Weights(weights.parts[rows], weights.scale)
            return weighted_sum(what[rows], chosen, kind[rows], size).parts

        value, absolute = added(known, amount), added(single, np.abs(amount))
        heads = added(single, np.ones(len(amount), np.int64))
        answered = np.bincount(kind[single & weights.positive], minlength=size).astype(np.int64)
        unknown = np.bincount(kind[~known], minlength=size) > 0
        record = np.concatenate([np.flatnonzero(self._kept & known), self._largest(largest, kind)])
        record = record[np.argsort(kind[record], kind="stable")]
        first = np.searchsorted(kind[record], np.arange(size + 1))
        for combination, cell, inside in overlapping(distinct, self._cells.codes[own][:, columns], relations):
            self.covered[own[cell[~inside]]] = False
            combination, cell = combination[inside], own[cell[inside]]
            self.covered[cell[unknown[combination]]] = False
            self.value = _added(self.value, value[combination], cell)
            self.size = _added(self.size, absolute[combination], cell)
            self.weighted = _added(self.weighted, heads[combination], cell)
            np.add.at(self.frequency, cell, answered[combination])
            count = first[combination + 1] - first[combination]
            chosen = record[ranges(first[combination], count)]
            yield _Entries(
                np.repeat(cell, count),
                self._contributor[chosen],
                amount[chosen],
                self._weight[chosen],
                weights.positive[chosen],
            )

    def _groups(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], list[Relation]]]:
        """(cells, columns of the variables that are not at their total, what their codes overlap)."""
        hierarchies = list(self._release.variables.values())
        total = np.array([h.total_index if _is_all(h) else -1 for h in hierarchies], np.int32)
        relations = [Relation.of(h) for h in hierarchies]
        told, which = np.unique(self._cells.codes != total, axis=0, return_inverse=True)
        for group, variables in enumerate(told):
            columns = np.flatnonzero(variables)
            yield np.flatnonzero(which.ravel() == group), columns, [relations[at] for at in columns.tolist()]

    def _amounts(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """What each record gives to a measure, and whether that is known. A count without a column counts records."""
        column = self._microdata.values.get(name)
        if column is None:
            n = len(self._contributor)
            return np.ones(n, np.int64), np.ones(n, np.bool_)
        return column.units, column.known

    def _by_size(self, amount: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64: records that are entries only if they are large, the largest first."""
        rows = np.flatnonzero(known & ~self._kept)
        return rows[np.lexsort((self._contributor[rows], self._weight[rows], -np.abs(amount[rows])))]

    def _largest(self, rows: NDArray[np.int64], kind: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64: of records that are ordered by size the first ones of each kind."""
        if self._ranks is None:
            return rows
        own = kind[rows]
        order = np.argsort(own.astype(np.uint16) if own.max(initial=0) < 2**16 else own, kind="stable")
        ordered = own[order]
        begin = np.flatnonzero(np.append(True, np.diff(ordered) != 0)) if len(ordered) else ordered
        rank = np.arange(len(ordered)) - np.repeat(begin, np.diff(np.append(begin, len(ordered))))
        return rows[order[rank < self._ranks]]


def _is_all(hierarchy: Hierarchy) -> bool:
    """It has a total, in which every record lies."""
    return hierarchy.total is not None and hierarchy.members[[hierarchy.total_index]].nnz == hierarchy.members.shape[1]


def _added(sums: Weights, parts: Whole, cell: NDArray[np.int64]) -> Weights:
    """Parts added to the sums of cells, exactly."""
    held: Whole = sums.parts
    if held.dtype != object:
        reach = np.abs(held).max(initial=0) + float(
            np.abs(parts).sum(dtype=np.float64) if parts.dtype != object else _SAFE
        )
        held = held if reach < _SAFE else held.astype(object)
    np.add.at(held, cell, parts.astype(held.dtype))
    return Weights(held, sums.scale)


def _both(one: Weights, other: Weights) -> Weights:
    """The sums of both."""
    if not (other.parts != 0).any():
        return one
    ours, theirs = other.scale, one.scale  # scales of weights of records, and of some of them
    return Weights(one.parts.astype(object) * ours + other.parts.astype(object) * theirs, ours * theirs)


def _merged(entries: _Entries) -> _Entries:
    """One entry per cell and contributor."""
    if not len(entries.cell):
        return entries
    order = np.lexsort((entries.contributor, entries.cell))
    cell, contributor = entries.cell[order], entries.contributor[order]
    new = np.append(True, (np.diff(cell) != 0) | (np.diff(contributor) != 0))
    first = np.flatnonzero(new)
    return _Entries(
        cell=cell[first],
        contributor=contributor[first],
        amount=bound_sum(entries.amount[order], np.cumsum(new) - 1, len(first)),
        weight=np.minimum.reduceat(entries.weight[order], first),
        answered=np.logical_or.reduceat(entries.answered[order], first),
    )
