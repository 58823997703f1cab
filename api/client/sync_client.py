"""The client for programs that wait."""

import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import httpx2

from tableseal.api.client import talk, verbs
from tableseal.api.client.model import Job, Json
from tableseal.api.client.talk import Answer, Call, Pause, Progress, Release, Talk

T = TypeVar("T")


class Client:
    """Asks a service. Use as a context manager, which closes its connections.

    Every request is tried again if the service is away for a while; nothing is worked on twice (Idempotency-Key).

    Parameters
    ----------
    url: where the service is. key: API key (`tableseal token create`), where it wants one. timeout: seconds for one
    answer. transport: another way to get there (of httpx2).

    Examples
    --------
    >>> with Client("http://localhost:8000") as client:  # doctest: +SKIP
    ...     job = client.audit(Path("release.yaml"), files=[Path("turnover.csv")])
    ...     print(client.result(job)["verdict"])
    """

    def __init__(
        self,
        url: str = "http://localhost:8000",
        key: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx2.Client(base_url=url, headers=headers, timeout=timeout, transport=transport)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def audit(
        self,
        release: Release,
        *,
        files: Sequence[Path] = (),
        policy: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
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
        return self._said(verbs.audit(release, files, policy, key, options))

    def suppress(
        self,
        release: Release,
        *,
        files: Sequence[Path] = (),
        policy: Path | None = None,
        decisions: Path | None = None,
        last_period: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Ask for a pattern of cells to withhold, and the audit of it. Errors as `audit`.

        decisions: made by hand. last_period: the release of the last period. The protected release is
        `file(job, "protected")`, if its audit says safe.
        """
        roles = {"policy": policy, "decisions": decisions, "last_period": last_period}
        return self._said(verbs.suppress(release, files, roles, key, options))

    def compare(
        self,
        release: Release,
        *,
        files: Sequence[Path] = (),
        policy: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Ask for several ways of protection side by side (`methods="optimal,rank"`). Errors as `audit`."""
        return self._said(verbs.compare(release, files, policy, key, options))

    def batch(
        self,
        releases: Path,
        *,
        manifest: Path | None = None,
        policy: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Ask for audits of the releases in a zip archive; `manifest` lists those wanted. Errors as `audit`."""
        return self._said(verbs.batch(releases, manifest, policy, key, options))

    def risk(
        self,
        original: Release,
        *,
        protected: Path | None = None,
        transition: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Ask for the risk of a whole frequency table. Errors as `audit`."""
        return self._said(verbs.risk(original, protected, transition, key, options))

    def sap(self, table: Release, *, upper: Path | None = None, key: str | None = None, **options: Any) -> Job:
        """Ask for the probability that subtraction recovers a zero. Errors as `audit`."""
        return self._said(verbs.sap(table, upper, key, options))

    def wait(self, job: Job, *, progress: Progress | None = None, seconds: float | None = None) -> Job:
        """The job when it has ended; `progress` is told whenever something has changed.

        Raises
        ------
        TimeoutError: it has not ended within so many seconds, about.
        """
        return self._said(talk.waited(job.id, progress, seconds))

    def result(self, job: Job, *, progress: Progress | None = None, seconds: float | None = None) -> Json:
        """The answer of a job (a report, a summary), when it is there.

        Raises
        ------
        ServiceError: the job failed; its failure says why. TimeoutError: as `wait`.
        """
        return self._said(talk.resulted(job.id, progress, seconds))

    def rows(self, job: Job, form: str = "csv") -> bytes:
        """The rows of an answer as `csv`, `jsonl` or `parquet`."""
        return self._said(talk.fetched(job.id, "result", {"format": form}))

    def file(self, job: Job, name: str) -> bytes:
        """A file beside the answer: `report.html` (`html=True`), `proof` (`proof=True`), `reports/NAME.json`."""
        return self._said(talk.fetched(job.id, name, {}))

    def job(self, job: str) -> Job:
        """The job with this id, as it is now."""
        return self._said(talk.looked(job))

    def jobs(self, *, limit: int = 100, after: str | None = None, state: str | None = None) -> tuple[Job, ...]:
        """Your jobs, newest first. after: id of the last job of the page before."""
        return self._said(talk.listed({"limit": limit, "after": after, "state": state}))

    def cancel(self, job: Job) -> Job | None:
        """End a job; one that has ended already is erased (None)."""
        return self._said(talk.deleted(job.id))

    def _said(self, conversation: Talk[T]) -> T:
        answer: Answer | None = None
        while True:
            try:
                wanted = conversation.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(wanted, Pause):
                time.sleep(wanted.seconds)
                answer = None
            else:
                answer = self._answer(wanted)

    def _answer(self, call: Call) -> Answer:
        try:
            response = self._http.request(call.method, call.path, **talk.arguments(call))
        except httpx2.TransportError:
            return talk.NOTHING
        return Answer(response.status_code, dict(response.headers), response.content)
