"""Records as JSON objects: written, read back and described, each from what its class declares."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, get_args, overload

from tableseal.audit.codec.at import At
from tableseal.audit.codec.declared import HIDDEN, INLINE, SPARSE, Field, declared, is_record, paragraph
from tableseal.audit.codec.kinds import Kind, Parts, Schema, kind_of
from tableseal.audit.codec.exact_json import Json, Written, array, entry, object_of

AT_ONCE = 20_000
"""Records that are written together."""


@dataclass(frozen=True)
class Item:
    """A key of the object that a record is written as: where it stands, what it holds, and whether it must be there.

    get: the value in a record. written: in every object; needed: in every object that is read. together: the keys of an
    INLINE record that is there or not, of which this is one.
    """

    field: Field
    kind: Kind
    get: Callable[[Any], Any]
    written: bool
    needed: bool
    together: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The last of its keys."""
        return self.field.keys[-1]


@cache
def items(record: type) -> tuple[Item, ...]:
    """The keys of a class of records, in their order."""
    found = []
    for field in declared(record):
        if INLINE in field.marks:
            found += _inline(field)
        elif HIDDEN not in field.marks:
            written = SPARSE not in field.marks
            needed = written and field.default is MISSING and field.source != "derived"
            found.append(Item(field, kind_of(field.hint), attrgetter(field.name), written, needed))
    return tuple(found)


def _inline(field: Field) -> Iterator[Item]:
    inner, maybe = inline_record(field)
    own = items(inner)
    together = tuple(item.key for item in own if item.needed) if maybe else ()
    for item in own:

        def get(record: Any, own: Callable[[Any], Any] = item.get) -> Any:
            held = field.get(record)
            return None if held is None else own(held)

        yield Item(item.field, item.kind, get, item.written and not maybe, item.needed and not maybe, together)


def inline_record(field: Field) -> tuple[type, bool]:
    """The class of an INLINE record, and whether there may be none."""
    kinds = get_args(field.hint.__origin__) or (field.hint.__origin__,)
    return next(kind for kind in kinds if is_record(kind)), len(kinds) > 1


@cache
def record_kind(record: type) -> Kind:
    """How records of a class are written, read and described."""
    if not is_record(record):
        raise TypeError(f"{record} is no type that results have")
    own = items(record)
    flat = all(len(item.field.keys) == 1 for item in own)

    def write(value: Any) -> dict[str, Json]:
        written: dict[str, Any] = {}
        for item in own:
            found = item.get(value)
            if item.written or not _nothing(found):
                place = written
                for key in item.field.keys[:-1]:
                    place = place.setdefault(key, {})
                place[item.key] = item.kind.write(found) if item.kind.write else found
        return written

    def read(at: At) -> Any:
        return _made(record, _keys(at, own))

    def schema(parts: Parts) -> Schema:
        if is_document(record):
            return {"type": "object"}
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", record.__name__).lower()
        if name not in parts:
            parts[name] = {}
            parts[name] = described(record, parts)
        return {"$ref": f"#/$defs/{name}"}

    return Kind(write, read, schema, (lambda records: Rows(records, own, write)) if flat else None)


def either(records: Sequence[type]) -> Kind:
    """How a record of one of several classes is written: it is read as the first one that has all its keys there."""

    def read(at: At) -> Any:
        found = at.named()
        fitting = (one for one in records if all(item.key in found for item in items(one) if item.needed))
        return record_kind(next(fitting, records[0])).read(at)

    return Kind(
        lambda value: record_kind(type(value)).write(value),  # type: ignore[misc]
        read,
        lambda parts: {"oneOf": [record_kind(one).schema(parts) for one in records]},
    )


def is_document(record: type) -> bool:
    """Whether records of a class are documents of their own, with a name and version."""
    return "schema" in vars(record)


def described(record: type, parts: Parts) -> Schema:
    """JSON Schema of the objects, written out."""
    return {"description": paragraph(record), **_object(items(record), parts)}


def _object(own: Sequence[Item], parts: Parts, depth: int = 0) -> Schema:
    properties: dict[str, Schema] = {}
    required = []
    for key, group in _by_key(own, depth).items():
        first = group[0]
        deeper = len(first.field.keys) > depth + 1
        text = first.field.group if deeper else first.field.text
        found = _object(group, parts, depth + 1) if deeper else first.kind.schema(parts)
        properties[key] = {"description": text, **found} if text else found
        required += [key] if any(item.written for item in group) else []
    depends = {item.key: [key for key in item.together if key != item.key] for item in own if item.together}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
        **({"dependentRequired": depends} if depends else {}),
    }


def _by_key(own: Sequence[Item], depth: int) -> dict[str, list[Item]]:
    return {key: list(group) for key, group in groupby(own, lambda item: item.field.keys[depth])}


def _keys(at: At, own: Sequence[Item], depth: int = 0) -> dict[tuple[str, ...], At]:
    """What stands in an object, and in those that only group keys, by the keys down to it."""
    groups = _by_key(own, depth)
    found = at.keys([key for key, group in groups.items() if any(item.needed for item in group)], groups)
    flat: dict[tuple[str, ...], At] = {}
    for key, one in found.items():
        keys = groups[key][0].field.keys
        flat |= _keys(one, groups[key], depth + 1) if len(keys) > depth + 1 else {keys: one}
    return flat


def _made(record: type, found: Mapping[tuple[str, ...], At]) -> Any:
    """The record from what stands in its object."""
    values = {}
    for field in declared(record):
        if INLINE in field.marks:
            inner, maybe = inline_record(field)
            there = not maybe or any(item.needed and item.field.keys in found for item in items(inner))
            values[field.name] = _made(inner, found) if there else None
        elif field.keys in found and field.source != "derived":
            value = kind_of(field.hint).read(found[field.keys])
            values |= {field.name: value} if field.source == "field" else {}
    return record(**values)


class Rows(Written, Sequence[Any]):
    """Records as an array of objects, written key by key: most values come again and again, and each is written once.
    (As nested dicts a million records would fill a gigabyte, and take three times as long.)"""

    def __init__(self, records: Sequence[Any], own: Sequence[Item], write: Callable[[Any], Json]) -> None:
        self._records, self._items, self._write = records, own, write

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> Json: ...

    @overload
    def __getitem__(self, at: slice) -> list[Json]: ...

    def __getitem__(self, at: int | slice) -> Json:
        return self._write(self._records[at]) if isinstance(at, int) else list(map(self._write, self._records[at]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def text(self, line: str, step: str) -> str:
        """See `Written`."""
        inside = line + step if step else ""
        entries: list[list[str]] = []
        for first in range(0, len(self), AT_ONCE):
            part = self._records[first : first + AT_ONCE]
            columns = [_column(item, part, inside + step if step else "", step) for item in self._items]
            entries += [[text for text in row if text] for row in zip(*columns, strict=True)]
        return array([object_of(own, inside, step) for own in entries], line, step)


def _column(item: Item, records: Sequence[Any], line: str, step: str) -> list[str]:
    """A key of each record with its value; an empty text where it is left out."""
    values = list(map(item.get, records))
    once = {id(value): value for value in values}
    text = {number: _entry(item, value, line, step) for number, value in once.items()}
    return [text[id(value)] for value in values]


def _entry(item: Item, value: Any, line: str, step: str) -> str:
    if not item.written and _nothing(value):
        return ""
    return entry(item.key, item.kind.write(value) if item.kind.write else value, line, step)


def _nothing(value: Any) -> bool:
    """Whether a SPARSE key is left out."""
    return value is None or value == ()
