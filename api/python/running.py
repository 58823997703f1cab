"""How work is done: progress, workers, state."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tableseal.api.python.keywords import Running
from tableseal.audit.errors import InputError
from tableseal.audit.execution.executor import Executor, local
from tableseal.audit.execution.state import State, opened
from tableseal.audit.progress import Progress
from tableseal.audit.wording import a_kind


@contextmanager
def telling(how: Any) -> Iterator[Progress | None]:
    """Who is told how far the work is, as the keyword `progress` says.

    Raises
    ------
    InputError: neither a function nor True.
    """
    if how.progress is True:
        from tableseal.api.cli.progress import Progress as Line

        with Line(shown=True) as line:
            yield line
    elif how.progress is None or how.progress is False:
        yield None
    elif callable(how.progress):
        yield how.progress
    else:
        raise InputError(f"progress: found {how.progress!r}, expected True or a function of (stage, done, total).")


@contextmanager
def working(how: Running) -> Iterator[Executor]:
    """Who does the work.

    Raises
    ------
    InputError: workers and an executor, or something that is no executor.
    """
    if how.executor is None:
        with local(how.jobs) as executor:
            yield executor
        return
    if how.jobs != 1:
        raise InputError("jobs: the executor says who works; give either jobs= or executor=, not both.")
    if not (callable(getattr(how.executor, "map", None)) and callable(getattr(how.executor, "as_completed", None))):
        raise InputError(f"executor: found {a_kind(how.executor)}, expected one of tableseal.audit.execution.")
    yield how.executor


@contextmanager
def remembering(state: Any) -> Iterator[State | None]:
    """The state in a file, if one is named."""
    if state is not None and not isinstance(state, str | os.PathLike):
        raise InputError(f"state: found {a_kind(state)}, expected a path.")
    with opened(None if state is None else os.fspath(state)) as memory:
        yield memory
