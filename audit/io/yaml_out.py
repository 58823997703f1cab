"""Release documents -> YAML text that reads back to the same document."""

from collections.abc import Sequence
from typing import Any

import yaml

from tableseal.audit.model import Note


class _Quoted(str):
    """Text that is written in double quotes."""


class _Dumper(yaml.SafeDumper):
    """Writes codes quoted, lists of plain values in one line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(_Quoted, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def write_document(document: dict[str, Any], notes: Sequence[Note] = ()) -> str:
    """YAML of a release document, codes quoted so that every YAML reader takes them as text.

    Parameters
    ----------
    notes: what was assumed; they become comments at the top.
    """
    comments = "".join(f"# {' '.join(note.text.split())}\n" for note in notes)
    body = yaml.dump(
        _marked(document),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=110,
        default_flow_style=None,
    )
    return comments + body


def _marked(value: Any, key: str | None = None) -> Any:
    """The same document with codes marked as quoted text."""
    if isinstance(value, dict):
        return {_plain_key(name): _marked(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_Quoted(item) if isinstance(item, str) and key == "codes" else _marked(item) for item in value]
    return _Quoted(value) if isinstance(value, str) and key in ("total", "title", "name", "file") else value


def _plain_key(name: Any) -> Any:
    return name if isinstance(name, str) and name.isidentifier() else _Quoted(name)
