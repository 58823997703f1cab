"""The verbs of the service as conversations; the clients hold them, one waiting and one awaited."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tableseal.api.client.model import Job, Json
from tableseal.api.client.talk import Call, Pause, Progress, Release, Talk, asked, document, submitted, word

WAIT = 20
"""Seconds for which the service holds an answer back until a job has ended."""


def audit(
    release: Release, *, files: Sequence[Path] = (), policy: Path | None = None, key: str | None = None, **options: Any
) -> Talk[Job]:
    """Ask for an audit.

    Parameters
    ----------
    release: its document, or its file. files: that the release names. policy: goes before the release's own.
    key: Idempotency-Key of your own, if a later run of your program may ask the same again.
    options: query parameters of `POST /v1/audits`, such as `proof=True`.

    Raises
    ------
    ServiceError: the service refuses. UnreachableError: it does not answer. ValueError: no such kind of file.
    """
    return _of_release("audits", release, files, {"policy": policy}, key, options)


def suppress(
    release: Release,
    *,
    files: Sequence[Path] = (),
    policy: Path | None = None,
    decisions: Path | None = None,
    last_period: Path | None = None,
    key: str | None = None,
    **options: Any,
) -> Talk[Job]:
    """Ask for a pattern of cells to withhold, and the audit of it. Errors as `audit`.

    decisions: made by hand. last_period: the release of the last period. The protected release is
    `file(job, "protected")`, if its audit says safe.
    """
    roles = {"policy": policy, "decisions": decisions, "last_period": last_period}
    return _of_release("suppressions", release, files, roles, key, options)


def protect(
    release: Release, *, files: Sequence[Path] = (), policy: Path | None = None, key: str | None = None, **options: Any
) -> Talk[Job]:
    """Ask for changed values (`method="random-rounding", base=3`) and their audit. Errors as `audit`.

    The protected release is `file(job, "protected")`, if its audit says safe.
    """
    return _of_release("protections", release, files, {"policy": policy}, key, options)


def compare(
    release: Release, *, files: Sequence[Path] = (), policy: Path | None = None, key: str | None = None, **options: Any
) -> Talk[Job]:
    """Ask for several ways of protection side by side (`methods="optimal,rank"`). Errors as `audit`."""
    return _of_release("comparisons", release, files, {"policy": policy}, key, options)


def batch(
    releases: Path,
    *,
    manifest: Path | None = None,
    policy: Path | None = None,
    key: str | None = None,
    **options: Any,
) -> Talk[Job]:
    """Ask for audits of the releases in a zip archive; `manifest` lists those wanted. Errors as `audit`."""
    return submitted("batches", ("releases", releases), _named({"manifest": manifest, "policy": policy}), options, key)


def risk(
    original: Release,
    *,
    protected: Path | None = None,
    transition: Path | None = None,
    key: str | None = None,
    **options: Any,
) -> Talk[Job]:
    """Ask for the risk of a whole frequency table. Errors as `audit`."""
    others = _named({"protected": protected, "transition": transition})
    return submitted("risk", ("original", original), others, options, key)


def sap(table: Release, *, upper: Path | None = None, key: str | None = None, **options: Any) -> Talk[Job]:
    """Ask for the probability that subtraction recovers a zero. Errors as `audit`."""
    return submitted("sap", ("table", table), _named({"upper": upper}), options, key)


def attack(
    release: Release, *, files: Sequence[Path] = (), policy: Path | None = None, key: str | None = None, **options: Any
) -> Talk[Job]:
    """Ask for attacks on a release whose counts were changed. Errors as `audit`."""
    return _of_release("attacks", release, files, {"policy": policy}, key, options)


def plan(plan: Release, *, files: Sequence[Path] = (), key: str | None = None, **options: Any) -> Talk[Job]:
    """Ask which tables of a plan hang together. files: that the plan names. Errors as `audit`."""
    return _of_release("plans", plan, files, {}, key, options, role="plan")


def publish(plan: Release, *, files: Sequence[Path] = (), key: str | None = None, **options: Any) -> Talk[Job]:
    """Ask for everything that a plan owes, made safe. Errors as `audit`.

    What may go out is `file(job, "public.zip")`, copies of the agency and reports are `file(job, "agency.zip")`.
    """
    return _of_release("published", plan, files, {}, key, options, role="plan")


def wait(job: Job, *, progress: Progress | None = None, seconds: float | None = None) -> Talk[Job]:
    """The job when it has ended; `progress` is told whenever something has changed.

    Raises
    ------
    TimeoutError: it has not ended within so many seconds, about.
    """
    last: Job | None = None
    hold = WAIT if progress is None else 1  # who wants to see progress asks often
    left = seconds
    while True:
        span = hold if left is None else max(0, min(hold, round(left)))
        answer = yield from asked(Call("GET", f"/v1/jobs/{job.id}", headers={"Prefer": f"wait={span}"}))
        found = Job.of(document(answer))
        if progress is not None and found != last:
            progress(found)
        last = found
        if found.final:
            return found
        if left is not None:
            left -= max(span, 0.2)
            if left <= 0:
                raise TimeoutError(f"job {job.id} is {found.state} after {seconds:g} seconds")
        yield Pause(0.2)


def result(job: Job, *, progress: Progress | None = None, seconds: float | None = None) -> Talk[Json]:
    """The answer of a job (a report, a summary), when it is there.

    Raises
    ------
    ServiceError: the job failed; its failure says why. TimeoutError: as `wait`.
    """
    yield from wait(job, progress=progress, seconds=seconds)
    return document((yield from asked(Call("GET", f"/v1/jobs/{job.id}/result"))))


def rows(job: Job, form: str = "csv") -> Talk[bytes]:
    """The rows of an answer as `csv`, `jsonl` or `parquet`."""
    answer = yield from asked(Call("GET", f"/v1/jobs/{job.id}/result", {"format": form}))
    return answer.content


def file(job: Job, name: str) -> Talk[bytes]:
    """A file beside the answer: `report.html` (`html=True`), `proof` (`proof=True`), `reports/NAME.json`."""
    answer = yield from asked(Call("GET", f"/v1/jobs/{job.id}/{name}"))
    return answer.content


def job(job: str) -> Talk[Job]:
    """The job with this id, as it is now."""
    return Job.of(document((yield from asked(Call("GET", f"/v1/jobs/{job}")))))


def jobs(*, limit: int = 100, after: str | None = None, state: str | None = None) -> Talk[tuple[Job, ...]]:
    """Your jobs, newest first. after: id of the last job of the page before."""
    chosen = {name: word(v) for name, v in {"limit": limit, "after": after, "state": state}.items() if v is not None}
    answer = yield from asked(Call("GET", "/v1/jobs", chosen))
    return tuple(Job.of(entry) for entry in json.loads(answer.content))


def cancel(job: Job) -> Talk[Job | None]:
    """End a job; one that has ended already is erased (None)."""
    answer = yield from asked(Call("DELETE", f"/v1/jobs/{job.id}"))
    return Job.of(document(answer)) if answer.status == 200 else None


def _of_release(
    kind: str,
    release: Release,
    files: Sequence[Path],
    roles: Mapping[str, Path | None],
    key: str | None,
    options: Mapping[str, object],
    role: str = "release",
) -> Talk[Job]:
    """Files that the release names are sent under their place beside it."""
    base = release.parent if isinstance(release, Path) else None
    others = [("file", _beside(path, base), path) for path in files]
    return submitted(kind, (role, release), [*others, *_named(roles)], options, key)


def _named(roles: Mapping[str, Path | None]) -> list[tuple[str, str, Path]]:
    """Files in fields of their own."""
    return [(role, path.name, path) for role, path in roles.items() if path is not None]


def _beside(path: Path, base: Path | None) -> str:
    if base is not None and path.is_relative_to(base):
        return path.relative_to(base).as_posix()
    return path.name
