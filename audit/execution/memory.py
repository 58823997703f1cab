"""A limit on the memory of this process, and whether it is what made something fail."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tableseal.audit.errors import LimitError, OptionName, TablesealError

MEGABYTE = 1024 * 1024

ROOM = 64
"""Megabytes: what fails when less than this is left, fails for lack of memory. Libraries take their memory in pieces of
this size, and each has its own words for what it did not get."""

_ARENA_MAX = -8
"""M_ARENA_MAX of mallopt(3)."""

_WORDS = ("failed to map segment", "cannot allocate memory", "can't start new thread", "bad_alloc", "out of memory")
"""What linker, operating system, Python, C++ and LLVM say; all lower case."""


class OutOfMemoryError(LimitError):
    """The memory that was allowed did not suffice. megabytes: how much that was (None: there was no limit of ours)."""

    def __init__(self, megabytes: int | None) -> None:
        allowed = "" if megabytes is None else f": {megabytes:,} MB were allowed"
        option = OptionName("memory_limit")
        super().__init__(f"not enough memory{allowed}. Give it more with ", option, ", or audit fewer tables together.")
        self.megabytes = megabytes


@contextmanager
def memory_limit(megabytes: int | None) -> Iterator[None]:
    """Refuse to use more than so many megabytes of memory while the block runs (None: no limit).

    The limit is on the data of this process (RLIMIT_DATA). It is put back afterwards, so that there is room to say what
    happened.

    Raises
    ------
    OutOfMemoryError: the block failed for lack of memory, or the process takes more already.
    """
    if megabytes is None:
        yield
        return
    import resource

    load_libraries()
    _refuse_at_once()
    if (taken := _taken()) is not None and taken > megabytes:
        raise OutOfMemoryError(megabytes)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    wanted, hard = megabytes * MEGABYTE, before[1]
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))
    try:
        yield
    except Exception as error:
        resource.setrlimit(resource.RLIMIT_DATA, before)
        if _lacked(error, megabytes):
            raise OutOfMemoryError(megabytes) from error
        raise
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _refuse_at_once() -> None:
    """Let the C library refuse memory that it cannot get. Else it tries to open another arena at each request, which at
    the limit makes everything a hundred times slower instead of ending it."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def load_libraries() -> None:
    """Load what cannot start in a corner: the numerical libraries."""
    import highspy  # noqa: F401
    import numpy  # noqa: F401
    import scipy.sparse.csgraph  # noqa: F401


def is_lack_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that led to it, says that memory could not be had."""
    seen: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in seen:
        if isinstance(link, MemoryError) or (isinstance(link, OSError) and link.errno == errno.ENOMEM):
            return True
        if isinstance(link, ImportError | OSError | RuntimeError | SystemError):
            said = str(link).lower()
            if any(words in said for words in _WORDS):
                return True
        seen.append(link)
        link = link.__cause__ or link.__context__
    return False


def _lacked(error: Exception, megabytes: int) -> bool:
    """Whether the limit made this fail. Errors in the input do not come from a lack of memory unless they say so."""
    if isinstance(error, LimitError):
        return False
    if is_lack_of_memory(error):
        return True
    # What is left of memory is told while the traceback still holds what the failed work had.
    return not isinstance(error, TablesealError) and (taken := _taken()) is not None and taken > megabytes - ROOM


def _taken() -> float | None:
    """Megabytes of data of this process as the limit counts them (None: this system does not tell)."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
    except (OSError, ValueError, IndexError):
        return None
