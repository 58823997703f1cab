"""What a Parquet file says of its sizes, looked at before memory is taken for them.

The package that reads Parquet takes what a file says for true: a few bytes that say 2^61 values end the process, and a
column of one value repeated 10^9 times is a small file. So footer and page headers (Thrift, compact protocol: Apache
Parquet format, `parquet.thrift`; thrift-compact-protocol.md) are read here first, and nothing else of the file.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io.archive import FREE_OF_RATIO, HIGHEST_RATIO
from tableseal.audit.io.entries import check_entries, most_entries

_DEEPEST = 16
_ENDS = struct.Struct("<I4s")
Fields = dict[int, Any]
"""A Thrift structure: number of a field -> its value."""


class _DamagedError(Exception):
    """Not what the format says."""


def check_sizes(content: bytes, source: str, *, known: int | None = None) -> None:
    """Nothing if the sizes that a file says can be true and are not too large.

    known: how many values it must have, where something else says that; None: as many as a file of its size may have.

    Raises
    ------
    InputError: no Parquet file, a size beyond the file. LimitError: more values, or more bytes when it is unpacked,
        than a file of this size has.
    """
    try:
        entries, unpacked = _sizes(content)
    except (_DamagedError, IndexError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, _DamagedError) else "its footer is damaged"
        raise InputError(f"is not a readable Parquet file ({reason}).", at=source) from None
    if known is None:
        check_entries(entries, len(content), source)
    elif entries != known:
        raise InputError(f"has {entries:,} values, and {known:,} are expected.", at=source)
    most = FREE_OF_RATIO + HIGHEST_RATIO * len(content)
    if unpacked > most:
        raise LimitError(f"unpacks to {unpacked:,} bytes, more than the limit of {most:,}.", at=source)


def _sizes(content: bytes) -> tuple[int, int]:
    """Values, and bytes when it is unpacked."""
    if len(content) < 12 or not content.endswith(b"PAR1"):
        raise _DamagedError("it does not end as such a file does: it may be cut off")
    size, _ = _ENDS.unpack(content[-8:])
    start = len(content) - 8 - size
    if start < 4:
        raise _DamagedError("its footer is larger than the file")
    footer = _Reader(content, start).structure()
    groups = footer.get(4, [])
    columns = max([len(group[1]) for group in groups], default=1)
    rows = [_size(footer[3]), *(_size(group[3]) for group in groups)]
    entries, unpacked = max(max(rows), sum(rows[1:])) * columns, 0
    for group in groups:
        values = 0
        for chunk in group[1]:
            found = chunk[3]
            values += _size(found[5])
            unpacked += max(_size(found[6]), sum(_page_sizes(content, found, start)))
        entries = max(entries, values)
    return entries, unpacked


def _page_sizes(content: bytes, chunk: Fields, end: int) -> Iterator[int]:
    """Unpacked sizes of the pages of a column; their number of values is looked at, too."""
    at = min(chunk[9], chunk.get(11) or chunk[9])
    stop = at + _size(chunk[7])
    if not 4 <= at <= stop <= end:
        raise _DamagedError("a column lies outside of the file")
    while at < stop:
        reader = _Reader(content, at)
        page = reader.structure()
        for header in (page.get(5), page.get(7), page.get(8)):
            if header is not None and _size(header[1]) > most_entries(len(content)):
                raise _DamagedError("a page says more values than the file can have")
        at = reader.at + _size(page[3])
        if at > stop:
            raise _DamagedError("a page lies outside of its column")
        yield _size(page[2])


def _size(number: Any) -> int:
    if not isinstance(number, int) or number < 0:
        raise _DamagedError("a size is no number from 0 on")
    return number


@dataclass
class _Reader:
    """Reads structures of the compact protocol. at: position of the next byte."""

    content: bytes
    at: int

    def structure(self, depth: int = 0) -> Fields:
        """The fields of a structure."""
        if depth > _DEEPEST:
            raise _DamagedError("its footer is nested too deeply")
        found: Fields = {}
        number = 0
        while kind := self._byte():
            step, kind = kind >> 4, kind & 15
            number = number + step if step else self._signed()
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._number())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._number()
            if size > len(self.content) - self.at:
                raise _DamagedError("a list in its footer is longer than the file")
            return [self._value(head & 15, depth + 1) for _ in range(size)]
        if kind == 12:
            return self.structure(depth + 1)
        raise _DamagedError("its footer holds a kind of value that is not used there")

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        if size > len(self.content) - self.at:
            raise _DamagedError("a text in its footer is longer than the file")
        self.at += size
        return self.content[self.at - size : self.at]

    def _number(self) -> int:
        """A whole number from 0 on, seven bits a byte."""
        found = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise _DamagedError("a number in its footer does not end")

    def _signed(self) -> int:
        found = self._number()
        return (found >> 1) ^ -(found & 1)
