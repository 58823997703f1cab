"""How something was asked for, so that what to do next is said in the same way."""

from collections.abc import Sequence
from typing import Protocol

from tableseal.audit.errors import OptionName
from tableseal.audit.said import Part


class Asked(Protocol):
    """A way in: the command (`Call`), or Python (`api/python/advice.py`)."""

    def spelled(self, part: Part) -> str:
        """Part of a text."""
        ...

    def words(self, text: str) -> str:
        """A text with its parts spelled."""
        ...

    def protecting(self) -> str:
        """The search for further cells, with all that is to be kept of it."""
        ...

    def with_option(self, option: OptionName, without: Sequence[str] = ()) -> str:
        """The same again with an option that takes the place of what was said for it; without: names of options that
        are left out."""
        ...

    def writing(self, *, released: bool, kept: bool) -> str:
        """The same search again, writing what goes out and what is kept."""
        ...

    def by_method(self, method: str, keeping: Sequence[str]) -> str:
        """The search by a method, written; keeping: names of options that are kept if they were given."""
        ...
