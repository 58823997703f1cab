"""The same client for programs that do other things meanwhile: every verb is awaited."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx2

from tableseal.api.client import talk, verbs
from tableseal.api.client.talk import Answer, Call, Pause, Talk

P = ParamSpec("P")
T = TypeVar("T")


def _said(verb: Callable[P, Talk[T]]) -> "Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]":
    """A verb as a method that is awaited."""

    @wraps(verb)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._held(verb(*args, **kwargs))

    return method


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

    audit = _said(verbs.audit)
    suppress = _said(verbs.suppress)
    protect = _said(verbs.protect)
    compare = _said(verbs.compare)
    batch = _said(verbs.batch)
    risk = _said(verbs.risk)
    sap = _said(verbs.sap)
    attack = _said(verbs.attack)
    plan = _said(verbs.plan)
    publish = _said(verbs.publish)
    wait = _said(verbs.wait)
    result = _said(verbs.result)
    rows = _said(verbs.rows)
    file = _said(verbs.file)
    job = _said(verbs.job)
    jobs = _said(verbs.jobs)
    cancel = _said(verbs.cancel)

    async def _held(self, conversation: Talk[T]) -> T:
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
