"""Contributions in the files of a hypercube: columns of its parts, and a file of contributors with several cells."""

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.contributions import Amounts, Contributions

NUMBER, SIZE, LARGEST = "contributors", "size ", "largest "
"""Columns of parts: contributors with records in that cell alone; SIZE is followed by the measure, LARGEST by a rank
and the measure."""

CELL, WHO, AMOUNT = "cell", "contributor", "amount "
"""Columns of the file of contributors with several cells; AMOUNT is followed by the measure. Cells are numbered over
all parts, from 0 on."""

Columns = Mapping[str, NDArray[Any]]


def part_columns(measures: Collection[str], ranks: int) -> list[str]:
    """Names of the columns of a part."""
    names = [NUMBER]
    for measure in measures:
        names += [SIZE + measure, *(f"{LARGEST}{rank} {measure}" for rank in range(1, ranks + 1))]
    return names


def part_values(found: Contributions, measures: Collection[str], ranks: int) -> list[NDArray[Any]]:
    """The columns of that names, in this order."""
    values = [found.number]
    for measure in measures:
        own = found.amounts[measure]
        values += [own.size, *(np.ascontiguousarray(own.largest[:, rank]) for rank in range(ranks))]
    return values


def several_columns(parts: Collection[tuple[int, Contributions]], measures: Collection[str]) -> dict[str, NDArray[Any]]:
    """The columns of the file of contributors with several cells. parts: where the cells of each begin."""
    return {
        CELL: np.concatenate([found.cell + begin for begin, found in parts]),
        WHO: np.concatenate([found.contributor for _, found in parts]),
        **{
            AMOUNT + measure: np.concatenate([found.amounts[measure].entry for _, found in parts])
            for measure in measures
        },
    }


def several_names(measures: Collection[str]) -> list[str]:
    """Names of these columns."""
    return [CELL, WHO, *(AMOUNT + measure for measure in measures)]


def checked_several(found: Columns, cells: int, source: str) -> dict[str, NDArray[Any]]:
    """The columns of that file, if they can be right.

    Raises
    ------
    InputError: cells that are not there, or not in order; a contributor twice in a cell.
    """
    columns = {name: values.astype(np.int64, copy=False) for name, values in found.items()}
    cell, who = columns[CELL], columns[WHO]
    rising = (np.diff(cell) > 0) | ((np.diff(cell) == 0) & (np.diff(who) > 0))
    if not (rising.all() and cell.min(initial=0) >= 0 and cell.max(initial=-1) < cells and who.min(initial=0) >= 0):
        raise InputError("has contributors of cells that are not there, or not in order.", at=source)
    return columns


class Several:
    """Contributors with several cells, given out part by part."""

    def __init__(self, columns: Columns | None, measures: Collection[str]) -> None:
        none = np.zeros(0, np.int64)
        self._columns = dict.fromkeys(several_names(measures), none) if columns is None else columns

    def part(self, begin: int, columns: Columns, measures: Collection[str], ranks: int, source: str) -> Contributions:
        """Contributions of the cells of a part. begin: cells of the parts before. columns: of the part.

        Raises
        ------
        InputError: numbers of contributors, or contributions, that cannot be.
        """
        number = columns[NUMBER].astype(np.int64, copy=False)
        first, last = np.searchsorted(self._columns[CELL], [begin, begin + len(number)]).tolist()
        good = bool(number.min(initial=0) >= 0)
        amounts = {}
        for measure in measures:
            size = columns[SIZE + measure].astype(np.int64, copy=False)
            top = list(_ranked(columns, measure, ranks))
            falling = all((a >= b).all() for a, b in pairwise(top))
            good &= falling and bool((top[-1] >= 0).all()) and bool((size >= np.sum(top, axis=0)).all())
            amounts[measure] = Amounts(size, np.stack(top, axis=1), self._columns[AMOUNT + measure][first:last])
        if not good:
            raise InputError("has contributions that cannot be.", at=source)
        return Contributions(number, self._columns[CELL][first:last] - begin, self._columns[WHO][first:last], amounts)


def _ranked(columns: Columns, measure: str, ranks: int) -> Iterator[NDArray[np.int64]]:
    for rank in range(1, ranks + 1):
        yield columns[f"{LARGEST}{rank} {measure}"].astype(np.int64, copy=False)
