"""YAML and JSON documents in which every scalar stays the text that was written.

YAML guesses types: NO becomes false, 010 becomes 8, 12:30 becomes 750. Codes of classifications look like that, so
nothing is guessed here: a document is mappings, lists, text and None (a plain `null`, `~` or nothing at all). What is
a number or a yes/no is decided later by the field it stands in.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import yaml

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.scalars import scalar_text
from tableseal.audit.wording import quoted

Document = dict[str, "Document"] | list["Document"] | str | None

MAX_DEPTH = 200
"""Deepest nesting of mappings and lists."""
ALIAS_BUDGET = 100_000
"""Nodes that all aliases of one document may stand for, together."""
YAML_LIMIT = 64 * 2**20
"""Characters of YAML that are read (JSON has no such limit of its own)."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Escapes of JSON that are a character only in pairs; libyaml refuses them."""

_DOCUMENT = Place("document")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TEXT_TAGS = frozenset((None, "!", "tag:yaml.org,2002:str"))


def parse_document(text: str, source: str, *, json_only: bool = False) -> Document:
    """Parse YAML or JSON text (text that begins with { or [ is tried as JSON first).

    Raises
    ------
    InputError: a syntax error (with line and column), a key given twice, tags, aliases that blow up, nesting beyond
        `MAX_DEPTH`, an empty document, more than one document.
    """
    if json_only:
        return _parse_json(text, source)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _parse_json(text, source)
        except InputError as error:
            # YAML's flow style begins in the same way: what is no JSON may still be YAML.
            if not isinstance(error.__cause__, json.JSONDecodeError):
                raise
    if len(text) > YAML_LIMIT:
        raise InputError(
            f"{len(text):,} characters of YAML, more than the limit of {YAML_LIMIT:,}; put large tables into CSV files "
            "or write the release as JSON.",
            at=source,
        )
    return _parse_yaml(text, source)


