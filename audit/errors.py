"""Errors of the package.

    TablesealError
    ├── InputError            this input can never be used: mend it (exit 2)
    │   ├── AdditivityError   published values do not add up
    │   ├── ContradictionError released intervals that no table satisfies
    │   ├── LackingDataError  a rule lacks what it needs of a cell
    │   ├── PluginError       what an installed package adds cannot be used
    │   └── UnguardedError    worker processes cannot import the main program
    └── LimitError            a stated limit (size, memory) was reached (exit 3)

An error is data: where (`Place`, `OptionName`), what was found and what was expected. Its text is made of these, and
options in it are spelled by whoever shows it. Values of withheld cells (agency knowledge) are in none of them;
published values may be.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from tableseal.audit.wording import cut, listing, quoted, suggestion


@dataclass(frozen=True)
class Place:
    """Where in the input something lies; its text is how messages name it. What is not known is None or empty.

    source: the file, or what a document without one is called. path: keys into it, if it is a document.
    table: name of the table or statistic that it belongs to. row: of data, from 1. line, character: of the text,
    from 1. column: its name (its number, from 1, where it has none). cell: (variable, code) of each variable; measure:
    of the cell, where there are several.
    """

    source: str = ""
    path: tuple[str | int, ...] = ()
    table: str | None = None
    row: int | None = None
    line: int | None = None
    character: int | None = None
    column: str | int | None = None
    cell: tuple[tuple[str, str], ...] = ()
    measure: str | None = None

    def __truediv__(self, key: str | int) -> "Place":
        """An entry of it."""
        return replace(self, path=(*self.path, key))

    def __str__(self) -> str:
        if self.cell:
            measure = "" if self.measure is None else f"{self.measure} "
            return f'{measure}{", ".join(f"{v}={c}" for v, c in self.cell)} in table "{self.table}"'
        text = ": ".join(filter(None, (self.source, self._keys()))) or f'table "{self.table}"'
        if self.row is not None:
            text += f" row {self.row}" + ("" if self.line is None else f" (line {self.line})")
        elif self.line is not None:
            text += f" line {self.line}" + ("" if self.character is None else f", column {self.character}")
        if self.column is not None:
            text += f", column {quoted(self.column) if isinstance(self.column, str) else self.column}"
        return text

    def _keys(self) -> str:
        """`tables[0] (by_size).absent.leaves`."""
        text = ""
        for at, key in enumerate(self.path):
            text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
            text += f" ({self.table})" if at == 1 and self.table is not None else ""
        return text

    @property
    def pointer(self) -> str | None:
        """JSON pointer (RFC 6901) into the document; None if it is no document, or all of it is meant."""
        if not self.path:
            return None
        column = () if self.column is None else (self.column,)
        row = () if self.row is None else (self.row - 1,)
        keys = (str(key).replace("~", "~0").replace("/", "~1") for key in (*self.path, *column, *row))
        return "".join(f"/{key}" for key in keys)


@dataclass(frozen=True)
class OptionName:
    """An option that an error speaks of. given: what was said for it, as messages show it."""

    name: str
    given: str | None = None

    def __str__(self) -> str:
        """As keyword or parameter: `time_limit`."""
        return self.name if self.given is None else f"{self.name} {cut(self.given, 200)}"

    def flag(self) -> str:
        """On the command line: `--time-limit`."""
        return "--" + str(self).replace("_", "-", self.name.count("_"))


class TablesealError(Exception):
    """Base of every error that a user may see; its text is complete and needs no traceback.

    Parameters
    ----------
    sentence: what is wrong; left out, it is made of found and expected.
    at: the place or option with which the text begins; a text is the name of a file.
    places: where it lies, the most important place first; left out, at.
    found, expected: as the sentence says them. remedy: what to do about it, with which the text ends.
    keys: of the release file, that would settle it. several: all errors of a document that has several, this one first.

    Examples
    --------
    >>> try:
    ...     ts.audit("release.yaml", samples=3)
    ... except ts.TablesealError as error:
    ...     print(error.option.name, "must be", error.expected)
    samples must be at least 64
    """

    def __init__(
        self,
        *sentence: str | OptionName,
        at: Place | OptionName | str | None = None,
        places: Iterable[Place] = (),
        found: str | None = None,
        expected: str | None = None,
        remedy: str | None = None,
        keys: tuple[str, ...] = (),
        several: "tuple[TablesealError, ...]" = (),
    ) -> None:
        super().__init__(*sentence)
        self.at = Place(at) if isinstance(at, str) else at
        self.places = tuple(dict.fromkeys(places)) or ((self.at,) if isinstance(self.at, Place) else ())
        self.found, self.expected, self.remedy, self.keys, self.several = found, expected, remedy, keys, several
        self.advised: Callable[[str], str] = str
        """How texts with advice in them (`audit.said`) are spelled; set by the way in that shows the error."""

    def __str__(self) -> str:
        return self.words()

    @property
    def option(self) -> OptionName | None:
        """The option that is to be mended: the text begins with it."""
        first = self.args[0] if self.at is None and self.args else self.at
        return first if isinstance(first, OptionName) else None

    def words(self, spelled: Callable[[OptionName], str] = str, *, placed: bool = True, advised: bool = True) -> str:
        """The text, with options spelled in one way or another; placed: with the place; advised: with the remedy."""
        found = () if self.found is None else ("found ", self.found, ", ")
        parts = self.args or (*found, "expected ", self.expected, "" if self.remedy else ".")
        before = (self.at, ": ") if self.at is not None and placed else ()
        after = ("; ", self.remedy, ".") if self.remedy is not None and advised else ()
        parts = (*before, *parts, *after)
        return "".join(spelled(p) if isinstance(p, OptionName) else self.said(p) for p in parts)

    def said(self, part: object) -> str:
        """A part that is no option, with the advice in it spelled for who is shown it."""
        return self.advised(part) if isinstance(part, str) else str(part)


class InputError(TablesealError):
    """The input cannot be used as it stands.

    Examples
    --------
    >>> try:
    ...     ts.read("relaese.yaml")
    ... except ts.InputError as error:
    ...     print(error)
    "relaese.yaml": there is no such file; expected ...
    """


def unknown(what: str, name: str, known: Collection[str], at: Place | OptionName) -> InputError:
    """There is no such variable, measure, ...; these are known."""
    text = f"there is no {what} {quoted(name)}{suggestion(name, known)}; {what}s are {listing(known)}."
    return InputError(text, at=at, found=quoted(name), expected=listing(known))


def at_once(errors: Sequence[TablesealError]) -> InputError:
    """All errors of a document as one, which begins with the first of them."""
    first, others = errors[0], len(errors) - 1
    more = f" (And {others} more error{'s' if others > 1 else ''} in this document.)" if others else ""
    text = first.words(placed=False) + more
    several = tuple(errors) if others else ()
    return InputError(text, at=first.at, found=first.found, expected=first.expected, several=several)


class LackingDataError(InputError):
    """A rule of the policy lacks what it needs to judge a cell."""


class PluginError(InputError):
    """What another package adds (see audit.plugins) cannot be used."""


class UnguardedError(InputError):
    """Worker processes cannot import the main program (see audit.execution.guard)."""


@dataclass(frozen=True)
class Imbalance:
    """A released sum that its released parts cannot give, in words and decimals.

    name: full name of the sum. table: that lists it; row: of that table's data, from 1 (None: it has no row).
    cell: (variable, code) of each variable.
    parts: (name, value) of the first parts; count: how many there are. rest: there are parts that are not released.
    hint: what may be the reason, or "".
    """

    name: str
    table: str
    row: int | None
    cell: tuple[tuple[str, str], ...]
    expected: str
    found: str
    difference: str
    parts: tuple[tuple[str, str], ...]
    count: int
    rest: bool
    hint: str


class AdditivityError(InputError):
    """Published values that should add up do not (equation, expected, found and difference are in the text).

    imbalances: the first of them, as data.

    Examples
    --------
    >>> release = {
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "Total", "codes": ["F", "M"]}},
    ...     "tables": [{"name": "t", "cells": {"sex": ["F", "M", "Total"], "value": [2, 17, 20]}}],
    ... }
    >>> try:
    ...     ts.audit(release)
    ... except ts.AdditivityError as error:
    ...     print(error.imbalances[0].difference)
    1
    """

    def __init__(self, *sentence: str, places: Iterable[Place] = (), imbalances: tuple[Imbalance, ...] = ()) -> None:
        super().__init__(*sentence, places=places)
        self.imbalances = imbalances


class ContradictionError(InputError):
    """No table fits everything that is released; the text names a small set of statements that conflict.

    Examples
    --------
    The margins make both cells of the diagonal equal, and a link says that they differ by 3.

    >>> release = {
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {name: {"total": "T", "codes": ["1", "2"]} for name in "ab"},
    ...     "tables": [{"name": "t", "cells": {
    ...         "a": list("111222TTT"), "b": list("12T") * 3, "value": [None, None, 5, None, None, 5, 5, 5, 10]}}],
    ...     "links": [{"terms": [[1, {"a": 1, "b": 1}], [-1, {"a": 2, "b": 2}]], "lower": 3}],
    ... }
    >>> try:
    ...     ts.audit(release)
    ... except ts.ContradictionError as error:
    ...     print(error)
    The released values and intervals contradict each other; no table satisfies all of:...
    """


class LimitError(TablesealError):
    """A limit on size, time or memory was reached before there was an answer.

    Examples
    --------
    Nothing is wrong with the tables: fewer of them at once may do.

    >>> issubclass(ts.LimitError, ts.InputError)
    False
    """
