"""Field types of the document models: text as written -> value, with a message that says what was expected."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from tableseal.audit.errors import InputError, Place, TablesealError
from tableseal.audit.io.numbers import places, rational
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.wording import listing, quoted, suggestion

TAG = "@@"
"""Names of union branches begin with this; they are left out of the paths in messages."""


def _shown(value: object) -> str:
    return quoted(value) if value is None or isinstance(value, str) else f"a {_kind(value)}"


def fail(found: object, expected: str, shown: str | None = None) -> NoReturn:
    """Refuse what was found in a document (`shown`: as the message says it), within a validator."""
    said = {"found": _shown(found) if shown is None else shown, "expected": expected}
    raise PydanticCustomError("found", "found {found}, expected {expected}.", said)


def _kind(value: object) -> str:
    return "list" if isinstance(value, list | tuple) else "mapping" if isinstance(value, Mapping) else "value"


class Model(BaseModel):
    """A mapping with known keys; every unknown key is an error that names it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        known = cls.model_fields
        if not isinstance(data, Mapping):
            fail(data, f"a mapping with keys such as {listing(known, 4)}")
        if data.keys() <= known.keys():
            return handler(data)
        unknown = [key for key in data if key not in known]
        wrong = [_again("unknown_key", _unknown(key, known), {"key": key}, (), data) for key in unknown]
        try:
            handler({key: value for key, value in data.items() if key in known})
        except ValidationError as error:  # what else is wrong is told with it
            found = error.errors(include_url=False)
            wrong += [_again(e["type"], e["msg"], e.get("ctx", {}), e["loc"], e["input"]) for e in found]
        raise ValidationError.from_exception_data(cls.__name__, wrong)


def _unknown(key: str, known: Mapping[str, Any]) -> str:
    return f"unknown key {quoted(key)}{suggestion(key, known)}; known keys are {listing(known, 20)}."


def _again(kind: str, message: str, context: Mapping[str, Any], where: tuple[str | int, ...], given: Any) -> Any:
    """An error to be raised with others."""
    # The message is given as context, so that braces in it are left alone.
    custom = PydanticCustomError(kind, "{message}", {**context, "message": message})
    return InitErrorDetails(type=custom, loc=where, input=given)


def checked(wrong: Callable[[Any], Iterable[TablesealError]]) -> PlainValidator:
    """Validator of a value that has no model: `wrong` says what is wrong with it, placed from the value on."""

    def validated(value: Any) -> Any:
        found = [_again("placed", str(error), {"error": error}, (), None) for error in wrong(value)]
        if found:
            raise ValidationError.from_exception_data("", found)
        return value

    return PlainValidator(validated)


def _text(value: object) -> str:
    if not isinstance(value, str):
        fail(value, "text" if value is not None else "text (quote a text that says null)")
    return value


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value.lower() not in ("true", "false"):
        fail(value, "true or false")
    return value.lower() == "true"


class _Number:
    """Validator of exact numbers within bounds."""

    def __init__(
        self,
        minimum: int | None = None,
        above: int | None = None,
        maximum: int | None = None,
        *,
        whole: bool = False,
    ) -> None:
        self.minimum, self.above, self.maximum, self.whole = minimum, above, maximum, whole
        words = [
            f"at least {minimum}" if minimum is not None else "",
            f"above {above}" if above is not None else "",
            f"at most {maximum}" if maximum is not None else "",
        ]
        self.expected = f"a {'whole ' if whole else ''}number " + " and ".join(w for w in words if w)

    def __call__(self, value: object) -> Fraction:
        try:
            number = rational(value) if isinstance(value, str) else None
        except ValueError:
            number = None
        if (
            number is None
            or (self.whole and number.denominator != 1)
            or (self.minimum is not None and number < self.minimum)
            or (self.above is not None and number <= self.above)
            or (self.maximum is not None and number > self.maximum)
        ):
            fail(value, self.expected.strip())
        return number

    def schema(self) -> WithJsonSchema:
        """JSON Schema: a number within the bounds, or its text (which keeps digits that JSON readers lose)."""
        number: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        bounds = {"minimum": self.minimum, "exclusiveMinimum": self.above, "maximum": self.maximum}
        number |= {key: bound for key, bound in bounds.items() if bound is not None}
        pattern = "^[+-]?[0-9]+$" if self.whole else "^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$|^[+-]?[0-9]+/[0-9]+$"
        return WithJsonSchema({"anyOf": [number, {"type": "string", "pattern": pattern}]})


def _integer(check: _Number) -> PlainValidator:
    return PlainValidator(lambda value: int(check(value)))


def _factor(value: object) -> Fraction:
    """0.7, or -30% for the same."""
    found = None
    if isinstance(value, str):
        try:
            text = value.strip()
            found = 1 + rational(text[:-1]) / 100 if text.endswith("%") else rational(text)
        except ValueError:
            pass
    if found is None or not 0 <= found <= 10**6 or found.denominator > 10**6:
        fail(value, "a percentage from -100% on, such as -30% or +50%, or the factor that it is, such as 0.7 or 1.5")
    return found


def _unit(value: object) -> Fraction:
    number = _POSITIVE(value)
    if not Fraction(1, 10**12) <= number <= 10**12:
        fail(value, "a unit between 10^-12 and 10^12")
    if places(number) is None:
        fail(value, "a number with a finite decimal expansion, such as 1, 0.1 or 1000")
    return number


