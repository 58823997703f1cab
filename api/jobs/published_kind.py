"""The kind `published`: a plan in; its tables made safe, cluster by cluster, out, as `tableseal publish`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.plan_kind import PlanRequest, plan_in
from tableseal.api.jobs.protected import TIME
from tableseal.api.options.publish import PublishOptions
from tableseal.api.store.job import Document
from tableseal.api.suppressing import check_search

if TYPE_CHECKING:
    from tableseal.api.publishing.folder import Results

PUBLIC, AGENCY = "public.zip", "agency.zip"
"""Archives of a result: what may go out; copies with true values, reports and patterns."""


class PublishedRequest(PlanRequest):
    """Which of the files is the plan, and how its clusters are protected where it does not say so."""

    options: PublishOptions = PublishOptions()


def check(request: PublishedRequest) -> None:
    """Refuse a method that is none."""
    check_search(request.options.search())


def run(request: PublishedRequest, context: Context) -> Result:
    """Tabulate, protect and audit the clusters of the plan; whatever goes wrong with one is its entry.

    What an attempt before this one has done is not done again.

    Raises
    ------
    InputError: the plan cannot be used.
    """
    from tableseal.api.publishing.publish import Settings, publish
    from tableseal.api.publishing.summary import AGENCY_FILES, PUBLIC_FILES
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.execution.processes import Processes

    plan = plan_in(request, context)
    settings = Settings(request.options.search(), max_cells=context.max_cells)
    with (
        _results(context) as (folder, results),
        Processes(1) as executor,  # a cluster that takes its process down is no harm to the others
    ):
        published = publish(plan, results, settings, executor=executor, progress=context.progress)
        files = [name for cluster in published.clusters for name in cluster.files]
        answer = Document("published.json", "application/json", json_of(published).encode())
        public = _packed(context.folder / f".{PUBLIC}", folder, [n for n in files if n.startswith(PUBLIC_FILES)])
        agency = _packed(context.folder / f".{AGENCY}", folder, [n for n in files if n.startswith(AGENCY_FILES)])
    archives = (Document(PUBLIC, "application/zip", public), Document(AGENCY, "application/zip", agency))
    return Result((answer, *archives), published.verdict)


@contextmanager
def _results(context: Context) -> "Iterator[tuple[Path, Results]]":
    """The folder of results that outlives this attempt; one of its own while an attempt that was given up is still at
    work there."""
    from tableseal.api.publishing.folder import opened
    from tableseal.audit.execution.own_folder import InUseError

    own = context.folder / ".results"
    folder = own if context.lasting is None else context.lasting
    try:
        found = opened(folder)
        results = found.__enter__()
    except InUseError:
        folder = own
        found = opened(folder)
        results = found.__enter__()
    try:
        yield folder, results
    finally:
        found.__exit__(None, None, None)


def _packed(target: Path, folder: Path, names: Iterable[str]) -> Path:
    """Files of a folder as an archive, piece by piece."""
    with ZipFile(target, "w") as archive:
        for name in names:
            info = ZipInfo(name, TIME)
            info.compress_type = ZIP_DEFLATED
            with open(folder / name, "rb") as source, archive.open(info, "w") as entry:
                while piece := source.read(2**18):
                    entry.write(piece)
    return target


KIND = Kind("published", PublishedRequest, run, Rows("published", "clusters"), check, inline=False, lasting=True)
