"""What a result says of its fields.

    class Step(NamedTuple):
        table: Annotated[str, "The last table released.", PUBLIC]
        risk: Annotated[float | None, Key("share.risk"), "Its risk then."]

Fields are written in the order in which they stand, under their names, and nobody outside the agency sees them: what is
otherwise is said beside the type. The first paragraph of the docstring describes the whole. A class variable with one
literal value is a key that is always there; `derived` makes one of a method.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum, auto
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

T = TypeVar("T")

REQUIRED: Any = object()
"""Instead of a default."""


class Mark(Enum):
    """What may stand beside a type."""

    PUBLIC = auto()
    """May be seen by anyone: a public copy has it. What is not marked is confidential."""
    SPARSE = auto()
    """Its key is left out where there is nothing to say: None, or an empty tuple."""
    HIDDEN = auto()
    """Not written; others are derived from it."""
    INLINE = auto()
    """A record whose keys stand among those of the record that holds it."""
    ROW = auto()
    """A record that is written as a list of its values."""


PUBLIC, SPARSE, HIDDEN, INLINE, ROW = Mark.PUBLIC, Mark.SPARSE, Mark.HIDDEN, Mark.INLINE, Mark.ROW


@dataclass(frozen=True)
class Key:
    """Where a field is written: its key or, with points, the keys of objects down to it. group: what the object is."""

    path: str
    group: str = ""


class Derived(Generic[T]):
    """A property that is written, too; see `derived`."""

    def __init__(self, method: Callable[[Any], T], after: str, key: str | None, group: str) -> None:
        self.method, self.after, self.key, self.group = method, after, key, group

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, record: None, owner: type) -> "Derived[T]": ...

    @overload
    def __get__(self, record: object, owner: type) -> T: ...

    def __get__(self, record: object | None, owner: type) -> "T | Derived[T]":
        return self if record is None else self.method(record)


def derived(after: str, key: str | None = None, group: str = "") -> Callable[[Callable[[Any], T]], Derived[T]]:
    """A method without arguments as a property that is written, too: behind the field (or property) `after`, under its
    name or as `Key(key, group)` says, in the form of its return type. Its docstring describes it. Nothing is read back
    into it."""
    return lambda method: Derived(method, after, key, group)


@dataclass(frozen=True)
class Field:
    """A field of a record, or a key that is always the same or derived.

    keys: down to it in JSON. hint: its type, with what is said beside it. default: REQUIRED if there is none. source:
    where its value comes from.
    """

    name: str
    keys: tuple[str, ...]
    hint: Any
    text: str = ""
    group: str = ""
    marks: frozenset[Mark] = frozenset()
    default: Any = REQUIRED
    source: Literal["field", "constant", "derived"] = "field"


def is_record(kind: object) -> bool:
    """Whether a type is that of results: a dataclass or a NamedTuple."""
    return isinstance(kind, type) and (is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")))


def bare(hint: Any) -> Any:
    """A type without what is said beside it."""
    return hint.__origin__ if get_origin(hint) is Annotated else hint


def paragraph(documented: object) -> str:
    """The first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(documented) or "").split("\n\n")[0].split())


@cache
def declared(record: Any) -> tuple[Field, ...]:
    """All that is said of a class of results, in the order in which it is written."""
    hints = get_type_hints(record, include_extras=True)
    defaults = _defaults(record)
    found = []
    for name, hint in hints.items():
        if get_origin(hint) is ClassVar:
            (hint,) = get_args(hint)
            if get_origin(hint) is Literal:
                text = "Name and version of this shape." if name == "schema" else ""
                found.append(Field(name, (name,), hint, text, source="constant"))
        else:
            found.append(_field(name, hint, Key(name), default=defaults.get(name, REQUIRED)))
    made = [own for base in reversed(record.__mro__) for own in vars(base).values() if isinstance(own, Derived)]
    for own in made:
        hint = get_type_hints(own.method, include_extras=True)["return"]
        key = Key(own.key or own.name, own.group)
        behind = next(k for k, field in enumerate(found) if field.name == own.after) + 1
        found.insert(behind, _field(own.name, hint, key, text=paragraph(own.method), source="derived"))
    return tuple(found)


def _defaults(record: type) -> dict[str, Any]:
    if not is_dataclass(record):
        return dict(getattr(record, "_field_defaults", {}))
    made = {f.name: f.default_factory() for f in fields(record) if f.default_factory is not MISSING}
    return made | {f.name: f.default for f in fields(record) if f.default is not MISSING}


def _field(name: str, hint: Any, key: Key, text: str = "", **more: Any) -> Field:
    beside = getattr(hint, "__metadata__", ())
    for mark in beside:
        text = mark if isinstance(mark, str) else text
        key = mark if isinstance(mark, Key) else key
    marks = frozenset(mark for mark in beside if isinstance(mark, Mark))
    return Field(name, tuple(key.path.split(".")), hint, text, key.group, marks, **more)
