"""A frequency table of leaf cells, whatever its number of variables: what the risk measures of whole tables take."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place, unknown


@dataclass(frozen=True)
class Axis:
    """One variable: its leaf codes, and for codes of groups the positions of their leaves."""

    name: str
    codes: tuple[str, ...]
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)

    def positions(self, code: str) -> tuple[int, ...]:
        """Positions of the leaves of a code.

        Raises
        ------
        InputError: no such code.
        """
        if code in self.codes:
            return (self.codes.index(code),)
        if code not in self.groups:
            shown = ", ".join(self.codes[:8]) + (", ..." if len(self.codes) > 8 else "")
            raise InputError(f'variable "{self.name}" has no code "{code}" here; its codes are {shown}.')
        return self.groups[code]


@dataclass(frozen=True)
class Slice:
    """The part of a table at one code of one variable; `support`: positions in the table's `values`."""

    axis: str
    code: str
    cells: int
    support: NDArray[np.int64]


@dataclass(frozen=True)
class CountTable:
    """Counts of leaf cells.

    Attributes
    ----------
    place: file or table.
    axes: the variables; the table has a cell for every combination of their codes.
    index: int64 (m,), ascending: positions (row-major) of the cells that are listed; all others are 0.
    values: int64 (m,): their counts, none negative.
    bare: its codes are nothing but positions in a matrix, so that another matrix has the same cells only if it has the
        same shape.
    """

    place: Place
    axes: tuple[Axis, ...]
    index: NDArray[np.int64]
    values: NDArray[np.int64]
    bare: bool = False

    @staticmethod
    def of_matrix(name: str, counts: NDArray[np.int64]) -> "CountTable":
        """Of counts (rows x columns): its variables are called `row` and `column`, their codes 1, 2, ...

        Raises
        ------
        InputError: the counts sum to more than 2^62.
        """
        axes = tuple(
            Axis(variable, tuple(str(k + 1) for k in range(size)))
            for variable, size in zip(("row", "column"), counts.shape, strict=True)
        )
        index = np.flatnonzero(counts).astype(np.int64)
        return CountTable(Place(name), axes, index, counts.ravel()[index], bare=True)

    def __post_init__(self) -> None:
        if float(self.values.sum(dtype=np.float64)) > 2**62:
            raise InputError("the counts sum to more than 2^62.", at=self.place)
        self.index.setflags(write=False)
        self.values.setflags(write=False)

    @property
    def name(self) -> str:
        """File or table."""
        return str(self.place)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of codes of each variable."""
        return tuple(len(axis.codes) for axis in self.axes)

    @property
    def cells(self) -> int:
        """K, the number of leaf cells, empty ones included."""
        return prod(self.shape)

    def dense(self) -> NDArray[np.int64]:
        """The counts as an array of `shape`."""
        flat = np.zeros(self.cells, dtype=np.int64)
        flat[self.index] = self.values
        return flat.reshape(self.shape)

    def slices(self) -> Iterator[Slice]:
        """The part at each code of each variable with more than one code; nothing if there is only one variable."""
        wide = [axis for axis, size in enumerate(self.shape) if size > 1]
        if len(wide) < 2:
            return
        places = np.unravel_index(self.index, self.shape)
        for axis in wide:
            size = self.shape[axis]
            order = np.argsort(places[axis], kind="stable")
            ends = np.searchsorted(places[axis][order], np.arange(size + 1))
            for position, code in enumerate(self.axes[axis].codes):
                support = order[ends[position] : ends[position + 1]].astype(np.int64)
                yield Slice(self.axes[axis].name, code, self.cells // size, support)

    def where(self, chosen: Mapping[str, Sequence[str]]) -> "CountTable":
        """The sub-table at the given codes (leaves or groups) of some variables.

        A variable cut down to one code is dropped.

        Raises
        ------
        InputError: no such variable or code.
        """
        names = [axis.name for axis in self.axes]
        for name in chosen:
            if name not in names:
                raise unknown("variable", name, names, self.place)
        places = np.unravel_index(self.index, self.shape) if self.axes else ()
        keep = np.ones(len(self.index), dtype=np.bool_)
        axes: list[Axis] = []
        moved: list[NDArray[np.int64]] = []
        for axis, place in zip(self.axes, places, strict=True):
            if axis.name not in chosen:
                axes.append(axis)
                moved.append(np.asarray(place, dtype=np.int64))
                continue
            leaves = sorted({leaf for code in chosen[axis.name] for leaf in axis.positions(code)})
            new = np.full(len(axis.codes), -1, dtype=np.int64)
            new[leaves] = np.arange(len(leaves))
            keep &= new[place] >= 0
            if len(leaves) > 1:
                axes.append(Axis(axis.name, tuple(axis.codes[leaf] for leaf in leaves)))
                moved.append(new[place])
        kept = tuple(place[keep] for place in moved)
        index = np.zeros(int(keep.sum()), dtype=np.int64)
        if axes:
            index = np.ravel_multi_index(kept, tuple(len(axis.codes) for axis in axes)).astype(np.int64)
        return CountTable(self.place, tuple(axes), index, self.values[keep])


def aligned(original: CountTable, protected: CountTable) -> tuple[CountTable, CountTable]:
    """The two tables over the same axes and the same listed cells: those that one of them lists.

    Codes that only the original has are 0 in the protected table.

    Raises
    ------
    InputError: other variables, codes that the original does not have, or matrices of different shapes.
    """
    if original.bare and protected.bare and original.shape != protected.shape:
        (rows, columns), (found_rows, found_columns) = original.shape, protected.shape
        raise InputError(
            f"has {found_rows} x {found_columns} cells, expected {rows} x {columns} as in {original.name}. Both tables "
            "need the same cells.",
            at=protected.place,
        )
    names = [axis.name for axis in original.axes]
    others = [axis.name for axis in protected.axes]
    if sorted(names) != sorted(others):
        text = f"has the variables {', '.join(others)}, expected those of {original.name}: {', '.join(names)}."
        raise InputError(text, at=protected.place)
    places = list(np.unravel_index(protected.index, protected.shape)) if names else []
    moved: list[NDArray[np.int64]] = []
    for axis in original.axes:
        at = others.index(axis.name)
        found = protected.axes[at].codes
        place = {code: position for position, code in enumerate(axis.codes)}
        strange = [code for code in found if code not in place]
        if strange:
            raise InputError(
                f'variable "{axis.name}" has {len(found)} codes and {original.name} has {len(axis.codes)}; '
                f'"{strange[0]}" is not among them. Both tables need the same cells.',
                at=protected.place,
            )
        moved.append(np.array([place[code] for code in found], dtype=np.int64)[places[at]])
    flat = np.zeros(len(protected.index), dtype=np.int64)
    if names:
        flat = np.ravel_multi_index(tuple(moved), original.shape).astype(np.int64)
    index = np.union1d(original.index, flat)
    first, second = np.zeros(len(index), dtype=np.int64), np.zeros(len(index), dtype=np.int64)
    first[np.searchsorted(index, original.index)] = original.values
    second[np.searchsorted(index, flat)] = protected.values
    return (
        CountTable(original.place, original.axes, index, first),
        CountTable(protected.place, original.axes, index, second),
    )
