"""The kind `publication`: a new release is audited with all that was published under a name, and may be published."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tableseal.api.jobs.kinds import Context, Kind, Ledger, Result
from tableseal.api.jobs.ledger import BEFORE, before_document, enter, entry_document
from tableseal.api.jobs.releases import ReleaseRequest, check_judging, release_in
from tableseal.api.options.publication import PublicationOptions
from tableseal.api.store.job import Document
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tableseal.audit.model import Release
    from tableseal.audit.publications import Assessment, Revision

NAME = r"^\w[\w .-]{0,99}$"
"""What the name of a publication looks like."""


class PublicationRequest(ReleaseRequest):
    """A new release for a publication. by: who asks, for the entry that it may become."""

    name: str
    by: str
    options: PublicationOptions = PublicationOptions()


def check(request: PublicationRequest) -> None:
    """Refuse a reason without publishing, and entries that are revised and named wrongly."""
    check_judging(request)
    if request.options.despite is not None and not request.options.publish:
        raise InputError("a reason to publish, without ", OptionName("publish"), ".", at=OptionName("despite"))
    check_reason(request.options.despite)
    revisions(request.options.revises)


def run(request: PublicationRequest, context: Context) -> Result:
    """Audit the release in the folder with what was published before.

    Raises
    ------
    InputError: the release cannot be used, or does not agree with earlier ones. LimitError: too many cells.
    """
    before = json.loads((context.folder / BEFORE).read_bytes())
    return assessed(before, release_in(request, context), request.options, request.by, context.progress)[0]


def assessed(
    before: Mapping[str, Any], release: "Release", options: PublicationOptions, by: str, progress: Progress
) -> "tuple[Result, Assessment]":
    """What a release does to a publication, as documents (with the entry that it may become) and as it was found.

    Parameters
    ----------
    before: the content of `BEFORE`. by: through whom it is published, if it is.

    Raises
    ------
    InputError: the release does not agree with earlier ones.
    """
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.publications import assess, publication_from_document, publish

    publication = publication_from_document(before["publication"])
    revises = revisions(options.revises)
    found = assess(
        publication,
        release,
        revises=revises,
        bounds=options.bounds,
        time_limit=options.time_limit,
        progress=progress,
    )
    despite = None if found.verdict == "safe" else options.despite
    entry = publish(publication, release, revises=revises, by=by, despite=despite).entries[-1]
    number = entry.number if _goes_out(options, found.verdict) else None
    found = replace(found, published=number)
    documents = (
        Document("publication-audit.json", "application/json", json_of(found).encode()),
        entry_document(before["version"], entry),
    )
    return Result(documents, found.verdict, release.title), found


def published_before(connection: "Connection", owner: str, request: PublicationRequest) -> Iterable[Document]:
    """The publication as it is now."""
    return [before_document(connection, owner, request.name)]


def published(connection: "Connection", owner: str, request: PublicationRequest, result: Result) -> Result:
    """Publish if that was asked for and may be done. Then the entry is in the ledger and not kept with the job.

    Raises
    ------
    OutdatedError: another release was published, or one withdrawn, since this one was audited.
    """
    if not _goes_out(request.options, result.outcome):
        return result
    answer, made = result.documents
    enter(connection, owner, request.name, request.by, made)
    return Result((answer,), result.outcome, result.title)


def _goes_out(options: PublicationOptions, verdict: str | None) -> bool:
    return options.publish and (verdict == "safe" or options.despite is not None)


def check_reason(despite: str | None) -> None:
    """Refuse to let anything go out for a reason that is none.

    Raises
    ------
    InputError: nothing but blanks.
    """
    if despite is not None and not despite.strip():
        raise InputError(expected="why it goes out although it is not safe", at=OptionName("despite", despite[:100]))


def checked_name(name: str) -> str:
    """The name of a publication.

    Raises
    ------
    InputError: it cannot be one.
    """
    if not re.search(NAME, name):
        raise InputError(f"NAME {name[:100]!r}: expected letters, digits, spaces, and the signs _ . -")
    return name


def revisions(given: Sequence[str]) -> "tuple[Revision, ...]":
    """What a release says it revises: `2`, or `2:by_size`.

    Raises
    ------
    InputError: something else.
    """
    from tableseal.audit.publications import Revision

    found = []
    for text in given:
        parts = re.fullmatch(r"(\d{1,9})(?::(.+))?", text, re.ASCII | re.DOTALL)
        if parts is None:
            expected = "the number of an entry, or number and table such as 2:by_size"
            raise InputError(expected=expected, at=OptionName("revises", text[:100]))
        found.append(Revision(int(parts[1]), parts[2]))
    return tuple(found)


KIND = Kind("publication", PublicationRequest, run, check=check, ledger=Ledger(published_before, published))
