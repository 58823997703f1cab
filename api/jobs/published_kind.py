"""The kind `published`: a plan in; its tables made safe, cluster by cluster, out, as `tableseal publish`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tableseal.api.jobs.kinds import Context, Kind, Ledger, Result, Rows
from tableseal.api.jobs.ledger import ENTRY, HandedLedger, before_document, enter
from tableseal.api.jobs.plan_kind import PlanRequest, plan_in
from tableseal.api.jobs.protected import TIME
from tableseal.api.options.publish import PublishOptions, UnderOptions
from tableseal.api.publishing.under import check_under, under
from tableseal.api.store.job import Document
from tableseal.api.suppressing import check_search
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from sqlalchemy import Connection

    from tableseal.api.publishing.folder import Results

PUBLIC, AGENCY = "public.zip", "agency.zip"
"""Archives of a result: what may go out; all the rest. Unpacked into one folder they are what the command writes."""

CERTIFICATE = "certificate.json"


class PublishedRequest(PlanRequest):
    """Which of the files is the plan, how its clusters are protected where it does not say so, and under which name all
    of it is published. by: through whom."""

    options: PublishOptions = PublishOptions()
    under: UnderOptions = UnderOptions()
    by: str = ""


def check(request: PublishedRequest) -> None:
    """Refuse a method that is none, and a name that is none."""
    check_search(request.options.search())
    check_under(request.under)


def run(request: PublishedRequest, context: Context) -> Result:
    """Tabulate, protect and audit the clusters of the plan; whatever goes wrong with one is its entry.

    What an attempt before this one has done is not done again.

    Raises
    ------
    InputError: the plan cannot be used.
    """
    from tableseal.api.publishing.publish import Settings, publish
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.execution.processes import Processes

    plan = plan_in(request, context)
    said, ledger = request.options, None
    if request.under.publication is not None:
        ledger = HandedLedger.in_folder(context.folder)
    settings = Settings(
        said.search(),
        said.proof,
        _key(context.signing_key),
        max_cells=context.max_cells,
        under=None if ledger is None else under(request.under, ledger, request.by, said.time_limit),
    )
    with (
        _results(context) as (folder, results),
        Processes(1) as executor,  # a cluster that takes its process down is no harm to the others
    ):
        published = publish(plan, results, settings, executor=executor, progress=context.progress)
        answer = Document("published.json", "application/json", json_of(published).encode())
        documents = (answer, *_documents(context.folder, folder))
    more = () if ledger is None else ledger.documents
    return Result((*documents, *more), published.verdict, published.title)


def _key(file: Path | None) -> "Ed25519PrivateKey | None":
    """The key of the service, if it has one.

    Raises
    ------
    RuntimeError: it was there when the service started, and is not now; that is no error of who asks.
    """
    from tableseal.api.publishing.certificate import signing_key

    try:
        return None if file is None else signing_key(str(file))
    except InputError as error:
        raise RuntimeError("the signing key cannot be used any more") from error


def _documents(target: Path, folder: Path) -> tuple[Document, ...]:
    """The folder as two archives, and what people look at by itself."""
    from tableseal.api.publishing.summary import PUBLIC_FILES
    from tableseal.audit.proof.certificate import MARK

    files = sorted(str(p.relative_to(folder).as_posix()) for p in folder.rglob("*") if p.is_file() and p.name != MARK)
    out = [name for name in files if name.startswith(PUBLIC_FILES)]
    packed = {PUBLIC: out, AGENCY: [name for name in files if name not in out]}
    return (
        *(Document(n, "application/zip", _packed(target / f".{n}", folder, names)) for n, names in packed.items()),
        Document(CERTIFICATE, "application/json", (folder / CERTIFICATE).read_bytes()),
    )


def published_before(connection: "Connection", owner: str, request: PublishedRequest) -> Iterable[Document]:
    """What is out under the name, if one is given."""
    name = request.under.publication
    return [] if name is None else [before_document(connection, owner, name)]


def entered(connection: "Connection", owner: str, request: PublishedRequest, result: Result) -> Result:
    """Put the entry that was made into the ledger; it is not kept with the job.

    Raises
    ------
    OutdatedError: something else was published, or withdrawn, since.
    """
    made = [document for document in result.documents if document.name == ENTRY]
    if not made or request.under.publication is None:
        return result
    enter(connection, owner, request.under.publication, request.by, made[0])
    kept = tuple(document for document in result.documents if document.name != ENTRY)
    return Result(kept, result.outcome, result.title)


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


KIND = Kind(
    "published",
    PublishedRequest,
    run,
    Rows("published", "clusters"),
    check,
    inline=False,
    ledger=Ledger(published_before, entered),
    lasting=True,
)
