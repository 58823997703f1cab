"""A limit on the memory of this process."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def memory_limit(megabytes: int | None) -> Iterator[None]:
    """Refuse to use more than so many megabytes of memory while the block runs (None: no limit).

    The limit is put back afterwards, so that there is room to say what happened.
    """
    if megabytes is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit_memory(megabytes)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def limit_memory(megabytes: int) -> None:
    """Refuse to use more than so many megabytes of memory from now on.

    The limit is on the data of this process (RLIMIT_DATA). The numerical libraries are loaded first: they cannot start
    in a corner.
    """
    import resource

    import highspy  # noqa: F401
    import numpy  # noqa: F401
    import scipy.sparse.csgraph  # noqa: F401

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))
