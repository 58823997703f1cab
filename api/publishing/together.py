"""A whole publication beside everything that was published before under its name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from tableseal.api.publishing.summary import Together
from tableseal.api.publishing.whole import whole_release
from tableseal.audit.codec.documents import json_of
from tableseal.audit.execution.executor import Executor
from tableseal.audit.execution.failures import failure_of
from tableseal.audit.io import release_digest
from tableseal.audit.model import Release
from tableseal.audit.plans.read import Plan
from tableseal.audit.progress import Progress
from tableseal.audit.tabulation.release import tabulated

if TYPE_CHECKING:
    from tableseal.audit.publications import Assessment, Entry, Publication, Revision

REPORT = "agency/together.json"
"""The audit of everything together (tableseal/publication-audit/1)."""


class Ledger(Protocol):
    """What was published under a name."""

    def before(self) -> "Publication":
        """All of it, as it is now."""

    def append(self, entry: "Entry") -> bool:
        """Add an entry. False: it has changed since `before` was asked, and nothing is added."""


@dataclass(frozen=True)
class Under:
    """Under which name something is published. revises: tables of earlier entries whose values it changes. despite: why
    it goes out even if it is not safe. by: through whom. time_limit: seconds of each audit."""

    name: str
    ledger: Ledger
    revises: "tuple[Revision, ...]" = ()
    despite: str | None = None
    by: str = ""
    time_limit: float | None = None


def judged_together(
    plan: Plan, releases: Mapping[str, Release], under: Under, *, executor: Executor, progress: Progress
) -> tuple[Together, str | None]:
    """What all clusters do to what is out already, and the audit as a document (None: there is none). If that is safe,
    or there is a reason, they are an entry of the ledger now, and one only. It holds no records.

    releases: name of a cluster -> its release with its pattern; of all clusters.
    """
    from tableseal.audit.publications import assess, publish

    try:
        whole = whole_release(plan, releases)
        kept = whole if whole.microdata is None else tabulated(whole)
        digest = release_digest(kept)
        while True:
            before = under.ledger.before()
            done = _entry_of(before, digest)
            earlier = before if done is None else replace(before, entries=before.entries[: done.number - 1])
            found = assess(
                earlier,
                whole,
                revises=under.revises,
                time_limit=under.time_limit,
                executor=executor,
                progress=progress,
            )
            if done is None and found.verdict != "safe" and under.despite is None:
                return _together(under, found, None), json_of(found) + "\n"
            if done is None:
                despite = None if found.verdict == "safe" else under.despite
                done = publish(earlier, kept, revises=under.revises, by=under.by, despite=despite).entries[-1]
                if not under.ledger.append(done):
                    continue
            found = replace(found, published=done.number)
            return _together(under, found, done), json_of(found) + "\n"
    except Exception as error:
        return Together(under.name, "failed", failure_of(error)), None


def _entry_of(publication: "Publication", digest: str) -> "Entry | None":
    """The entry that this very publication is already, with none of its tables replaced since."""
    replaced = {table.entry for entry in publication.entries for table in entry.supersedes}
    for entry in publication.entries:
        if entry.sha256 == digest and entry.withdrawn is None and entry.number not in replaced:
            return entry
    return None


def _together(under: Under, found: "Assessment", entry: "Entry | None") -> Together:
    return Together(
        publication=under.name,
        verdict=found.verdict,
        called=found.called,
        entry=None if entry is None else entry.number,
        despite=None if entry is None else entry.despite,
        tables=len(found.audited),
        supersedes=tuple(f"{one.entry}:{one.table}" for one in found.supersedes),
        fallen=len(found.fallen) + len(found.older),
        report=REPORT,
    )
