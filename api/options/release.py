"""How a release is read and judged, whatever is then asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tableseal.api.options.option import Option, Options
from tableseal.api.options.rules import GivenRules
from tableseal.api.options.texts import pairs
from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from tableseal.audit.model import Policy

StatusMap = Annotated[
    tuple[str, ...],
    Option("What a status letter of the files means, such as c=withheld.", metavar="LETTER=STATUS"),
]
PolicyFile = Annotated[str | None, Option("Policy file to use instead of the policy of the release.", metavar="FILE")]


@dataclass(frozen=True, kw_only=True)
class StatusOptions(Options):
    """What the files mean."""

    status_map: StatusMap = ()


@dataclass(frozen=True, kw_only=True)
class _PolicyOption(Options):
    policy: PolicyFile = None


@dataclass(frozen=True, kw_only=True)
class PolicyOptions(GivenRules, _PolicyOption):
    """By what releases are judged: a policy file, or rules."""

    def given(self) -> "Path | Policy | None":
        """What goes before the policy of a release.

        Raises
        ------
        InputError: there are both; rules that say nothing sensible.
        """
        return self.instead_of(None if self.policy is None else Path(self.policy))


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(StatusOptions, PolicyOptions):
    """How a release is read and judged."""


def letters_of(status_map: tuple[str, ...]) -> Mapping[str, str] | None:
    """`("c=withheld",)` -> `{"c": "withheld"}`; None if there is nothing.

    Raises
    ------
    InputError: no equals sign, or one letter twice.
    """
    letters: dict[str, str] = {}
    for letter, status in pairs(status_map, "status_map", 'LETTER=STATUS, such as "c=withheld"'):
        if letter in letters:
            raise InputError(f'the letter "{letter}" is given twice.', at=OptionName("status_map"))
        letters[letter] = status
    return letters or None
