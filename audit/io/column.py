"""One column as read: each different text once, and which of them stands in each row.

Codes, statuses and marks are the same few texts again and again, so whatever a text means is found once for each
different one and spread over the rows as an array.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tableseal.audit.model.coded import Coded

T = TypeVar("T")


class Column(Coded[str | None]):
    """The entries of a column, as a sequence of texts (None where there is nothing)."""

    def at(self, rows: NDArray[np.bool_]) -> "Column":
        """The column of some rows."""
        kept, number = np.unique(self.number[rows], return_inverse=True)
        return Column(tuple(self.texts[text] for text in kept.tolist()), number.astype(np.int32))

    def each(self, found: Sequence[T]) -> list[T]:
        """What was found for each different text, for every row."""
        return list(map(found.__getitem__, self.number.tolist()))

    def rewritten(self, new: Callable[[str | None], str | None]) -> "Column":
        """The column with every text put through a function."""
        changed = Column.of(map(new, self.texts))
        return Column(changed.texts, changed.number[self.number])

    def spread(self, each: Sequence[object], kind: DTypeLike) -> NDArray[Any]:
        """kind (rows): what was found for each different text."""
        return np.array(each, dtype=kind)[self.number]

    def rows_with(self, texts: Collection[str | None]) -> NDArray[np.int64]:
        """Rows in which one of these texts stands, from the first one downward."""
        return np.flatnonzero(self.spread([text in texts for text in self.texts], np.bool_))

    def first(self, text: str | None) -> int:
        """The first row in which a text stands, which is one of `texts`."""
        return int(np.argmax(self.number == self.texts.index(text)))

    def counts(self) -> NDArray[np.int64]:
        """int64 (texts): in how many rows each text stands."""
        return np.bincount(self.number, minlength=len(self.texts))


NOTHING = Column((), np.zeros(0, np.int32))
"""A column without rows."""
