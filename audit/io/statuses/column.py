"""Status columns -> `Status`, by words, by another tool's letters or by an explicit map."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.statuses.flags import flags_of, looks_like_flags, map_text, meanings
from tableseal.audit.io.statuses.schemes import SCHEMES, scheme_letters
from tableseal.audit.model import Status
from tableseal.audit.model.status import WORDS
from tableseal.audit.wording import listing, quoted, suggestion

NONE = "none"
"""What `status` says where no column of the table holds statuses."""

_SHOWN = 6
"""Flags of a column that a message shows."""


@dataclass(frozen=True)
class StatusSource:
    """One status column: its name, the scheme of its letters (None: words) and letters explained by hand."""

    column: str
    scheme: str | None = None
    map: Mapping[str, Status] = field(default_factory=dict)
    named: bool = True
    """False: the release does not name it, and it is taken for its name."""


def status_word(word: str, where: Place | OptionName) -> Status:
    """The status that a word names.

    Raises
    ------
    InputError: no such word; `where` says where it was found.
    """
    found = WORDS.get(word.strip().lower())
    if found is None:
        raise InputError(found=quoted(word), expected=_one_of_the_words(word), at=where)
    return found


def _one_of_the_words(word: str) -> str:
    return f"a status word{suggestion(word, WORDS)}: {listing(w for w in WORDS if w)}"


def unnamed_source(columns: Columns, taken: Collection[str]) -> StatusSource | None:
    """The column called `status` of a table that does not say where its statuses are, None if there is none.

    Parameters
    ----------
    taken: columns that hold something else (codes, values, ...).

    Raises
    ------
    InputError: several columns are called so; another column may say which cells are withheld.
    """
    free = [name for name in columns.data if name not in taken]
    called = [name for name in free if name.strip().lower() == "status"]
    if len(called) > 1:
        raise InputError(f"the columns {listing(called)} may hold the status; say which: `status:`.", at=columns.source)
    for name in free:
        if name not in called and (looks_like_flags(name, columns.data[name]) or withholds(columns.data[name])):
            only = f"`status: {called[0]}` if that alone does" if called else f"`status: {NONE}` if none does"
            remedy = f"write {how_to_name(columns, name)}, or {only}"
            raise InputError(seems_to_withhold(columns, name), at=columns.source, remedy=remedy)
    return StatusSource(called[0], named=False) if called else None


def seems_to_withhold(columns: Columns, name: str) -> str:
    """That a column which nobody has named seems to hold statuses, with the flags in it that may be shown."""
    found = [f"{quoted(flag)} in {count:,}" for flag, count in list(flags_of(columns.data[name]).items())[:_SHOWN]]
    shown = f" ({', '.join(found)} of {len(columns):,} rows)" if found else ""
    return (
        f"the column {quoted(name)} seems to say which cells are withheld{shown}, and nothing says what its flags mean"
    )


def how_to_name(columns: Columns, name: str) -> str:
    """What to write for a column of flags."""
    entries = columns.data[name]
    said = meanings(name, entries)
    if are_words(entries):
        return f"`status: {name}`"
    if said and "..." not in said.values():
        return f"`status: {{column: {name}, map: {{{map_text(said)}}}}}`, if that is what they mean"
    return _how(name)


def are_words(entries: Column) -> bool:
    """True for a column of status words (of which some are there)."""
    found = {(entry or "").strip().lower() for entry in entries.texts}
    return found <= WORDS.keys() and found != {""}


def withholds(entries: Column) -> bool:
    """True for a column of status words of which some withhold a value."""
    first = next((entry for entry in entries.texts if entry and not entry.isspace()), None)
    if first is None or first.strip().lower() not in WORDS:
        return False  # most columns: nothing else is looked at
    return are_words(entries) and any(WORDS[(entry or "").strip().lower()].withheld for entry in entries.texts)


def _how(column: str) -> str:
    """What to write for a column of flags."""
    others = listing(name for name in SCHEMES if name != "words")
    return (
        f"`status: {column}` for words, `status: {{column: {column}, scheme: ...}}` with one of {others}, "
        f"or `status: {{column: {column}, map: {{c: withheld}}}}` for other flags"
    )


def _or_none() -> str:
    return f", or `status: {NONE}` if no column holds statuses"


def read_statuses(
    columns: Columns,
    sources: Sequence[StatusSource],
    extra: Mapping[str, Status],
    where: Place,
    advice: Callable[[str, str], str] | None = None,
) -> NDArray[np.int8]:
    """The status of every row; of several columns the most restrictive wins. No column: all published.

    Parameters
    ----------
    extra: letters explained on the command line; they go before scheme and map.
    where: place of the table in the document, for messages. advice: (column, flag) -> how to explain it, where that is
        not done in a release file.

    Raises
    ------
    InputError: a missing column, an unknown scheme, a flag that has no meaning (with row and the schemes there are).
    """
    status = np.zeros(len(columns), dtype=np.int8)
    for source in sources:
        letters = {**scheme_letters(source.scheme, where), **source.map, **extra}
        entries = columns.column(source.column, "the status")
        meaning: list[Status] = []
        for flag in entries.texts:
            found = _meaning((flag or "").strip(), letters, words=source.scheme in (None, "words"))
            if found is None:
                raise _unknown_flag(columns, source, flag or "", entries.first(flag), letters, advice)
            meaning.append(found)
        status = np.maximum(status, entries.spread(meaning, np.int8))
    return status


def _meaning(flag: str, letters: Mapping[str, Status], *, words: bool) -> Status | None:
    found = letters.get(flag)
    return WORDS.get(flag.lower()) if found is None and words else found


def _unknown_flag(
    columns: Columns,
    source: StatusSource,
    flag: str,
    row: int,
    letters: Mapping[str, Status],
    advice: Callable[[str, str], str] | None,
) -> InputError:
    place, keys = columns.place(row, source.column), ("scheme", "map")
    if advice is not None:
        remedy = advice(source.column, flag)
        known = f"a flag of the scheme {source.scheme}: {listing(filter(None, letters))}"
        expected = _one_of_the_words(flag) if source.scheme in (None, "words") else known
        return InputError(found=quoted(flag), expected=expected, at=place, remedy=remedy, keys=keys)
    if source.scheme not in (None, "words"):
        return InputError(
            f"the flag {quoted(flag)} has no meaning in the scheme {source.scheme} ({listing(filter(None, letters))}); "
            f"explain it with `map: {{{flag}: withheld}}`.",
            at=place,
            keys=keys,
        )
    ignored = "" if source.named else _or_none()
    schemes = "" if source.named else f"; write {_how(source.column)}"
    if len(flag.strip()) <= 3:
        others = listing(name for name in SCHEMES if name != "words")
        return InputError(
            f"the flag {quoted(flag)} means different things in different tools; name the scheme (`status: {{column: "
            f"{source.column}, scheme: ...}}` with one of {others}) or explain it with `map: {{{flag}: withheld}}`"
            f"{ignored}.",
            at=place,
            keys=keys,
        )
    return InputError(found=quoted(flag), expected=f"{_one_of_the_words(flag)}{schemes}{ignored}", at=place, keys=keys)
