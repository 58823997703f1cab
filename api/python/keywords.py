"""Keywords of the door: options, which together are the signature of a function.

What may be said about an audit, a search, ... is declared once, in `api/options`. A function of the door takes a group
of options as keywords: names, types, defaults and descriptions are those of the declarations. What only Python callers
say (columns of a frame, who works, ...) is declared here in the same way.
"""

import inspect
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from numbers import Real
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tableseal.api.options.checking import checked, shown
from tableseal.api.options.option import Declared, Option, Options, declared
from tableseal.api.options.records import RecordColumns
from tableseal.api.options.rules import AsRule, GivenRules, rule_note
from tableseal.api.options.shared import Jobs
from tableseal.api.python.advice import InPython
from tableseal.audit.errors import InputError, OptionName, TablesealError
from tableseal.audit.execution.executor import Executor
from tableseal.audit.io.document import AbsentDocument
from tableseal.audit.io.numbers import decimal
from tableseal.audit.io.rounding_document import RoundingDocument
from tableseal.audit.io.scalars import scalar_text
from tableseal.audit.model import Policy
from tableseal.audit.progress import Progress as Told
from tableseal.audit.wording import listing

P = ParamSpec("P")
K = TypeVar("K", bound=Options)
R = TypeVar("R")


@dataclass(frozen=True)
class AsGiven:
    """Marks an option whose value is taken as it is, if it is of one of these kinds; what is in it is looked at where
    it is used."""

    expected: str = ""
    kinds: tuple[type, ...] = (object,)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def _checked(self, value: Any) -> Any:
        if value is None or isinstance(value, self.kinds):
            return value
        raise PydanticCustomError("kind", "{expected}", {"expected": self.expected})


AS_GIVEN = AsGiven()


def mapping(such: str, document: type[BaseModel] | None = None) -> AsGiven:
    """A mapping, such as this one; with the keys of a document, if they are fixed."""
    keys = "" if document is None else f" with keys of {listing(document.model_fields)}"
    return AsGiven(f"a dict{keys}, such as {such}", (Mapping,))


MARKS = "{'*': 'withheld', '<10': [0, 9]}"
ROUNDED = "{'base': 3, 'method': 'random'}"
ABSENT = "{'leaves': 'not_released'}"
TREES = "{'region': {'North': ['N1', 'N2']}}"
FLAGS = "{'c': 'withheld'}"

COLUMNS = AsGiven("the name of a column, or a list of such names", (str, list, tuple))
STATUS = AsGiven("the name of a column, a dict as in a release file, or a list of these", (str, Mapping, list, tuple))


def as_option(one: Declared, value: Any) -> Any:
    """What Python has for an option in the type of the option: numbers and lists where that is a text, mappings as
    NAME=VALUE."""
    if any(isinstance(note, AsGiven) for note in one.bounds):
        return value
    if (rule := rule_note(one)) is not None:
        return _rule_text(one, rule, value)
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()
    if one.several:
        if isinstance(value, Mapping) and one.option.metavar.endswith(",..."):  # each is several codes of one cell
            return (_text(value),)
        if isinstance(value, Mapping):
            return tuple(f"{key}={each}" for key, several in value.items() for each in _several(several))
        return tuple(_text(each) for each in _several(value))
    return _text(value) if str in (one.type, *get_args(one.type)) else value


def _several(value: Any) -> Sequence[Any]:
    return list(value) if isinstance(value, list | tuple | set) else [value]


