"""Records as JSON objects: written, read back and described, each from what its class declares."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, overload

from tableseal.audit.codec.at import At
from tableseal.audit.codec.declared import HIDDEN, INLINE, REQUIRED, SPARSE, Field, bare, declared, is_record, paragraph
from tableseal.audit.codec.exact_json import Json, Written, array, entry, object_of
from tableseal.audit.codec.kinds import Kind, Parts, Schema, kind_of, unless_none

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
def items(record: Any) -> tuple[Item, ...]:
    """The keys of a class of records, in their order."""
    found: list[Item] = []
    for field in declared(record):
        if INLINE in field.marks:
            found += _inline(field)
        elif HIDDEN not in field.marks:
            written = SPARSE not in field.marks
            needed = written and field.default is REQUIRED and field.source != "derived"
            found.append(Item(field, _kind(field), attrgetter(field.name), written, needed))
    return tuple(found)


def _kind(field: Field) -> Kind:
    """How its value is written: of a SPARSE one, where there is something to say."""
    return kind_of(unless_none(field.hint)[0] if SPARSE in field.marks else field.hint)


def _inline(field: Field) -> Iterator[Item]:
    hint, maybe = unless_none(field.hint)
    own = items(bare(hint))
    together = tuple(item.key for item in own if item.needed) if maybe else ()
    for item in own:

        def get(record: Any, own: Callable[[Any], Any] = item.get) -> Any:
            held = getattr(record, field.name)
            return None if held is None else own(held)

        yield Item(
            item.field, item.kind, get, item.written and not maybe, item.needed and not maybe, together or item.together
        )


@cache
def record_kind(record: Any) -> Kind:
    """How records of a class are written, read and described."""
    if not is_record(record):
        raise TypeError(f"{record} is no type that results have")
    own = items(record)
    flat = all(len(item.field.keys) == 1 for item in own)
    tree, make = _tree(own), _maker(record)

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
        return make(_found(at, tree))

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

    def write(value: Any) -> Json:
        kind: Any = type(value)
        written: Json = record_kind(kind).write(value)  # type: ignore[misc]
        return written

    return Kind(
        write,
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


_Tree = tuple[list[str], dict[str, Any]]
"""Keys that an object must have, and all that it may have: each with the tree of the object below it, or None."""


def _tree(own: Sequence[Item], depth: int = 0) -> _Tree:
    groups = _by_key(own, depth)
    deeper = {key: len(group[0].field.keys) > depth + 1 for key, group in groups.items()}
    needed = [key for key, group in groups.items() if any(item.needed for item in group)]
    return needed, {key: _tree(group, depth + 1) if deeper[key] else None for key, group in groups.items()}


_Found = dict[tuple[str, ...], At]
"""What stands in an object, and in those that only group keys, by the keys down to it."""


def _found(at: At, tree: _Tree, above: tuple[str, ...] = ()) -> _Found:
    needed, below = tree
    found: _Found = {}
    for key, one in at.keys(needed, below).items():
        keys = (*above, key)
        found |= {keys: one} if below[key] is None else _found(one, below[key], keys)
    return found


def _maker(record: type) -> Callable[[_Found], Any]:
    """From what stands in its object to the record."""
    fields = [field for field in declared(record) if field.source != "derived" and HIDDEN not in field.marks]
    plain = [(field.name, field.keys, _kind(field).read, field.source) for field in fields if INLINE not in field.marks]
    inline = []
    for field in fields:
        if INLINE in field.marks:
            hint, maybe = unless_none(field.hint)
            wanted = [item.field.keys for item in items(bare(hint)) if item.needed]
            inline.append((field.name, wanted if maybe else None, _maker(bare(hint))))

    def made(found: _Found) -> Any:
        values: dict[str, Any] = {}
        for name, keys, read, source in plain:
            if keys in found:
                value = read(found[keys])
                values |= {name: value} if source == "field" else {}
        for name, wanted, make in inline:
            there = wanted is None or any(keys in found for keys in wanted)
            values[name] = make(found) if there else None
        return record(**values)

    return made


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
