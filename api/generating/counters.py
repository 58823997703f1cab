"""The hypercubes of a service: a folder with NAME.cube, the policy NAME.yaml and the secret NAME.secret beside it."""

import re
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from tableseal.api.generating.counter import Counter, opened_counter
from tableseal.audit.hypercube.store import ENDING, MANIFEST

NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
"""Names of hypercubes in a service."""


@dataclass(frozen=True)
class _Seen:
    """A counter, and the files that it was opened from as they were then."""

    files: tuple[tuple[int, int], ...]
    counter: Counter


class Counters:
    """Opened once, and again when a file has changed. folder: None: the service has no hypercubes."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._seen: dict[str, _Seen] = {}
        self._lock = Lock()

    def names(self) -> tuple[str, ...]:
        """Of all hypercubes with a policy and a secret, in order."""
        if self._folder is None or not self._folder.is_dir():
            return ()
        found = (path.stem for path in self._folder.glob(f"*{ENDING}"))
        return tuple(sorted(name for name in found if re.match(NAME, name) and self._files(name) is not None))

    def counter(self, name: str) -> Counter | None:
        """Where tables of a hypercube are asked for; None: there is none.

        Raises
        ------
        InputError: as `opened_counter`.
        """
        files = self._files(name) if re.match(NAME, name) else None
        if files is None or self._folder is None:
            return None
        with self._lock:  # a hypercube is read once, however many ask for it
            seen = self._seen.get(name)
            if seen is None or seen.files != files:
                cube, policy, secret = _places(self._folder, name)
                seen = self._seen[name] = _Seen(files, opened_counter(cube, policy, secret))
            return seen.counter

    def _files(self, name: str) -> tuple[tuple[int, int], ...] | None:
        """When each file was written last, and its size; None: one is missing."""
        if self._folder is None:
            return None
        cube, policy, secret = _places(self._folder, name)
        try:
            found = [path.stat() for path in (cube / MANIFEST, policy, secret)]
        except OSError:
            return None
        return tuple((one.st_mtime_ns, one.st_size) for one in found)


def _places(folder: Path, name: str) -> tuple[Path, Path, Path]:
    return folder / f"{name}{ENDING}", folder / f"{name}.yaml", folder / f"{name}.secret"
