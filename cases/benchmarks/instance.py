"""A benchmark instance: one table with all its margins, and which of its cells are withheld."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array


@dataclass(frozen=True)
class Dimension:
    """A classification: its codes, the total first, and the position of each code's parent (-1 for the total)."""

    name: str
    codes: tuple[str, ...]
    parents: tuple[int, ...]

    @cached_property
    def position(self) -> dict[str, int]:
        """Code -> position in `codes`."""
        return {code: at for at, code in enumerate(self.codes)}

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Position of each group -> positions of its children."""
        below: dict[int, list[int]] = {}
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                below.setdefault(parent, []).append(child)
        return below


@dataclass(frozen=True)
class Instance:
    """One table and its pattern.

    Attributes
    ----------
    name: unique among instances; a pattern made by another program is part of it.
    magnitudes: values are magnitudes, not counts.
    dimensions: the classifications; cells are numbered in C order over their codes.
    values: int64 (cells).
    primary, withheld: bool (cells); primaries are withheld too.
    below, above: int64 (cells), distances that an intruder's interval of a primary must reach (0 elsewhere).
    """

    name: str
    magnitudes: bool
    dimensions: tuple[Dimension, ...]
    values: NDArray[np.int64] = field(repr=False)
    primary: NDArray[np.bool_] = field(repr=False)
    withheld: NDArray[np.bool_] = field(repr=False)
    below: NDArray[np.int64] = field(repr=False)
    above: NDArray[np.int64] = field(repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of codes of each dimension."""
        return tuple(len(d.codes) for d in self.dimensions)

    @cached_property
    def equations(self) -> csr_array:
        """All equations of the table: see `equations`."""
        return equations(self.dimensions)

    @cached_property
    def digest(self) -> str:
        """Fingerprint of everything but the name."""
        shape = [(d.name, d.codes, d.parents) for d in self.dimensions]
        digest = hashlib.sha256(repr((self.magnitudes, shape)).encode())
        for name in _ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()[:16]

    def codes(self) -> list[NDArray[np.str_]]:
        """Code of every cell, one array for each dimension."""
        grids = np.indices(self.shape).reshape(len(self.shape), -1)
        return [np.array(d.codes)[at] for d, at in zip(self.dimensions, grids, strict=True)]

    def save(self, path: Path) -> None:
        """Write the instance as .npz."""
        dimensions: dict[str, Any] = {f"codes_{d.name}": np.array(d.codes) for d in self.dimensions}
        parents: dict[str, Any] = {f"parents_{d.name}": np.array(d.parents) for d in self.dimensions}
        arrays: dict[str, Any] = {name: getattr(self, name) for name in _ARRAYS}
        written: dict[str, Any] = {
            "name": self.name,
            "magnitudes": self.magnitudes,
            "names": np.array([d.name for d in self.dimensions]),
        }
        np.savez(path, **written, **dimensions, **parents, **arrays)

    @staticmethod
    def load(path: Path) -> "Instance":
        """Read what `save` wrote."""
        with np.load(path) as file:
            dimensions = tuple(
                Dimension(n, tuple(file[f"codes_{n}"].tolist()), tuple(file[f"parents_{n}"].tolist()))
                for n in file["names"].tolist()
            )
            arrays = {name: file[name] for name in _ARRAYS}
            return Instance(str(file["name"]), bool(file["magnitudes"]), dimensions, **arrays)


_ARRAYS = ("values", "primary", "withheld", "below", "above")


def equations(dimensions: tuple[Dimension, ...]) -> csr_array:
    """Every group is the sum of its children, at every combination of the other dimensions.

    int64 csr (equations x cells): +1 for the children, -1 for the group.
    """
    shape = tuple(len(d.codes) for d in dimensions)
    cell = np.arange(prod(shape)).reshape(shape)
    rows, columns, entries = [], [], []
    count = 0
    for axis, dimension in enumerate(dimensions):
        for group, children in dimension.children.items():
            for member, entry in [(group, -1), *((child, 1) for child in children)]:
                at = np.take(cell, member, axis=axis).ravel()
                rows.append(np.arange(count, count + len(at)))
                columns.append(at)
                entries.append(np.full(len(at), entry, np.int64))
            count += len(at)
    place = (np.concatenate(rows), np.concatenate(columns))
    return csr_array(coo_array((np.concatenate(entries), place), shape=(count, cell.size)))
