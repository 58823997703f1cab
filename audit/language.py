"""The language of whoever reads: words for people come from catalogues of messages (gettext), which are the English
words.

What is written for programs (JSON, files, errors as data) is English whoever asks. Only what makes pages and texts
speaks another language: `with speaking("fr"): ...` at the edge, and `_("message")` where words are made. Catalogues lie
in `audit/locale`, one folder a language; `tests/support/words.py` collects messages.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, TypeVar

from tableseal.audit.catalogue import Catalogue, parsed

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


def numbered(number: int, one: str, several: str) -> str:
    """The same with a number as texts write large ones: `numbered(2000, "{n} cell", "{n} cells")` is "2,000 cells"."""
    return ngettext(one, several, number).format(n=numerals(f"{number:,}"))


def put(message: str, /, **words: object) -> str:
    """A message with what stands in its braces: `put("{n} of {all} cells", n=2, all=9)`."""
    return gettext(message).format(**words)


def phrase(text: str) -> str:
    """A text that is a message, or was put together of messages with ": ", "; " or ", " between them: verdicts with
    reasons, choices with what they mean."""
    return text if spoken() == ENGLISH or not text else _phrase(str(text), spoken())


@lru_cache(maxsize=4096)
def _phrase(text: str, language: str) -> str:
    with speaking(language):
        whole = gettext(text)
        if whole != text:
            return whole
        said = _sentence(text, language)
        if said is not None:
            return said
        sentences = re.split(r"(?<=[.:]) (?=[A-Z])", text)
        apart = [phrase(one) for one in sentences] if len(sentences) > 1 else sentences
        if len(apart) > 1 and all(map(str.__ne__, apart, sentences)):
            return " ".join(apart)
        for sign in _BETWEEN:
            first, found, rest = text.partition(sign)
            if found:
                spoken_of = (phrase(first), phrase(rest))
                return " ".join(apart) if spoken_of == (first, rest) else gettext(sign).join(spoken_of)
        return " ".join(apart)


_BETWEEN = words_of((": ", "; ", ", "))
"""What stands between messages that are put together; languages differ in the blanks."""


def _sentence(text: str, language: str) -> str | None:
    """A text that is a sentence of the catalogue with something in its gaps."""
    for shape, words in _sentences(language):
        found = shape.fullmatch(text)
        if found:
            return words.format(**{name: _in_gap(name, held) for name, held in found.groupdict().items()})
    return None


def _in_gap(name: str, held: str) -> str:
    if name.startswith("said"):
        return phrase(held)
    return numerals(held) if re.fullmatch(r"n\d*|interval\d*", name) else held


SENTENCE = "sentence"
"""Context of messages that are put together where something is found, long before anybody reads them (notes, words of
rules): they are kept in English, and known again by what stands around their gaps. A gap `{n...}` holds a number,
`{said...}` is a message itself, any other is a name."""


@cache
def _sentences(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The shape of each, and its words; those that say most by themselves are first."""
    found = catalogue(language).within.get(SENTENCE, {})
    shapes = sorted(found, key=lambda shape: -len(re.sub(r"\{\w+\}", "", shape)))
    return tuple((_shape(shape), found[shape]) for shape in shapes)


def _shape(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"(?<!\{)\{(\w+)\}(?!\})", sentence)
    pieces = [
        re.escape(part.replace("{{", "{").replace("}}", "}")) if k % 2 == 0 else _gap(part)
        for k, part in enumerate(parts)
    ]
    return re.compile("".join(pieces), re.DOTALL)


def _gap(name: str) -> str:
    held = r"[-\u2212\d.,%\u202f]*[\d%]" if re.fullmatch(r"n\d*", name) else ".+?"
    return f"(?P<{name}>{held})"


def lines_said(text: str) -> str:
    """A text for a terminal, line by line: what is indented or listed is a message by itself."""
    if spoken() == ENGLISH:
        return text
    return "\n".join(
        re.sub(r"^(\s*(?:- )?)(.*)$", lambda line: line[1] + phrase(line[2]), one) for one in text.split("\n")
    )


def numerals(text: str) -> str:
    """Numbers, which may be those of an interval (`[0.5, 1,200)`), as the language that is spoken writes them. Only
    for what holds numbers: a code may look like one."""
    if spoken() == ENGLISH:
        return text
    number, ends = gettext(NUMBER), gettext(ENDS)
    text = text.replace(", ", "\0")
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "\1", text)
    text = re.sub(r"(?<=\d)\.(?=\d)", number[5], text)
    return text.replace("\1", number[1]).replace("\0", ends[2:-2])


def grouped(text: str) -> str:
    """A sentence with its large numbers written as pages write them in every language: digits in groups of three with
    narrow blanks between them, from five digits on. Only for what holds no codes."""

    def written(found: re.Match[str]) -> str:
        return f"{int(found[0].replace(',', '')):,}".replace(",", "\u202f")

    return re.sub(r"(?<![\w.,=\"])(?:\d{1,3}(?:,\d{3})+|\d{5,})(?!\w|[.,]\w)", written, text)


NUMBER, ENDS = words_of(("1,234.5", "[0, 1]"))
"""How a language writes a number and an interval."""


@cache
def catalogue(language: str) -> Catalogue:
    """The messages of a language; none of English, which they are in."""
    if language == ENGLISH:
        return Catalogue()
    path = files("tableseal.audit") / "locale" / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    return parsed(path.read_text("utf-8"))


def learn() -> None:
    """Load what every language needs, for processes of which others are copies."""
    for language in LANGUAGES:
        catalogue(language)
        _sentences(language)


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
    environment.filters |= {"phrase": phrase, "numerals": numerals, "grouped": grouped}
    environment.globals["language"] = spoken


def in_script(script: str, words: Iterable[str]) -> str:
    """A script with its words in the language that is spoken: strings, and templates with what they hold."""
    for word in words:
        said = gettext(word)
        if said != word:
            script = script.replace(json.dumps(word), json.dumps(said, ensure_ascii=False))
            script = script.replace(f"`{word}`", f"`{said}`")
    return script
