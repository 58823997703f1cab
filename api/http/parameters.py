"""Query parameters: the options that the request of a kind of work declares."""

from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, create_model

from tableseal.api.options.option import OFF
from tableseal.api.options.request import as_fields, options_of

Said = Mapping[str, Any]
"""What options say, as fields of a request."""


def said(request: type[BaseModel]) -> Callable[..., Awaitable[Said]]:
    """A dependency of a route: its query parameters are the options of this request.

    Flags that can be switched off have a second name, `no_NAME`.
    """

    async def read(given: BaseModel) -> Said:  # a plain function would be called in another thread
        return as_fields(request, given.model_dump(exclude_unset=True))

    typed = Annotated[_model(request), Query()]  # type: ignore[valid-type]  # known when it runs
    read.__signature__ = Signature([Parameter("given", Parameter.KEYWORD_ONLY, annotation=typed)])  # type: ignore[attr-defined]
    return read


def _model(request: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for one in options_of(request):
        typed = Annotated[one.type, *one.bounds] if one.bounds else one.type
        fields[one.name] = (typed, Field(one.default, description=one.option.described + one.again))
        if one.switch:
            fields[OFF + one.name] = (bool, Field(False, description=one.option.off))
    return create_model(f"{request.__name__}Parameters", __config__=ConfigDict(extra="forbid"), **fields)
