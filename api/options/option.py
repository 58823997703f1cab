"""How an option is declared: a field of a group, which is a frozen dataclass, with an `Option` that says the rest."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from tableseal.audit.errors import InputError, OptionName

OFF = "no_"
"""What goes before the name of a flag to switch it off."""


@dataclass(frozen=True)
class Option:
    """What is said of an option besides its name, type, bounds and default, which its field has.

    Attributes
    ----------
    help: what it does, in whole sentences; behind it comes what is chosen from.
    metavar: stands for its value.
    choices: value -> what it means, of the values or some of them; one without a meaning is only named.
    off: what it means to switch a flag off that is not off by default. undecided: what it means to say nothing of it.
    names: on the command line, where there is more than `--name-of-the-field`.
    command: False: the command asks for it in another way.
    """

    help: str
    metavar: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    off: str = ""
    undecided: str = "as usual"
    names: tuple[str, ...] = ()
    command: bool = True

    @property
    def text(self) -> str:
        """All of it in words."""
        if not self.choices:
            return self.help
        listed = [f"{value} ({meaning})" if meaning else value for value, meaning in self.choices.items()]
        return f"{self.help.removesuffix('.')}: {', '.join(listed)}."

    @property
    def described(self) -> str:
        """The same where the metavar does not stand beside it, with the metavar if it tells how a value looks."""
        told = not self.metavar.isalnum() or re.search(rf"\b{self.metavar}\b", self.help)
        return f"{self.metavar}: {self.text}" if self.metavar and told else self.text


class Options:
    """A group of options; its subclasses are frozen dataclasses that can be made without arguments."""


@dataclass(frozen=True)
class Declared:
    """An option with all that its field says. bounds: of `annotated_types`; type: without them."""

    name: str
    type: Any
    default: Any
    bounds: tuple[Any, ...]
    option: Option

    @property
    def switch(self) -> bool:
        """Whether it is a flag that can be switched off: it is on, or undecided, if nothing is said."""
        return self.default is True or self.type == bool | None

    @property
    def several(self) -> bool:
        """Whether it may be repeated."""
        return get_origin(self.type) is tuple

    @property
    def again(self) -> str:
        """What is said of an option that may be repeated, behind its help."""
        return " May be repeated." if self.several else ""

    @property
    def values(self) -> tuple[str, ...]:
        """What is chosen from, where nothing else can be said."""
        parts = (self.type, *get_args(self.type))
        return next((get_args(part) for part in parts if get_origin(part) is Literal), ())

    def bound(self, name: str) -> Any:
        """`ge`, `le`, `max_length` and so on; None if there is no such bound."""
        return next((value for b in self.bounds if (value := getattr(b, name, None)) is not None), None)


_known: dict[type[Options], tuple[Declared, ...]] = {}
"""Options of the groups that were looked up (each request asks for them)."""


def declared(group: type[Options]) -> tuple[Declared, ...]:
    """The options of a group, in order."""
    if group not in _known:
        hints = get_type_hints(group, include_extras=True)
        found = (as_declared(f.name, hints[f.name], f.default) for f in fields(group))  # type: ignore[arg-type]
        _known[group] = tuple(one for one in found if one is not None)
    return _known[group]


def as_declared(name: str, hint: Any, default: Any) -> Declared | None:
    """A field, or a parameter of a function, as an option; None if it is none."""
    found, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    option = next((note for note in notes if isinstance(note, Option)), None)
    if option is None:
        return None
    return Declared(name, found, default, tuple(note for note in notes if note is not option), option)


def switched(group: type[Options], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of a group, with NAME=false in place of no_NAME=true.

    Raises
    ------
    InputError: both are said.
    """
    found = dict(given)
    for one in declared(group):
        off = found.pop(OFF + one.name, None) if one.switch else None
        if off is not None and one.name in found:
            words = (OptionName(one.name), " is said, too; leave one of them out.")
            raise InputError(*words, at=OptionName(OFF + one.name))
        if off is not None:
            found[one.name] = not off
    return found
