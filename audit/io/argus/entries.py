"""Entries of a .tab file: numbers as they are written in many countries, and status letters."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.metadata import Metadata
from tableseal.audit.io.argus.records import Record
from tableseal.audit.io.numbers import decimal
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.wording import listing, quoted

_NOTHING: Final = frozenset(("", "-", "x", "X", "."))
"""Entries of a column of numbers that say that there is none: of an empty cell, or of a withheld one (`.`: SAS)."""


class Numbers:
    """Entries of a data file as exact numbers."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._known: dict[str, Fraction] = {}

    def read(self, record: Record, at: int | None) -> Fraction | None:
        """The number in a column; None: nothing is given.

        Raises
        ------
        InputError: something else, which is not shown.
        """
        if at is None:
            return None
        text = record.entries[at].strip()
        if text in _NOTHING:
            return None
        known = self._known.get(text)
        if known is not None:
            return known
        try:
            if "," in text and "." in text:
                raise ValueError
            found = self._known[text] = decimal(text.replace(",", "."))
            return found
        except ValueError:
            place = Place(self._source, line=record.line, column=at + 1)
            expected = "a number with a decimal point or comma (its text is not shown: it may be confidential)"
            raise InputError(found="something else", expected=expected, at=place) from None


class Statuses:
    """Status letters as words."""

    def __init__(self, metadata: Metadata, letters: Mapping[str, str], column: int | None, source: str) -> None:
        usual = {letter: status.word for letter, status in SCHEMES["tau-argus"].items() if letter}
        declared = {metadata.safe: "published", metadata.unsafe: "primary", metadata.protect: "must_publish"}
        self._words = {"": ""} | usual | declared | {letter.strip().upper(): word for letter, word in letters.items()}
        self._column, self._source = column, source

    def read(self, record: Record) -> str:
        """The word of a release file; empty where there is no column or nothing in it.

        Raises
        ------
        InputError: a letter that nobody explains.
        """
        if self._column is None:
            return ""
        letter = record.entries[self._column].strip()
        word = self._words.get(letter.upper())
        if word is None:
            known = [known for known in self._words if known and not known.isdigit()]
            place = Place(self._source, line=record.line, column=self._column + 1)
            expected = f"one of {listing(known)}, or what <SAFE>, <UNSAFE> and <PROTECT> declare"
            raise InputError(found=f"status {quoted(letter)}", expected=expected, at=place)
        return word
