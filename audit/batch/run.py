"""Audit every release of a batch, or all of them as one, and keep what was found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from tableseal.audit.batch.manifest import Listed
from tableseal.audit.batch.results import Results
from tableseal.audit.batch.sources import Source, policy_in
from tableseal.audit.batch.summary import Batch, Entry
from tableseal.audit.batch.work import Audited, Task, audit_task
from tableseal.audit.errors import InputError, Place, TablesealError
from tableseal.audit.execution.executor import HERE, Executor, Lost
from tableseal.audit.execution.failures import Failure, failure_of
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import Bounds
from tableseal.audit.progress import Progress, silent
from tableseal.audit.together import Member, combine

TOGETHER = "together"
"""Name of the one entry of releases that are audited together."""


@dataclass(frozen=True)
class Settings:
    """How to audit the releases; what a manifest says of one goes before. Seconds and megabytes for each."""

    bounds: Bounds = "integer"
    policy: Policy | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    html: bool = False


def run_batch(
    source: Source,
    listed: Sequence[Listed],
    settings: Settings,
    results: Results,
    *,
    executor: Executor = HERE,
    progress: Progress = silent,
) -> Batch:
    """Audit the releases one by one; whatever goes wrong with one is its entry, and the others go on.

    The result depends neither on the executor nor on the order of the list, nor on how often the work was cut short.

    Raises
    ------
    InputError: the results cannot be written.
    """
    waiting: list[tuple[str, str]] = []
    entries: dict[str, Entry] = {}

    def tasks() -> Iterator[Task]:
        for one in listed:
            task = _task(source, one, settings)
            if isinstance(task, Failure):
                entries[one.name] = _failed(results, one.name, task)
                continue
            key = task.key()
            kept = results.kept(one.name, key, html=settings.html)
            if kept is None:
                waiting.append((one.name, key))
                yield task
            else:
                entries[one.name] = kept
                progress("releases", len(entries), len(listed))

    for position, found in executor.as_completed(audit_task, tasks()):
        name, key = waiting[position]
        entries[name] = _entry(results, name, key, found)
        progress("releases", len(entries), len(listed))
    batch = Batch(None, tuple(entries[name] for name in sorted(entries)))
    results.sum_up(batch)
    return batch


def run_together(
    source: Source,
    listed: Sequence[Listed],
    settings: Settings,
    results: Results,
    *,
    executor: Executor = HERE,
) -> Batch:
    """Audit the releases as one: what an intruder learns who has all of them.

    Raises
    ------
    InputError: one of them cannot be read, or they do not agree; the results cannot be written.
    """
    members = []
    for one in sorted(listed, key=lambda entry: entry.name):
        if one.bounds is not None or one.time_limit is not None or one.policy is not None:
            raise InputError(
                "the manifest gives options of its own to a release that is audited together with others; give them to "
                "the command.",
                at=one.name,
            )
        try:
            members.append(Member(one.name, source.release(one.name, settings.policy)))
        except InputError as error:
            raise InputError(_named(one.name, error).message, places=error.places) from None
    title = members[0].release.title if len({m.release.title for m in members}) == 1 else f"{len(members)} releases"
    release = combine(members, title=title, policy=settings.policy)
    task = Task(release, settings.bounds, settings.time_limit, settings.memory_limit, settings.html)
    key = task.key()
    entry = results.kept(TOGETHER, key, html=settings.html)
    if entry is None:
        entry = _entry(results, TOGETHER, key, audit_task(task, executor))
    batch = Batch(tuple(member.label for member in members), (entry,))
    results.sum_up(batch)
    return batch


def _task(source: Source, one: Listed, settings: Settings) -> Task | Failure:
    try:
        policy = settings.policy if one.policy is None else policy_in(source, one.policy)
        return Task(
            source.release(one.name, policy),
            one.bounds or settings.bounds,
            settings.time_limit if one.time_limit is None else one.time_limit,
            settings.memory_limit,
            settings.html,
        )
    except Exception as error:
        return _named(one.name, error)


def _named(name: str, error: Exception) -> Failure:
    """Why a release cannot be used, with the whole path of its file: readers know only its own name."""
    at = error.at if isinstance(error, TablesealError) else None
    if isinstance(error, TablesealError) and isinstance(at, Place) and at.source == PurePosixPath(name).name:
        error.at = replace(at, source=name)
        return failure_of(error)
    failure = failure_of(error)
    return replace(failure, message=f"{name}: {failure.message}")


def _entry(results: Results, name: str, key: str, found: Audited | Failure | Lost) -> Entry:
    if isinstance(found, Audited):
        return results.keep(name, key, found)
    return _failed(results, name, found if isinstance(found, Failure) else Failure("limit", found.why))


def _failed(results: Results, name: str, failure: Failure) -> Entry:
    results.forget(name)
    return Entry(name, "failed", failure)
