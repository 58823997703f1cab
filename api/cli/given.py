"""The command that was given, as advice repeats it."""

from enum import Enum
from typing import TYPE_CHECKING, Any

import typer

from tableseal.api.cli.streams import STREAM
from tableseal.api.options.option import declared
from tableseal.api.options.release import ReleaseOptions

if TYPE_CHECKING:
    from tableseal.audit.report.call import Call

RULES = tuple(one.name for one in declared(ReleaseOptions))
"""Options by which a release is judged: they mean the same with every verb that has them."""

RELEASES = ("release", "releases")
"""Arguments that are the release, or the releases."""


def given_call(context: typer.Context) -> "Call":
    """The verb of this context, its arguments, and the options that were given with it."""
    from tableseal.audit.report.call import Call

    values = {name: value for name, value in context.params.items() if _was_given(context, name)}
    arguments = {p.name: str(values[p.name]) for p in _parameters(context, "argument") if p.name in values}
    file = next((arguments.pop(name) for name in RELEASES if name in arguments), STREAM)
    options = {p.name: _words(p, values[p.name]) for p in _parameters(context, "option") if p.name in values}
    return Call(
        verb=_verb(context),
        before=tuple(arguments.values()),
        file=file,
        rules=tuple(word for name in RULES for option in options.get(name, ()) for word in option),
        own=tuple(option for name, found in options.items() if name not in RULES for option in found),
    )


def _verb(context: typer.Context) -> tuple[str, ...]:
    """Its name, with that of the group it is in, and without that of the program."""
    names: list[str] = []
    at: Any = context
    while at.parent is not None:
        names.insert(0, str(at.info_name))
        at = at.parent
    return tuple(names)


def _parameters(context: typer.Context, kind: str) -> list[Any]:
    return [parameter for parameter in context.command.params if parameter.param_type_name == kind]


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _words(parameter: Any, value: Any) -> list[tuple[str, ...]]:
    """An option as it is written, once for each of its values."""
    if isinstance(value, bool):
        return [((parameter.opts if value else parameter.secondary_opts)[0],)]
    several = value if isinstance(value, list | tuple) else [value]
    return [(parameter.opts[-1], str(one.value if isinstance(one, Enum) else one)) for one in several]
