"""Microdata brought to the cells: who contributes what to which cell.

Records that belong to one holding are one contributor; so are records of one unit. Sampling weights estimate the value
and the number of contributors of the population; who answered (`frequency`), and single contributions, are those of the
records themselves.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.integers import bound_sum
from tableseal.audit.model import Hierarchy, Microdata, Release
from tableseal.audit.rules.contributors import contributor_numbers
from tableseal.audit.rules.exact import as_units
from tableseal.audit.rules.weights import Weights, exact_weights, rounded_half_up, weighted_sum

_BLOCK = 1024
"""Distinct combinations of record codes that are matched with cells at a time."""


@dataclass(frozen=True)
class Contributions:
    """One entry per contributor of a cell, cell after cell, the largest absolute contribution first.

    Attributes
    ----------
    start: int64 (cells + 1); the entries of cell c are start[c] up to start[c + 1].
    contributor: int64 (entries), the same number for the same contributor in every cell.
    records: int64 (contributors), how many records each one has.
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
    """

    start: NDArray[np.int64]
    contributor: NDArray[np.int64]
    records: NDArray[np.int64]
    amount: NDArray[np.int64]
    weight: NDArray[np.float64]
    requested: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    value: NDArray[np.int64]
    size: NDArray[np.int64]
    frequency: NDArray[np.int64]
    weighted: Weights

    @property
    def cell(self) -> NDArray[np.int64]:
        """int64 (entries): the cell of each entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def nth(self, rank: int) -> NDArray[np.int64]:
        """The contribution with the (rank + 1)-th largest absolute value in every cell, 0 where there are fewer."""
        at = self.start[:-1] + rank
        there = at < self.start[1:]
        result = np.zeros(len(at), dtype=np.int64)
        result[there] = self.amount[at[there]]
        return result


@dataclass(frozen=True)
class _Entries:
    """(cell, contributor) pairs, in any order."""

    cell: NDArray[np.int64]
    contributor: NDArray[np.int64]
    amount: NDArray[np.int64]
    weight: NDArray[np.float64]


def contributions(release: Release, cells: Cells, microdata: Microdata) -> Contributions:
    """Match records with cells, merge the records of each contributor and sort by size.

    Raises
    ------
    LimitError: sums beyond 2^62 units.
    """
    n = len(cells)
    cell, record, covered = memberships(release, cells, microdata)
    amount, known, has_measure = record_amounts(release, cells, microdata, cell, record)
    covered &= has_measure
    covered[cell[~known]] = False
    cell, record, amount = cell[known], record[known], amount[known]
    weight = np.ones(len(record)) if microdata.weight is None else microdata.weight[record]
    contributor = contributor_numbers(microdata)
    asked = np.zeros(len(contributor), dtype=np.bool_)
    if microdata.request is not None:
        asked[contributor[microdata.request]] = True
    entries = _merged(_Entries(cell, contributor[record], amount, weight))
    size = np.abs(entries.amount)
    order = np.lexsort((entries.weight, -size, entries.cell))
    ordered = entries.cell[order]
    start = np.searchsorted(ordered, np.arange(n + 1)).astype(np.int64)
    weights = exact_weights(weight)
    answered = weights.positive
    pairs = np.unique(np.stack([cell[answered], contributor[record[answered]]]), axis=1)
    ones, heads = np.ones(len(entries.cell), np.int64), exact_weights(entries.weight)
    return Contributions(
        start=start,
        contributor=entries.contributor[order],
        records=np.bincount(contributor),
        amount=entries.amount[order],
        weight=entries.weight[order],
        requested=asked[entries.contributor[order]],
        covered=covered,
        value=as_units(rounded_half_up(weighted_sum(amount, weights, cell, n))),
        size=as_units(rounded_half_up(weighted_sum(size, heads, entries.cell, n))),
        frequency=np.bincount(pairs[0], minlength=n).astype(np.int64),
        weighted=weighted_sum(ones, heads, entries.cell, n),
    )


