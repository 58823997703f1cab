"""Fields of forms: the options of a request, as people fill them in."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData

from tableseal.api.http.errors import ProblemError
from tableseal.api.options.checking import expected_of, shown
from tableseal.api.options.option import OFF, Declared
from tableseal.api.options.request import as_fields, options_of
from tableseal.api.problems import Problem, problem_of
from tableseal.audit.errors import InputError

TITLE = "A field cannot be used"

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Field:
    """One field. kind: how it is filled in; lines: one value a line. choices: (value, in words). value: at first.
    several: it may be said more than once. required: it has to be filled in. error: what is wrong with what it was
    filled in with."""

    name: str
    label: str
    kind: Literal["check", "choice", "number", "text", "lines"]
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    value: str = ""
    several: bool = False
    required: bool = False
    error: str = ""


@cache
def fields_of(request: type[BaseModel]) -> Mapping[str, Field]:
    """The fields of a form for a request, by the names of its options; a flag that is on can be ticked off."""
    return {one.name: _field(one) for one in options_of(request)}


def _field(one: Declared) -> Field:
    option, label = one.option, one.name.replace("_", " ").capitalize()
    if one.default is True:
        return Field(OFF + one.name, _label(option.off), "check")
    if one.type is bool:
        return Field(one.name, _label(option.help), "check")
    if one.switch:
        choices = (("", option.undecided), ("true", "yes"), ("false", "no"))
        return Field(one.name, label, "choice", option.help, choices)
    if values := one.values or tuple(option.choices):
        worded = [(v, f"{v}: {option.choices[v]}" if option.choices.get(v) else v) for v in values]
        undecided = [("", option.undecided)] if one.default is None else []
        chosen = "" if one.several else one.default or ""
        return Field(one.name, label, "choice", option.help, (*undecided, *worded), chosen, one.several)
    kind: Literal["lines", "number", "text"] = "lines" if one.several else "text"
    if {int, float} & {one.type, *get_args(one.type)}:
        kind = "number"
    first = "" if one.default in (None, ()) else str(one.default)
    return Field(one.name, label, kind, option.described, value=first, several=one.several)


def _label(sentence: str) -> str:
    return sentence.removesuffix(".").replace("`", "")


def answered(
    fields: Mapping[str, Field],
    names: Collection[str],
    form: FormData,
    required: Collection[str],
    problem: Problem | None,
) -> Mapping[str, Field]:
    """Those of the fields that a form asks for, as somebody filled them in, some of them required, with the problem at
    the one that it speaks of."""
    found = {}
    for name in names:
        field = fields[name]
        error = problem.detail if problem is not None and problem.parameter == name else ""
        value = "\n".join(_texts(form, field.name)) if field.name in form else field.value
        found[name] = replace(field, value=value, required=name in required, error=error)
    return found


def demanded(form: FormData, names: Collection[str], by: str) -> None:
    """Refuse a form in which one of these is not filled in.

    Raises
    ------
    ProblemError: says which.
    """
    for name in names:
        if not any(text.strip() for text in _texts(form, name)):
            label = name.replace("_", " ").capitalize()
            text = f"{label} is missing: {by} needs it."
            raise ProblemError(Problem("invalid-parameter", TITLE, 422, text, parameter=name))


def filled(
    request: type[Model], form: FormData | Mapping[str, str], *, without: Collection[str] = (), **more: Any
) -> Model:
    """The request that a form asks for. without: options that this form does not ask for; more: other fields.

    Raises
    ------
    ProblemError: an option cannot be used; rules that say nothing sensible.
    """
    given: dict[str, Any] = {}
    for name, field in fields_of(request).items():
        texts = [] if name in without else _texts(form, field.name)
        if field.kind == "check":
            given |= {field.name: True} if texts else {}
        elif lines := [line.strip() for text in texts for line in text.splitlines() if line.strip()]:
            given[name] = lines if field.several else lines[-1]
    try:
        wanted = checked(request, {**as_fields(request, given), **more})
        if (rules := getattr(wanted, "rules", None)) is not None:
            rules.to_policy()
    except InputError as error:
        raise ProblemError(replace(problem_of(error), title=TITLE)) from None
    return wanted


def checked(model: type[Model], given: Mapping[str, object]) -> Model:
    """What a form gives.

    Raises
    ------
    ProblemError: a field cannot be used.
    """
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(next(part for part in reversed(first["loc"]) if isinstance(part, str)))
        text = f"{name} {shown(first['input'])}: expected {expected_of(first)}."
        raise ProblemError(Problem("invalid-parameter", TITLE, 422, text, parameter=name)) from None


def _texts(form: FormData | Mapping[str, str], name: str) -> list[str]:
    if isinstance(form, FormData):
        return [text for text in form.getlist(name) if isinstance(text, str)]
    return [form[name]] if name in form else []
