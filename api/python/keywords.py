"""Keywords of the door: fields of option models, which together are the signature of a function.

What may be said about an audit, a search, ... is declared once, in its option model. A function of the door takes the
fields of its model as keywords: types, defaults and descriptions are those of the fields.
"""

import inspect
import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from numbers import Number
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, core_schema

from tableseal.api.given_rules import GivenRules
from tableseal.api.problems import without_dashes
from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.execution.executor import Executor
from tableseal.audit.io.scalars import scalar_text
from tableseal.audit.io.wording import listing, quoted, suggestion
from tableseal.audit.model import Policy
from tableseal.audit.progress import Progress as Told

P = ParamSpec("P")
K = TypeVar("K", bound="Keywords")
R = TypeVar("R")


class _AsGiven:
    """Marks a field whose value is looked at where it is used."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.any_schema()


AS_GIVEN = _AsGiven()


class Keywords(BaseModel):
    """Keywords of a function: what Python has for an option becomes what the option is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _as_options(cls, said: Any) -> Any:
        return {name: cls.as_option(name, value) for name, value in said.items()}

    @classmethod
    def as_option(cls, name: str, value: Any) -> Any:
        """A value in the type of the field: numbers and lists where the option is a text, mappings as NAME=VALUE."""
        field = cls.model_fields[name]
        if AS_GIVEN in field.metadata:
            return value
        if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
            value = value.item()
        if field.annotation == tuple[str, ...]:
            if isinstance(value, Mapping):
                return tuple(f"{key}={one}" for key, each in value.items() for one in _several(each))
            return tuple(_text(each) for each in _several(value))
        if str in (field.annotation, *get_args(field.annotation)):
            return _text(value)
        return value


def _several(value: Any) -> Sequence[Any]:
    return list(value) if isinstance(value, list | tuple | set) else [value]


def _text(value: Any) -> Any:
    """Numbers, ranges of numbers, lists and mappings as options write them; anything else as it is."""
    if isinstance(value, range):
        return f"{value.start}-{value[-1] if value else value.start}" + (f"/{value.step}" if value.step != 1 else "")
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(_text(each)) for each in value)
    return scalar_text(value) if isinstance(value, Number) and not isinstance(value, bool) else value


