"""Where in a request an error lies: JSON pointers into documents, rows and columns of data files.

Messages name places in one way, and begin with them: `release.json: tables[0] (by_size).cells row 18, column "value"`
is /tables/0/cells/value/17 of release.json, `by_size.csv row 3 (line 4), column "n"` is row 3 of by_size.csv.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from tableseal.audit.errors import Place, TablesealError

_ROW = re.compile(r' row (?P<row>\d{1,18})(?: \(line (?P<line>\d{1,18})\))?(?:, column "(?P<column>.*?)"(?=:))?')
_LINE = re.compile(r" line (?P<line>\d{1,18})(?:, column (?P<character>\d{1,18}))?: ")


@dataclass(frozen=True)
class Located:
    """A place in a request.

    source: the file. pointer: JSON pointer (RFC 6901) into it, if it is a document. row: from 1, below the header;
    line, character: of the text, from 1; column: its name.
    """

    source: str
    pointer: str | None = None
    row: int | None = None
    line: int | None = None
    character: int | None = None
    column: str | None = None


@dataclass(frozen=True)
class Files:
    """The files of a request: their names, and what one holds if it is a document (None if not)."""

    names: Collection[str] = ()
    document: Callable[[str], object] = lambda _: None


def places_in(error: TablesealError, files: Files) -> list[Located]:
    """Where an error lies; the first place is the most important one."""
    named = _located(str(error), files)
    if named is not None:
        return [named]
    return [found for place in dict.fromkeys(error.places) if (found := _placed(place, files))]


def _located(message: str, files: Files) -> Located | None:
    """The place with which a message begins."""
    for source in sorted(files.names, key=len, reverse=True):
        rest = message.removeprefix(source)
        if rest == message or rest[:1] not in (":", " "):
            continue
        if row := _ROW.match(rest):
            return Located(source, row=int(row["row"]), line=_number(row["line"]), column=row["column"])
        if line := _LINE.match(rest):
            return Located(source, line=int(line["line"]), character=_number(line["character"]))
        return Located(source, pointer_in(message, source, files.document(source)))
    return None


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _placed(place: Place, files: Files) -> Located | None:
    """A row of released values; in a document the entry of the column of values."""
    source, inside, path = place.source.partition(": ")
    if source not in files.names:
        return None
    if not inside:
        return Located(source, row=place.row)
    document = files.document(source)
    table = pointer_in(f"{source}: {path.removesuffix('.cells')}", source, document)
    name = _value_column(document, table)
    return Located(source, pointer_in(f'{place.source} row {place.row}, column "{name}"', source, document))


def _value_column(document: object, table: str | None) -> str:
    """The column that holds the values of the table at this pointer."""
    number = (table or "").removeprefix("/tables/")
    tables = document.get("tables") if isinstance(document, Mapping) else None
    if not isinstance(tables, Sequence) or not number.isdigit():
        return "value"
    entry = tables[int(number)]
    return str(entry.get("value", "value")) if isinstance(entry, Mapping) else "value"


def pointer_in(message: str, source: str, document: object) -> str | None:
    """The JSON pointer of the place that a message begins with, as deep as the document has it; None: no place.

    The document decides what is a key, so names may hold any sign.
    """
    rest = message.removeprefix(f"{source}: ")
    if rest == message:
        return None
    path: list[str] = []
    node = document
    while True:
        step = _step(rest, node)
        if step is None:
            break
        keys, node, used = step
        path += keys
        rest = rest[used:]
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path) if path else None


def _step(rest: str, node: object) -> tuple[list[str], object, int] | None:
    """Keys that the text names next, where they lead, and how many signs they take."""
    if isinstance(node, Mapping):
        label = f" ({node.get('name')})"
        if rest.startswith(label):
            return [], node, len(label)
        if rest.startswith(" row "):
            return _row(rest, node)
        dot = rest.startswith(".")
        for key in sorted(node, key=len, reverse=True):
            end = dot + len(key)
            if rest[dot:end] == key and rest[end : end + 1] in ("", ":", ".", "[", " "):
                return [key], node[key], end
            if rest.removeprefix(": ").startswith(f'unknown key "{key}"'):
                return [key], None, len(rest)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        if rest.startswith("["):
            number, closed, _ = rest[1:].partition("]")
            return _entry(number, node, len(number) + 2, first=0) if closed else None
        if rest.startswith(" row "):
            number = rest[5:].split(":")[0].split(",")[0]
            return _entry(number, node, 5 + len(number), first=1)
    return None


def _row(rest: str, columns: Mapping[str, object]) -> tuple[list[str], object, int] | None:
    """` row 18, column "value"` of a mapping of columns."""
    number, _, named = rest[5:].partition(', column "')
    for name in sorted(columns, key=len, reverse=True):
        entries = columns[name]
        if named.startswith(f'{name}"') and isinstance(entries, Sequence):
            found = _entry(number, entries, len(rest), first=1)
            return None if found is None else ([name, *found[0]], found[1], found[2])
    return None


def _entry(number: str, entries: Sequence[object], used: int, *, first: int) -> tuple[list[str], object, int] | None:
    if not number.isascii() or not number.isdigit() or len(number) > 12:
        return None
    at = int(number) - first
    return ([str(at)], entries[at], used) if 0 <= at < len(entries) else None
