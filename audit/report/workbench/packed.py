"""One file of named sections, each compressed on its own, so that any of them can be read without the others."""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"tableseal/workbench/1\n"

BLOCK = 32
"""Entries of a list that are compressed together: 100 scattered ones cost 100 blocks, a line of a map few."""

_LEVEL = 5
_COUNT = 8
"""Bytes of the length of the directory."""

Read = Callable[[int, int], bytes]
"""From where to where -> the bytes of the file."""


def packed(
    documents: Mapping[str, Any], columns: Mapping[str, NDArray[Any]], lists: Mapping[str, Sequence[Any]]
) -> bytes:
    """The file: JSON values that are read as a whole, columns of numbers, and lists of JSON values that are read entry
    by entry. Same input, same bytes."""
    sections: list[bytes] = []
    directory: dict[str, list[Any]] = {}
    at = 0

    def add(name: str, content: bytes, *more: Any) -> None:
        nonlocal at
        squeezed = zlib.compress(content, _LEVEL)
        sections.append(squeezed)
        directory[name] = [at, len(squeezed), *more]
        at += len(squeezed)

    for name, value in documents.items():
        add(name, _json(value))
    for name, column in columns.items():
        little = np.ascontiguousarray(column).astype(column.dtype.newbyteorder("<"))
        add(name, little.tobytes(), little.dtype.str, list(little.shape))
    for name, entries in lists.items():
        blocks = [
            zlib.compress(_json(entries[first : first + BLOCK]), _LEVEL) for first in range(0, len(entries), BLOCK)
        ]
        ends = np.cumsum([at, *map(len, blocks)], dtype=np.int64)
        sections += blocks
        at = int(ends[-1])
        add(name, ends.astype("<i8").tobytes(), "<i8", [len(ends)])
        add(f"{name}.length", _json(len(entries)))
    head = zlib.compress(_json(directory), _LEVEL)
    return b"".join([MAGIC, len(head).to_bytes(_COUNT, "little"), head, *sections])


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


class Packed:
    """A packed file, of which only what is asked for is read."""

    def __init__(self, read: Read) -> None:
        first = len(MAGIC) + _COUNT
        start = read(0, first)
        if start[: len(MAGIC)] != MAGIC:
            raise ValueError("not a packed report")
        length = int.from_bytes(start[len(MAGIC) :], "little")
        self._read = read
        self._directory: dict[str, list[Any]] = json.loads(zlib.decompress(read(first, first + length)))
        self._base = first + length

    def document(self, name: str) -> Any:
        """A JSON value."""
        return json.loads(self._section(name))

    def column(self, name: str) -> NDArray[Any]:
        """A column of numbers."""
        _, _, kind, shape = self._directory[name]
        return np.frombuffer(self._section(name), dtype=kind).reshape(shape)

    def length(self, name: str) -> int:
        """How many entries a list has."""
        return int(self.document(f"{name}.length"))

    def entries(self, name: str, wanted: Sequence[int]) -> dict[int, Any]:
        """Entries of a list by their places; each block is read once."""
        ends = self.column(name)
        found: dict[int, Any] = {}
        for block in sorted({n // BLOCK for n in wanted}):
            content = self._read(self._base + int(ends[block]), self._base + int(ends[block + 1]))
            found |= dict(enumerate(json.loads(zlib.decompress(content)), block * BLOCK))
        return {n: found[n] for n in wanted}

    def _section(self, name: str) -> bytes:
        at, length = self._directory[name][:2]
        return zlib.decompress(self._read(self._base + at, self._base + at + length))
