"""One attempt at a job, in this process: the request in, files or a problem out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.jobs.kinds import Context, Kind, Result
from api.problems import MEMORY_LIMIT, Problem, problem_of
from audit.errors import TablesealError


@dataclass(frozen=True)
class Limits:
    """What one attempt may use. memory: megabytes, None for no limit. cells: rows of all tables of a release."""

    memory: int | None
    cells: int


def attempt(
    kind: Kind, request: str, folder: Path, limits: Limits, progress: Callable[[str, int, int], None]
) -> Result | Problem:
    """Do the work of a job; errors that are the user's become problems, faults of ours are raised.

    Parameters
    ----------
    request: as the kind's request model wrote it. folder: where its files lie.
    """
    wanted = kind.request.model_validate_json(request)
    try:
        return kind.run(wanted, Context(folder, progress, limits.cells))
    except TablesealError as error:
        source = getattr(wanted, "release", None)
        return problem_of(error, source, None if source is None else _document(folder / source))
    except MemoryError:
        return MEMORY_LIMIT


def _document(path: Path) -> Any:
    """What the release file holds, as far as it can be read: the error that is told of may be that it cannot."""
    from audit.io.files import read_text
    from audit.io.yaml_text import parse_document

    try:
        return parse_document(read_text(path, source=path.name)[0], path.name)
    except TablesealError:
        return None
