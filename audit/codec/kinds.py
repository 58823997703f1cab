"""How a value of each type is written as JSON, read back and described by a schema."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import inf, isinf
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from tableseal.audit.codec.at import At
from tableseal.audit.codec.declared import ROW, declared, paragraph
from tableseal.audit.codec.exact_json import Json, significant

Schema = dict[str, Any]
Parts = dict[str, Schema]
"""Definitions of records that a schema refers to, and adds to."""


@dataclass(frozen=True)
class Kind:
    """write: a value as JSON; None: as it is. read: what was written; InputError if it is something else. schema: of
    what is written. several: a list of such values, where that is written otherwise than one after another.

    It may stand beside a type, in place of what would follow from that."""

    write: Callable[[Any], Json] | None
    read: Callable[[At], Any]
    schema: Callable[[Parts], Schema]
    several: Callable[[Any], Json] | None = None


@dataclass(frozen=True, eq=False)
class Also:
    """What the schema of a type says besides: {"minimum": 0}."""

    keywords: Mapping[str, Any]


def like(schema: Mapping[str, Any]) -> Callable[[Parts], Schema]:
    """A schema that refers to nothing."""
    return lambda parts: dict(schema)


def _limit(value: float) -> Json:
    return "no limit" if isinf(value) else significant(value)


def _limit_in(at: At) -> float:
    return inf if at.value == "no limit" else at.floating()


Count = Annotated[int, Also({"minimum": 0})]
"""0 or more."""
Digest = Annotated[str, Also({"pattern": "^[0-9a-f]{64}$"})]
"""SHA-256 in hexadecimal digits."""
Rounded = Annotated[float, Kind(significant, At.floating, like({"type": "number"}))]
"""A measured number, with the digits that every machine agrees on."""
Limited = Annotated[
    float, Kind(_limit, _limit_in, like({"anyOf": [{"type": "number", "minimum": 0}, {"const": "no limit"}]}))
]
"""A measured number, infinite where there is no limit."""
Codes = Annotated[
    tuple[tuple[str, str], ...],
    Kind(dict, At.codes, like({"type": "object", "additionalProperties": {"type": "string"}})),
]
"""(variable, code) of each variable, as an object."""

_PLAIN: Mapping[Any, Kind] = {
    bool: Kind(None, At.truth, like({"type": "boolean"})),
    int: Kind(None, At.whole, like({"type": "integer"})),
    float: Kind(None, At.floating, like({"type": "number"})),
    Fraction: Kind(None, At.exact, like({"type": "number"})),
    str: Kind(None, At.text, like({"type": "string"})),
    frozenset((int, Fraction)): Kind(None, At.exact, like({"type": "number"})),
    frozenset((int, float)): Kind(None, At.figure, like({"type": "number"})),
}


@cache
def kind_of(hint: Any) -> Kind:
    """What follows from a type.

    Raises
    ------
    TypeError: a type that results do not have.
    """
    from tableseal.audit.codec.records import either, record_kind

    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        beside = hint.__metadata__
        given = next((mark for mark in beside if isinstance(mark, Kind)), None)
        kind = given or (_list_of(inner[0]) if ROW in beside else kind_of(inner[0]))
        texts = [mark for mark in beside if isinstance(mark, str)]
        text = {"description": texts[-1]} if texts else {}
        more = {key: value for mark in beside if isinstance(mark, Also) for key, value in mark.keywords.items()}
        return replace(kind, schema=lambda parts: {**text, **kind.schema(parts), **text, **more})
    if origin is Literal:
        return Kind(None, lambda at: at.choice(*inner), like(_choice(inner)))
    if origin in (Union, UnionType):
        others = [kind for kind in inner if kind is not NoneType]
        kind = kind_of(others[0]) if len(others) == 1 else _PLAIN.get(frozenset(others)) or either(others)
        return _maybe(kind) if NoneType in inner else kind
    if origin is tuple:
        return _many(kind_of(inner[0])) if inner[1:] == (...,) else _row(tuple(map(kind_of, inner)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _named(kind_of(inner[1]))
    return _PLAIN[hint] if hint in _PLAIN else record_kind(hint)


def unless_none(hint: Any) -> tuple[Any, bool]:
    """A type without None, with what is said beside it, and whether there was None."""
    if get_origin(hint) is Annotated:
        inner, maybe = unless_none(hint.__origin__)
        return Annotated[(inner, *hint.__metadata__)], maybe
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return Union[tuple(kind for kind in kinds if kind is not NoneType)], NoneType in kinds  # noqa: UP007


def _choice(options: tuple[Any, ...]) -> Schema:
    return {"const": options[0]} if len(options) == 1 else {"enum": list(options)}


def _maybe(inner: Kind) -> Kind:
    """A value, or null."""
    write = inner.write

    def schema(parts: Parts) -> Schema:
        found = inner.schema(parts)
        if "enum" in found:
            found = {**found, "enum": [*found["enum"], None]}
        if "type" in found or "enum" in found:
            return {key: [value, "null"] if key == "type" else value for key, value in found.items()}
        return {"anyOf": [*found.get("anyOf", [found]), {"type": "null"}]}

    return Kind(
        write and (lambda value: None if value is None else write(value)),
        lambda at: None if at.value is None else inner.read(at),
        schema,
    )


def _many(inner: Kind) -> Kind:
    """A list."""
    write = inner.write
    return Kind(
        inner.several or ((lambda values: list(map(write, values))) if write else None),
        lambda at: tuple(map(inner.read, at.entries())),
        lambda parts: {"type": "array", "items": inner.schema(parts)},
    )


def _row(inner: tuple[Kind, ...]) -> Kind:
    """A list of so many, each of its own type."""

    def write(values: Any) -> Json:
        return [kind.write(value) if kind.write else value for kind, value in zip(inner, values, strict=True)]

    def schema(parts: Parts) -> Schema:
        each = [kind.schema(parts) for kind in inner]
        return {"type": "array", "prefixItems": each, "items": False, "minItems": len(inner)}

    return Kind(
        write if any(kind.write for kind in inner) else None,
        lambda at: tuple(kind.read(one) for kind, one in zip(inner, at.several(len(inner)), strict=True)),
        schema,
    )


def _list_of(record: Any) -> Kind:
    """A record as a list of its values."""
    own = declared(record)
    row = _row(tuple(kind_of(field.hint) for field in own))
    schema = {"description": paragraph(record)}
    return Kind(
        lambda value: (row.write or list)([getattr(value, field.name) for field in own]),
        lambda at: record(*row.read(at)),
        lambda parts: {**schema, **row.schema(parts)},
    )


def _named(inner: Kind) -> Kind:
    """An object with any keys."""
    write = inner.write
    return Kind(
        (lambda values: {name: write(value) for name, value in values.items()}) if write else dict,
        lambda at: {name: inner.read(one) for name, one in at.named().items()},
        lambda parts: {"type": "object", "additionalProperties": inner.schema(parts)},
    )
