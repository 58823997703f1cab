"""The client for programs that wait."""

import time
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

import httpx2

from tableseal.api.client import talk, verbs
from tableseal.api.client.talk import Answer, Call, Pause, Talk

P = ParamSpec("P")
T = TypeVar("T")


def _said(verb: Callable[P, Talk[T]]) -> "Callable[Concatenate[Client, P], T]":
    """A verb as a method that waits for what comes of it."""

    @wraps(verb)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._held(verb(*args, **kwargs))

    return method


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

    def _held(self, conversation: Talk[T]) -> T:
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