def memberships(
    release: Release, cells: Cells, microdata: Microdata
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """(cell, record) of every membership, and which cells have no record whose membership is open.

    A record with a group code, or with no code, may belong to a cell of finer codes: that cell is not
    covered.
    """
    distinct, kind = np.unique(microdata.codes, axis=0, return_inverse=True)
    kind = kind.ravel()
    records = np.argsort(kind, kind="stable")
    first = np.searchsorted(kind[records], np.arange(len(distinct) + 1))
    covered = np.ones(len(cells), dtype=np.bool_)
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    relations = [_Relation.of(h) for h in release.variables.values()]
    for measure in range(len(release.measures)):
        own = np.flatnonzero(cells.measure == measure)
        prefixes = _Prefixes.of(cells.codes[own], relations)
        for begin in range(0, len(distinct) if len(own) else 0, _BLOCK):
            combination, cell, inside = _overlaps(distinct[begin : begin + _BLOCK], prefixes, relations)
            covered[own[cell[~inside]]] = False
            combination, cell = combination[inside] + begin, own[cell[inside]]
            count = first[combination + 1] - first[combination]
            found.append((np.repeat(cell, count), records[_ranges(first[combination], count)]))
    return np.concatenate([c for c, _ in found]), np.concatenate([r for _, r in found]), covered


@dataclass(frozen=True)
class _Relation:
    """Codes that overlap a record's code: one row of a compressed matrix; the last is for no code (-1)."""

    start: NDArray[np.int64]
    code: NDArray[np.int64]
    inside: NDArray[np.bool_]
    """The record's code lies wholly inside `code`."""

    @staticmethod
    def of(hierarchy: Hierarchy) -> "_Relation":
        codes = len(hierarchy.codes)
        size = hierarchy.members.sum(axis=1)
        common = (hierarchy.members @ hierarchy.members.T).tocsr()
        inside = common.data == np.repeat(size, np.diff(common.indptr))
        return _Relation(
            start=np.append(common.indptr, common.indptr[-1] + codes).astype(np.int64),
            code=np.concatenate([common.indices, np.arange(codes)]).astype(np.int64),
            inside=np.concatenate([inside, np.arange(codes) == hierarchy.total_index]),
        )

    @property
    def codes(self) -> int:
        """Number of codes of the variable."""
        return len(self.start) - 2


@dataclass(frozen=True)
class _Prefixes:
    """Which beginnings (first variable, first two variables, ...) the cells' code combinations have.

    keys[v] holds, sorted, position in keys[v - 1] times the number of codes plus the code; `cell` the cell
    that each complete combination is.
    """

    keys: tuple[NDArray[np.int64], ...]
    cell: NDArray[np.int64]

    @staticmethod
    def of(codes: NDArray[np.int32], relations: list[_Relation]) -> "_Prefixes":
        at = np.zeros(len(codes), dtype=np.int64)
        keys = []
        for v, relation in enumerate(relations):
            level, at = np.unique(at * relation.codes + codes[:, v], return_inverse=True)
            keys.append(level)
        return _Prefixes(tuple(keys), np.argsort(at, kind="stable"))


def _overlaps(
    record_codes: NDArray[np.int32], prefixes: _Prefixes, relations: list[_Relation]
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
        entry = _ranges(relation.start[row], count)
        wanted = np.repeat(prefix, count) * relation.codes + relation.code[entry]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[place] == wanted
        at, prefix = np.repeat(at, count)[hit], place[hit]
        inside = (np.repeat(inside, count) & relation.inside[entry])[hit]
    return at, prefixes.cell[prefix], inside


def _ranges(start: NDArray[np.integer], count: NDArray[np.integer]) -> NDArray[np.int64]:
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


def contributor_keys(microdata: Microdata) -> list[tuple[str, str | int]]:
    """Who each record belongs to: ("holding", name), else ("unit", id), else ("record", position)."""
    records = len(microdata.codes)
    holding = microdata.holding or ("",) * records
    unit = microdata.unit_id or ("",) * records
    return [
        ("holding", h) if h else ("unit", u) if u else ("record", i)
        for i, (h, u) in enumerate(zip(holding, unit, strict=True))
    ]


def holding_labels(microdata: Microdata) -> dict[int, str]:
    """Contributor (see Contributions) -> name of the holding that it is; other contributors have none."""
    if microdata.holding is None:
        return {}
    return {c: h for c, h in zip(contributor_numbers(microdata).tolist(), microdata.holding, strict=True) if h}


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
    )
