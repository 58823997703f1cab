"""Perturbation tables: by how much a value changes, by its size and its cell's key."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place


@dataclass(frozen=True)
class PTable:
    """What becomes of a value by a cell key from 0 to modulus - 1.

    Attributes
    ----------
    levels: int64 (rows), ascending from 0, the value that each row is for, in steps; of counts 0, 1, 2, ...
    start: int64 (rows + 1): segments of a row are start[row] .. start[row + 1] - 1.
    last: int64 (segments), the last key of each segment, ascending within a row, whose last one is modulus - 1.
    change: int64 (segments), by how many steps a value changes.
    modulus: keys are below this. repeated: so many of the last rows stand for larger counts in turn.
    step: of magnitudes, the part of a unit of scale that a step is.
    """

    levels: NDArray[np.int64]
    start: NDArray[np.int64]
    last: NDArray[np.int64]
    change: NDArray[np.int64]
    modulus: int
    repeated: int = 1
    step: Fraction = Fraction(1)

    @property
    def row(self) -> NDArray[np.int64]:
        """int64 (segments): the row of each."""
        return np.repeat(np.arange(len(self.levels)), np.diff(self.start))

    @property
    def keys(self) -> NDArray[np.int64]:
        """int64 (segments): how many keys each has; divided by the modulus, its probability."""
        width = np.diff(self.last, prepend=-1)
        width[self.start[:-1]] = self.last[self.start[:-1]] + 1
        return width

    def row_of(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each count (counts only, whose levels are 0, 1, 2, ...): its own, or among the last ones in turn.

        Examples
        --------
        Of 751 rows, of which the last 250 repeat, count 751 has row 501: (751 - 1) mod 250 + 501.
        """
        first = len(self.levels) - self.repeated
        return np.where(counts < len(self.levels), counts, first + (counts - first) % self.repeated)

    def change_at(self, row: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
        """The change of each pair of row and key, in steps."""
        ends = self.row * self.modulus + self.last
        return self.change[np.searchsorted(ends, row * self.modulus + key)]

    def moment(self, row: int, power: int) -> Fraction:
        """The expectation of a power of the change, in units (exact)."""
        part = slice(self.start[row], self.start[row + 1])
        total = sum(n * v**power for n, v in zip(self.keys[part].tolist(), self.change[part].tolist(), strict=True))
        return Fraction(total, self.modulus) * self.step**power

    def probability(self, row: int, change: int) -> Fraction:
        """Of a change by so many steps (exact)."""
        part = slice(self.start[row], self.start[row + 1])
        return Fraction(int(self.keys[part][self.change[part] == change].sum()), self.modulus)

    @property
    def widest(self) -> int:
        """The largest change up or down, in steps."""
        return int(np.abs(self.change).max())


def chances(table: PTable, counts: NDArray[np.int64]) -> Iterator[tuple[int, int, Mapping[int, Fraction]]]:
    """Each count that occurs, how often, and what it may become with which probability (of counts)."""
    keys = table.keys
    values, number = np.unique(counts, return_counts=True)
    for count, cells, row in zip(values.tolist(), number.tolist(), table.row_of(values).tolist(), strict=True):
        found: dict[int, Fraction] = {}
        for k in range(int(table.start[row]), int(table.start[row + 1])):
            become = count + int(table.change[k])
            found[become] = found.get(become, Fraction(0)) + Fraction(int(keys[k]), table.modulus)
        yield count, cells, found


@dataclass(frozen=True)
class Moments:
    """What a row of a perturbation table does to a value, exactly."""

    level: Fraction
    mean: Fraction
    variance: Fraction
    least: Fraction
    most: Fraction
    unchanged: Fraction


def moments(table: PTable) -> tuple[Moments, ...]:
    """Of each row: mean and variance of the change, the least and the largest one, the share that stays."""
    found = []
    for row, level in enumerate(table.levels.tolist()):
        part = table.change[table.start[row] : table.start[row + 1]]
        mean = table.moment(row, 1)
        found.append(
            Moments(
                level=level * table.step,
                mean=mean,
                variance=table.moment(row, 2) - mean**2,
                least=int(part.min()) * table.step,
                most=int(part.max()) * table.step,
                unchanged=table.probability(row, 0),
            )
        )
    return tuple(found)


def table_of(
    rows: list[tuple[int, list[tuple[int, int]]]], modulus: int, repeated: int = 1, step: Fraction = Fraction(1)
) -> PTable:
    """A table of rows: level in steps, and (last key, change in steps) of its segments. Neighbours with the same change
    are put together."""
    start, last, change = [0], list[int](), list[int]()
    for _, segments in rows:
        begin = len(last)
        for end, by in segments:
            if len(last) > begin and change[-1] == by:
                last[-1] = end
            else:
                last.append(end)
                change.append(by)
        start.append(len(last))
    arrays = {"levels": [level for level, _ in rows], "start": start, "last": last, "change": change}
    whole = {name: np.array(entries, np.int64) for name, entries in arrays.items()}
    return PTable(whole["levels"], whole["start"], whole["last"], whole["change"], modulus, repeated, step)


@dataclass(frozen=True)
class Stated:
    """What is said publicly of how values change, which a perturbation table has to keep.

    range: no value changes by more. never: no value from 1 to this is published. zeros_stay: 0 is published as 0.
    unbiased_from: from this value on, changes are 0 in the mean (None: nothing is said).
    """

    range: Fraction
    never: int = 0
    zeros_stay: bool = True
    unbiased_from: int | None = 0


PRINTED = Fraction(1, 10**6)
"""A bias up to this is what printed digits leave behind."""


def check(table: PTable, stated: Stated, where: Place | None = None) -> None:
    """Refuse a table that does not keep what is stated.

    Raises
    ------
    InputError: names the row (by its value), what was found and what was expected.
    """
    for one in moments(table):
        what = f"value {one.level}"
        widest = max(-one.least, one.most)
        if widest > stated.range:
            raise _refused(what, f"a change by {widest}", f"at most {stated.range}, the range that is stated", where)
        if one.level + one.least < 0:
            raise _refused(what, f"a change by {one.least}", "no result below zero", where)
        if stated.zeros_stay and one.level == 0 and widest:
            raise _refused(what, f"a change by {widest}", "that zeros stay", where)
        unbiased = stated.unbiased_from is not None and one.level >= stated.unbiased_from
        limit = PRINTED if table.modulus > 1 / PRINTED else Fraction(0)
        if unbiased and abs(one.mean) > limit:
            found = f"changes of {_decimals(one.mean)} in the mean"
            raise _refused(what, found, "0: the table is biased", where)
    shown = (table.levels[table.row] + table.change) * float(table.step)
    wrong = np.flatnonzero((shown > 0) & (shown <= stated.never))
    if len(wrong):
        level = table.levels[table.row[wrong[0]]] * table.step
        text = f"no result from 1 to {stated.never}"
        raise _refused(f"value {level}", f"a result of {shown[wrong[0]]:g}", text, where)


def _refused(what: str, found: str, expected: str, where: Place | None) -> InputError:
    return InputError(f"{what}: found {found}, expected {expected}.", at=where, found=found, expected=expected)


def _decimals(value: Fraction) -> str:
    return f"{float(value):.6g}"