class Bare(Keywords):
    """What DataFrames and bare data files do not say themselves."""

    value: Annotated[str | None, Field(description="Column of the values that are (to be) published.")] = None
    status: Annotated[
        str | Mapping[str, object] | Sequence[object] | None,
        AS_GIVEN,
        Field(
            description="Column that says which cells are withheld, in words (published, primary, secondary, withheld, "
            "...), or as in a release file: {'column': ..., 'scheme': ...}; 'none': no column does."
        ),
    ] = None
    primary: Annotated[
        Any, AS_GIVEN, Field(description="Sensitive cells, which are withheld: a mask of True/False, or such a column.")
    ] = None
    variables: Annotated[
        Sequence[str] | str | None,
        AS_GIVEN,
        Field(description="Columns of codes (region, sex, ...); the other ones are not looked at."),
    ] = None
    total: Annotated[
        str | Mapping[str, str | None] | None,
        AS_GIVEN,
        Field(description="Code of the totals, or {column: code} (None: is never added up)."),
    ] = None
    hierarchies: Annotated[
        Mapping[str, Any] | None,
        AS_GIVEN,
        Field(
            description="{column: nested codes}, such as {'region': {'North': ['N1', 'N2']}}; for the codes also a "
            ".hrc or csv file, or a frame with the columns code and parent."
        ),
    ] = None
    kind: Annotated[
        Literal["count", "magnitude"] | None, Field(description="Numbers of units, or sums of a variable.")
    ] = None
    unit: Annotated[
        float | Fraction | str | None,
        AS_GIVEN,
        Field(description="Published precision of a magnitude, such as 0.1; values are rounded to it."),
    ] = None
    truth: Annotated[str | None, Field(description="Column of the true values (the agency's own).")] = None
    frequency: Annotated[str | None, Field(description="Column: respondents of each cell (the agency's own).")] = None
    contributors: Annotated[
        Sequence[str] | str | None,
        AS_GIVEN,
        Field(description="Columns of the largest contributions, descending (the agency's own)."),
    ] = None
    costs: Annotated[str | None, Field(description="Column: cost of withholding a cell.")] = None
    marks: Annotated[
        Mapping[str, object] | None,
        AS_GIVEN,
        Field(description="What a mark among the values means: {'*': 'withheld', '<10': [0, 9]}."),
    ] = None
    rounded: Annotated[
        Mapping[str, object] | None,
        AS_GIVEN,
        Field(description="How published values were rounded: {'base': 3, 'method': 'random'}, as in a release file."),
    ] = None
    absent: Annotated[
        Mapping[str, object] | None,
        AS_GIVEN,
        Field(
            description="What a combination without a row means: {'leaves': 'zero' or 'not_released', 'totals': "
            "'not_released' or 'compute'}; nothing said: zero, and not released."
        ),
    ] = None
    status_map: Annotated[
        Mapping[str, str] | None, AS_GIVEN, Field(description="What flags of status columns mean: {'c': 'withheld'}.")
    ] = None

    def about_tables(self) -> list[str]:
        """Keywords that are given and say what a bare table holds."""
        return [name for name in Bare.model_fields if name != "status_map" and getattr(self, name) is not None]

    def table_entry(self) -> dict[str, Any]:
        """What the entry of the table says, as in a release file."""
        several = {"contributors": _names(self.contributors)} if self.contributors is not None else {}
        said = {
            "value": self.value,
            "status": self.status,
            "truth": self.truth,
            "frequency": self.frequency,
            "cost": self.costs,
            "marks": self.marks,
            "rounding": self.rounded,
            "absent": self.absent,
            **several,
        }
        return {name: value for name, value in said.items() if value is not None}

    def unit_text(self) -> str | None:
        """The unit as text."""
        return _number("unit", self.unit)

    def columns_of_codes(self) -> Sequence[str] | None:
        """The columns that are said to hold codes."""
        return None if self.variables is None else _names(self.variables)


def _names(names: Sequence[str] | str) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


class Rules(Keywords):
    """What is sensitive: a policy, or rules that together are one, as the command takes them."""

    policy: Annotated[
        "str | os.PathLike[str] | Mapping[str, object] | Policy | None",
        AS_GIVEN,
        Field(description="Policy: a file, a document (a dict) or a Policy; goes before that of the release."),
    ] = None
    threshold: Annotated[
        int | str | None, AS_GIVEN, Field(description=GivenRules.model_fields["threshold"].description)
    ] = None
    p_percent: Annotated[
        float | Fraction | str | None, AS_GIVEN, Field(description=GivenRules.model_fields["p_percent"].description)
    ] = None
    dominance: Annotated[
        tuple[float, float] | Sequence[tuple[float, float]] | str | None,
        AS_GIVEN,
        Field(
            description="(n, k): sensitive if the n largest contributions exceed k percent; or a list of such pairs."
        ),
    ] = None

    def rules(self) -> GivenRules:
        """The same as options of the command."""
        said: Any = [] if self.dominance is None else self.dominance
        pairs = (
            said
            if isinstance(said, list | tuple) and all(isinstance(pair, list | tuple | str) for pair in said)
            else [said]
        )
        return GivenRules(
            threshold=_number("threshold", self.threshold),
            p_percent=_number("p_percent", self.p_percent),
            dominance=tuple(str(_text(pair)) for pair in pairs),
        )


