"""Small pieces of text that error messages share."""

import difflib
from collections import Counter
from collections.abc import Iterable


def quoted(text: str | None, limit: int = 60) -> str:
    """The text in double quotes, cut if it is long; `nothing` for None."""
    if text is None:
        return "nothing"
    shown = text if len(text) <= limit else text[: limit - 3] + "..."
    return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + '"'


def repeated(items: Iterable[str]) -> list[str]:
    """Items that are there more than once, each once, in alphabetical order."""
    return sorted(item for item, count in Counter(items).items() if count > 1)


def suggestion(word: str, options: Iterable[str]) -> str:
    """` (did you mean "X"?)` if one of the options resembles the word, else an empty text."""
    candidates = list(options)
    folded = {option.strip().casefold(): option for option in reversed(candidates)}
    found = folded.get(word.strip().casefold())
    if found is None:
        close = difflib.get_close_matches(word, candidates[:5000], n=1)
        found = close[0] if close else None
    return "" if found is None or found == word else f" (did you mean {quoted(found)}?)"


def listing(items: Iterable[str], limit: int = 12) -> str:
    """Items separated by commas; a long list is cut and says how many more there are."""
    found = list(items)
    shown = ", ".join(quoted(item)[1:-1] for item in found[:limit])
    more = len(found) - limit
    return shown + (f" and {more} more" if more > 0 else "")


def a_kind(data: object) -> str:
    """What something is, in words: "None", "a list", "an int", "a numpy.ndarray"."""
    if data is None:
        return "None"
    kind = type(data)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def cut(text: str, limit: int = 40) -> str:
    """A text as it is if it is short, else its beginning and how long it is."""
    return text if len(text) <= limit else f"{text[: limit // 2]}... ({len(text)} characters)"