def as_text(value: object, where: Place = _DOCUMENT) -> Document:
    """The same document with every scalar as text: for documents that are Python objects already.

    Raises
    ------
    InputError: an object that has no place in a document; `where` names it.
    """
    if isinstance(value, Mapping):
        return {(text := _key(key, where)): _entry(item, where, text) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [
            as_text(item, where / at if isinstance(item, Mapping | list | tuple) else where)
            for at, item in enumerate(value)
        ]
    try:
        return scalar_text(value)
    except TypeError as error:
        raise InputError(f"found a {error}, expected text, a number, a list or a mapping.", at=where) from None


def _entry(value: object, where: Place, key: str) -> Document:
    """The same of what stands at a key; where that is, is only asked if it matters."""
    if isinstance(value, Mapping | list | tuple):
        return as_text(value, where / key)
    try:
        return scalar_text(value)
    except TypeError:  # refused, with its name
        return as_text(value, where / key)


def _key(key: object, where: Place) -> str:
    text = as_text(key, where)
    if not isinstance(text, str):
        raise InputError("found a key that is no text.", at=where)
    return text


# JSON -----------------------------------------------------------------------------------------------------------


def _parse_json(text: str, source: str) -> Document:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in items:
            if key in found:
                raise InputError(f"the key {quoted(key)} is given twice in one object.", at=source)
            found[key] = value
        return found

    def refuse(constant: str) -> NoReturn:
        raise InputError(found=constant, expected="a number or null", at=source)

    try:
        found = json.loads(text, parse_int=str, parse_float=str, parse_constant=refuse, object_pairs_hook=pairs)
        if _SURROGATE.search(text):
            _refuse_halves(found, source)
        return _json_booleans(found)
    except json.JSONDecodeError as error:
        text = f"not valid JSON ({error.msg.lower()})."
        raise InputError(text, at=Place(source, line=error.lineno, character=error.colno)) from error
    except RecursionError:
        raise InputError("lists and objects are nested too deeply.", at=source) from None


def _refuse_halves(found: object, source: str) -> None:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise InputError(f"found {half}, half of a surrogate pair, which is no character.", at=source) from None


def _json_booleans(value: object) -> Document:
    if isinstance(value, dict):
        return {key: _json_booleans(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json_booleans(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    assert value is None or isinstance(value, str)
    return value


# YAML -----------------------------------------------------------------------------------------------------------

_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _Builder:
    """Builds the document from parser events with a stack of its own (no recursion, so depth can be limited)."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.root: Document = None
        self.finished = False
        self.stack: list[dict[str, Document] | list[Document]] = []
        self.keys: list[str | None] = []  # the key that waits for its value, per open mapping
        self.sizes: list[int] = []  # nodes below each open collection
        self.open_anchors: list[str | None] = []
        self.anchors: dict[str, tuple[Document, int]] = {}
        self.expanded = 0

    def fail(self, event: yaml.Event, problem: str) -> NoReturn:
        raise InputError(problem, at=_place(self.source, event.start_mark))

    def take(self, event: yaml.Event) -> None:
        """One event of the parser."""
        if isinstance(event, yaml.DocumentStartEvent) and self.finished:
            self.fail(event, "a second document begins (---), expected one.")
        elif isinstance(event, yaml.ScalarEvent):
            self.scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self.open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.close()
        elif isinstance(event, yaml.AliasEvent):
            self.alias(event)
        elif isinstance(event, yaml.DocumentEndEvent):
            self.finished = True

    def scalar(self, event: yaml.ScalarEvent) -> None:
        if event.tag not in _TEXT_TAGS:
            self.fail(event, f"the tag {event.tag} is not understood; write the plain value.")
        if self.waits_for_key():
            self.keys[-1] = self.new_key(event, event.value)
            return
        # A tag or quotes say that the text is meant as it stands.
        null = event.tag is None and not event.style and event.value in _NULLS
        value = None if null else event.value
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        self.add(value, 1)

    def open(self, event: yaml.CollectionStartEvent) -> None:
        if event.tag is not None:
            self.fail(event, f"the tag {event.tag} is not understood; write a plain list or mapping.")
        if self.waits_for_key():
            self.fail(event, "a list or mapping stands where a key is expected.")
        if len(self.stack) >= MAX_DEPTH:
            self.fail(event, f"nested more than {MAX_DEPTH} levels deep.")
        self.stack.append({} if isinstance(event, yaml.MappingStartEvent) else [])
        self.keys.append(None)
        self.sizes.append(1)
        self.open_anchors.append(event.anchor)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)

    def close(self) -> None:
        value, size = self.stack.pop(), self.sizes.pop()
        self.keys.pop()
        anchor = self.open_anchors.pop()
        if anchor is not None:
            self.anchors[anchor] = (value, size)
        self.add(value, size)

    def alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor in self.open_anchors:
            self.fail(event, f"the alias *{event.anchor} stands inside of what it refers to.")
        if event.anchor not in self.anchors:
            self.fail(event, f"the alias *{event.anchor} refers to nothing before it.")
        value, size = self.anchors[event.anchor]
        self.expanded += size
        if self.expanded > ALIAS_BUDGET:
            self.fail(event, f"aliases stand for more than {ALIAS_BUDGET:,} values; write the data out.")
        if self.waits_for_key():
            if not isinstance(value, str):
                self.fail(event, "an alias that is not text stands where a key is expected.")
            self.keys[-1] = self.new_key(event, value)
        else:
            self.add(value, size)

    def waits_for_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1], dict) and self.keys[-1] is None

    def new_key(self, event: yaml.Event, key: str) -> str:
        mapping = self.stack[-1]
        if key in mapping:
            self.fail(event, f"the key {quoted(key)} is given twice in one mapping.")
        return key

    def add(self, value: Document, size: int) -> None:
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        self.sizes[-1] += size
        if isinstance(top, list):
            top.append(value)
        else:
            key = self.keys[-1]
            assert key is not None
            top[key] = value
            self.keys[-1] = None


def _parse_yaml(text: str, source: str) -> Document:
    builder = _Builder(source)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        place = _place(source, error.problem_mark or error.context_mark)
        raise InputError(f"not valid YAML ({error.problem or error.context}).", at=place) from None
    except yaml.reader.ReaderError as error:
        raise InputError(f"not valid YAML (character {error.character!r}: {error.reason}).", at=source) from None
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise InputError(f"not valid YAML ({type(error).__name__}).", at=source) from None
    if builder.root is None:
        raise InputError("there is nothing in this document.", at=source)
    return builder.root


def _place(source: str, mark: Any) -> Place:
    return Place(source, line=mark.line + 1, character=mark.column + 1) if mark else Place(source)


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=_Loader)
