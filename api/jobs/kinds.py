"""Kinds of jobs. A kind is a name, the model of its request, and a function that does the work."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tableseal.api.store.job import Document
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tableseal.audit.codec.layout import Layout


@dataclass(frozen=True)
class Result:
    """What a job gives: files, the first of which is the answer, its outcome in a word (such as the verdict), and the
    title of the release that it is about."""

    documents: tuple[Document, ...]
    outcome: str | None = None
    title: str = ""


def keep_nothing(result: Result) -> None:
    """For callers that only want the answer."""


def good_as_it_is(request: Any) -> None:
    """For kinds whose requests have nothing that could be wrong."""


@dataclass(frozen=True)
class Context:
    """What a kind's function is given besides its request.

    folder: a private folder with the files of the request, under their names. progress: told how far the work is.
    max_cells: rows of all tables of a release, at most. keep: told of a result that is an answer already, though not
    all of it: the job's, should the attempt not come to its end. lasting: a folder that
    attempts at the same job on this machine share, for kinds that have one. signing_key, hypercubes: see `Limits`.
    """

    folder: Path
    progress: Progress
    max_cells: int
    keep: Callable[[Result], None] = keep_nothing
    lasting: Path | None = None
    signing_key: Path | None = None
    hypercubes: Path | None = None


@dataclass(frozen=True)
class Rows:
    """How the answer of a kind, a JSON document, is read as a table. document: the word of its schema. member: the key
    of the list in it whose objects are the rows."""

    document: str
    member: str

    @property
    def layout(self) -> "Layout":
        """Columns of the table, as the class of the rows declares them."""
        from tableseal.api.schemas import documents
        from tableseal.audit.codec.layout import layout_of_member

        return layout_of_member(documents(self.document)[0], self.member)


@dataclass(frozen=True)
class Kind:
    """A kind of jobs.

    request: frozen pydantic model; what it dumps is kept with the job. run: a module-level function, pure but for the
    files of its folder; what it raises as TablesealError becomes the problem of the job. rows: None if its answer is no
    table. check: refuses (InputError) a request that no files could make good, such as options that contradict each
    other, before there is a job. inline: small requests may be answered at once. ledger: None if it needs nothing of
    the database. lasting: an attempt goes on from what the one before it left in a folder.
    """

    name: str
    request: type[BaseModel]
    run: Callable[[Any, Context], Result]
    rows: Rows | None = None
    check: Callable[[Any], None] = good_as_it_is
    inline: bool = True
    ledger: "Ledger | None" = None
    lasting: bool = False


class OutdatedError(Exception):
    """What a job was given from the database has changed since; it must be done again."""


@dataclass(frozen=True)
class Ledger:
    """How a kind whose work is a function of what the database holds stays one.

    before: (connection, owner, request) -> files that an attempt finds beside those of the request. after: (connection,
    owner, request, result) -> the result that is kept; it writes in the transaction that ends the job, and raises
    OutdatedError if what `before` gave has changed meanwhile.
    """

    before: Callable[["Connection", str, Any], Iterable[Document]]
    after: Callable[["Connection", str, Any, Result], Result]


@cache
def all_kinds() -> Mapping[str, Kind]:
    """All kinds by name. A new kind is a module with a `KIND`, and its line here."""
    from tableseal.api.drafts.kind import KIND as DRAFT
    from tableseal.api.jobs.attack_kind import KIND as ATTACK
    from tableseal.api.jobs.audit_kind import KIND as AUDIT
    from tableseal.api.jobs.batch_kind import KIND as BATCH
    from tableseal.api.jobs.comparison_kind import KIND as COMPARISON
    from tableseal.api.jobs.plan_kind import KIND as PLAN
    from tableseal.api.jobs.protection_kind import KIND as PROTECTION
    from tableseal.api.jobs.publication_kind import KIND as PUBLICATION
    from tableseal.api.jobs.published_kind import KIND as PUBLISHED
    from tableseal.api.jobs.risk_kind import KIND as RISK
    from tableseal.api.jobs.sap_kind import KIND as SAP
    from tableseal.api.jobs.suppression_kind import KIND as SUPPRESSION
    from tableseal.api.jobs.table_kind import KIND as TABLE

    changing = (COMPARISON, PROTECTION, PUBLISHED, SUPPRESSION)
    known = (ATTACK, AUDIT, BATCH, DRAFT, PLAN, PUBLICATION, RISK, SAP, TABLE, *changing)
    return MappingProxyType({kind.name: kind for kind in known})
