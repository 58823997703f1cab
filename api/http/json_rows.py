"""The rows of a JSON document that is larger than what should be in memory at once."""

import codecs
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

_DECODER = json.JSONDecoder(parse_float=Decimal)
_SPACE = " \t\r\n"


def rows_in(pieces: Iterable[bytes], member: str) -> Iterator[dict[str, Any]]:
    """The objects in the list `member` of a JSON object, one after another; fractions are Decimals.

    Parameters
    ----------
    pieces: the document in UTF-8, cut anywhere.

    Raises
    ------
    ValueError: no JSON object.
    """
    text = _Text(pieces)
    text.expect("{")
    while text.next() == '"':
        key = text.value()
        text.expect(":")
        if key == member and text.next() == "[":
            yield from _entries(text)
        else:
            text.value()
        if text.next() == ",":
            text.expect(",")


def _entries(text: "_Text") -> Iterator[dict[str, Any]]:
    text.expect("[")
    while text.next() != "]":
        yield text.value()
        if text.next() == ",":
            text.expect(",")
    text.expect("]")


class _Text:
    """The text in hand, and more where that ends."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0

    def next(self) -> str:
        """The next sign that is no space; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def expect(self, sign: str) -> None:
        """Go behind the next sign, which must be this one."""
        if self.next() != sign:
            raise ValueError(f"expected {sign}")
        self._at += 1

    def value(self) -> Any:
        """The next value."""
        self.next()
        while True:
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            if end == len(self._text) and self._more():  # a number may go on
                continue
            self._at = end
            return found

    def _more(self) -> bool:
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._text = self._text[self._at :] + self._decoder.decode(piece)
        self._at = 0
        return True
