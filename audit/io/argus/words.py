"""Lines of tau-ARGUS files (.rda, .arb) -> words, each with its place."""

import re
from dataclasses import dataclass

from tableseal.audit.errors import InputError, Place
from tableseal.audit.wording import listing, quoted, suggestion

_QUOTE = '"'
_KEYWORD = re.compile(r"<[^<>\s\"]*>")


@dataclass(frozen=True)
class Word:
    """One word of a line.

    text: without its quotes. kind: a keyword (`<SAFE>`, written in capitals here), a text in quotes, a sign that
    stands by itself, or plain. at: its line and column.
    """

    text: str
    kind: str
    at: Place

    @property
    def shown(self) -> str:
        """As messages show it."""
        return self.text if self.kind == "keyword" else quoted(self.text)


def words(line: str, at: Place, signs: str = "") -> list[Word]:
    """The words of a line. at: the line; signs: characters that are words by themselves outside of quotes.

    Raises
    ------
    InputError: a quotation mark that is not closed; names line and column.
    """
    found: list[Word] = []
    start = 0
    while start < len(line):
        here = _at(at, start)
        char = line[start]
        if char.isspace():
            start += 1
        elif char == _QUOTE:
            end = line.find(_QUOTE, start + 1)
            if end < 0:
                raise InputError("a quotation mark is opened and never closed in this line.", at=here)
            found.append(Word(line[start + 1 : end], "quoted", here))
            start = end + 1
        elif keyword := _KEYWORD.match(line, start):
            found.append(Word(keyword[0].upper(), "keyword", here))
            start = keyword.end()
        elif char in signs:
            found.append(Word(char, "sign", here))
            start += 1
        else:
            end = start + 1
            while end < len(line) and not (line[end].isspace() or line[end] == _QUOTE or line[end] in signs):
                end += 1
            found.append(Word(line[start:end], "plain", here))
            start = end
    return found


def lines_of(text: str) -> list[str]:
    """The lines of a text, whatever system wrote it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def unknown_keyword(word: Word, known: tuple[str, ...]) -> InputError:
    """A keyword that there is not here; these are allowed."""
    text = f"keyword {word.shown} is not known here{suggestion(word.text, known)}; known keywords are "
    return InputError(f"{text}{listing(known, 60)}.", at=word.at, found=word.shown, expected=listing(known, 60))


def whole_number(word: Word, what: str, least: int = 0) -> int:
    """The whole number that a word says.

    Raises
    ------
    InputError: it says none, or one below `least`; `what` says what it is for.
    """
    if not re.fullmatch(r"[0-9]{1,9}", word.text) or int(word.text) < least:
        expected = f"a whole number of at least {least} ({what})"
        raise InputError(found=word.shown, expected=expected, at=word.at)
    return int(word.text)


def _at(line: Place, start: int) -> Place:
    return Place(line.source, line=line.line, character=start + 1)
