"""Options that somebody has written down by name: in Python, in a form, in the file of a case."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from tableseal.api.options.option import Declared, Options, declared, switched
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.wording import listing, quoted, suggestion

Group = TypeVar("Group", bound=Options)


def checked(
    group: type[Group],
    given: Mapping[str, Any],
    *,
    who: str,
    called: str = "option",
    convert: Callable[[Declared, Any], Any] = lambda _, value: value,
) -> Group:
    """The group with what is given; numbers may be text.

    Parameters
    ----------
    who: takes the options, for messages; called: what options are called there. convert: values to what is declared.

    Raises
    ------
    InputError: there is no such option, or it cannot have such a value.
    """
    said = switched(group, given)
    known = {one.name: one for one in declared(group)}
    for name in said:
        if name not in known:
            hint = f"{quoted(name)}{suggestion(name, known)}; {called}s are {listing(known, len(known))}"
            raise InputError(f"{who} has no {called} {hint}.")
    made: Any = group
    for name, value in said.items():
        if isinstance(value, bool) and (noun := _number_of(known[name].type)):
            raise InputError(expected=noun, at=OptionName(name, shown(value)))
    converted = {name: convert(known[name], value) for name, value in said.items()}
    try:
        options: Group = _adapter(made).validate_python(converted)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        raise InputError(expected=expected_of(first), at=OptionName(name, shown(said[name]))) from None
    return options


@cache
def _adapter(group: Any) -> TypeAdapter[Any]:
    return TypeAdapter(group)


def _number_of(kind: Any) -> str:
    """What numbers of this type are called; empty: it is none, or yes and no are values of it."""
    kinds = (kind, *get_args(kind))
    if bool in kinds:
        return ""
    return next((noun for number, noun in ((int, "a whole number"), (float, "a number")) if number in kinds), "")


def shown(value: object) -> str:
    """A value in a message."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, str):
        plain = quoted(value)
        return plain[1:-1] if value.strip() == value != "" else plain
    text = repr(value) if isinstance(value, int | float | bool | tuple | list | None) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def expected_of(error: Mapping[str, Any]) -> str:
    """What was expected where pydantic has found something else."""
    context, kind = error.get("ctx", {}), error["type"]
    words = {
        "kind": context.get("expected"),
        "literal_error": str(context.get("expected")).replace("'", ""),
        "greater_than_equal": f"at least {context.get('ge')}",
        "greater_than": f"more than {context.get('gt')}",
        "less_than_equal": f"at most {context.get('le')}",
        "less_than": f"less than {context.get('lt')}",
        "string_too_long": f"at most {context.get('max_length')} characters",
        "too_long": f"at most {context.get('max_length')}",
        "finite_number": "a finite number",
        "missing": "a value",
        "value_error": str(context.get("error")),
    }
    if kind in words:
        return str(words[kind])
    nouns = {"int": "a whole number", "float": "a number", "bool": "True or False", "string": "text", "tuple": "a list"}
    return next((noun for start, noun in nouns.items() if kind.startswith(start)), "another value")
