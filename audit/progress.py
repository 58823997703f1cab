"""How long work tells that it goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

Progress = Callable[[str, int, int], None]
"""(what is being done, steps done, steps in all; 0: nobody knows how many)"""


def silent(what: str, done: int, total: int) -> None:
    """Progress of nobody."""


class Phases:
    """Phases of work, one after another: each is told as it begins, so that nobody looks at the one before for as long
    as it takes, and its seconds are kept; those of the same name are added up."""

    def __init__(self, tell: Progress) -> None:
        self._tell = tell
        self._seconds: dict[str, float] = {}
        self._name, self._began = "", perf_counter()

    def begin(self, name: str) -> None:
        """The phase before ends, if there is one."""
        self.end()
        self._name = name
        self._tell(name, 0, 0)

    def end(self) -> None:
        """The phase ends; what is done until the next one begins is counted by nobody."""
        now = perf_counter()
        if self._name:
            self._seconds[self._name] = self._seconds.get(self._name, 0.0) + now - self._began
        self._name, self._began = "", now

    @contextmanager
    def at(self, name: str) -> Iterator[None]:
        """A phase; then the one goes on that it interrupted, if it did."""
        before = self._name
        self.begin(name)
        try:
            yield
        finally:
            if before:
                self.begin(before)
            else:
                self.end()

    @property
    def seconds(self) -> tuple[tuple[str, float], ...]:
        """(phase, seconds) of those that ended, in the order in which they first began."""
        return tuple(self._seconds.items())
