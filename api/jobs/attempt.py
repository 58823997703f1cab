"""One attempt at a job, in this process: the request in, files or a problem out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tableseal.api.jobs.kinds import Context, Kind, Result, keep_nothing
from tableseal.api.places import Files
from tableseal.api.problems import Problem, problem_of
from tableseal.audit.errors import TablesealError
from tableseal.audit.execution.memory import memory_limit


@dataclass(frozen=True)
class Limits:
    """What one attempt may use. memory: megabytes, None for no limit. cells: rows of all tables of a release."""

    memory: int | None
    cells: int


def attempt(
    kind: Kind,
    request: str,
    folder: Path,
    limits: Limits,
    progress: Callable[[str, int, int], None],
    keep: Callable[[Result], None] = keep_nothing,
) -> Result | Problem:
    """Do the work of a job; errors that are the user's become problems, faults of ours are raised.

    Parameters
    ----------
    request: as the kind's request model wrote it. folder: where its files lie. keep: see `Context`.
    """
    wanted = kind.request.model_validate_json(request)
    try:
        with memory_limit(limits.memory):
            return kind.run(wanted, Context(folder, progress, limits.cells, keep))
    except TablesealError as error:
        return problem_of(error, _files(folder))


def _files(folder: Path) -> Files:
    """The files of the request, by the names that messages use: of those in subfolders both the path and the name."""
    found = {name: path for path in sorted(folder.rglob("*")) if path.is_file() for name in _names(path, folder)}
    return Files(found.keys(), lambda name: _document(found[name]))


def _names(path: Path, folder: Path) -> tuple[str, str]:
    return path.name, path.relative_to(folder).as_posix()


def _document(path: Path) -> Any:
    """What a document holds, as far as it can be read: the error that is told of may be that it cannot."""
    from tableseal.audit.io.files import read_text
    from tableseal.audit.io.yaml_text import parse_document

    if path.suffix.lower() not in (".json", ".yaml", ".yml"):
        return None
    try:
        return parse_document(read_text(path, source=path.name)[0], path.name)
    except TablesealError:
        return None
