"""Errors of the package.

    TablesealError
    ├── InputError            this input can never be used: mend it (exit 2)
    │   ├── AdditivityError   published values do not add up
    │   └── ContradictionError released intervals that no table satisfies
    └── LimitError            a stated limit (size, memory) was reached (exit 3)

Every message says where (file, row, column or cell), what was found and what was expected. Values of withheld
cells (agency knowledge) never appear in a message; published values may.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A row of the input that an error speaks of, for programs: the text says it in words.

    source: as messages name it: a file, or `release.json: tables[0] (by_size).cells`. row: counts from 1.
    """

    source: str
    row: int


class TablesealError(Exception):
    """Base of every error that a user may see; its text is complete and needs no traceback.

    places: the rows that are in question, if the text does not begin with the place of the only one.
    """

    def __init__(self, text: str = "", places: Iterable[Place] = ()) -> None:
        super().__init__(text)
        self.places = tuple(places)


class InputError(TablesealError):
    """The input cannot be used as it stands."""


class AdditivityError(InputError):
    """Published values that should add up do not (equation, expected, found and difference are in the text)."""


class ContradictionError(InputError):
    """No table fits everything that is released; the text names a small set of statements that conflict."""


class LimitError(TablesealError):
    """A limit on size, time or memory was reached before there was an answer."""
