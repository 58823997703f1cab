"""Options of the request of a kind of work: those of the groups among its fields, and fields that are options."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel

from tableseal.api.options.option import OFF, Declared, Options, as_declared, declared, switched


@cache
def groups_of(request: type[BaseModel]) -> Mapping[str, type[Options]]:
    """Field -> group of options that it is."""
    types = {name: field.annotation for name, field in request.model_fields.items()}
    return {name: found for name, found in types.items() if isinstance(found, type) and issubclass(found, Options)}


@cache
def options_of(request: type[BaseModel]) -> tuple[Declared, ...]:
    """All of them, groups first."""
    found = [one for group in groups_of(request).values() for one in declared(group)]
    for name, field in request.model_fields.items():
        one = as_declared(name, Annotated[field.annotation, *field.metadata], field.default) if field.metadata else None
        found += [] if one is None else [one]
    return tuple(found)


def as_fields(request: type[BaseModel], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Options that were given by name, as the fields of the request that they belong to.

    Raises
    ------
    InputError: a flag is switched on and off.
    """
    found = dict(given)
    made: dict[str, Any] = {}
    for field, group in groups_of(request).items():
        names = {name for one in declared(group) for name in (one.name, OFF + one.name)}
        made[field] = switched(group, {name: found.pop(name) for name in names & found.keys()})
    return made | found