_POSITIVE = _Number(above=0)
_ANY = _Number()
_PERCENT = _Number(above=0, maximum=100)
_NONNEGATIVE = _Number(minimum=0, maximum=10**6)
_SHARE = _Number(minimum=0, maximum=1)
_COUNT = _Number(minimum=1, maximum=10**9, whole=True)
_INTEGER = _Number(minimum=-(10**9), maximum=10**9, whole=True)
_DECIMALS = _Number(minimum=0, maximum=9, whole=True)
_RANK = _Number(minimum=1, maximum=1000, whole=True)
_TALLY = _Number(minimum=1, maximum=10**9, whole=True)

Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": ["string", "number", "boolean"]})]
Code = Text
Flag = Annotated[
    bool, PlainValidator(_flag), WithJsonSchema({"anyOf": [{"type": "boolean"}, {"enum": ["true", "false"]}]})
]
Number = Annotated[Fraction, PlainValidator(_ANY), _ANY.schema()]
NonNegative = Annotated[Fraction, PlainValidator(_NONNEGATIVE), _NONNEGATIVE.schema()]
Factor = Annotated[
    Fraction, PlainValidator(_factor), WithJsonSchema({"type": ["number", "string"], "description": "0.7, or -30%"})
]
Positive = Annotated[Fraction, PlainValidator(_POSITIVE), _POSITIVE.schema()]
Percent = Annotated[Fraction, PlainValidator(_PERCENT), _PERCENT.schema()]
Share = Annotated[Fraction, PlainValidator(_SHARE), _SHARE.schema()]
Unit = Annotated[Fraction, PlainValidator(_unit), _POSITIVE.schema()]
Count = Annotated[int, _integer(_COUNT), _COUNT.schema()]
Decimals = Annotated[int, _integer(_DECIMALS), _DECIMALS.schema()]
Rank = Annotated[int, _integer(_RANK), _RANK.schema()]
Tally = Annotated[int, _integer(_TALLY), _TALLY.schema()]
Integer = Annotated[int, _integer(_INTEGER), _INTEGER.schema()]


def shape(value: object) -> str:
    """Branch of a union by the kind of value: text, list or mapping."""
    return TAG + (_kind(value) if isinstance(value, list | tuple | Mapping | BaseModel) else "text")


M = TypeVar("M", bound=BaseModel)

TOLD = 100
"""Errors of a document that are told, at most."""


def validate(model: type[M], document: Document, where: Place) -> M:
    """The document as a model.

    Raises
    ------
    InputError: where, what was found and expected, and how many more errors follow.
    """
    try:
        return model.model_validate(document)
    except ValidationError as error:
        found = error.errors(include_url=False)
        others = len(found) - 1
        more = f" (And {others} more error{'s' if others > 1 else ''} in this document.)" if others else ""
        several = tuple(_error(one, where, document) for one in found[:TOLD]) if others else ()
        raise _error(found[0], where, document, more, several) from None


def _error(
    one: Any, where: Place, document: Document, more: str = "", several: tuple[TablesealError, ...] = ()
) -> InputError:
    """An error of pydantic as one of ours."""
    path = tuple(part for part in one["loc"] if not str(part).startswith(TAG))
    at = replace(where, path=(*where.path, *path))
    match one["type"]:
        case "placed":
            error = one["ctx"]["error"]
            inside = error.at or Place()
            at = replace(at, path=(*at.path, *inside.path), row=inside.row, table=_table(document, path))
            text = error.words(placed=False) + more
            return InputError(text, at=at, found=error.found, expected=error.expected, several=several)
        case "missing":  # what is there lies above it
            return InputError("is missing." + more, at=at, places=[replace(at, path=at.path[:-1])], several=several)
        case "unknown_key":
            return InputError(one["msg"] + more, at=at, places=[at / one["ctx"]["key"]], several=several)
    what, expected = _wrong(one)
    return InputError(
        f"found {what}, expected {expected}.{more}", at=at, found=what, expected=expected, several=several
    )


def _table(document: Document, path: tuple[str | int, ...]) -> str | None:
    """The name of the table that a path leads into, if it has one."""
    match path, document:
        case ("tables" | "statistics" as key, int(at), *_), {**whole}:
            entries = whole[key]
            name = entries[at].get("name") if isinstance(entries, list) else None
            return name if isinstance(name, str) else None
    return None


def _wrong(error: Any) -> tuple[str, str]:
    """What was found and what was expected."""
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "found":
        return context["found"], context["expected"]
    if kind == "literal_error":
        options = re.findall(r"'([^']*)'", context["expected"])
        return _shown(given), listing(options) + (suggestion(given, options) if isinstance(given, str) else "")
    if kind == "union_tag_invalid":
        options = re.findall(rf"'{TAG}(\w+)'", context["expected_tags"])
        keys = [str(key) for key in given] if isinstance(given, Mapping) and "text" not in options else []
        hint = suggestion(keys[0], options) if keys else ""
        return listing(keys) if keys else _shown(given), f"one of {listing(options)}{hint}"
    expected = {
        "list_type": "a list",
        "tuple_type": "a list",
        "dict_type": "a mapping",
        "mapping_type": "a mapping",
        "too_short": f"at least {context.get('min_length')} entries",
        "too_long": f"at most {context.get('max_length')} entries",
        "string_too_long": f"at most {context.get('max_length')} characters",
    }.get(kind)
    return _shown(given), expected or error["msg"].lower()
