"""A table that was asked for, with true counts and keys, and the coarser tables that are sums of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.contributions import Contributions, grouped
from tableseal.audit.hypercube.model import BaseCells, Ints, Level, Variable
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.audit.hypercube.tabulate import Tabulated, added_up


@dataclass(frozen=True, repr=False)
class Table:
    """True counts (agency knowledge).

    Attributes
    ----------
    count: int64 (cells), row by row. key: int64 (cells), sums of the units' keys modulo the modulus. total: int64
    (cells), sums of the question's measure; contributions: to it. None: it asks for counts.
    """

    question: Question
    count: Ints
    key: Ints
    modulus: int
    total: Ints | None = None
    contributions: Contributions | None = None


def table_of(question: Question, base: BaseCells, modulus: int) -> Table:
    """The table of base cells in memory."""
    return as_table(question, added_up(question, (base,), modulus), modulus)


def as_table(question: Question, found: Tabulated, modulus: int) -> Table:
    """What a hypercube gave."""
    total = None if question.measure is None else found.sums[question.measure]
    return Table(question, found.count, found.keys, modulus, total, found.contributions)


def coarser(table: Table, axis: int, level: Level) -> Table:
    """The table by a level in place of an axis, of the same leaves; each group lies in one code of it."""
    grouping = table.question.axes[axis]
    inside = grouping.of_leaf >= 0
    codes, at = np.unique(level.of_leaf[inside], return_inverse=True)
    of_leaf = np.full(len(grouping.of_leaf), -1, np.int32)
    of_leaf[inside] = at
    becomes = np.zeros(len(grouping.codes), np.int64)
    becomes[grouping.of_leaf[inside]] = at
    found = Grouping(grouping.variable, tuple(level.codes[code] for code in codes.tolist()), of_leaf)
    return _summed(table, axis, becomes, found)


def without_axis(table: Table, axis: int) -> Table:
    """The table without a variable. If the axis leaves out leaves, these stay out: the axis chooses the population."""
    grouping = table.question.axes[axis]
    becomes = np.zeros(len(grouping.codes), np.int64)
    one = _summed(table, axis, becomes, Grouping(grouping.variable, ("all",), np.minimum(grouping.of_leaf, 0)))
    axes = list(one.question.axes)
    chosen = axes.pop(axis)
    where = one.question.where if (chosen.of_leaf >= 0).all() else (*one.question.where, chosen)
    return replace(one, question=replace(one.question, axes=tuple(axes), where=where))


def only(table: Table, axis: int, kept: NDArray[np.bool_]) -> Table:
    """The table with some groups of an axis alone. kept: bool (groups)."""
    grouping = table.question.axes[axis]
    position = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    of_leaf = np.where(grouping.of_leaf >= 0, position[grouping.of_leaf], np.int32(-1))
    codes = tuple(code for code, k in zip(grouping.codes, kept.tolist(), strict=True) if k)
    axes = list(table.question.axes)
    axes[axis] = Grouping(grouping.variable, codes, of_leaf)
    shape = table.question.shape

    def chosen(values: Ints) -> Ints:
        found: Ints = np.compress(kept, values.reshape(shape), axis=axis).ravel()
        return found

    question = replace(table.question, axes=tuple(axes))
    contributions = table.contributions
    if contributions is not None:
        becomes = np.where(kept, position.astype(np.int64), -1)
        contributions = grouped(contributions, _cells(shape, axis, becomes, len(codes)), question.size)
    return replace(
        table,
        question=question,
        count=chosen(table.count),
        key=chosen(table.key),
        total=None if table.total is None else chosen(table.total),
        contributions=contributions,
    )


def _cells(shape: tuple[int, ...], axis: int, becomes: Ints, groups: int) -> Ints:
    """int64 (cells): the cell that each is in once an axis has other groups; -1: none."""
    after = prod(shape[axis + 1 :])
    before, inside = np.arange(prod(shape[:axis]))[:, None, None], becomes[None, :, None]
    found = (before * groups + inside) * after + np.arange(after)[None, None, :]
    return np.where(inside < 0, -1, found).ravel()


def _summed(table: Table, axis: int, becomes: Ints, grouping: Grouping) -> Table:
    """becomes: int64 (groups of the axis), the group of the new axis that each is in."""
    shape = table.question.shape
    before, after = prod(shape[:axis]), prod(shape[axis + 1 :])
    order = np.argsort(becomes, kind="stable")
    starts = np.searchsorted(becomes[order], np.arange(len(grouping.codes)))

    def added(values: Ints) -> Ints:
        sorted_ = values.reshape(before, shape[axis], after)[:, order]
        found: Ints = np.add.reduceat(sorted_, starts, axis=1).ravel()
        return found

    axes = list(table.question.axes)
    axes[axis] = grouping
    question = replace(table.question, axes=tuple(axes))
    contributions = table.contributions
    if contributions is not None:
        contributions = grouped(contributions, _cells(shape, axis, becomes, len(grouping.codes)), question.size)
    return replace(
        table,
        question=question,
        count=added(table.count),
        key=added(table.key) % table.modulus,
        total=None if table.total is None else added(table.total),
        contributions=contributions,
    )


def levels_above(grouping: Grouping, variable: Variable) -> Sequence[Level]:
    """Levels with fewer codes, of which each group lies in one code, the finest first; never one with a single code."""
    inside = grouping.of_leaf >= 0
    groups = grouping.of_leaf[inside]
    found = []
    for level in variable.levels:
        codes = level.of_leaf[inside]
        number = len(np.unique(codes))
        if (codes < 0).any() or not 1 < number < len(grouping.codes):
            continue
        if len(np.unique(groups.astype(np.int64) * len(level.codes) + codes)) == len(np.unique(groups)):
            found.append((number, level))
    return [level for _, level in sorted(found, key=lambda one: -one[0])]


def is_level(grouping: Grouping, variable: Variable) -> bool:
    """Whether the groups are codes of one level, all or some."""
    inside = grouping.of_leaf >= 0
    for level in variable.levels:
        if (level.of_leaf[inside] < 0).any():
            continue
        # Each group is one code, and all of it.
        pairs = np.unique(grouping.of_leaf[inside].astype(np.int64) * len(level.codes) + level.of_leaf[inside])
        whole = np.isin(level.of_leaf, np.unique(level.of_leaf[inside])).sum() == inside.sum()
        if whole and len(pairs) == len(np.unique(grouping.of_leaf[inside])) == len(np.unique(level.of_leaf[inside])):
            return True
    return False
