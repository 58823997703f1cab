"""The language of whoever reads: words for people come from catalogues of messages (gettext), which are the English
words.

What is written for programs (JSON, files, errors as data) is English whoever asks. Only what makes pages and texts
speaks another language: `with speaking("fr"): ...` at the edge, and `_("message")` where words are made. Catalogues lie
in `audit/locale`, one folder a language; `tests/support/words.py` collects messages and compiles them.
"""

import gettext as standard
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

ENGLISH = "en"

LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "fr": "Français"}
"""Language -> what it calls itself."""

DOMAIN = "tableseal"

_speaking: ContextVar[str] = ContextVar("language", default=ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Words that are made meanwhile, here and in what is called from here, are in this language.

    Raises
    ------
    ValueError: there is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"{language}: expected one of {', '.join(LANGUAGES)}")
    before = _speaking.set(language)
    try:
        yield
    finally:
        _speaking.reset(before)


def spoken() -> str:
    """The language that is spoken now."""
    return _speaking.get()


def gettext(message: str) -> str:
    """A message in the language that is spoken; itself where the catalogue has none."""
    return message if spoken() == ENGLISH else catalogue(spoken()).gettext(message)


def ngettext(one: str, several: str, number: int) -> str:
    """The same of a message with a number."""
    return catalogue(spoken()).ngettext(one, several, number)


_ = gettext

Words = TypeVar("Words")


def words_of(found: Words) -> Words:
    """The same: marks that its texts are messages, for whoever collects these."""
    return found


def plurals_of(found: Words) -> Words:
    """The same for pairs of what is said of one and of several (`counted`)."""
    return found


def counted(number: int, one: str, several: str) -> str:
    """A number of things: `counted(2, "{n} cell", "{n} cells")` is "2 cells"."""
    return ngettext(one, several, number).format(n=number)


def put(message: str, /, **words: object) -> str:
    """A message with what stands in its braces: `put("{n} of {all} cells", n=2, all=9)`."""
    return gettext(message).format(**words)


def phrase(text: str) -> str:
    """A text that is a message, or was put together of messages with ": ", "; " or ", " between them: verdicts with
    reasons, choices with what they mean."""
    if spoken() == ENGLISH or not text:
        return text
    whole = gettext(text)
    if whole != text:
        return whole
    for sign in _BETWEEN:
        first, found, rest = text.partition(sign)
        if found:
            return f"{phrase(first)}{gettext(sign)}{phrase(rest)}"
    return text


_BETWEEN = words_of((": ", "; ", ", "))
"""What stands between messages that are put together; languages differ in the blanks."""


@cache
def catalogue(language: str) -> standard.NullTranslations:
    """The messages of a language."""
    if language == ENGLISH:
        return standard.NullTranslations()
    with (files("tableseal.audit") / "locale" / language / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as file:
        return standard.GNUTranslations(file)


def preferred(accepted: str) -> str | None:
    """The language that an `Accept-Language` header likes best (RFC 9110) of those that there are; None: none of
    them."""
    best, liked = None, 0.0
    for part in accepted.split(","):
        name, _, parameters = part.strip().lower().partition(";")
        quality = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", parameters)
        weight = 1.0 if not parameters else float(quality[1]) if quality else 0.0
        language = name.partition("-")[0]
        if language in LANGUAGES and weight > liked:
            best, liked = language, weight
    return best


def speak(environment: Any) -> None:
    """Let the templates of a jinja environment speak: `{{ _("message") }}`, `{{ text | phrase }}`, and `language()`."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)
    environment.filters["phrase"] = phrase
    environment.globals["language"] = spoken


def in_script(script: str, words: Iterable[str]) -> str:
    """A script with its words in the language that is spoken: strings, and templates with what they hold."""
    for word in words:
        said = gettext(word)
        if said != word:
            script = script.replace(json.dumps(word), json.dumps(said, ensure_ascii=False))
            script = script.replace(f"`{word}`", f"`{said}`")
    return script
