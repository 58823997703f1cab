"""Status columns -> `Status`, by words, by another tool's letters or by an explicit map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audit.errors import InputError
from audit.io.columns import Columns
from audit.io.wording import listing, quoted, suggestion
from audit.model import SCHEMES, Status
from audit.model.status import WORDS


@dataclass(frozen=True)
class StatusSource:
    """One status column: its name, the scheme of its letters (None: words) and letters explained by hand."""

    column: str
    scheme: str | None = None
    map: Mapping[str, Status] = field(default_factory=dict)


def status_word(word: str, where: str) -> Status:
    """The status that a word names.

    Raises
    ------
    InputError: no such word; `where` says where it was found.
    """
    found = WORDS.get(word.strip().lower())
    if found is None:
        raise InputError(
            f"{where}: found {quoted(word)}, expected a status word{suggestion(word, WORDS)}: "
            f"{listing(w for w in WORDS if w)}."
        )
    return found


def scheme_letters(scheme: str | None, where: str) -> Mapping[str, Status]:
    """The letters of a scheme; words if None.

    Raises
    ------
    InputError: no such scheme.
    """
    found = SCHEMES.get(scheme or "words")
    if found is None:
        raise InputError(
            f"{where}: there is no status scheme {quoted(scheme)}{suggestion(scheme or '', SCHEMES)}; "
            f"schemes are {listing(SCHEMES)}."
        )
    return found


def read_statuses(
    columns: Columns, sources: Sequence[StatusSource], extra: Mapping[str, Status], where: str
) -> NDArray[np.int8]:
    """The status of every row; of several columns the most restrictive wins. No column: all published.

    Parameters
    ----------
    extra: letters explained on the command line; they go before scheme and map.
    where: place of the table in the document, for messages.

    Raises
    ------
    InputError: a missing column, an unknown scheme, a flag that has no meaning (with row and the schemes there are).
    """
    status = np.zeros(len(columns), dtype=np.int8)
    for source in sources:
        letters = {**scheme_letters(source.scheme, where), **source.map, **extra}
        entries = columns.column(source.column, "the status")
        meaning: dict[str | None, int] = {}
        for flag in set(entries):
            found = _meaning((flag or "").strip(), letters, words=source.scheme in (None, "words"))
            if found is None:
                raise _unknown_flag(columns, source, flag or "", list(entries).index(flag), letters)
            meaning[flag] = int(found)
        status = np.maximum(status, np.array([meaning[flag] for flag in entries], dtype=np.int8))
    return status


def _meaning(flag: str, letters: Mapping[str, Status], *, words: bool) -> Status | None:
    found = letters.get(flag)
    return WORDS.get(flag.lower()) if found is None and words else found


def _unknown_flag(
    columns: Columns, source: StatusSource, flag: str, row: int, letters: Mapping[str, Status]
) -> InputError:
    place = columns.place(row, source.column)
    if source.scheme not in (None, "words"):
        return InputError(
            f"{place}: the flag {quoted(flag)} has no meaning in the scheme {source.scheme} "
            f"({listing(letter for letter in letters if letter)}); explain it with `map: {{{flag}: withheld}}`."
        )
    if len(flag.strip()) <= 3:
        others = listing(name for name in SCHEMES if name != "words")
        return InputError(
            f"{place}: the flag {quoted(flag)} means different things in different tools; name the scheme "
            f"(`status: {{column: {source.column}, scheme: ...}}` with one of {others}) "
            f"or explain it with `map: {{{flag}: withheld}}`."
        )
    return InputError(
        f"{place}: found {quoted(flag)}, expected a status word{suggestion(flag, WORDS)}: "
        f"{listing(word for word in WORDS if word)}."
    )
