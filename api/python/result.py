"""What every result of the door can do."""

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tableseal.api.python.origin import Origin
from tableseal.api.python.to_frame import Column, Kind, frame_of, kind_of
from tableseal.audit.errors import InputError
from tableseal.audit.execution.writing import write_whole
from tableseal.audit.model import Release
from tableseal.audit.wording import a_kind

Writer = Callable[[], Mapping[Path, str | bytes] | str]
"""What goes into a file, or into several."""


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """A result. Its `repr` holds counts and a verdict, and no value of a cell.

    origin: what came in.
    """

    origin: Origin

    @cached_property
    def document(self) -> dict[str, Any]:
        """The result as plain dicts and lists: what `--json` of the command writes."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def as_tables(self, expected: str) -> Release:
        """The release that a result stands for where it is given in place of tables.

        Raises
        ------
        InputError: it stands for none; says what was expected.
        """
        raise InputError(f"found a {type(self).__name__}, which has no release in it, expected {expected}.")

    @property
    def stopped_by(self) -> str | None:
        """Which limit left something open that more of it might settle; None: none did."""
        return None

    def to_json(self) -> str:
        """The result as JSON text."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The result as one self-contained page."""
        raise InputError(f"{type(self).__name__}: there is no page of this result; save it as .json.")

    def text(self) -> str:
        """The result in words, as the command says it."""
        raise NotImplementedError

    def to_frame(self, kind: Kind | None = None) -> Any:
        """The result as a DataFrame: of the library whose frame came in, else of polars or pandas, or of `kind`.

        Its rows are those of the result, not of a frame that came in: join them by their codes. (What `suppress` gives
        has the rows that came in, and their index.)

        Raises
        ------
        InputError: the library is not installed.
        """
        return frame_of(self.columns(), kind_of(kind, self.origin.kind))

    def columns(self) -> Mapping[str, Column]:
        """Name -> values: what `to_frame` shows."""
        raise NotImplementedError

    def save(self, path: Any) -> tuple[Path, ...]:
        """Write the result to a file, by its suffix; gives the files that were written.

        Raises
        ------
        InputError: another suffix, a file that was read, a folder that is not there.
        """
        page = {} if type(self).to_html is Result.to_html else {".html": self.to_html}
        return self._save(path, {".json": self.to_json, **page})

    def _save(self, path: Any, writers: Mapping[str, Writer], who: str = "save()") -> tuple[Path, ...]:
        try:
            target = Path(path).expanduser()
        except TypeError:
            raise InputError(f"{who}: found {a_kind(path)}, expected a path.") from None
        writer = writers.get(target.suffix.lower())
        if writer is None:
            raise InputError(f"{who}: {target}: found {target.suffix or 'no suffix'}, expected {_or(list(writers))}.")
        if not target.parent.is_dir():
            raise InputError(f"{who}: {target}: there is no folder {target.parent}; create it first.")
        written = writer()
        files = {target: written} if isinstance(written, str) else written
        inputs = {file.resolve() for file in self.origin.inputs}
        for file in files:
            if file.resolve() in inputs:
                raise InputError(f"{who}: {file}: this file was read; choose another name.")
        for file, content in files.items():
            write_whole(file, content)
        return tuple(files)

    def _repr_html_(self) -> str:
        try:
            page = self.to_html()
        except InputError:
            return f"<pre>{html.escape(self.text())}</pre>"
        # A frame of its own: the page's styles are for it alone.
        return (
            f'<iframe title="{html.escape(repr(self))}" sandbox="allow-scripts allow-popups" '
            f'style="width: 100%; height: 40rem; border: 0" srcdoc="{html.escape(page)}"></iframe>'
        )

    def __repr__(self) -> str:
        figures = ", ".join(f"{name}={value!r}" for name, value in self.figures().items() if value is not None)
        return f"{type(self).__name__}({figures})"

    def figures(self) -> Mapping[str, object]:
        """What `repr` shows."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        raise InputError(
            f"{type(self).__name__}: a result is neither true nor false; ask what is meant, such as "
            "result.verdict == 'safe'."
        )


def _or(words: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
