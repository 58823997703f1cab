"""What came out for every cluster of a plan: as a document (schema tableseal/published/1) and in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.api.publishing.withheld import WithheldCells
from tableseal.audit.batch.summary import Outcome, worst
from tableseal.audit.codec.declared import SPARSE, derived
from tableseal.audit.codec.kinds import Also, Count, Digest
from tableseal.audit.execution.failures import Failure
from tableseal.audit.report.applied import AS_LISTED
from tableseal.audit.report.model import Called
from tableseal.audit.version import engine_version

PUBLIC_FILES, AGENCY_FILES, HELD_FILES = "public/", "agency/", "held/"
"""How names of files begin that may go out, that may not, and that may when all of a publication is judged."""


@dataclass(frozen=True)
class PublishedCluster:
    """One cluster: without a verdict, all that a search would say is null."""

    name: Annotated[str, "Of the cluster."]
    tables: Annotated[tuple[str, ...], "Tables of the plan."]
    verdict: Outcome
    failure: Annotated[Failure | None, "Why there is no result."] = None
    called: Annotated[Called | None, "What the verdict is called."] = None
    headline: Annotated[str | None, "What its report says in one or two sentences, or why no pattern is safe."] = None
    sha256: Annotated[Digest | None, "Digest of the canonical release with its pattern."] = None
    population: Annotated[str, "Whom its tables are about; empty: not said."] = ""
    measures: Annotated[tuple[str, ...], "Of its tables, and those that equations relate to them."] = ()
    linked_by: Annotated[tuple[str, ...], "Variables that several of its tables have."] = ()
    equations: Annotated[tuple[str, ...], "Between its measures."] = ()
    cells: Annotated[Count | None, "Cells of its tables."] = None
    primary: Annotated[Count | None, "Cells withheld because they are sensitive by themselves."] = None
    secondary: Annotated[Count | None, "Cells withheld besides."] = None
    withheld: Annotated[tuple[WithheldCells, ...], "Of each table, by reason."] = ()
    status: Annotated[
        str | None,
        "optimal: nothing safe is cheaper; feasible; infeasible; unfinished.",
    ] = None
    cost: Annotated[float | None, "Cost of the secondary cells."] = None
    bound: Annotated[float | None, "No safe pattern costs less."] = None
    policy_sha256: Annotated[Digest | None, "Digest of the policy."] = None
    rules: Annotated[tuple[str, ...], "That were applied, in words."] = ()
    method: Annotated[str | None, "Of the search."] = None
    seed: Annotated[Count | None, "Of the search."] = None
    release: Annotated[str | None, "File of the canonical release with its pattern; confidential."] = None
    files: Annotated[tuple[str, ...], "Files below the folder; what is in `public` may go out."] = ()


@dataclass(frozen=True)
class Together:
    """What the whole publication does to all that was published before under its name."""

    publication: Annotated[str, "The name."]
    verdict: Outcome
    failure: Annotated[Failure | None, "Why there is no result."] = None
    called: Annotated[Called | None, "What the verdict is called."] = None
    entry: Annotated[Count | None, "Number of the entry that it became; null: it was not published."] = None
    despite: Annotated[str | None, "Why it went out although it was not found safe."] = None
    tables: Annotated[Count | None, "Tables that were audited together."] = None
    supersedes: Annotated[tuple[str, ...], "Tables of earlier entries that it replaces."] = ()
    fallen: Annotated[Count | None, "Cells that can be computed, or placed too closely."] = None
    report: Annotated[str | None, "File of the audit; confidential."] = None


@dataclass(frozen=True)
class Published:
    """A plan made safe, or not. Clusters stand in the order of the plan."""

    schema: ClassVar[Literal["tableseal/published/1"]] = "tableseal/published/1"
    title: Annotated[str, "Of the plan."]
    clusters: Annotated[tuple[PublishedCluster, ...], Also({"minItems": 1})]
    together: Annotated[Together | None, "Beside what was published before under a name, if one was given.", SPARSE] = (
        None
    )

    @property
    def _parts(self) -> "tuple[PublishedCluster | Together, ...]":
        return self.clusters if self.together is None else (*self.clusters, self.together)

    @derived(after="schema")
    def verdict(self) -> Outcome:
        """The worst, of a cluster or of all together: unsafe, then undecided (or a limit was reached), then failed."""
        return worst((part.verdict, part.failure) for part in self._parts)

    @derived(after="verdict", key="called")
    def word(self) -> Literal[Called, "failed"]:
        """What the verdict is called: `safe as listed` if any cluster is no more than that."""
        listed = any(part.called == AS_LISTED for part in self._parts)
        return AS_LISTED if self.verdict == "safe" and listed else self.verdict

    @derived(after="word", key="engine.version")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()


def input_is_wrong(clusters: Iterable[PublishedCluster]) -> bool:
    """Something is wrong with the plan, its tables or its records, so that nothing goes out."""
    return any(one.failure is not None and one.failure.kind == "input" for one in clusters)


def published_text(published: Published) -> str:
    """The same in words, one line a cluster."""
    safe = sum(cluster.verdict == "safe" for cluster in published.clusters)
    lines = [f"{published.word}: {safe} of {len(published.clusters)} clusters are safe."]
    for cluster in published.clusters:
        tables = f"{len(cluster.tables)} table{'' if len(cluster.tables) == 1 else 's'}"
        if cluster.failure is not None:
            lines.append(f"  {cluster.name}: failed ({tables}): {cluster.failure.message}")
            continue
        withheld = f", {cluster.method}" if cluster.sha256 is not None else ""
        if cluster.secondary is not None:
            withheld = f", {cluster.primary} primary and {cluster.secondary} secondary"
        cells = "" if cluster.cells is None else f", {cluster.cells:,} cells{withheld}"
        gap = "" if cluster.status is None else f", {cluster.status}"
        lines.append(f"  {cluster.name}: {cluster.called or cluster.verdict} ({tables}{cells}{gap})")
        if cluster.verdict != "safe" and cluster.headline:
            lines.append(f"    {cluster.headline}")
    if published.together is not None:
        lines += _together_lines(published.together)
    elif safe and input_is_wrong(published.clusters):
        lines.append("  Nothing goes out before this is mended: what is safe is held back.")
    return "\n".join(lines)


def _together_lines(together: Together) -> list[str]:
    """Beside what was published before."""
    if together.failure is not None:
        return [f"  beside {together.publication}: failed: {together.failure.message}"]
    out = "not published" if together.entry is None else f"entry {together.entry}"
    lines = [
        f"  beside {together.publication}: {together.called or together.verdict} ({together.tables} tables, {out})"
    ]
    if together.fallen:
        cells = f"{together.fallen:,} cell{' falls' if together.fallen == 1 else 's fall'}"
        lines.append(f"    {cells}; which ones, and through what: {together.report}")
    return lines
