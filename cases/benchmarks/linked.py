"""Linked tables as one benchmark instance: a cell that several tables show is one cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from cases.benchmarks.instance import Instance
from tableseal.audit.errors import InputError

Number = TypeVar("Number", np.int64, np.float64)

Key = frozenset[tuple[str, str]]
"""What a cell is about: (dimension, code), without dimensions at their total."""


@dataclass(frozen=True)
class Linked:
    """Tables that share cells.

    tables: with the same codes for the same dimensions. withheld: bool (distinct cells, in the order of first listing).
    """

    name: str
    tables: tuple[Instance, ...] = field(repr=False)
    withheld: NDArray[np.bool_] = field(repr=False)

    @cached_property
    def position(self) -> dict[Key, int]:
        """Key -> position among the distinct cells."""
        found: dict[Key, int] = {}
        for table in self.tables:
            for key in keys(table):
                found.setdefault(key, len(found))
        return found

    @cached_property
    def places(self) -> list[NDArray[np.int64]]:
        """int64, for each table: position of its cells among the distinct ones."""
        return [np.array([self.position[key] for key in keys(table)], np.int64) for table in self.tables]

    @cached_property
    def values(self) -> NDArray[np.int64]:
        """int64 (distinct cells)."""
        return self.merged([table.values for table in self.tables])

    @cached_property
    def primary(self) -> NDArray[np.bool_]:
        """bool (distinct cells): sensitive in some table."""
        return self.merged([table.primary.astype(np.int64) for table in self.tables]) > 0

    @cached_property
    def below(self) -> NDArray[np.int64]:
        """int64 (distinct cells): see `Instance`."""
        return self.merged([table.below for table in self.tables])

    @cached_property
    def above(self) -> NDArray[np.int64]:
        """int64 (distinct cells): see `Instance`."""
        return self.merged([table.above for table in self.tables])

    @cached_property
    def equations(self) -> csr_array:
        """The equations of all tables over the distinct cells."""
        rows = []
        for table, place in zip(self.tables, self.places, strict=True):
            own = table.equations.tocoo()
            rows.append(csr_array((own.data, (own.row, place[own.col])), shape=(own.shape[0], len(self.position))))
        return csr_array(vstack(rows))

    def merged(self, columns: list[NDArray[Number]]) -> NDArray[Number]:
        """One column of each table as one over the distinct cells.

        Raises
        ------
        InputError: tables differ about a cell.
        """
        result = np.zeros(len(self.position), columns[0].dtype)
        for place, column in reversed(list(zip(self.places, columns, strict=True))):  # the first listing counts
            result[place] = column
        for table, place, column in zip(self.tables, self.places, columns, strict=True):
            wrong = int((result[place] != column).sum())
            if wrong:
                raise InputError(f"{self.name}: {wrong:,} cells of {table.name} are not what a linked table says.")
        return result


def link(name: str, tables: tuple[Instance, ...]) -> Linked:
    """Tables as one instance of which only the primaries are withheld."""
    linked = Linked(name, tables, np.empty(0, np.bool_))
    return Linked(name, tables, linked.primary)


def margins_of(whole: Instance, kept: Sequence[tuple[int, ...]]) -> Linked:
    """Linked tables: of a table with all its margins those over some of its dimensions each, as one instance."""
    shape = whole.shape
    tables = []
    for axes in kept:
        at = tuple(slice(None) if axis in axes else 0 for axis in range(len(shape)))
        values, below, above = (c.reshape(shape)[at].ravel() for c in (whole.values, whole.below, whole.above))
        primary = whole.primary.reshape(shape)[at].ravel()
        name = f"{whole.name} {''.join(whole.dimensions[a].name for a in axes)}"
        own = tuple(whole.dimensions[axis] for axis in axes)
        tables.append(Instance(name, whole.magnitudes, own, values, primary, primary, below, above))
    return link(whole.name, tuple(tables))


def tables_of(instance: Instance | Linked) -> tuple[Instance, ...]:
    """The tables that an instance consists of."""
    return instance.tables if isinstance(instance, Linked) else (instance,)


def positions(instance: Instance | Linked) -> dict[Key, int]:
    """Key of each cell -> its position in the instance."""
    return instance.position if isinstance(instance, Linked) else {k: at for at, k in enumerate(keys(instance))}


def keys(table: Instance) -> Iterator[Key]:
    """What each cell of a table is about, in order."""
    totals = [d.codes[0] for d in table.dimensions]
    for codes in zip(*(column.tolist() for column in table.codes()), strict=True):
        yield frozenset(
            (d.name, code) for d, code, total in zip(table.dimensions, codes, totals, strict=True) if code != total
        )
