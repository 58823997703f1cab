"""Advice as data: a text in which options, keys of a release file and steps are spelled by whoever shows it.

As a plain text it is in the words of the command and of release files, which is what JSON holds. Whoever shows it in
another way in (from Python) spells the parts anew; nobody takes texts apart.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from tableseal.audit.errors import OptionName

Step = Literal["suppress", "kept", "kept file", "more sizes", "more rows", "explain", "rules"]
"""Something to be done or used that each way in calls otherwise; its words are in a `Spelling`."""


@dataclass(frozen=True)
class InFile:
    """What is said in a release file: a key with what it says (a text as YAML has it), or a key alone. keyword: what
    says the same of a DataFrame, if anything does."""

    key: str
    says: Mapping[str, str | bool] | str | None = None
    keyword: str | None = None


NEGATIVE = InFile("intruder", {"nonnegative": False})
"""Values may be negative, and everybody knows it."""


@dataclass(frozen=True)
class Do:
    """A step."""

    step: Step


Part = str | OptionName | InFile | Do


class Spelling:
    """How parts of advice are spelled: as here, for the command line and release files."""

    STEPS: Mapping[Step, str] = {
        "suppress": "tableseal suppress",
        "kept": "what `suppress --confidential` wrote",
        "kept file": "The file of `suppress --confidential`",
        "more sizes": "--json has them all, --n chooses",
        "more rows": "see --json FILE or --html FILE",
        "explain": "--explain looks all the same",
        "rules": "a policy in the release file, or a column of statuses",
    }

    def spelled(self, part: Part) -> str:
        """One part."""
        match part:
            case OptionName():
                return self.option(part)
            case InFile():
                return self.in_file(part)
            case Do():
                return self.STEPS[part.step]
        return part

    def option(self, option: OptionName) -> str:
        """`--threshold N`."""
        return option.flag()

    def in_file(self, said: InFile) -> str:
        """`absent: {leaves: not_released}`, as YAML has it."""
        if said.says is None:
            return f"`{said.key}`"
        if isinstance(said.says, str):
            return f"`{said.key}: {said.says}`"
        return f"`{said.key}: {{{', '.join(f'{name}: {_yaml(value)}' for name, value in said.says.items())}}}`"

    def words(self, text: str) -> str:
        """A text, with the parts of advice in it spelled so."""
        return "".join(map(self.spelled, text.parts)) if isinstance(text, Said) else text


COMMAND = Spelling()


class Said(str):
    """A text whose parts are known."""

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        """Of these parts; those of another such text are its own."""
        flat = tuple(own for part in parts for own in (part.parts if isinstance(part, Said) else (part,)))
        made = super().__new__(cls, "".join(map(COMMAND.spelled, flat)))
        made.parts = flat
        return made

    @classmethod
    def joined(cls, separator: str, texts: Iterable[Part]) -> Self:
        """Texts with something between them, as `str.join`."""
        parts = [part for text in texts for part in (separator, text)]
        return cls(*parts[1:])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts


def _yaml(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value
