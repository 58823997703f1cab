"""Kinds of jobs. A kind is a name, the model of its request, and a function that does the work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from api.store.job import Document
from audit.progress import Progress


@dataclass(frozen=True)
class Context:
    """What a kind's function is given besides its request.

    folder: a private folder with the files of the request, under their names. progress: told how far the work is.
    max_cells: rows of all tables of a release, at most.
    """

    folder: Path
    progress: Progress
    max_cells: int


@dataclass(frozen=True)
class Result:
    """What a job gives: files, the first of which is the answer, and its outcome in a word (such as the verdict)."""

    documents: tuple[Document, ...]
    outcome: str | None = None


@dataclass(frozen=True)
class Rows:
    """How the answer of a kind, a JSON document, is read as a table.

    member: the list of objects in it that are the rows. columns: keys of these objects. objects: columns that are
    objects and become a column for each key; pairs: those that are two ends, `.lower` and `.upper`; the names in
    numbers and flags are those of the columns that this gives, all others are text.
    """

    member: str
    columns: tuple[str, ...]
    objects: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Kind:
    """A kind of jobs.

    request: frozen pydantic model; what it dumps is kept with the job. run: a module-level function, pure but for the
    files of its folder; what it raises as TablesealError becomes the problem of the job. rows: None if its answer is no
    table. inline: small requests may be answered at once.
    """

    name: str
    request: type[BaseModel]
    run: Callable[[Any, Context], Result]
    rows: Rows | None = None
    inline: bool = True


def all_kinds() -> Mapping[str, Kind]:
    """All kinds by name. A new kind is a module with a `KIND`, and its line here."""
    from api.drafts.kind import KIND as DRAFT
    from api.jobs.audit_kind import KIND as AUDIT
    from api.jobs.batch_kind import KIND as BATCH
    from api.jobs.comparison_kind import KIND as COMPARISON
    from api.jobs.risk_kind import KIND as RISK
    from api.jobs.sap_kind import KIND as SAP
    from api.jobs.suppression_kind import KIND as SUPPRESSION

    kinds = (AUDIT, BATCH, COMPARISON, DRAFT, RISK, SAP, SUPPRESSION)
    return MappingProxyType({kind.name: kind for kind in kinds})
