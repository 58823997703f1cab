"""The text of a PC-Axis file: its encoding, its keywords, and where its data begin.

Sources: PX-file format, axis-version 2013 (Statistics Sweden): rules for keywords, languages, sub-keys, values over
several lines; CHARSET and CODEPAGE.
"""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.files import text_of
from tableseal.audit.model import Note
from tableseal.audit.wording import quoted

_KEYWORD = re.compile(
    r'\s*+([A-Za-z][A-Za-z0-9_-]*+)\s*+(?:\[\s*+([A-Za-z0-9_-]*+)\s*+\])?+\s*+(?:\(((?:[^")]|"[^"]*+")*+)\))?+\s*+='
)
_VALUE = re.compile(r'((?:[^";]|"[^"]*+")*+);')
_PIECE = re.compile(r'\s*+("[^"]*+"|[^\s",:()]++|[,:()])')
_RANGE = re.compile(r'(?<=")\s*-\s*(?=")')
"""Between the first and the last period of TIMEVAL."""
_CODEPAGE = re.compile(rb'\bCODEPAGE\s*=\s*"?([A-Za-z0-9_.:-]+)"?\s*;', re.IGNORECASE)
_CHARSET = re.compile(rb"\bCHARSET\s*=", re.IGNORECASE)
_DOS = "cp850"
"""Encoding of files that name none: the first PC-Axis ran on DOS."""


@dataclass(frozen=True)
class Keyword:
    """One entry of a file. subject: what stands in parentheses. values: texts, bare words without quotation marks.

    pairs: (parent, child) of values such as "A":"A1"; of others parent is None.
    """

    name: str
    language: str | None
    subject: tuple[str, ...]
    values: tuple[str, ...]
    pairs: tuple[tuple[str | None, str], ...]
    line: int


@dataclass(frozen=True)
class Text:
    """Keywords by name, and what stands after DATA= up to its semicolon, with the line where it begins."""

    source: str
    keywords: Mapping[str, list[Keyword]]
    data: str
    line: int

    def place(self, keyword: Keyword) -> Place:
        """Where a keyword stands."""
        return Place(self.source, line=keyword.line, column=keyword.name)

    def one(self, name: str, subject: str | None = None) -> Keyword | None:
        """The keyword in the language of the file (for a variable, if that is given).

        Raises
        ------
        InputError: it is there twice.
        """
        found = self.each(name).get(() if subject is None else (subject,))
        return found

    def each(self, name: str) -> dict[tuple[str, ...], Keyword]:
        """A keyword in the language of the file, by its subjects.

        Raises
        ------
        InputError: one is there twice.
        """
        found: dict[tuple[str, ...], Keyword] = {}
        for keyword in self.keywords.get(name, ()):
            if keyword.language is not None:
                continue
            if keyword.subject in found:
                text = f"{name} is given twice (first in line {found[keyword.subject].line})."
                raise InputError(text, at=self.place(keyword))
            found[keyword.subject] = keyword
        return found


def parse(text: str, source: str) -> Text:
    """The keywords of a file and the text of its data.

    Raises
    ------
    InputError: what is no keyword, a value without end, no DATA, something after the data; names the line.
    """
    keywords: dict[str, list[Keyword]] = {}
    at, line = 0, 1
    while True:
        found = _KEYWORD.match(text, at)
        if found is None:
            rest = text[at:].lstrip()
            line += text.count("\n", at, len(text) - len(rest)) if rest else 0
            if not rest:
                raise InputError("there is no DATA; the file ends before its figures.", at=source)
            start = rest.split("\n", 1)[0][:40]
            expected = 'a keyword such as TITLE="..."; or DATA='
            raise InputError(found=quoted(start), expected=expected, at=Place(source, line=line))
        name, language = found[1].upper(), found[2]
        line += text.count("\n", at, found.start(1))
        begins = line
        if name == "DATA":
            end = _VALUE.match(text, found.end())
            if end is None:
                where = Place(source, line=text.count("\n") + 1)
                raise InputError("the file ends within DATA (no semicolon); it seems to be cut off.", at=where)
            rest = text[end.end() :].strip().strip("\x1a").strip()
            if rest:
                where = Place(source, line=text.count("\n", 0, end.end()) + 1)
                raise InputError(found=quoted(rest[:40]), expected="nothing after the data", at=where)
            return Text(source, keywords, end[1], line + text.count("\n", found.start(1), found.end()))
        end = _VALUE.match(text, found.end())
        if end is None:
            raise InputError(
                f"{name} has no end (a semicolon outside of quotation marks).", at=Place(source, line=line)
            )
        place = Place(source, line=begins, column=name)
        subject = tuple(_texts(found[3], place)) if found[3] is not None else ()
        pairs = _pairs(_RANGE.sub(",", end[1]) if name == "TIMEVAL" else end[1], place)
        keyword = Keyword(name, language, subject, tuple(child for _, child in pairs), tuple(pairs), begins)
        keywords.setdefault(name, []).append(keyword)
        line += text.count("\n", found.start(1), end.end())
        at = end.end()


