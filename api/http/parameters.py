"""Query parameters: the options that the request of a kind of work declares, and those of other routes."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from inspect import Parameter, Signature, isclass
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, create_model

from tableseal.api.options.option import OFF
from tableseal.api.options.request import as_fields, options_of
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.wording import listing, suggestion

Said = Mapping[str, Any]
"""What options say, as fields of a request."""


def said(request: type[BaseModel]) -> Callable[..., Awaitable[Said]]:
    """A dependency of a route: its query parameters are the options of this request.

    Flags that can be switched off have a second name, `no_NAME`. What is said twice and may be said once is an error.
    """

    several = {one.name for one in options_of(request) if one.several}

    async def read(given: BaseModel, asked: Request) -> Said:  # a plain function would be called in another thread
        _refuse_repeated(asked, several)
        return as_fields(request, given.model_dump(exclude_unset=True))

    typed = Annotated[_model(request), Query()]  # type: ignore[valid-type]  # known when it runs
    taken = (("given", typed), ("asked", Request))
    read.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation) for name, annotation in taken]
    )
    return read


async def known_parameters(asked: Request) -> None:
    """Dependency of routes whose parameters stand in their signature: no other comes, and none comes twice.

    Raises
    ------
    InputError: names the parameter.
    """
    route = asked.scope.get("route")
    known = _named(route) if isinstance(route, APIRoute) else None
    if known is None:
        return
    for name in asked.query_params:
        if name not in known:
            expected = f"; parameters are {listing(known)}" if known else "; it takes none"
            text = f"there is no such parameter here{suggestion(name, known)}{expected}."
            raise InputError(text, at=OptionName(name[:100]))
    _refuse_repeated(asked, ())


def _named(route: APIRoute) -> tuple[str, ...] | None:
    """Parameters in the signature of a route; None: a model has them (see `said`)."""
    fields = list(_fields(route.dependant))
    if any(isclass(one.field_info.annotation) and issubclass(one.field_info.annotation, BaseModel) for one in fields):
        return None
    return tuple(one.alias for one in fields)


def _fields(dependant: Dependant) -> Iterator[Any]:
    yield from dependant.query_params
    for inner in dependant.dependencies:
        yield from _fields(inner)


def _refuse_repeated(asked: Request, several: Collection[str]) -> None:
    for name, times in Counter(name for name, _ in asked.query_params.multi_items()).items():
        if times > 1 and name not in several:
            raise InputError(f"is given {times} times; expected once.", at=OptionName(name))


def _model(request: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for one in options_of(request):
        typed = Annotated[one.type, *one.bounds] if one.bounds else one.type
        fields[one.name] = (typed, Field(one.default, description=one.option.described + one.again))
        if one.switch:
            fields[OFF + one.name] = (bool, Field(False, description=one.option.off))
    return create_model(f"{request.__name__}Parameters", __config__=ConfigDict(extra="forbid"), **fields)