def _text(value: Any) -> Any:
    """Numbers, ranges of numbers, lists, mappings and paths as options write them; anything else as it is."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, range):
        return f"{value.start}-{value[-1] if value else value.start}" + (f"/{value.step}" if value.step != 1 else "")
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(_text(each)) for each in value)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return value
    return scalar_text(value) or "nan"  # said by somebody, NaN is not nothing


@dataclass(frozen=True, kw_only=True)
class Bare(Options):
    """What DataFrames and bare data files do not say themselves."""

    value: Annotated[str | None, Option("Column of the values that are (to be) published.")] = None
    status: Annotated[
        str | Mapping[str, object] | Sequence[object] | None,
        STATUS,
        Option(
            "Column that says which cells are withheld, in words (published, primary, secondary, withheld, "
            "...), or as in a release file: {'column': ..., 'scheme': ...}; 'none': no column does."
        ),
    ] = None
    primary: Annotated[
        Any, AS_GIVEN, Option("Sensitive cells, which are withheld: a mask of True/False, or such a column.")
    ] = None
    variables: Annotated[
        Sequence[str] | str | None,
        COLUMNS,
        Option("Columns of codes (region, sex, ...); the other ones are not looked at."),
    ] = None
    total: Annotated[
        str | Mapping[str, str | None] | None,
        AS_GIVEN,
        Option("Code of the totals, or {column: code} (None: is never added up)."),
    ] = None
    hierarchies: Annotated[
        Mapping[str, Any] | None,
        mapping(TREES),
        Option(
            f"{{column: nested codes}}, such as {TREES}; for the codes also a .hrc or csv "
            "file, or a frame, with the columns code and parent or a column for each level."
        ),
    ] = None
    kind: Annotated[Literal["count", "magnitude"] | None, Option("Numbers of units, or sums of a variable.")] = None
    unit: Annotated[
        float | Fraction | str | None,
        AS_GIVEN,
        Option("Published precision of a magnitude, such as 0.1: published values are multiples of it."),
    ] = None
    truth: Annotated[str | None, Option("Column of the true values (the agency's own).")] = None
    frequency: Annotated[str | None, Option("Column: respondents of each cell (the agency's own).")] = None
    contributors: Annotated[
        Sequence[str] | str | None,
        COLUMNS,
        Option("Columns of the largest contributions, descending (the agency's own)."),
    ] = None
    costs: Annotated[str | None, Option("Column: cost of withholding a cell.")] = None
    marks: Annotated[
        Mapping[str, object] | None,
        mapping(MARKS),
        Option(f"What a mark among the values means: {MARKS}."),
    ] = None
    rounded: Annotated[
        Mapping[str, object] | None,
        mapping(ROUNDED, RoundingDocument),
        Option(f"How published values were rounded: {ROUNDED}, as in a release file."),
    ] = None
    absent: Annotated[
        Mapping[str, object] | None,
        mapping(ABSENT, AbsentDocument),
        Option(
            "What a combination without a row means: {'leaves': 'zero' or 'not_released', 'totals': "
            "'not_released' or 'compute'}; nothing said: zero, and not released."
        ),
    ] = None
    status_map: Annotated[
        Mapping[str, str] | None, mapping(FLAGS), Option(f"What flags of status columns mean: {FLAGS}.")
    ] = None

    def about_tables(self) -> list[str]:
        """Keywords that are given and say what a bare table holds."""
        return [one.name for one in declared(Bare) if one.name != "status_map" and getattr(self, one.name) is not None]

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
        """The unit as text.

        Raises
        ------
        InputError: no number above 0.
        """
        text = _number("unit", self.unit)
        try:
            above = text is None or decimal(text) > 0
        except ValueError:
            above = False
        if not above:
            raise InputError(expected="a number above 0, such as 0.1", at=OptionName("unit", text))
        return text

    def letters(self) -> Mapping[str, str] | None:
        """What flags mean, as text: True as it stands in columns, too.

        Raises
        ------
        InputError: a meaning that is no text.
        """
        found = {}
        for flag, word in (self.status_map or {}).items():
            if not isinstance(word, str):
                expected = "a status word, such as withheld"
                raise InputError(found=shown(word), expected=expected, at=OptionName("status_map", str(flag)))
            found[str(_text(flag)) if not isinstance(flag, bool) else str(flag).lower()] = word
        return found or None

    def columns_of_codes(self) -> Sequence[str] | None:
        """The columns that are said to hold codes."""
        return None if self.variables is None else _names(self.variables)


def _names(names: Sequence[str] | str) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


@dataclass(frozen=True, kw_only=True)
class _Policy(Options):
    policy: Annotated[
        "str | os.PathLike[str] | Mapping[str, object] | Policy | None",
        AS_GIVEN,
        Option("Policy: a file, a document (a dict) or a Policy; goes before that of the release."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Rules(GivenRules, _Policy):
    """What is sensitive: a policy, or rules that together are one, as the command takes them."""


def _rule_text(one: Declared, rule: AsRule, value: Any) -> Any:
    """What Python has for a rule as the option is written: numbers as text, several numbers with commas.

    Raises
    ------
    InputError: neither a number nor text.
    """
    if len(rule.asked) == 1:
        return _number(one.name, value)
    said: Any = [] if value is None else value
    each = said if isinstance(said, list | tuple) and all(isinstance(n, list | tuple | str) for n in said) else [said]
    return tuple(str(_text(numbers)) for numbers in each)


def _number(name: str, value: object) -> str | None:
    """A number as text; a text that is none is left to be refused.

    Raises
    ------
    InputError: neither a number nor text.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real | Decimal | str)):
        raise InputError(found=shown(value), expected="a number", at=OptionName(name))
    return None if value is None else str(_text(value))


@dataclass(frozen=True, kw_only=True)
class Reading(Rules, Bare):
    """How to read what is given, and what is sensitive in it."""


