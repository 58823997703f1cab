"""Recodings (.grc): codes of a variable put together, or a tree of codes closed."""

from dataclasses import dataclass

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.words import lines_of
from tableseal.audit.wording import quoted

TREE = "<TREERECODE>"


@dataclass(frozen=True)
class Span:
    """Old codes from one to another, as they are sorted; None: without end. A single code: both are the same."""

    first: str | None
    last: str | None

    def holds(self, code: str) -> bool:
        """Whether an old code is meant; whole numbers are compared as numbers, and blanks around codes say nothing."""
        key = _key(code)
        low, high = self.first is None or _key(self.first) <= key, self.last is None or key <= _key(self.last)
        return low and high


@dataclass(frozen=True)
class Recode:
    """A recoding: groups (new code -> old codes), in the order of the file; or closed: codes below which nothing is
    shown. missing: new codes of a missing entry."""

    groups: tuple[tuple[str, tuple[Span, ...]], ...] = ()
    closed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def new(self, code: str) -> str:
        """The new code of an old one; itself if nothing is said of it."""
        return next((new for new, spans in self.groups if any(span.holds(code) for span in spans)), code)


def read_recode(text: str, source: str) -> Recode:
    """A .grc file: `new: a,b`, `new: 5-7`, `new: -49`, `new: 50-`; or `<TREERECODE>` and codes.

    Raises
    ------
    InputError: a line without a colon, an empty code, an old code or a new code that is there twice.
    """
    lines = [(number, line.strip()) for number, line in enumerate(lines_of(text), start=1) if line.strip()]
    if lines and lines[0][1].upper() == TREE:
        return Recode(closed=tuple(line for _, line in lines[1:]))
    groups: dict[str, tuple[Span, ...]] = {}
    missing: tuple[str, ...] = ()
    said: set[str] = set()
    for number, line in lines:
        place = Place(source, line=number)
        if line.upper().startswith("<MISSING>"):
            missing = tuple(line[len("<MISSING>") :].split())
            continue
        new, colon, old = line.partition(":")
        new = new.strip().strip('"').strip()
        if not colon or not new:
            raise InputError(
                found=quoted(line), expected='a new code, a colon and old codes, such as "1: 3,5-7"', at=place
            )
        if new in groups:
            raise InputError(f"the new code {quoted(new)} is there twice.", at=place)
        spans = tuple(_span(part, place) for part in old.split(","))
        for span in spans:
            if span.first is not None and span.first == span.last:
                if span.first in said:
                    raise InputError(f"the old code {quoted(span.first)} is there twice.", at=place)
                said.add(span.first)
        groups[new] = spans
    if not groups:
        raise InputError("recodes nothing.", at=source)
    return Recode(tuple(groups.items()), missing=missing)


def _span(part: str, place: Place) -> Span:
    text = part.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return Span(text[1:-1].strip(), text[1:-1].strip())
    first, dash, last = (piece.strip() for piece in text.partition("-"))
    if not first and not last:
        raise InputError(found=quoted(part), expected="an old code, or two with a dash between them", at=place)
    return Span(first or None, last or None) if dash else Span(first, first)


def _key(code: str) -> tuple[int, int, str]:
    text = code.strip()
    return (0, int(text), "") if text.isascii() and text.isdigit() else (1, 0, text)