def _number(name: str, value: object) -> str | None:
    """A number as text; a text that is none is left to be refused.

    Raises
    ------
    InputError: neither a number nor text.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, Number | str)):
        raise InputError(f"{name}: found {_shown(value)}, expected a number.")
    return None if value is None else str(_text(value))


class Reading(Rules, Bare):
    """How to read what is given, and what is sensitive in it."""


class Running(Keywords):
    """How the work is done; answers are the same whatever is said here."""

    jobs: Annotated[int, Field(ge=1, description="Worker processes (a script needs `if __name__ == '__main__':`).")] = 1
    executor: Annotated[
        Executor | None, AS_GIVEN, Field(description="Where work is done instead (see tableseal.audit.execution).")
    ] = None
    progress: Annotated[
        Told | bool | None,
        AS_GIVEN,
        Field(description="True: a line on standard error; or a function of (stage, steps done, steps in all)."),
    ] = None


def takes(model: Callable[P, K]) -> Callable[[Callable[[Any, K], R]], Callable[Concatenate[object, P], R]]:
    """Give a function of (data, keywords) the fields of a model as keywords, and its description of them."""
    assert isinstance(model, type)

    def decorate(function: Callable[[Any, K], R]) -> Callable[Concatenate[object, P], R]:
        name = function.__name__
        first, *_ = inspect.signature(function).parameters

        @wraps(function)
        def door(*data: Any, **said: Any) -> R:
            if first in said and not data:
                data = (said.pop(first),)
            if len(data) != 1:
                raise InputError(
                    f"{name}() takes one thing to work on, found {len(data)}; all else is said by keyword."
                )
            return in_keywords(lambda: function(data[0], validated(model, said, name)))

        door.__signature__ = signature_of(model, function)  # type: ignore[attr-defined]
        door.__doc__ = documented(model, function)
        del door.__wrapped__
        return door

    return decorate


def in_keywords(work: Callable[[], R]) -> R:
    """Do it; what messages call options of the command are keywords here."""
    try:
        return work()
    except TablesealError as error:
        error.args = tuple(without_dashes(said) if isinstance(said, str) else said for said in error.args)
        raise


def validated(model: type[K], said: Mapping[str, Any], name: str) -> K:
    """Keywords as the model has them.

    Raises
    ------
    InputError: an unknown keyword, a value that a keyword does not take.
    """
    for keyword in said:
        if keyword not in model.model_fields:
            hint = suggestion(keyword, model.model_fields)
            known = listing(model.model_fields, len(model.model_fields))
            raise InputError(f"{name}() has no keyword {quoted(keyword)}{hint}; keywords are {known}.")
    try:
        return model.model_validate(dict(said))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        keyword = str(first["loc"][0]) if first["loc"] else ""
        raise InputError(f"{name}(): {keyword}={_shown(said.get(keyword))}: {_expected(first)}.") from None


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str | int | float | bool | tuple | list | None) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _expected(error: Any) -> str:
    context, kind = error.get("ctx", {}), error["type"]
    words = {
        "literal_error": f"expected {context.get('expected')}",
        "greater_than_equal": f"expected at least {context.get('ge')}",
        "less_than_equal": f"expected at most {context.get('le')}",
        "string_too_long": f"expected at most {context.get('max_length')} characters",
    }
    if kind in words:
        return words[kind]
    nouns = {"int": "a whole number", "float": "a number", "bool": "True or False", "string": "text", "tuple": "a list"}
    return next((f"expected {noun}" for start, noun in nouns.items() if kind.startswith(start)), error["msg"].lower())


def signature_of(model: type[BaseModel], function: Callable[..., Any]) -> inspect.Signature:
    """The first parameter of a function, and the fields of a model as keywords."""
    own = inspect.signature(function)
    first, *_ = own.parameters.values()
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.annotation)
        for name, field in model.model_fields.items()
    ]
    return inspect.Signature(
        [first.replace(kind=inspect.Parameter.POSITIONAL_ONLY, annotation=object), *keywords],
        return_annotation=own.return_annotation,
    )


def documented(model: type[BaseModel], function: Callable[..., Any]) -> str:
    """The description of a function with that of its keywords, before what it raises or shows."""
    text = inspect.cleandoc(function.__doc__ or "")
    fields = [
        textwrap.fill(f"{name}: {field.description}", 116, subsequent_indent="    ", break_long_words=False)
        for name, field in model.model_fields.items()
    ]
    before, _, after = text.partition("\n{keywords}\n")
    return "\n".join([before, *fields, after])
