"""Records of data files of tau-ARGUS: free format (.tab, .asc, .csv) and fixed columns (.asc)."""

from dataclasses import dataclass

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.metadata import Metadata
from tableseal.audit.io.argus.words import lines_of

_QUOTE = '"'


@dataclass(frozen=True)
class Record:
    """One line: its number, from 1, and an entry for each variable, without quotes; blanks in quotes are kept."""

    line: int
    entries: tuple[str, ...]


def read_records(text: str, metadata: Metadata, source: str) -> list[Record]:
    """The records of a data file, by its metadata. Empty lines are passed over.

    Raises
    ------
    InputError: a line with too few or too many entries, one that ends within fixed columns, a quotation mark that is
        not closed, no records; names the line.
    """
    records = []
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        place = Place(source, line=number)
        entries = _fixed(line, metadata, place) if metadata.separator is None else _free(line, metadata, place)
        records.append(Record(number, entries))
    if not records:
        raise InputError("has no records.", at=source)
    return records


def split_line(line: str, separator: str, place: Place) -> list[str]:
    """Entries of a line in free format.

    Raises
    ------
    InputError: a quotation mark that is not closed, or with text behind it.
    """
    plain = [entry.strip() for entry in line.split(separator)]
    if _QUOTE not in line:
        return plain
    if all(_QUOTE not in entry or (entry[0] == entry[-1] == _QUOTE and entry.count(_QUOTE) == 2) for entry in plain):
        return [entry[1:-1] if _QUOTE in entry else entry for entry in plain]
    entries: list[str] = []  # separators or quotation marks in quotes
    start = 0
    while True:
        at = start
        while at < len(line) and line[at].isspace() and line[at] != separator:
            at += 1
        if at < len(line) and line[at] == _QUOTE:
            entry, end = _quoted(line, at, place)
            rest = line.find(separator, end)
            rest = len(line) if rest < 0 else rest
            if line[end:rest].strip():
                text = "text stands behind a closed quotation mark, expected the separator."
                raise InputError(text, at=Place(place.source, line=place.line, character=end + 1))
        else:
            rest = line.find(separator, start)
            rest = len(line) if rest < 0 else rest
            entry = line[start:rest].strip()
        entries.append(entry)
        if rest >= len(line):
            return entries
        start = rest + len(separator)


def _quoted(line: str, at: int, place: Place) -> tuple[str, int]:
    """(text in quotes that begins here, position behind it); two quotation marks stand for one."""
    text, start = "", at + 1
    while True:
        end = line.find(_QUOTE, start)
        if end < 0:
            text = "a quotation mark is opened and never closed in this line."
            raise InputError(text, at=Place(place.source, line=place.line, character=at + 1))
        text += line[start:end]
        if line[end + 1 : end + 2] != _QUOTE:
            return text, end + 1
        text, start = text + _QUOTE, end + 2


def _free(line: str, metadata: Metadata, place: Place) -> tuple[str, ...]:
    separator = metadata.separator or ";"
    entries = split_line(line, separator, place)
    wanted = len(metadata.variables)
    if len(entries) == wanted + 1 and not entries[-1]:
        entries.pop()  # a separator at the end of the line
    if len(entries) != wanted:
        text = f"has {len(entries)} entries separated by {separator!r}, but {metadata.source} names {wanted} variables"
        raise InputError(f"{text}.", at=place, found=str(len(entries)), expected=str(wanted))
    return tuple(entries)


def _fixed(line: str, metadata: Metadata, place: Place) -> tuple[str, ...]:
    entries = []
    for variable in metadata.variables:
        start, width = variable.start or 1, variable.width or 1
        if len(line) < start:
            text = f"ends at position {len(line)}, but variable {variable.name!r} begins at position {start}"
            raise InputError(f"{text} ({metadata.source}).", at=place)
        entries.append(line[start - 1 : start - 1 + width])
    return tuple(entries)
