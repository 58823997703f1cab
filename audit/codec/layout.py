"""Records as the rows of a table: which columns they have, and what is in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin

from tableseal.audit.codec.declared import bare, declared, is_record
from tableseal.audit.codec.kinds import unless_none
from tableseal.audit.codec.records import Item, items

CODES = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Layout:
    """How objects are read as the rows of a table.

    keys: of the objects, in order. objects: those whose values are objects that are always there; they become a column
    for each key. pairs: those that are two numbers, `.lower` and `.upper`. numbers, flags: names of columns; all others
    are text.
    """

    keys: tuple[str, ...]
    objects: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()

    def columns(self, row: Mapping[str, Any]) -> list[str]:
        """Names of the columns of a table whose first row this is."""
        return [name for key in self.keys for name in self._names(key, row)]

    def _names(self, key: str, row: Mapping[str, Any]) -> list[str]:
        if key in self.objects:
            return [f"{key}.{inner}" for inner in row.get(key, {})]
        return [f"{key}.lower", f"{key}.upper"] if key in self.pairs else [key]

    def flat(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row with a value for each column."""
        flat: dict[str, Any] = {}
        for key, value in row.items():
            if key in self.objects:
                flat |= {f"{key}.{inner}": entry for inner, entry in value.items()}
            elif key in self.pairs:
                flat[f"{key}.lower"], flat[f"{key}.upper"] = value or (None, None)
            else:
                flat[key] = value
        return flat


def layout_of_member(document: type, member: str) -> Layout:
    """The layout of the records in a list of a document, by its key."""
    (field,) = (field for field in declared(document) if field.keys == (member,))
    (record, _) = get_args(bare(field.hint))
    return layout(record)


@cache
def layout(record: Any) -> Layout:
    """The layout of records of a class: what is a number or a flag, and what has columns of its own."""
    objects, pairs = set[str](), set[str]()
    kinds: dict[str, set[str]] = {}
    for item in items(record):
        hint, maybe = unless_none(item.field.hint)
        base = bare(hint)
        if is_record(base) and item.written and not maybe:
            objects.add(item.key)
            kinds |= {f"{item.key}.{inner.key}": _types(inner) for inner in items(base)}
        elif base == CODES:
            objects.add(item.key)
        elif get_origin(base) is tuple and Ellipsis not in get_args(base):
            pairs.add(item.key)
            kinds |= {f"{item.key}.lower": {"number"}, f"{item.key}.upper": {"number"}}
        else:
            kinds[item.key] = _types(item)
    return Layout(
        keys=tuple(item.key for item in items(record)),
        objects=frozenset(objects),
        pairs=frozenset(pairs),
        numbers=frozenset(name for name, types in kinds.items() if types & {"number", "integer"}),
        flags=frozenset(name for name, types in kinds.items() if "boolean" in types),
    )


def _types(item: Item) -> set[str]:
    found = item.kind.schema({}).get("type", ())
    return {found} if isinstance(found, str) else set(found)
