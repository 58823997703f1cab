"""Where a verb with many pieces of work has them done."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.execution.executor import Executor


def refuse_two_places(scheduler: str | None, jobs: int, memory_limit: int | None = None) -> None:
    """InputError if work is to be done on a cluster and by processes here."""
    if scheduler is not None and (jobs > 1 or memory_limit is not None):
        raise InputError(
            "--scheduler: the workers of the cluster have their own number and limits of memory; leave out "
            "--jobs and --memory-limit."
        )


@contextmanager
def workers(scheduler: str | None, jobs: int, *, here: bool = False) -> "Iterator[Executor]":
    """A Dask cluster, or processes. here: a single worker may be this process; else a process of its own, whose end is
    no harm."""
    from tableseal.audit.execution.executor import local
    from tableseal.audit.execution.processes import Processes

    if scheduler is not None:
        from tableseal.audit.execution.dask import connect

        yield connect(scheduler)
    elif here:
        with local(jobs) as executor:
            yield executor
    else:
        with Processes(jobs) as pool:
            yield pool
