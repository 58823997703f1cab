"""A plan -> a folder with its public tables, the agency's copies and reports; goes on where it was stopped."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.publishing.certificate import Source, certificate_of
from tableseal.api.publishing.cluster import Protected, Task, protect_task
from tableseal.api.publishing.folder import Results
from tableseal.api.publishing.methods import Way, ways_of
from tableseal.api.publishing.summary import Published, PublishedCluster, input_is_wrong
from tableseal.api.publishing.together import REPORT, Under, judged_together
from tableseal.api.publishing.withheld import withheld_cells
from tableseal.audit.batch.summary import Outcome
from tableseal.audit.errors import LimitError
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.execution.failures import Failure, failure_of
from tableseal.audit.io.formats.out import file_name
from tableseal.audit.model import Microdata, Release
from tableseal.audit.plans.clusters import Cluster
from tableseal.audit.plans.read import Plan
from tableseal.audit.plans.releases import Records, release_of
from tableseal.audit.progress import Progress, silent
from tableseal.audit.report.words import headline

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Settings:
    """What holds for all clusters but where the plan says otherwise.

    proof: write proofs. key: signs the certificate. megabytes: of each process. max_cells: of the tables of a cluster.
    under: the name under which all of it is published.
    """

    options: SuppressOptions
    proof: bool = False
    key: "Ed25519PrivateKey | None" = None
    megabytes: int | None = None
    max_cells: int | None = None
    under: Under | None = None


def publish(
    plan: Plan,
    folder: Results,
    settings: Settings,
    *,
    executor: Executor = HERE,
    within: bool = False,
    progress: Progress = silent,
) -> Published:
    """Protect every cluster of a plan and write what comes of it; whatever goes wrong with one is its entry.

    Nothing of a cluster is public before its audit says safe, and nothing at all where input is wrong. What was done
    before with the same tables, rules and options is not done again. The files depend neither on the executor nor on
    how often the work was cut short. Under a name nothing is public before all of it was judged with everything that is
    out under that name.

    Parameters
    ----------
    executor: works on clusters. within: on the parts of a cluster that is the only one of the plan, which is then
        protected in this process.

    Raises
    ------
    InputError: the plan is a bare list of tables, or names a method that there is not; the results cannot be written.
    """
    stems, ways = _stems(plan), ways_of(plan, settings.options)
    waiting: list[tuple[Cluster, str, Microdata | None]] = []
    found: dict[str, PublishedCluster] = {}
    sources: dict[str, Source] = {}
    releases: dict[str, Callable[[], Release]] = {}
    records = Records.of(plan)

    progress("clusters", 0, len(plan.clusters))

    def tasks() -> Iterator[Task]:
        for cluster in plan.clusters:
            try:
                task = _task(plan, cluster, records, stems[cluster.name], ways[cluster.name], settings)
            except Exception as error:
                folder.forget(stems[cluster.name])
                found[cluster.name] = _failed(cluster, failure_of(error))
                continue
            sources[cluster.name] = Source.of(task.release)
            key = task.key()
            kept = folder.kept(task.stem, key)
            if kept is None:
                waiting.append((cluster, key, task.release.microdata))
                yield task
            else:
                found[cluster.name] = kept
                releases[cluster.name] = partial(folder.release, kept.release or "")
                progress("clusters", len(found), len(plan.clusters))

    alone = within and len(plan.clusters) == 1
    done = (
        ((0, protect_task(task, executor)) for task in tasks())
        if alone
        else executor.as_completed(protect_task, tasks())
    )
    for position, result in done:
        cluster, key, microdata = waiting[position]
        stem = stems[cluster.name]
        if isinstance(result, Protected):
            found[cluster.name] = folder.keep(stem, key, _entry(cluster, result, stem), result)
            if settings.under is not None and result.release is not None:
                releases[cluster.name] = partial(replace, result.release, microdata=microdata)
        else:
            folder.forget(stem)
            failure = result if isinstance(result, Failure) else Failure("limit", result.why)
            found[cluster.name] = _failed(cluster, failure)
        progress("clusters", len(found), len(plan.clusters))
    together, report = None, None
    if settings.under is not None and all(entry.verdict == "safe" for entry in found.values()):
        wholes = {name: release() for name, release in releases.items()}
        together, report = judged_together(plan, wholes, settings.under, executor=executor, progress=progress)
        if report is not None:
            folder.add(REPORT, report)
    # What is wrong with a plan or its records may be wrong with other clusters, too, and nobody was told.
    out = not input_is_wrong(found.values())
    if settings.under is not None:
        out = together is not None and together.entry is not None
    for cluster in plan.clusters:
        entry = found[cluster.name]
        if entry.verdict == "safe":
            found[cluster.name] = folder.hold(stems[cluster.name], entry, back=not out)
    published = Published(plan.title, tuple(found[cluster.name] for cluster in plan.clusters), together)
    folder.sum_up(published, set(stems.values()))
    folder.certify(published, certificate_of(published, sources, plan.files, plan.folder), settings.key)
    return published


def _stems(plan: Plan) -> dict[str, str]:
    """Name of each cluster -> what its files are called."""
    used: set[str] = set()
    return {c.name: file_name("", c.name, "", used).removeprefix("_") for c in plan.clusters}


def _task(plan: Plan, cluster: Cluster, records: Records, stem: str, way: Way, settings: Settings) -> Task:
    release = release_of(plan, cluster, records)
    cells = sum(len(table.status) for table in release.tables)
    if settings.max_cells is not None and cells > settings.max_cells:
        raise LimitError(f"its tables have {cells:,} cells; at most {settings.max_cells:,} are taken here.")
    return Task(cluster.name, stem, release, way, settings.proof, settings.megabytes)


def _failed(cluster: Cluster, failure: Failure) -> PublishedCluster:
    return _of(cluster, "failed", failure=failure)


def _of(cluster: Cluster, verdict: Outcome, **more: Any) -> PublishedCluster:
    """The entry of a cluster, with what the plan says of it."""
    return PublishedCluster(
        name=cluster.name,
        tables=tuple(table.name for table in cluster.tables),
        verdict=verdict,
        population=cluster.population,
        measures=cluster.measures,
        linked_by=cluster.linking,
        equations=tuple(map(str, cluster.equations)),
        **more,
    )


def _entry(cluster: Cluster, result: Protected, stem: str) -> PublishedCluster:
    report = result.report
    return _of(
        cluster,
        "unsafe" if report is None else report.verdict,
        called=None if report is None else report.called,
        headline=headline(report) if result.conflict is None and report is not None else result.conflict,
        sha256=None if report is None else report.release_sha256,
        cells=None if report is None else report.summary.cells,
        primary=None if report is None or result.secondary is None else report.summary.withheld - result.secondary,
        secondary=None if report is None else result.secondary,
        withheld=() if report is None or result.conflict is not None else withheld_cells(report),
        status=result.status,
        cost=result.cost,
        bound=result.bound,
        policy_sha256=None if report is None else report.policy_sha256,
        rules=() if report is None else report.rules,
        method=result.method,
        seed=result.seed,
        release=None if report is None else f"agency/{stem}.json",
        files=tuple(result.files),
    )
