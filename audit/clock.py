"""The clock of time limits: it stands still while loops are compiled.

Compiling happens once for an installation (see `audit.compiling`) and may take half a minute. Whoever gives a search
five seconds means the search.
"""

from threading import get_ident
from time import monotonic
from typing import Any


class Stopwatch:
    """Seconds between starts and ends, which may be nested: those of one thread, if several are at it at once."""

    def __init__(self) -> None:
        self._total, self._depth, self._began, self._thread = 0.0, 0, 0.0, 0

    @property
    def seconds(self) -> float:
        """So far, what is under way included."""
        return self._total + (monotonic() - self._began if self._depth else 0.0)

    def notify(self, event: Any) -> None:
        """numba begins or ends to compile a function, or one that it calls (`numba.core.event.Listener`)."""
        if not self._depth:
            self._thread, self._began = get_ident(), monotonic()
        if self._thread != get_ident():
            return
        self._depth = max(0, self._depth + (1 if event.is_start else -1))
        if not self._depth:
            self._total += monotonic() - self._began


compiling = Stopwatch()
"""Of this process."""


def now() -> float:
    """Seconds of a clock that begins anywhere."""
    return monotonic() - compiling.seconds
