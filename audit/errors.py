"""Errors of the package.

    TablesealError
    ├── InputError            this input can never be used: mend it (exit 2)
    │   ├── AdditivityError   published values do not add up
    │   ├── ContradictionError released intervals that no table satisfies
    │   ├── LackingDataError  a rule lacks what it needs of a cell
    │   └── PluginError       what an installed package adds cannot be used
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


class LackingDataError(InputError):
    """A rule of the policy lacks what it needs to judge a cell."""


class PluginError(InputError):
    """What another package adds (see audit.plugins) cannot be used."""


@dataclass(frozen=True)
class Imbalance:
    """A released sum that its released parts cannot give, in words and decimals.

    name: full name of the sum. table: that lists it; row: of that table's data, from 1 (None: it has no row).
    cell: (variable, code) of each variable.
    parts: (name, value) of the first parts; count: how many there are. rest: there are parts that are not released.
    hint: what may be the reason, or "".
    """

    name: str
    table: str
    row: int | None
    cell: tuple[tuple[str, str], ...]
    expected: str
    found: str
    difference: str
    parts: tuple[tuple[str, str], ...]
    count: int
    rest: bool
    hint: str


class AdditivityError(InputError):
    """Published values that should add up do not (equation, expected, found and difference are in the text).

    imbalances: the first of them, as data.
    """

    def __init__(self, text: str, places: Iterable[Place] = (), imbalances: tuple[Imbalance, ...] = ()) -> None:
        super().__init__(text, places)
        self.imbalances = imbalances


class ContradictionError(InputError):
    """No table fits everything that is released; the text names a small set of statements that conflict."""


class LimitError(TablesealError):
    """A limit on size, time or memory was reached before there was an answer."""
