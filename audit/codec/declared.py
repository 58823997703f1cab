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
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

T = TypeVar("T")


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


class derived(Generic[T]):  # noqa: N801 - used as a decorator, as property is
    """A method without arguments as a property that is written, too: behind the field (or property) `after`, as what its
    return type says; its docstring describes it. Nothing is read back into it."""

    def __init__(self, after: str, key: str | None = None, group: str = "") -> None:
        self.after, self.key, self.group = after, key, group

    def __call__(self, method: Callable[[Any], T]) -> "derived[T]":
        self.method = method
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, record: None, owner: type) -> "derived[T]": ...

    @overload
    def __get__(self, record: object, owner: type) -> T: ...

    def __get__(self, record: object | None, owner: type) -> "T | derived[T]":
        return self if record is None else self.method(record)


@dataclass(frozen=True)
class Field:
    """A field of a record, or a key that is always the same or derived.

    keys: down to it in JSON. hint: its type, with what is said beside it. default: MISSING if there is none. source: where
    its value comes from.
    """

    name: str
    keys: tuple[str, ...]
    hint: Any
    text: str = ""
    group: str = ""
    marks: frozenset[Mark] = frozenset()
    default: Any = MISSING
    source: Literal["field", "constant", "derived"] = "field"


def is_record(kind: object) -> bool:
    """Whether a type is that of results: a dataclass or a NamedTuple."""
    return isinstance(kind, type) and (is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")))


def paragraph(documented: object) -> str:
    """The first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(documented) or "").split("\n\n")[0].split())


@cache
def declared(record: type) -> tuple[Field, ...]:
    """All that is said of a class of results, in the order in which it is written."""
    hints = get_type_hints(record, include_extras=True)
    defaults = _defaults(record)
    found = []
    for name, hint in hints.items():
        if get_origin(hint) is ClassVar:
            (hint,) = get_args(hint)
            if get_origin(hint) is Literal:
                found.append(Field(name, (name,), hint, source="constant"))
        else:
            found.append(_field(name, hint, Key(name), default=defaults.get(name, MISSING)))
    made = [own for base in reversed(record.__mro__) for own in vars(base).values() if isinstance(own, derived)]
    for own in made:
        hint = get_type_hints(own.method, include_extras=True)["return"]
        key = Key(own.key or own.name, own.group)
        behind = next(k for k, field in enumerate(found) if field.name == own.after) + 1
        found.insert(behind, _field(own.name, hint, key, text=paragraph(own.method), source="derived"))
    return tuple(found)


def _defaults(record: type) -> dict[str, Any]:
    if not is_dataclass(record):
        return dict(getattr(record, "_field_defaults", {}))
    return {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(record)}


def _field(name: str, hint: Any, key: Key, text: str = "", **more: Any) -> Field:
    beside = getattr(hint, "__metadata__", ())
    for mark in beside:
        text = mark if isinstance(mark, str) else text
        key = mark if isinstance(mark, Key) else key
    marks = frozenset(mark for mark in beside if isinstance(mark, Mark))
    return Field(name, tuple(key.path.split(".")), hint, text, key.group, marks, **more)
