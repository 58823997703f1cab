"""A catalogue of messages as people edit it (`.po`), read as it stands: nothing is compiled, so nothing can be older
than what it was made of, in a source tree, an editable installation and a wheel alike.

Read are the files that `tests/support/words.py` writes: UTF-8, each entry with its context, message, plural and words,
texts in double quotes over one line or several.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from gettext import c2py


@dataclass(frozen=True)
class Catalogue:
    """Words of messages. texts: those of messages alone. plurals: by the message of one and that of several. within:
    by context, those that are looked for otherwise. form: which of several words a number takes."""

    texts: Mapping[str, str] = field(default_factory=dict)
    plurals: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    within: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    form: Callable[[int], int] = lambda number: int(number != 1)

    def gettext(self, message: str) -> str:
        """The words of a message; itself where there are none."""
        return self.texts.get(message, message)

    def ngettext(self, one: str, several: str, number: int) -> str:
        """The same of a message with a number."""
        words = self.plurals.get((one, several))
        return words[self.form(number)] if words else one if number == 1 else several


def parsed(text: str) -> Catalogue:
    """The catalogue that a `.po` file holds. Messages without words are left out.

    Raises
    ------
    ValueError: a line that none of these files has, with its number.
    """
    texts: dict[str, str] = {}
    plurals: dict[tuple[str, str], tuple[str, ...]] = {}
    within: dict[str, dict[str, str]] = {}
    form = Catalogue().form
    for entry in _entries(text):
        message, words = entry["msgid"], tuple(said for name, said in entry.items() if name.startswith("msgstr"))
        if not message:
            found = re.search(r"plural=([^;]+);", words[0])
            form = c2py(found[1]) if found else form
        elif not all(words):
            continue
        elif "msgid_plural" in entry:
            plurals[message, entry["msgid_plural"]] = words
        elif "msgctxt" in entry:
            within.setdefault(entry["msgctxt"], {})[message] = words[0]
        else:
            texts[message] = words[0]
    return Catalogue(texts, plurals, within, form)


_LINE = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) )?(".*")')


def _entries(text: str) -> Iterator[dict[str, str]]:
    """Each entry: keyword to text, in the order of the file."""
    entry: dict[str, str] = {}
    name = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        found = _LINE.fullmatch(line)
        if found is None or not (found[1] or name):
            raise ValueError(f"line {number} of a catalogue: expected a keyword and a text in quotes")
        if found[1]:
            name = found[1]
            if name in entry or (name == "msgctxt" and "msgid" in entry):
                yield entry
                entry = {}
            entry[name] = ""
        entry[name] += json.loads(found[2])
    if entry:
        yield entry
