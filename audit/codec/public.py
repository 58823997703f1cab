"""The public part of a record: what its class says that anyone may see, and nothing else."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

from tableseal.audit.codec.declared import PUBLIC, REQUIRED, Field, bare, declared, is_record

Record = TypeVar("Record")


def public_part(record: Record, **put: Any) -> Record:
    """A copy with the fields that are marked PUBLIC (of records in them, again only these) and those that are put in.
    All others are what they are where nothing is known: their default, None, or empty.

    Raises
    ------
    TypeError: a confidential field is not put in, and has no such value.
    """
    kind: Any = type(record)
    shown: Record = kind(**put, **{name: part(record) for name, part in _parts(kind) if name not in put})
    return shown


@cache
def _parts(record: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """What becomes of each field of a class."""
    return tuple((field.name, _part(field)) for field in declared(record) if field.source == "field")


def _part(field: Field) -> Callable[[Any], Any]:
    whole = attrgetter(field.name)
    if PUBLIC in field.marks:
        return whole if _all_public(field.hint) else lambda record: _public(whole(record))
    return lambda record: nothing(field)


def _public(value: Any) -> Any:
    """A value without what is confidential in the records that it holds."""
    if is_record(type(value)):
        return public_part(value)
    return tuple(map(_public, value)) if isinstance(value, tuple) else value


@cache
def _all_public(hint: Any) -> bool:
    """Whether no record in a type has a confidential field."""
    if is_record(hint):
        own = [field for field in declared(hint) if field.source == "field"]
        return all(PUBLIC in field.marks and _all_public(field.hint) for field in own)
    return all(map(_all_public, get_args(hint)))


def nothing(field: Field) -> Any:
    """What stands for a confidential field.

    Raises
    ------
    TypeError: there is no such value.
    """
    kind = bare(field.hint)
    if field.default is not REQUIRED:
        return field.default
    if NoneType in get_args(kind):
        return None
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        return ()
    raise TypeError(f"{field.name} is confidential, and no value says nothing of it")