@dataclass(frozen=True, kw_only=True)
class _OfRecords(Options):
    by: Annotated[
        Sequence[str] | Sequence[Sequence[str]] | str | None,
        COLUMNS,
        Option(
            "The rows are records of single units: columns of codes whose table is made, with totals; a list of such "
            "lists: a table each. 'region/district': two levels of one classification. `value` is added up; without "
            "it records are counted."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class OfRecords(Reading, RecordColumns, _OfRecords):
    """How to read what is given, where that may be records of single units of which tables are made."""

    def of_records(self) -> Sequence[Sequence[str]] | None:
        """A table each: its columns; None: what is given are tables.

        Raises
        ------
        InputError: what is said of records alone, of tables; or the other way round.
        """
        own = [one.name for one in declared(RecordColumns) if getattr(self, one.name) is not None]
        if self.by is None:
            if own:
                text = "is for records, of which tables are made; say by which columns: by=['region', 'size']."
                raise InputError(text, at=OptionName(own[0]))
            return None
        others = [name for name in self.about_tables() if name not in _ABOUT_RECORDS]
        if others:
            text = "says what the cells of a table hold; with by= the rows are records, of which tables are made."
            raise InputError(text, at=OptionName(others[0]))
        one = isinstance(self.by, str) or all(isinstance(name, str) for name in self.by)
        tables: Sequence[Any] = [self.by] if one else self.by
        for table in tables:
            if not isinstance(table, str | list | tuple) or not all(isinstance(name, str) for name in table):
                expected = "names of columns, or a list of such lists"
                raise InputError(found=shown(self.by), expected=expected, at=OptionName("by"))
        return [_names(table) for table in tables]


_ABOUT_RECORDS = ("value", "total", "hierarchies", "kind", "unit")
"""Keywords about tables that say the same of records."""


@dataclass(frozen=True, kw_only=True)
class Running(Options):
    """How the work is done; answers are the same whatever is said here."""

    jobs: Jobs = 1
    executor: Annotated[
        Executor | None, AS_GIVEN, Option("Where work is done instead (see tableseal.audit.execution).")
    ] = None
    progress: Annotated[
        Told | bool | None,
        AS_GIVEN,
        Option("True: a line on standard error; or a function of (stage, steps done, steps in all)."),
    ] = None


@contextmanager
def _in_python(verb: str) -> Iterator[None]:
    """Errors of what is inside advise in keywords of the door."""
    try:
        yield
    except TablesealError as error:
        for each in (error, *error.several):
            each.advised = InPython(verb).words
        raise


def takes(group: Callable[P, K]) -> Callable[[Callable[[Any, K], R]], Callable[Concatenate[object, P], R]]:
    """Give a function of (data, options) the options of a group as keywords, and its description of them."""
    assert isinstance(group, type)

    def decorate(function: Callable[[Any, K], R]) -> Callable[Concatenate[object, P], R]:
        name = function.__name__
        first, *_ = inspect.signature(function).parameters

        @wraps(function)
        def door(*data: Any, **said: Any) -> R:
            if first in said and not data:
                data = (said.pop(first),)
            if len(data) != 1:
                raise InputError(f"{name}() takes one thing to work on, found {len(data)}; all else has a keyword.")
            with _in_python(name):
                return function(data[0], checked(group, said, who=f"{name}()", called="keyword", convert=as_option))

        door.__signature__ = signature_of(group, function)  # type: ignore[attr-defined]
        door.__doc__ = documented(group, function)
        del door.__wrapped__
        return door

    return decorate


def signature_of(group: type[Options], function: Callable[..., Any]) -> inspect.Signature:
    """The first parameter of a function, and the options of a group as keywords."""
    own = inspect.signature(function)
    first, *_ = own.parameters.values()
    keywords = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=_type(one))
        for one in declared(group)
    ]
    return inspect.Signature(
        [first.replace(kind=inspect.Parameter.POSITIONAL_ONLY, annotation=object), *keywords],
        return_annotation=own.return_annotation,
    )


def documented(group: type[Options], function: Callable[..., Any]) -> str:
    """The description of a function with that of its keywords where `{keywords}` stands."""
    text = inspect.cleandoc(function.__doc__ or "")
    described = [
        textwrap.fill(f"{one.name}: {_described(one)}", 116, subsequent_indent="    ", break_long_words=False)
        for one in declared(group)
    ]
    before, _, after = text.partition("\n{keywords}\n")
    return "\n".join([before, *described, after])


def _type(one: Declared) -> Any:
    rule = rule_note(one)
    return one.type if rule is None else rule.python


def _described(one: Declared) -> str:
    rule = rule_note(one)
    return one.option.described if rule is None or not rule.said else rule.said
