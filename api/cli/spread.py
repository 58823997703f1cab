"""Options in the signature of a verb, alone or in groups, as the parameters of a command that typer understands."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from functools import wraps
from math import isnan
from typing import Annotated, Any

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.options.option import OFF, Declared, Options, as_declared, declared


def spread(verb: Callable[..., Code]) -> Callable[..., Code]:
    """The verb with a parameter of its own for each option; groups are made from what is given."""
    whole = inspect.signature(verb, eval_str=True).parameters
    groups = {name: p.annotation for name, p in whole.items() if _is_group(p.annotation)}
    flat: list[inspect.Parameter] = []
    for name, parameter in whole.items():
        flat += map(_typed, _asked(groups[name])) if name in groups else [_alone(parameter)]

    @wraps(verb)
    def run(**given: Any) -> Code:
        made = {name: _made(group, given) for name, group in groups.items()}
        return verb(**made, **{name: given[name] for name in whole if name not in groups})

    ordered = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in flat]
    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return run


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Options)


def _asked(group: type[Options]) -> list[Declared]:
    return [one for one in declared(group) if one.option.command]


def _made(group: type[Options], given: Mapping[str, Any]) -> Options:
    return group(
        **{one.name: tuple(given[one.name] or ()) if one.several else given[one.name] for one in _asked(group)}
    )


def _alone(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter that is an option by itself; others are typer's already."""
    one = as_declared(parameter.name, parameter.annotation, parameter.default)
    return parameter if one is None else _typed(one)


def _typed(one: Declared) -> inspect.Parameter:
    name = "--" + one.name.replace("_", "-")
    names = one.option.names or (f"{name}/--{OFF.replace('_', '-')}{name[2:]}" if one.switch else name,)
    option = typer.Option(
        *names,
        metavar=one.option.metavar or None,
        help=one.option.text + one.again,
        min=one.bound("ge"),
        max=one.bound("le"),
        callback=None if one.several else _a_number,
        show_default=one.default is not None and one.default is not False,
    )
    default = inspect.Parameter.empty if one.default is MISSING else None if one.several else one.default
    kind = list[str] | None if one.several else one.type
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def _a_number(value: Any) -> Any:
    """The value of an option.

    Raises
    ------
    BadParameter: `nan`, which is within any limits.
    """
    if isinstance(value, float) and isnan(value):
        raise typer.BadParameter("nan is not a number.")
    return value
