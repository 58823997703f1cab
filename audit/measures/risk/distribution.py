"""How many cells of a table have which counts, as Shlomo, Antal & Elliot 2015 print it (Tables 1 and 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.declared import Key
from tableseal.audit.codec.kinds import Count, Rounded
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model.count_table import CountTable

PRINTED = {"hypercube": (0, 1, 2, 3, 6, 9, 11), "tables": (0, 1, 2, 3, 4, 5, 6)}
"""Smallest counts of the classes of Table 1 (0, 1, 2, 3-5, 6-8, 9-10, 11 and over) and of Table 2 (0 to 5, 6 and
over)."""


@dataclass(frozen=True)
class CountClass:
    """Cells whose count lies between two ends."""

    least: Annotated[Count, "Smallest count.", Key("from")]
    most: Annotated[Count | None, "Largest count; null: no limit.", Key("to")]
    cells: Annotated[Count, "Cells of the table."]
    share: Annotated[Rounded, "Of all its cells."]
    after: Annotated[Count | None, "Cells of the protected table; null: there is none.", Key("protected_cells")] = None


@dataclass(frozen=True)
class Distribution:
    """How many cells have which counts."""

    mean: Annotated[Rounded, "Units for each cell.", Key("mean_cell_size")]
    classes: tuple[CountClass, ...]


def parse_classes(text: str) -> tuple[int, ...]:
    """`hypercube`, `tables`, or the smallest count of each class, such as `0,1,2,3,6`.

    Raises
    ------
    InputError: anything else; classes that do not begin at 0 or do not rise.
    """
    if text in PRINTED:
        return PRINTED[text]
    try:
        starts = tuple(int(part) for part in text.split(","))
    except ValueError:
        starts = ()
    if not starts or starts[0] != 0 or any(low >= high for low, high in pairwise(starts)):
        expected = f"{', '.join(PRINTED)}, or the smallest count of each class from 0 on, such as 0,1,2,3,6"
        raise InputError(expected=expected, at=OptionName("distribution", text))
    return starts


def distribution(table: CountTable, starts: Sequence[int], protected: CountTable | None = None) -> Distribution:
    """The classes that begin at `starts` (ascending from 0). protected: over the same cells (see `aligned`)."""
    before = _cells(table.values, table.cells, starts)
    after = [None] * len(starts) if protected is None else _cells(protected.values, table.cells, starts)
    ends = [*(start - 1 for start in starts[1:]), None]
    return Distribution(
        float(table.values.sum()) / table.cells,
        tuple(
            CountClass(*each)
            for each in zip(starts, ends, before, [n / table.cells for n in before], after, strict=True)
        ),
    )


def _cells(values: NDArray[np.int64], cells: int, starts: Sequence[int]) -> list[int]:
    """How many cells lie in each class; those that are not listed are 0."""
    found = cells_by_class(values, starts)
    return [found[0] + cells - len(values), *found[1:]]


def cells_by_class(values: NDArray[np.int64], starts: Sequence[int]) -> tuple[int, ...]:
    """How many counts lie in each class. starts: ascending from 0.

    Examples
    --------
    >>> cells_by_class(np.array([0, 1, 7, 3]), (0, 1, 3))
    (1, 1, 2)
    """
    found = np.bincount(np.searchsorted(np.array(starts), values, side="right") - 1, minlength=len(starts))
    return tuple(found.tolist())
