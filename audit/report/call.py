"""How a release was given to a command, so that advice can repeat it: what is printed works as it stands."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tableseal.audit.errors import OptionName
from tableseal.audit.said import Spelling

WRITTEN = (".yaml", ".yml", ".json", ".csv")
"""Endings of releases that a protected one can have, too."""

STREAM = "-"


@dataclass(frozen=True)
class Call(Spelling):
    """A command that was given, or (as it is by default) one in general.

    verb: with the group that it is in. before: arguments that come before the release. file: the release.
    rules: options by which rules and statuses it is judged, the same for every verb. own: each further option with its
    values.
    """

    verb: tuple[str, ...] = ("audit",)
    before: tuple[str, ...] = ()
    file: str | None = None
    rules: tuple[str, ...] = ()
    own: tuple[tuple[str, ...], ...] = ()

    def again(self, *more: str, without: tuple[str, ...] = ()) -> str:
        """The same command with further options (names, each before its value), which take the place of those of the
        same name; without: names of options that are left out."""
        gone = {*without, *(word for word in more if word.startswith("-"))}
        kept = [word for option in self.own if option[0] not in gone for word in option]
        return self._command(self.verb, (*self.before, self._release, *self.rules, *kept, *more))

    def by(self, verb: str, *more: str) -> str:
        """Another command on the same release by the same rules."""
        return self._command((verb,), (self._release, *self.rules, *more))

    def options(self, *names: str) -> tuple[str, ...]:
        """Those of the further options that have one of these names, with their values."""
        return tuple(word for option in self.own if option[0] in names for word in option)

    def beside(self, word: str, *, suffix: str | None = None) -> str:
        """A name for a file to write, in the current folder: "sales_protected.csv" of "data/sales.csv".

        suffix: its ending; None: that of the release, or .yaml where no release is written so.
        """
        if self.file is None:
            return word.upper()
        path = PurePath("release.json" if self.file == STREAM else self.file)
        own = path.suffix if path.suffix.lower() in WRITTEN else ".yaml"
        return _argument(f"{path.stem}_{word}{suffix or own}")

    def protecting(self) -> str:
        """See `Asked`."""
        return self.by("suppress", *self._outputs(released=True, kept=True))

    def with_option(self, option: OptionName, without: Sequence[str] = ()) -> str:
        """See `Asked`."""
        flag, *value = option.flag().split(" ", 1)
        return self.again(flag, *value, without=tuple(map(_flag, without)))

    def writing(self, *, released: bool, kept: bool) -> str:
        """See `Asked`."""
        return self.again(*self._outputs(released=released, kept=kept))

    def by_method(self, method: str, keeping: Sequence[str]) -> str:
        """See `Asked`."""
        own = self.options(*map(_flag, keeping))
        return self.by("suppress", "--method", method, *own, *self._outputs(released=True, kept=True))

    def _outputs(self, *, released: bool, kept: bool) -> tuple[str, ...]:
        """Options that say where what goes out and what is kept are written."""
        goes_out = ("-o", self.beside("protected")) if released else ()
        return (*goes_out, "--confidential", self.beside("kept", suffix=".json")) if kept else goes_out

    @property
    def _release(self) -> str:
        return "RELEASE" if self.file is None else _argument(self.file)

    def _command(self, verb: tuple[str, ...], words: tuple[str, ...]) -> str:
        return shlex.join(("tableseal", *verb, *words))


def _flag(name: str) -> str:
    return OptionName(name).flag()


def _argument(path: str) -> str:
    """A path that no command takes for an option."""
    return f"./{path}" if path.startswith("-") and path != STREAM else path
