"""One attempt at a job, in this process: the request in, files or a problem out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tableseal.api.jobs.kinds import Context, Kind, Result, keep_nothing
from tableseal.api.problems import Problem, problem_of
from tableseal.audit.errors import TablesealError
from tableseal.audit.execution.memory import memory_limit


@dataclass(frozen=True)
class Limits:
    """What one attempt may use. memory: megabytes, None for no limit. cells: rows of all tables of a release.
    signing_key: file of the key that signs certificates; None: they are not signed. hypercubes: folder of those of
    which tables can be asked; None: there are none."""

    memory: int | None
    cells: int
    signing_key: Path | None = None
    hypercubes: Path | None = None


def attempt(
    kind: Kind,
    request: str,
    folder: Path,
    limits: Limits,
    progress: Callable[[str, int, int], None],
    keep: Callable[[Result], None] = keep_nothing,
    lasting: Path | None = None,
) -> Result | Problem:
    """Do the work of a job; errors that are the user's become problems, faults of ours are raised.

    Parameters
    ----------
    request: as the kind's request model wrote it. folder: where its files lie. keep, lasting: see `Context`.
    """
    wanted = kind.request.model_validate_json(request)
    try:
        with memory_limit(limits.memory):
            kind.check(wanted)
            context = Context(folder, progress, limits.cells, keep, lasting, limits.signing_key, limits.hypercubes)
            return kind.run(wanted, context)
    except TablesealError as error:
        return problem_of(error)
