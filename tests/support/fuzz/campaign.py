"""Broken files, one by one: what comes of each, how long it took and how much memory.

What is `read` or an error for users is as it should be. Any other exception, more than `SECONDS` of processor time and
more than `GROWTH` of memory are faults. So is the end of the process, which `__main__.py` sees.
"""

import resource
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from tableseal.audit.errors import TablesealError
from tests.support.fuzz.changes import broken
from tests.support.fuzz.readers import GOOD, Files, good_files, readers

SECONDS = 20.0
"""Of processor time for one input, at most: good ones take milliseconds."""
GROWTH = 512 * 2**10
"""Of the largest size of the process by one input, in KiB, at most."""


class TooSlowError(BaseException):
    """More than `SECONDS`; no `except Exception` takes it for something else."""


@dataclass
class Outcomes:
    """What came of the inputs of one reader: words -> how many; faults: (seed, what, traceback)."""

    key: str
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str, BaseException | None]] = field(default_factory=list)


def mutated(key: str, seed: int) -> Files:
    """Files of a reader, one of them broken; mostly the one that is read."""
    random = Random(f"{key} {seed}")
    files = dict(good_files(key, random.randrange(GOOD)))
    names = list(files)
    chosen = names[-1] if random.random() < 0.4 else random.choice(names)
    files[chosen] = broken(random, chosen, files[chosen])
    return files


def campaign(
    key: str, seeds: range, *, before: Callable[[int], None] | None = None, guarded: bool = False
) -> Iterator[Outcomes]:
    """Outcomes after each input, always the same object. before: is told the seed before it is used. guarded: time is
    limited, too (by a signal, so in the main thread only)."""
    reader, found = readers()[key], Outcomes(key)
    with tempfile.TemporaryDirectory() as inside, warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # numbers that went beyond their range
        folder = Path(inside)
        for seed in seeds:
            files = mutated(key, seed)
            for name, content in files.items():
                (folder / name).write_bytes(content)
            if before is not None:
                before(seed)
            grown = _memory()
            with _limited(guarded):
                try:
                    reader.read(folder / next(reversed(files)))
                    found.counts["read"] += 1
                except TablesealError as error:
                    found.counts[type(error).__name__] += 1
                except (Exception, TooSlowError) as error:
                    found.counts["fault"] += 1
                    found.faults.append((seed, f"{type(error).__name__}: {error}", error))
            if _memory() - grown > GROWTH:
                found.counts["memory"] += 1
                found.faults.append((seed, f"{(_memory() - grown) // 1024} MiB more", None))
            yield found


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class _limited:  # noqa: N801 - reads as a statement
    """So much processor time for what is inside."""

    def __init__(self, guarded: bool) -> None:
        self.guarded = guarded

    def __enter__(self) -> None:
        if self.guarded:
            signal.signal(signal.SIGVTALRM, _too_slow)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)

    def __exit__(self, *_: object) -> None:
        if self.guarded:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _too_slow(_: int, __: FrameType | None) -> None:
    raise TooSlowError(f"more than {SECONDS:g} seconds")
