"""Query parameters: the options that the request of a kind of work declares."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field, create_model

from tableseal.api.options.option import OFF
from tableseal.api.options.request import as_fields, options_of
from tableseal.audit.errors import InputError, OptionName

Said = Mapping[str, Any]
"""What options say, as fields of a request."""


def said(request: type[BaseModel]) -> Callable[..., Awaitable[Said]]:
    """A dependency of a route: its query parameters are the options of this request.

    Flags that can be switched off have a second name, `no_NAME`. What is said twice and may be said once is an error.
    """

    several = {one.name for one in options_of(request) if one.several}

    async def read(given: BaseModel, asked: Request) -> Said:  # a plain function would be called in another thread
        for name, times in Counter(name for name, _ in asked.query_params.multi_items()).items():
            if times > 1 and name not in several:
                raise InputError(f"is given {times} times; expected once.", at=OptionName(name))
        return as_fields(request, given.model_dump(exclude_unset=True))

    typed = Annotated[_model(request), Query()]  # type: ignore[valid-type]  # known when it runs
    taken = (("given", typed), ("asked", Request))
    read.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation) for name, annotation in taken]
    )
    return read


def _model(request: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for one in options_of(request):
        typed = Annotated[one.type, *one.bounds] if one.bounds else one.type
        fields[one.name] = (typed, Field(one.default, description=one.option.described + one.again))
        if one.switch:
            fields[OFF + one.name] = (bool, Field(False, description=one.option.off))
    return create_model(f"{request.__name__}Parameters", __config__=ConfigDict(extra="forbid"), **fields)
