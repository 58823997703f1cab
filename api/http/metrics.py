"""Figures for Prometheus. Labels are names of routes and states: never values, codes, owners or ids."""

import time
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.store.job import State


class Metrics:
    """The figures of one app."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "tableseal_requests", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "tableseal_request_seconds", "Seconds until a request was answered.", ["route"], registry=self._registry
        )
        self.inline = Counter(
            "tableseal_inline", "Small requests, answered at once or made jobs.", ["outcome"], registry=self._registry
        )
        self._jobs = Gauge("tableseal_jobs", "Jobs by state.", ["state"], registry=self._registry)

    def text(self, jobs: Mapping[State, int]) -> bytes:
        """All figures in Prometheus' text format."""
        for state, number in jobs.items():
            self._jobs.labels(state.value).set(number)
        return generate_latest(self._registry)


class Measured:
    """Middleware that counts and times requests by the path of their route."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()

        async def begin(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "none")
                self._metrics.requests.labels(scope["method"], route, message["status"]).inc()
                self._metrics.seconds.labels(route).observe(time.perf_counter() - begun)
            await send(message)

        await self._app(scope, receive, begin)
