"""A value of a JSON document and its place, for readers that say what they found where."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from tableseal.audit.codec.exact_json import Json
from tableseal.audit.errors import InputError

_KINDS = {str: "a text", bool: "true or false", int: "a whole number", dict: "an object", list: "a list"}


@dataclass(frozen=True)
class At:
    """A value and its path. What it cannot be read as is an InputError, which says the kind of what was found: the
    value itself may be confidential."""

    value: Json
    path: str

    def fail(self, expected: str) -> NoReturn:
        """What was expected, as an error."""
        found = "null" if self.value is None else _KINDS.get(type(self.value), "a number")
        raise InputError(f"{self.path}: found {found} where {expected} was expected.")

    def keys(self, wanted: Collection[str], optional: Collection[str] = ()) -> "dict[str, At]":
        """The entries of an object that has all the wanted keys, and of others only optional ones."""
        found = self.named()
        for name in wanted:
            if name not in found:
                raise InputError(f'{self.path}: the key "{name}" is missing.')
        for name in found:
            if name not in wanted and name not in optional:
                raise InputError(f'{self.path}: the key "{name}" does not belong there.')
        return found

    def named(self) -> "dict[str, At]":
        """The entries of an object."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        return {name: At(entry, f"{self.path}.{name}") for name, entry in self.value.items()}

    def entries(self) -> "Iterator[At]":
        """Those of a list."""
        if not isinstance(self.value, list):
            self.fail("a list")
        return (At(entry, f"{self.path}[{n}]") for n, entry in enumerate(self.value))

    def several(self, count: int) -> "list[At]":
        """Those of a list of so many."""
        found = list(self.entries())
        if len(found) != count:
            self.fail("a list of two" if count == 2 else f"a list of {count}")
        return found

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            self.fail("a text")
        return self.value

    def truth(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.fail("true or false")
        return self.value

    def exact(self) -> Fraction:
        """A number."""
        if not isinstance(self.value, int | Fraction) or isinstance(self.value, bool):
            self.fail("a number")
        return Fraction(self.value)

    def floating(self) -> float:
        """A number that was measured."""
        return float(self.exact())

    def whole(self) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail("a whole number")
        return self.value

    def figure(self) -> int | float:
        """A number, whole or measured."""
        return self.whole() if isinstance(self.value, int) else self.floating()

    def choice(self, *options: Any) -> Any:
        """One of these."""
        for option in options:
            if self.value == option and type(self.value) is type(option):
                return option
        self.fail("one of " + ", ".join(f'"{option}"' for option in options))

    def codes(self) -> tuple[tuple[str, str], ...]:
        """(name, text) of an object that holds texts."""
        return tuple((name, code.text()) for name, code in self.named().items())
