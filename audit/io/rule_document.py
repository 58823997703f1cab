"""Rules in policy documents: reading, writing and schema, all made from what each rule says of its fields."""

from collections.abc import Mapping
from dataclasses import MISSING
from fractions import Fraction
from functools import cache
from inspect import cleandoc
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Tag, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tableseal.audit.io.document_types import (
    TAG,
    Count,
    Flag,
    Model,
    NonNegative,
    Percent,
    Positive,
    Rank,
    Share,
    Text,
    fail,
    shape,
)
from tableseal.audit.io.numbers import exact
from tableseal.audit.rules.registry import KEYS, RULES, added_rules, rule_of
from tableseal.audit.rules.rule import Parameter, Rule, parameters
from tableseal.audit.wording import listing, suggestion

_TYPES: Mapping[str, Any] = {
    "count": Count,
    "rank": Rank,
    "percent": Percent,
    "positive": Positive,
    "nonnegative": NonNegative,
    "share": Share,
    "flag": Flag,
    "text": Text,
    "texts": Annotated[list[Text], Field(min_length=1)],
}
"""Value of a parameter -> type of the document."""


@cache
def rule_model(rule: type[Rule], key: str) -> type[Model]:
    """The document of a rule under one of its keys."""
    about = (rule.__doc__ or "").partition("\n\n")[0]
    name = rule.__name__
    said = parameters(rule)
    if rule.short is not None and key == rule.short.key:
        parameter, _ = said[rule.short.field]
        head: Any = (_type(parameter), ...)
        name, about = key.title().replace("_", ""), rule.short.about
    elif (at := _behind(rule)) is not None:
        head = _field(*said[at])
    else:
        inside: dict[str, Any] = {field: _field(*of) for field, of in said.items() if of[0].place == "inside"}
        words = f"Parameters of the {key} rule."
        head = (create_model(f"{name}Parameters", __base__=Model, __doc__=words, **inside), ...)
        if rule.switch:
            branches = Annotated[Flag, Tag(TAG + "text")] | Annotated[head[0], Tag(TAG + "mapping")]
            head = (Annotated[branches, Discriminator(shape)], ...)
    fields: dict[str, Any] = {key: head}
    fields |= {field: _field(*of) for field, of in said.items() if of[0].place == "beside"}
    return create_model(f"{name}Rule", __base__=Model, __doc__=cleandoc(about), **fields)


def rule_document(rule: Rule) -> dict[str, object]:
    """The rule as a document that reads back to it; what stands beside its key only if it is not at its default."""
    document: dict[str, object] = {}
    inside: dict[str, object] = {}
    for name, (parameter, default) in parameters(type(rule)).items():
        value = getattr(rule, name)
        if parameter.place == "key":
            document[rule.key] = _plain(value)
        elif parameter.place == "inside":
            if value is not None:
                inside[name] = _plain(value)
        elif parameter.always or value != default:
            document[name] = _plain(value)
    return document if _behind(type(rule)) is not None else {rule.key: inside or True, **document}


@cache
def letters_model(added: tuple[type[Rule], ...] = ()) -> type[Model]:
    """The document of letters for reasons; added: rules that are not ours."""
    fields: dict[str, Any] = {
        name: (Annotated[Text, Field(max_length=20)] | None, Field(default=None, description=words))
        for name, words in [said for rule in (*RULES, *added) for said in rule.letters().items()] + _NO_RULE
    }
    words = "Why a cell is withheld -> the letter that says so in protected files."
    return create_model("ReasonsDocument", __base__=Model, __doc__=words, **fields)


_NO_RULE = [("status", "by its status, no rule says why"), ("secondary", "to protect other cells")]


class Letters:
    """Annotation of a field that holds reason -> letter."""

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_read_letters)

    @staticmethod
    def __get_pydantic_json_schema__(schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(core_schema.nullable_schema(letters_model().__pydantic_core_schema__))


def _read_letters(document: Any) -> Mapping[str, str]:
    if document is None:
        return {}
    known = letters_model()
    if isinstance(document, Mapping) and not document.keys() <= known.model_fields.keys():
        known = letters_model(tuple(rule for rule in added_rules() if document.keys() & rule.letters().keys()))
    return {name: letter for name, letter in known.model_validate(document) if letter is not None}


class AnyRule:
    """Annotation of a field that holds a rule, read from its document; None for one that is switched off."""

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_read)

    @staticmethod
    def __get_pydantic_json_schema__(schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        models = {key: rule_model(rule, key).__pydantic_core_schema__ for key, rule in KEYS.items()}
        return handler(core_schema.tagged_union_schema(models, lambda _: None))


def _read(document: Any) -> Rule | None:
    named = [str(key) for key in document] if isinstance(document, Mapping) else []
    key, rule = next(((key, rule) for key in named if (rule := rule_of(key)) is not None), ("", None))
    if rule is None:
        hint = suggestion(named[0], KEYS) if named else ""
        fail(document, f"one of {listing(KEYS)}{hint}", listing(named) if named else None)
    model = rule_model(rule, key).model_validate(document)
    head = getattr(model, key)
    if head is False:
        return None
    given: dict[str, Any] = {}
    for name, (parameter, _) in parameters(rule).items():
        if parameter.place == "beside":
            given[name] = getattr(model, name)
        elif isinstance(head, Model):
            given[name] = getattr(head, name)
    at = rule.short.field if rule.short is not None and key == rule.short.key else _behind(rule)
    if at is not None:
        given[at] = head
    return rule(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def _behind(rule: type[Rule]) -> str | None:
    """The field whose value stands behind the key of the rule; None: a mapping does."""
    return next((name for name, (parameter, _) in parameters(rule).items() if parameter.place == "key"), None)


def _field(parameter: Parameter, default: Any) -> tuple[Any, Any]:
    """Type and field of a model."""
    needed = default is MISSING or parameter.required
    kind = _type(parameter) | None if default is None else _type(parameter)
    return kind, Field(default=... if needed else default, description=parameter.about)


def _type(parameter: Parameter) -> Any:
    return Literal[parameter.value] if isinstance(parameter.value, tuple) else _TYPES[parameter.value]


def _plain(value: Any) -> object:
    """Exact numbers as whole ones or text, several texts as a list."""
    if isinstance(value, Fraction):
        return exact(value)
    return list(value) if isinstance(value, tuple) else value
