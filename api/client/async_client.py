"""The same client for programs that do other things meanwhile: every verb is awaited."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import httpx2

from tableseal.api.client import talk, verbs
from tableseal.api.client.model import Job, Json
from tableseal.api.client.talk import Answer, Call, Pause, Progress, Release, Talk

T = TypeVar("T")


class AsyncClient:
    """Asks a service, as `Client` does. Use as an asynchronous context manager, which closes its connections."""

    def __init__(
        self,
        url: str = "http://localhost:8000",
        key: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx2.AsyncClient(base_url=url, headers=headers, timeout=timeout, transport=transport)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def audit(
        self,
        release: Release,
        *,
        files: Sequence[Path] = (),
        policy: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """As `Client.audit`."""
        return await self._said(verbs.audit(release, files, policy, key, options))

    async def suppress(
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
        """As `Client.suppress`."""
        roles = {"policy": policy, "decisions": decisions, "last_period": last_period}
        return await self._said(verbs.suppress(release, files, roles, key, options))

    async def compare(
        self,
        release: Release,
        *,
        files: Sequence[Path] = (),
        policy: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """As `Client.compare`."""
        return await self._said(verbs.compare(release, files, policy, key, options))

    async def batch(
        self,
        releases: Path,
        *,
        manifest: Path | None = None,
        policy: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """As `Client.batch`."""
        return await self._said(verbs.batch(releases, manifest, policy, key, options))

    async def risk(
        self,
        original: Release,
        *,
        protected: Path | None = None,
        transition: Path | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """As `Client.risk`."""
        return await self._said(verbs.risk(original, protected, transition, key, options))

    async def sap(self, table: Release, *, upper: Path | None = None, key: str | None = None, **options: Any) -> Job:
        """As `Client.sap`."""
        return await self._said(verbs.sap(table, upper, key, options))

    async def wait(self, job: Job, *, progress: Progress | None = None, seconds: float | None = None) -> Job:
        """As `Client.wait`."""
        return await self._said(talk.waited(job.id, progress, seconds))

    async def result(self, job: Job, *, progress: Progress | None = None, seconds: float | None = None) -> Json:
        """As `Client.result`."""
        return await self._said(talk.resulted(job.id, progress, seconds))

    async def rows(self, job: Job, form: str = "csv") -> bytes:
        """As `Client.rows`."""
        return await self._said(talk.fetched(job.id, "result", {"format": form}))

    async def file(self, job: Job, name: str) -> bytes:
        """As `Client.file`."""
        return await self._said(talk.fetched(job.id, name, {}))

    async def job(self, job: str) -> Job:
        """As `Client.job`."""
        return await self._said(talk.looked(job))

    async def jobs(self, *, limit: int = 100, after: str | None = None, state: str | None = None) -> tuple[Job, ...]:
        """As `Client.jobs`."""
        return await self._said(talk.listed({"limit": limit, "after": after, "state": state}))

    async def cancel(self, job: Job) -> Job | None:
        """As `Client.cancel`."""
        return await self._said(talk.deleted(job.id))

    async def _said(self, conversation: Talk[T]) -> T:
        answer: Answer | None = None
        while True:
            try:
                wanted = conversation.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(wanted, Pause):
                await asyncio.sleep(wanted.seconds)
                answer = None
            else:
                answer = await self._answer(wanted)

    async def _answer(self, call: Call) -> Answer:
        try:
            response = await self._http.request(call.method, call.path, **talk.arguments(call))
        except httpx2.TransportError:
            return talk.NOTHING
        return Answer(response.status_code, dict(response.headers), response.content)
