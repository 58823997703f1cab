"""Messages of pages and texts, and their catalogues (needs Babel). Words of options are in them, too, and stay English
where a catalogue has none.

python tests/support/words.py    collects the messages and puts them into every catalogue
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "audit" / "locale"
FOLDERS = ("audit", "suppression", "api")
FORMS = ("attack", "audit", "batch", "comparison", "protection", "publication", "published", "suppression")
"""Kinds of work that pages ask for."""

CALLS = ("_", "put", "N_")
"""Functions whose first argument is a message."""


Message = str | tuple[str, str]
"""A message, or that of one and that of several."""


def messages() -> dict[Message, list[str]]:
    """Every message with the files that say it."""
    found: dict[Message, list[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".html") and "migrations" not in path.parts:
                collect = _of_python if path.suffix == ".py" else _of_template
                for message in collect(path):
                    files = found.setdefault(message, [])
                    name = path.relative_to(ROOT).as_posix()
                    if name not in files:
                        files.append(name)
    return found


def sentences(language: str) -> dict[str, str]:
    """Those that are put together where something is found, with their words (`audit.language.SENTENCE`)."""
    from tableseal.audit.language import SENTENCE, catalogue

    return dict(catalogue(language).within[SENTENCE])


def said() -> str:
    """All texts in the sources, of which such sentences are made."""
    paths = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    return "\n".join(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))


def of_options() -> Iterator[str]:
    """Words of forms: labels, hints and choices of options, without what stands for their values."""
    import tableseal.api.http  # noqa: F401 - pages are part of it
    from tableseal.api.jobs.kinds import all_kinds
    from tableseal.api.options.rules import form_fields
    from tableseal.api.web.fields import fields_of

    for kind in (all_kinds()[name] for name in FORMS):
        for field in fields_of(kind.request).values():
            yield from filter(None, (field.label, re.sub(r"^[A-Z][A-Z,=\[\]:]*: |^cells=N,cost=C: ", "", field.hint)))
            yield from (text.removeprefix(f"{value}: ") for value, text in field.choices if text != value)
    for _, _, asked in form_fields():
        yield from (asked.label, asked.hint)


def _of_python(path: Path) -> Iterator[Message]:
    text = path.read_text("utf-8")
    if "audit.language" not in text and path.name != "language.py":
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        first = node.args[0]
        if node.func.id in CALLS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
        if node.func.id in ("counted", "numbered"):
            said = [n.value for n in node.args[1:3] if isinstance(n, ast.Constant)]
            if len(said) == 2:  # else they are of a collection (`plurals_of`)
                yield said[0], said[1]
        if node.func.id == "plurals_of":
            yield from ast.literal_eval(first)
        if node.func.id == "words_of":  # every text of a collection is one, but keys
            keys = {id(key) for n in ast.walk(first) if isinstance(n, ast.Dict) for key in n.keys}
            texts = (n for n in ast.walk(first) if isinstance(n, ast.Constant) and id(n) not in keys)
            yield from (n.value for n in texts if isinstance(n.value, str))


def _of_template(path: Path) -> Iterator[str]:
    from jinja2 import Environment

    environment = Environment(extensions=["jinja2.ext.i18n"])
    for _, _, message in environment.extract_translations(path.read_text("utf-8")):
        first = message[0] if isinstance(message, tuple) else message  # others are what stands in it
        if isinstance(first, str):
            yield first


def catalogues() -> Iterator[Path]:
    """The catalogue of each language."""
    yield from sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))


def update(path: Path) -> list[str]:
    """Put all messages into a catalogue; those that have no translation."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po, write_po

    language = path.parts[-3]
    with open(path, "rb") as file:
        old = read_po(file, locale=language)
    new = Catalog(locale=language, project="tableseal", charset="utf-8", fuzzy=False)
    new.creation_date = new.revision_date = old.creation_date
    wanted = {text: ["api/options"] for text in of_options() if _is_text(text)} | messages()
    for message, names in sorted(wanted.items(), key=lambda one: str(one[0])):
        before = old.get(message)
        new.add(message, before.string if before else "", locations=[(name, None) for name in names])
    for sentence in old:
        if sentence.context:  # these are the translator's own (see `audit.language.SENTENCE`)
            new.add(sentence.id, sentence.string, context=sentence.context)
    with open(path, "wb") as file:
        write_po(file, new, width=120, omit_header=False, include_lineno=False)
    return [
        str(message.id) for message in new if message.id and not message.context and not all(_strings(message.string))
    ]


def _is_text(text: str) -> bool:
    return sum(map(str.isalpha, text)) > 1


def _strings(said: str | tuple[str, ...]) -> tuple[str, ...]:
    return said if isinstance(said, tuple) else (said,)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for found in catalogues():
        missing = update(found)
        print(f"{found.relative_to(ROOT)}: {len(messages())} messages, {len(missing)} without translation")
        for text in missing:
            print(f"  {text}")