def _texts(value: str, place: Place) -> list[str]:
    return [child for _, child in _pairs(value, place)]


def _pairs(value: str, place: Place) -> list[tuple[str | None, str]]:
    """Values separated by commas; texts that follow each other are one; what stands in parentheses is passed over."""
    pieces = _PIECE.findall(value)
    found: list[tuple[str | None, str]] = []
    parent: str | None = None
    texts: list[str] = []
    depth = 0

    def close() -> None:
        nonlocal parent, texts
        if texts:
            found.append((parent, "".join(texts)))
        parent, texts = None, []

    bare = False
    for piece in pieces:
        if depth or piece == "(":
            depth += {"(": 1, ")": -1}.get(piece, 0)
        elif piece == ")":
            raise InputError(found='")"', expected="texts separated by commas", at=place)
        elif piece == ",":
            close()
        elif piece == ":":
            if parent is not None or not texts:
                raise InputError(found='":"', expected='pairs such as "A":"A1"', at=place)
            parent, texts = "".join(texts), []
        elif piece.startswith('"'):
            if texts and bare:
                raise InputError(found=piece[:40], expected="a comma before it", at=place)
            texts.append(piece[1:-1])
            bare = False
        else:
            if texts:
                raise InputError(found=quoted(piece[:40]), expected="a comma before it", at=place)
            texts.append(piece)
            bare = True
    close()
    return found


def decoded(content: bytes, source: str) -> tuple[str, list[Note]]:
    """The text of a file, by byte order mark, by the CODEPAGE that it names, or as files without one are written.

    Raises
    ------
    InputError: no text in that encoding, or one that says it is another one; names both.
    """
    named = _CODEPAGE.search(content[:4096])
    plain = content.isascii()
    marked = content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if named is None or plain or marked:
        if (
            named is None
            and _CHARSET.search(content[:4096]) is None
            and not (plain or marked or b"\0" in content or _is_utf_8(content))
        ):
            note = Note("decoded_dos", f"{source}: names no CHARSET and no CODEPAGE; read as DOS code page 850.")
            return content.decode(_DOS), [note]
        return text_of(content, source)
    said = named[1].decode("ascii")
    encoding = f"cp{said}" if said.isdigit() else said
    line = content.count(b"\n", 0, named.start()) + 1
    place = Place(source, line=line, column="CODEPAGE")
    try:
        known = codecs.lookup(encoding).name
        text = content.decode(known)
    except LookupError:
        raise InputError(found=quoted(said), expected="an encoding such as utf-8 or iso-8859-1", at=place) from None
    except UnicodeDecodeError as error:
        bad = content.count(b"\n", 0, error.start) + 1
        problem = f"says {said}, but byte 0x{content[error.start]:02X} in line {bad} is no text in that"
        guess = "it seems to be UTF-8" if _is_utf_8(content) else "it may be Windows-1252"
        raise InputError(problem, at=place, remedy=f"{guess}; mend CODEPAGE, or save the file as it says") from None
    except Exception:  # codecs that are none of text
        raise InputError(found=quoted(said), expected="an encoding such as utf-8 or iso-8859-1", at=place) from None
    if not isinstance(text, str):
        raise InputError(found=quoted(said), expected="an encoding such as utf-8 or iso-8859-1", at=place)
    if known != "utf-8" and _is_utf_8(content):
        note = Note("decoded_utf_8", f"{source}: CODEPAGE says {said}, but the text is UTF-8 and was read so.")
        return content.decode("utf-8"), [note]
    if "\0" in text:
        raise InputError(f"says {said}, but there are characters 0x00 in it.", at=place)
    return text, []


def _is_utf_8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
