"""Progress on a terminal; silent in a pipe."""

import sys
import time
from types import TracebackType
from typing import Self

PAUSE = 0.1
"""Seconds between two updates of the line."""


class Progress:
    """A line on standard error that says what is being done; `with Progress() as progress: ...`.

    shown: whether it is; None: on a terminal.
    """

    def __init__(self, *, shown: bool | None = None) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._last = 0.0
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say that `done` of `total` steps of a stage are over (total 0: unknown, `done` so far)."""
        now = time.monotonic()
        if not self._shown or (now - self._last < PAUSE and done != total):
            return
        self._last = now
        text = f"{stage}: {done:,} of {total:,}" if total else f"{stage}: {done:,} so far" if done else stage
        self._line(text)

    def _line(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width) + ("\r" if not text else ""))
        sys.stderr.flush()
        self._width = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and self._width:
            self._line("")
