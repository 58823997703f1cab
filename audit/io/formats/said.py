"""What files say in words that their symbols and flags mean, and what to write where they do not."""

import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.advice import Advice
from tableseal.audit.io.statuses.marks import ZERO
from tableseal.audit.io.statuses.usual_marks import usual_mark
from tableseal.audit.model import Status
from tableseal.audit.model.status import WORDS
from tableseal.audit.wording import quoted

NOT_RELEASED = "not released, not sensitive"
"""How our files say that a value is missing: of others who say `not available` nobody knows whether it is secret."""

_SECRET = re.compile(
    r"confiden|konfiden|suppress|withheld|redact|geheim|vertraul|sekret|skydd|fortrolig|salas|secret|segret|riservat|"
    r"disclos|röjande|masked|anonymis"
)
"""Words for withheld values, in lower case; a text with one of them is read so whatever else it says."""
_DENIED = re.compile(r"\b(?:not|non|no|nicht|inte|ikke|ej|ei)\b")

_SAID: Mapping[str, str] = {
    **{status.word.replace("_", " "): status.word for status in Status},
    NOT_RELEASED: Status.MISSING.word,
    **dict.fromkeys(("nil", "none", "zero", "0", "magnitude nil", "magnitude zero", "exactly zero"), ZERO),
    **dict.fromkeys(("exakt noll", "noll", "null", "nichts vorhanden", "genau null", "néant"), ZERO),
}
"""What has one meaning, in lower case."""


def said_meaning(text: str) -> str | None:
    """The meaning (a status word, or `zero`) of what a file says of a symbol; None where that is open."""
    plain = " ".join(text.lower().replace("_", " ").split())
    if plain in _SAID:
        return _SAID[plain]
    return Status.WITHHELD.word if _SECRET.search(plain) and not _DENIED.search(plain) else None


def letters_meaning(letters: Mapping[str, str]) -> dict[str, str]:
    """What the user says that flags mean, checked.

    Raises
    ------
    InputError: a word that is none.
    """
    found: dict[str, str] = {}
    for letter, word in letters.items():
        plain = word.strip().lower()
        if plain not in WORDS and plain != ZERO:
            raise InputError(
                found=quoted(word),
                expected=f"a status word ({', '.join(filter(None, WORDS))}) or {ZERO}",
                at=OptionName("status_map", letter),
            )
        found[letter.strip()] = plain
    return found


class Symbols(Advice):
    """Asks what symbols and flags of a file mean, beside what the file says of them."""

    def __init__(self, source: str, declared: Mapping[str, str], *, unsaid: Collection[str] = ()) -> None:
        """declared: symbol or flag -> what the file says. unsaid: all symbols of which that is not clear."""
        self._source, self._declared, self._unsaid = source, declared, unsaid
        self.flag = self._flag

    def _flag(self, column: str, flag: str) -> str:
        said = f"the file says of it only {quoted(self._declared[flag])}; " if flag in self._declared else ""
        return f"{said}say what the flag means, such as `--status-map {shlex.quote(f'{flag}=withheld')}`"

    def marks(self, texts: Sequence[str]) -> str:
        asked = [text for text in texts if text in self._unsaid] or list(texts)
        said = "; ".join(f"{quoted(text)}: {quoted(self._declared[text])}" for text in asked if text in self._declared)
        options = " ".join(f"--status-map {shlex.quote(f'{text}={_usual(text)}')}" for text in asked)
        marks = ", ".join(f"{json.dumps(text, ensure_ascii=False)}: {_usual(text)}" for text in asked)
        return (
            f"{f'the file says of it only {said}; ' if said else ''}say what each symbol means, such as `{options}` "
            f"(withheld, missing, zero, structural_zero), or in a release file with `file: {self._source}` and "
            f"`marks: {{{marks}}}`"
        )


def _usual(text: str) -> str:
    found: Any = usual_mark(text)
    return str(found.meaning) if found is not None and isinstance(found.meaning, str) else "..."
