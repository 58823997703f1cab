"""The kind `batch`: an archive of releases in, a verdict for each and all reports out, as `tableseal batch`."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.releases import check_size
from tableseal.api.options.batch import BatchOptions
from tableseal.api.options.rules import GivenRules
from tableseal.api.store.job import Document
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tableseal.audit.batch import Source
    from tableseal.audit.model import Policy, Release

ALL = "."
"""In place of an archive: the folder in which all files lie."""

LONGEST = 200
"""Signs in the name of a release."""

TABLE = "summary.csv"
"""A row for each release, for a spreadsheet."""


class BatchRequest(BaseModel):
    """Which file is the archive (ALL: the releases are the files themselves), which the manifest that lists those that
    are wanted (None: all), and which the policy for all releases (None: their own)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    releases: str
    manifest: str | None = None
    policy: str | None = None
    rules: GivenRules = GivenRules()
    options: BatchOptions = BatchOptions()


def run(request: BatchRequest, context: Context) -> Result:
    """Audit the releases; whatever goes wrong with one is its entry.

    Raises
    ------
    InputError: no archive, no release in it, a name that is too long, releases that do not agree (together).
    """
    from tableseal.audit.batch import opened, run_batch, run_together, source_of
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.execution.executor import HERE
    from tableseal.audit.execution.processes import Processes

    options = request.options
    policy = request.rules.instead_of(None if request.policy is None else context.folder / request.policy)
    manifest = None if request.manifest is None else context.folder / request.manifest
    called = "The files" if request.releases == ALL else request.releases
    found, listed = source_of(context.folder / request.releases, manifest=manifest, called=called)
    for one in listed:
        if len(one.name) > LONGEST:
            raise InputError(f"{one.name[:LONGEST]}...: the name is longer than {LONGEST} signs.")
    source = _Limited(found, context.max_cells)
    settings = options.settings(policy)
    with opened(context.folder / ".results") as results:
        if options.together:
            batch = run_together(source, listed, settings, results, executor=HERE)
        else:
            with Processes(1) as executor:  # a release that takes its process down is no harm to the others
                batch = run_batch(source, listed, settings, results, executor=executor, progress=context.progress)
    folder = context.folder / ".results"
    answer = Document("batch.json", "application/json", json_of(batch).encode())
    page = Document("report.html", _HTML, folder / "summary.html")
    table = Document(TABLE, "text/csv; charset=utf-8", folder / "summary.csv")
    files = [name for entry in batch.entries for name in (entry.report, entry.html) if name is not None]
    return Result((answer, page, table, *(_document(folder, name) for name in files)), batch.verdict)


class _Limited:
    """A source whose releases have at most so many rows."""

    def __init__(self, source: "Source", most: int) -> None:
        self._source, self._most = source, most

    def names(self, endings: tuple[str, ...] = (".yaml", ".yml", ".json")) -> "Sequence[str]":
        """See Source."""
        return self._source.names(endings)

    def content(self, name: str) -> bytes:
        """See Source."""
        return self._source.content(name)

    def release(self, name: str, policy: "Policy | None") -> "Release":
        """See Source. LimitError: too many rows."""
        release = self._source.release(name, policy)
        check_size(release, self._most)
        return release


def _document(folder: Path, name: str) -> Document:
    return Document(name, "application/json" if name.endswith(".json") else _HTML, folder / name)


_HTML = "text/html; charset=utf-8"

KIND = Kind("batch", BatchRequest, run, Rows("batch", "releases"), inline=False)
