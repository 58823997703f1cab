"""Which records lie in which cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Hierarchy, Microdata, Release

_BLOCK = 1024
"""Distinct combinations of record codes that are matched with cells at a time."""

_PLACES = 2**22
"""Numbers below this have a place each; larger ones are sorted."""


def memberships(
    release: Release, cells: Cells, microdata: Microdata
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """(cell, record) of every membership, and which cells have no record whose membership is open.

    A record with a group code, or with no code, may belong to a cell of finer codes: that cell is not
    covered.
    """
    relations = [Relation.of(h) for h in release.variables.values()]
    distinct, kind = alike(microdata.codes, relations)
    records = np.argsort(kind, kind="stable")
    first = np.searchsorted(kind[records], np.arange(len(distinct) + 1))
    covered = np.ones(len(cells), dtype=np.bool_)
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for measure in range(len(release.measures)):
        own = np.flatnonzero(cells.measure == measure)
        for combination, cell, inside in overlapping(distinct, cells.codes[own], relations):
            covered[own[cell[~inside]]] = False
            combination, cell = combination[inside], own[cell[inside]]
            count = first[combination + 1] - first[combination]
            found.append((np.repeat(cell, count), records[ranges(first[combination], count)]))
    return np.concatenate([c for c, _ in found]), np.concatenate([r for _, r in found]), covered


def alike(codes: NDArray[np.int32], relations: "Sequence[Relation]") -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct rows of codes (records x variables, -1: unknown) in ascending order, and of each row which it is."""
    key, numbers = np.zeros(len(codes), np.int64), 1
    for column, relation in zip(codes.T, relations, strict=True):
        if numbers * (relation.codes + 1) >= 2**62:
            key = np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)
            numbers = len(codes) + 1
        numbers *= relation.codes + 1
        key = key * (relation.codes + 1) + column + 1
    if numbers > _PLACES:
        _, first, kind = np.unique(key, return_index=True, return_inverse=True)
        return codes[first], kind.ravel().astype(np.int64)
    first = np.full(numbers, -1, np.int64)
    first[key[::-1]] = np.arange(len(key))[::-1]
    there = first >= 0
    return codes[first[there]], (np.cumsum(there) - 1)[key]


def overlapping(
    distinct: NDArray[np.int32], codes: NDArray[np.int32], relations: "Sequence[Relation]"
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]]:
    """(row of `distinct`, row of `codes`, wholly inside) of all pairs of records' and cells' codes that overlap."""
    prefixes = Prefixes.of(codes, relations)
    for begin in range(0, len(distinct) if len(codes) else 0, _BLOCK):
        row, cell, inside = overlaps(distinct[begin : begin + _BLOCK], prefixes, relations)
        yield row + begin, cell, inside


@dataclass(frozen=True)
class Relation:
    """Codes that overlap a record's code: one row of a compressed matrix; the last is for no code (-1)."""

    start: NDArray[np.int64]
    code: NDArray[np.int64]
    inside: NDArray[np.bool_]
    """The record's code lies wholly inside `code`."""

    @staticmethod
    def of(hierarchy: Hierarchy) -> "Relation":
        codes = len(hierarchy.codes)
        size = hierarchy.members.sum(axis=1)
        common = (hierarchy.members @ hierarchy.members.T).tocsr()
        inside = common.data == np.repeat(size, np.diff(common.indptr))
        return Relation(
            start=np.append(common.indptr, common.indptr[-1] + codes).astype(np.int64),
            code=np.concatenate([common.indices, np.arange(codes)]).astype(np.int64),
            inside=np.concatenate([inside, np.arange(codes) == hierarchy.total_index]),
        )

    @property
    def codes(self) -> int:
        """Number of codes of the variable."""
        return len(self.start) - 2


@dataclass(frozen=True)
class Prefixes:
    """Which beginnings (first variable, first two variables, ...) the cells' code combinations have.

    keys[v] holds, sorted, position in keys[v - 1] times the number of codes plus the code; `cell` the cell
    that each complete combination is.
    """

    keys: tuple[NDArray[np.int64], ...]
    cell: NDArray[np.int64]

    @staticmethod
    def of(codes: NDArray[np.int32], relations: Sequence[Relation]) -> "Prefixes":
        at = np.zeros(len(codes), dtype=np.int64)
        keys = []
        for v, relation in enumerate(relations):
            level, at = np.unique(at * relation.codes + codes[:, v], return_inverse=True)
            keys.append(level)
        return Prefixes(tuple(keys), np.argsort(at, kind="stable"))


def overlaps(
    record_codes: NDArray[np.int32], prefixes: Prefixes, relations: Sequence[Relation]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """(combination, cell, wholly inside) of all pairs whose codes overlap in every variable.

    Variable by variable; only prefixes that some cell has are kept, so the work stays near the size of the
    answer.
    """
    at = np.arange(len(record_codes))
    prefix = np.zeros(len(record_codes), dtype=np.int64)
    inside = np.ones(len(record_codes), dtype=np.bool_)
    for v, (relation, keys) in enumerate(zip(relations, prefixes.keys, strict=True)):
        row = record_codes[at, v] % (relation.codes + 1)
        count = relation.start[row + 1] - relation.start[row]
        entry = ranges(relation.start[row], count)
        wanted = np.repeat(prefix, count) * relation.codes + relation.code[entry]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[place] == wanted
        at, prefix = np.repeat(at, count)[hit], place[hit]
        inside = (np.repeat(inside, count) & relation.inside[entry])[hit]
    return at, prefixes.cell[prefix], inside


def ranges(start: NDArray[np.integer], count: NDArray[np.integer]) -> NDArray[np.int64]:
    """start[0], start[0] + 1, ... (count[0] of them), then the same for every further entry."""
    before = np.cumsum(count) - count
    result: NDArray[np.int64] = np.arange(int(count.sum())) + np.repeat(start - before, count)
    return result


def record_amounts(
    release: Release,
    cells: Cells,
    microdata: Microdata,
    cell: NDArray[np.int64],
    record: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """(amount and whether it is known, per membership; whether the microdata have the measure, per cell).

    A count without a column of its own counts records; these are of this period.
    """
    amount = np.ones(len(cell), dtype=np.int64)
    known = np.ones(len(cell), dtype=np.bool_)
    has_measure = np.ones(len(cells), dtype=np.bool_)
    for m, (name, measure) in enumerate(release.measures.items()):
        here = cells.measure[cell] == m
        if name in microdata.values:
            column = microdata.values[name].take(record[here])
            amount[here], known[here] = column.units, column.known
        elif measure.kind == "magnitude" or measure.previous is not None:
            has_measure[cells.measure == m] = False
    return amount, known, has_measure
