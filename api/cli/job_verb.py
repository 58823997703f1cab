"""`tableseal job`: the jobs of all owners, for whoever runs the service."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import say, write_target
from tableseal.api.options.service import StoreOptions
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError

ADMINISTRATOR = "command line"
"""Who does this, in the log: whoever can write to the database."""

OwnerOption = Annotated[str | None, typer.Option("--owner", metavar="NAME", help="Only of this owner (default: all).")]
JobsArgument = Annotated[list[str], typer.Argument(metavar="ID...", help="Jobs, as `job list` shows them.")]


class StateName(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


def job_list(
    owner: OwnerOption = None,
    state: Annotated[StateName | None, typer.Option("--state", help="Only jobs in this state.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 100,
    json: JsonFile = None,
    *,
    at: StoreOptions,
) -> Code:
    """List jobs: whose, what, in which state and since when; never what they hold. Waiting and running ones first.

    Example: tableseal job list --state running --data /var/lib/tableseal
    """
    import json as json_text

    from tableseal.api.store.administration import job_lines
    from tableseal.api.store.job import State

    chosen = None if state is None else State(state.value)
    with at.opened() as (_, store), store.reading() as connection:
        found = job_lines(connection, owner=owner, state=chosen, limit=limit)
    if json is not None:
        rows = [
            {
                "id": job.id,
                "owner": job.owner,
                "kind": job.kind,
                "state": job.state.value,
                "created": _when(job.created),
                "started": _when(job.started),
                "finished": _when(job.finished),
                "attempts": job.attempts,
                "outcome": job.outcome,
            }
            for job in found
        ]
        write_target(json, json_text.dumps(rows, indent=1, ensure_ascii=False) + "\n")
        return Code.DONE
    for job in found:
        say(f"{job.id}  {job.state.value:9}  {job.kind:11}  {_when(job.created)}  {job.owner}  {job.outcome or '-'}")
    return Code.DONE


def job_queue(json: JsonFile = None, *, at: StoreOptions) -> Code:
    """Tell the queue by owner: how many jobs wait, how long the first has waited, how many run, what is kept.

    Example: tableseal job queue --data /var/lib/tableseal
    """
    import json as json_text
    from dataclasses import asdict

    from tableseal.api.store.administration import owner_lines

    with at.opened() as (_, store), store.reading() as connection:
        found = owner_lines(connection)
    if json is not None:
        rows = [{**asdict(line), "oldest": round(line.oldest, 1)} for line in found]
        write_target(json, json_text.dumps(rows, indent=1, ensure_ascii=False) + "\n")
        return Code.DONE
    for line in found:
        waits = f"{line.queued} wait" + (f" (for {line.oldest:.0f} s)" if line.queued else "")
        say(f"{line.owner}: {waits}, {line.running} run, {line.kept} kept, {line.size / 1e6:.1f} MB")
    return Code.DONE


def job_cancel(jobs: JobsArgument, *, at: StoreOptions) -> Code:
    """End jobs that wait or run: those that wait at once, others when their worker hears of it, within seconds.

    Example: tableseal job cancel 0b6f4f6a9d3e4c5f8a7b6c5d4e3f2a1b --data /var/lib/tableseal
    """
    from tableseal.api.store.administration import cancel_any, owner_of
    from tableseal.api.store.log import note
    from tableseal.api.store.tokens import Principal, Role

    with at.opened() as (_, store), store.writing() as connection:
        _all_there(jobs, [owner_of(connection, job) for job in jobs])
        for job in jobs:
            state = cancel_any(connection, job)
            owner = owner_of(connection, job) or ""
            note(connection, Principal(owner, Role.ADMIN, ADMINISTRATOR), "job.cancel", job)
            say(f"{job}  {state}")
    return Code.DONE


def job_erase(jobs: JobsArgument, *, at: StoreOptions) -> Code:
    """Erase jobs that have ended, with all that belongs to them; all or, if one cannot be, none.

    Example: tableseal job erase 0b6f4f6a9d3e4c5f8a7b6c5d4e3f2a1b --data /var/lib/tableseal
    """
    from tableseal.api.store.administration import erase_any, owner_of
    from tableseal.api.store.log import note
    from tableseal.api.store.tokens import Principal, Role

    with at.opened() as (_, store):
        with store.writing() as connection:
            owners = [owner_of(connection, job) for job in jobs]
            _all_there(jobs, owners)
            for job, owner in zip(jobs, owners, strict=True):
                if not erase_any(connection, job):
                    raise InputError(f"job {job}: is still at work; `tableseal job cancel` ends it.")
                note(connection, Principal(owner or "", Role.ADMIN, ADMINISTRATOR), "job.erase", job)
        store.scrub()
    say(f"Jobs erased: {len(jobs)}.")
    return Code.DONE


def _all_there(jobs: Sequence[str], owners: Sequence[str | None]) -> None:
    for job, owner in zip(jobs, owners, strict=True):
        if owner is None:
            raise InputError(f"job {job[:40]}: there is no such job; see `tableseal job list`.")


def _when(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
