"""Figures for Prometheus, request ids, and a line in the log for every request.

Labels are names of routes, kinds of jobs and states: never values, codes, owners or ids.
"""

import logging
import math
import re
import time
from secrets import token_hex

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tableseal.api.http.waiting import ARRIVED
from tableseal.api.logs import REQUEST, fields
from tableseal.api.store.figures import QueueFigures

logger = logging.getLogger("tableseal.api.http.request")

HEADER = "X-Request-ID"
"""Names a request in logs: the client's own, if it is a plain word, or one that is made here."""

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = ("/healthz", "/readyz", "/metrics")
"""Routes that are asked all the time and not logged."""


class Metrics:
    """The figures of one app. Those of jobs are taken from the database: they are of all who share it."""

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
        self._database = Gauge(
            "tableseal_database_up",
            "Whether the database answers; if not, its figures are missing.",
            registry=self._registry,
        )
        self._jobs = Gauge("tableseal_jobs", "Jobs by state.", ["state"], registry=self._registry)
        self._oldest = Gauge(
            "tableseal_queue_seconds", "How long the job has waited that waits longest.", registry=self._registry
        )
        self._silent = Gauge("tableseal_jobs_silent", "Running jobs whose worker is silent.", registry=self._registry)
        self._workers = Gauge("tableseal_workers", "Workers that are there, at work or not.", registry=self._registry)
        labels = ["kind", "outcome"]
        self._ended = Gauge("tableseal_hour_jobs", "Jobs that ended in the last hour.", labels, registry=self._registry)
        self._time = Gauge(
            "tableseal_hour_seconds",
            "Seconds of jobs that ended in the last hour: phase queued or running, mean or longest.",
            [*labels, "phase", "which"],
            registry=self._registry,
        )

    def text(self, queue: QueueFigures | None) -> bytes:
        """All figures in Prometheus' text format; None: the database does not answer."""
        self._database.set(queue is not None)
        self._ended.clear()  # what nobody did within the hour is not there
        self._time.clear()
        if queue is None:
            self._jobs.clear()
            for gauge in (self._oldest, self._silent, self._workers):
                gauge.set(math.nan)
            return generate_latest(self._registry)
        for state, number in queue.states.items():
            self._jobs.labels(state.value).set(number)
        self._oldest.set(queue.oldest)
        self._silent.set(queue.silent)
        self._workers.set(queue.workers)
        for ended in queue.ended:
            self._ended.labels(ended.kind, ended.outcome).set(ended.number)
            for phase, (mean, longest) in {"queued": ended.queued, "running": ended.running}.items():
                self._time.labels(ended.kind, ended.outcome, phase, "mean").set(mean)
                self._time.labels(ended.kind, ended.outcome, phase, "longest").set(longest)
        return generate_latest(self._registry)


class Measured:
    """Middleware that names, counts, times and logs requests by the path of their route."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = scope[ARRIVED] = time.monotonic()
        method = scope["method"]
        given = Headers(scope=scope).get(HEADER, "")
        request = given if _ID.fullmatch(given) else token_hex(8)
        token = REQUEST.set(request)

        async def begin(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request
                self._note(method, scope, message["status"], time.monotonic() - begun)
            await send(message)

        try:
            await self._app(scope, receive, begin)
        finally:
            REQUEST.reset(token)

    def _note(self, method: str, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        self._metrics.requests.labels(method, route, status).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if route not in _QUIET:
            said = fields(method=method, route=route, status=status, seconds=round(seconds, 4))
            logger.info("%s %s %d", method, route, status, extra=said)
