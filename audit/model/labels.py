"""Labels of records: each different text once, and which of them each record has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Labels(Sequence[str]):
    """Texts as a sequence; empty where a record has none.

    texts: the different ones. number: int32 (records), the text of each record.
    """

    texts: tuple[str, ...]
    number: NDArray[np.int32]

    @staticmethod
    def of(labels: Iterable[str]) -> "Labels":
        """Labels of records, one a record."""
        if isinstance(labels, Labels):
            return labels
        place: dict[str, int] = {}
        number = np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int32)
        return Labels(tuple(place), number)

    def __len__(self) -> int:
        return len(self.number)

    @overload
    def __getitem__(self, record: int) -> str: ...
    @overload
    def __getitem__(self, record: slice) -> Sequence[str]: ...
    def __getitem__(self, record: int | slice) -> str | Sequence[str]:
        if isinstance(record, slice):
            return Labels(self.texts, self.number[record])
        return self.texts[int(self.number[record])]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.number.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as of lists
