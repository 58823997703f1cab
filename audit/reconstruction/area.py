"""One area: its inner cells that may be above 0, and the published counts that are sums of them."""

from dataclasses import dataclass
from math import prod

import numpy as np

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.linear.naming import plural
from tableseal.audit.reconstruction.tables import AreaTables
from tableseal.audit.wording import quoted

MOST = 2_000_000
"""Combinations of the codes that an area has at all."""


@dataclass(frozen=True)
class Area:
    """The system of an area.

    units: counted in it. inner: int64 (cells), number of each inner cell among all combinations, row by row. rows:
    int64 (cells x margins), the published counts that each is part of; cells of one count of the table with the most of
    them stand together. value: int64 (rows), these counts.
    """

    units: int
    inner: Ints
    rows: Ints
    value: Ints


def area_of(tables: AreaTables, area: int) -> Area:
    """The system of an area; published zeros are zeros of all inner cells below them.

    Raises
    ------
    InputError: tables that contradict each other. LimitError: too many combinations.
    """
    own = [slice(int(m.start[area]), int(m.start[area + 1])) for m in tables.margins]
    totals = [int(m.value[rows].sum()) for m, rows in zip(tables.margins, own, strict=True)]
    name = quoted(tables.areas[area])
    if len(set(totals)) > 1:
        k = next(k for k, total in enumerate(totals) if total != totals[0])
        first, other = tables.margins[0].name, tables.margins[k].name
        text = f"area {name}: {quoted(first)} counts {totals[0]:,} in all, {quoted(other)} {totals[k]:,}."
        raise InputError(text)
    codes = _codes(tables, own)
    size = prod(len(found) for found in codes)
    if size > MOST:
        text = f"area {name}: {size:,} combinations of its codes, more than {MOST:,}; leave a variable out."
        raise LimitError(text)
    grid = [found.ravel() for found in np.meshgrid(*codes, indexing="ij")]
    kept = np.ones(size, np.bool_)
    numbers, published = [], []
    for margin, rows in zip(tables.margins, own, strict=True):
        at = np.zeros(size, np.int64)
        for variable, width, group in zip(margin.variables, margin.sizes, margin.group, strict=True):
            at = at * width + group[grid[variable]]
        place = np.searchsorted(margin.cell[rows], at)
        there = np.append(margin.cell[rows], -1)[place] == at
        kept &= there
        numbers.append(place)
        published.append(margin.value[rows])
    shifts = np.cumsum([0, *map(len, published)])[:-1]
    cells = np.flatnonzero(kept)
    if len(cells):
        finest = max(range(len(published)), key=lambda k: len(published[k]))
        cells = cells[np.argsort(numbers[finest][cells], kind="stable")]
    inner = np.zeros(len(cells), np.int64)
    for found, width in zip(grid, tables.inner, strict=True):
        inner = inner * width + found[cells]
    rows_of = np.stack([place[cells] + shift for place, shift in zip(numbers, shifts, strict=True)], axis=1)
    value = np.concatenate(published) if published else np.zeros(0, np.int64)
    if len(np.unique(rows_of)) < len(value):
        raise contradiction(tables, area)
    return Area(totals[0], inner, rows_of, value)


def contradiction(tables: AreaTables, area: int) -> InputError:
    """The tables of an area cannot all be true."""
    counts = plural(len(tables.margins), "table")
    return InputError(f"area {quoted(tables.areas[area])}: no table of inner cells fits all of its {counts}.")


def _codes(tables: AreaTables, own: list[slice]) -> list[Ints]:
    """For each variable the inner codes that no table of it excludes by itself."""
    possible = [np.ones(size, np.bool_) for size in tables.inner]
    for margin, rows in zip(tables.margins, own, strict=True):
        if not margin.sizes:
            continue
        digits = np.unravel_index(margin.cell[rows], margin.sizes)
        for digit, variable, width, group in zip(digits, margin.variables, margin.sizes, margin.group, strict=True):
            there = np.zeros(width, np.bool_)
            there[digit] = True
            possible[variable] &= there[group]
    return [np.flatnonzero(found) for found in possible]
