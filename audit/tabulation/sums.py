"""Sums over all codes that lie above, one variable after the other: rows become those of every code that holds them.

After each variable rows of the same codes are added, so the work stays near the number of cells and not of records.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import LimitError
from tableseal.audit.model import Hierarchy

MOST = 2**62
"""Sums stay below it."""


@dataclass(frozen=True)
class Upward:
    """For each code of a variable the codes of the table that hold it wholly.

    start: int64 (codes + 1), code: int64 (entries): those of code c are code[start[c]:start[c + 1]].
    torn: bool (codes): some code of the table holds only a part of it.
    """

    start: NDArray[np.int64]
    code: NDArray[np.int64]
    torn: NDArray[np.bool_]

    @staticmethod
    def of(hierarchy: Hierarchy, wanted: NDArray[np.bool_]) -> "Upward":
        """wanted: bool (codes), the codes of the table."""
        codes = len(hierarchy.codes)
        sizes = np.diff(hierarchy.members.indptr)
        common = (hierarchy.members @ hierarchy.members.T).tocsr()
        common.sort_indices()
        row = np.repeat(np.arange(codes), np.diff(common.indptr))
        asked = wanted[common.indices]
        inside = common.data == sizes[row]
        torn = np.zeros(codes, np.bool_)
        torn[row[asked & ~inside]] = True
        kept = asked & inside
        start = np.append(0, np.cumsum(np.bincount(row[kept], minlength=codes))).astype(np.int64)
        return Upward(start, common.indices[kept].astype(np.int64), torn)

    @property
    def codes(self) -> int:
        """Number of codes of the variable."""
        return len(self.start) - 1

    def holds(self, code: NDArray[np.integer]) -> NDArray[np.bool_]:
        """bool (rows): some code of the table holds the row's code; -1: not known, so none."""
        held = np.append(np.diff(self.start) > 0, False)
        result: NDArray[np.bool_] = held[code]
        return result

    def expand(self, code: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(row, code above): every pair of a row and a code that holds its code."""
        count = self.start[code + 1] - self.start[code]
        row = np.repeat(np.arange(len(code)), count)
        first = np.repeat(self.start[code] - (np.cumsum(count) - count), count)
        return row, self.code[first + np.arange(len(row))]


@dataclass(frozen=True)
class Keys:
    """Combinations of codes as single numbers. strides: what a step in each variable is worth."""

    upward: tuple[Upward, ...]
    strides: tuple[int, ...]

    @staticmethod
    def of(upward: Sequence[Upward]) -> "Keys":
        """Raises LimitError: more combinations than fit."""
        strides = [1]
        for variable in reversed(upward[1:]):
            strides.append(strides[-1] * variable.codes)
        if strides[-1] * (upward[0].codes if upward else 1) >= MOST:
            raise LimitError("the table has more than 2^62 combinations of codes; leave out variables.")
        return Keys(tuple(upward), tuple(reversed(strides)) if upward else ())

    def of_codes(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """int64 (rows): the number of each row of codes (rows x variables)."""
        key = np.zeros(len(codes), np.int64)
        for at, stride in enumerate(self.strides):
            key += codes[:, at].astype(np.int64) * stride
        return key

    def codes(self, key: NDArray[np.int64]) -> NDArray[np.int32]:
        """int32 (rows x variables): the inverse."""
        found = np.zeros((len(key), len(self.strides)), np.int32)
        for at in range(len(self.strides)):
            found[:, at] = self.digit(key, at)
        return found

    def digit(self, key: NDArray[np.int64], variable: int) -> NDArray[np.int64]:
        """int64 (rows): position of the code of one variable."""
        return key // self.strides[variable] % self.upward[variable].codes

    def expand(self, key: NDArray[np.int64], variable: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(row, key): every row with each code of the table that holds its code of the variable."""
        own = self.digit(key, variable)
        row, above = self.upward[variable].expand(own)
        return row, key[row] + (above - own[row]) * self.strides[variable]


def grouped(
    key: NDArray[np.int64], columns: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """The different keys in ascending order, and the sum of each column over the rows of each."""
    if not len(key):
        return key, list(columns)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.append(True, np.diff(ordered) != 0))
    return ordered[first], [np.add.reduceat(column[order], first) for column in columns]


def sums(
    keys: Keys, key: NDArray[np.int64], columns: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Keys of all cells of the table that have a row, in ascending order, and the sum of each column over their rows.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    for column in columns:
        refuse_large(column)
    key, columns = grouped(key, columns)
    for variable in range(len(keys.upward)):
        row, above = keys.expand(key, variable)
        key, columns = grouped(above, [column[row] for column in columns])
    return key, list(columns)


def refuse_large(column: NDArray[np.int64]) -> None:
    """LimitError if some sum of these numbers may be beyond 2^62."""
    if np.abs(column.astype(np.float64)).sum() >= float(MOST):
        raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
