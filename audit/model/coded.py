"""Texts that come again and again: each different one once, and which of them stands in each place."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Coded(Sequence[T]):
    """Entries as a sequence.

    texts: the different ones, in the order in which they come first. number: int32 (entries), the text of each.
    """

    texts: tuple[T, ...]
    number: NDArray[np.int32]

    @classmethod
    def of(cls, entries: Iterable[T]) -> Self:
        """These entries."""
        if isinstance(entries, cls):
            return entries
        place: dict[T, int] = {}
        number = np.array([place.setdefault(entry, len(place)) for entry in entries], dtype=np.int32)
        return cls(tuple(place), number)

    def __len__(self) -> int:
        return len(self.number)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return self.of(self.texts[text] for text in self.number[at].tolist())
        return self.texts[int(self.number[at])]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as of lists

    def __iter__(self) -> Iterator[T]:
        return map(self.texts.__getitem__, self.number.tolist())


class Labels(Coded[str]):
    """Labels of records; empty where a record has none."""
