"""What every route needs, and who is asking."""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request
from fastapi.concurrency import run_in_threadpool

from tableseal.api.access.browser import is_foreign
from tableseal.api.access.guessing import Guesses
from tableseal.api.access.who import COOKIE, Identity, principal_behind
from tableseal.api.generating.counters import Counters
from tableseal.api.generating.memories import Memories
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.inline import Inline
from tableseal.api.http.metrics import Metrics
from tableseal.api.http.threads import Threads
from tableseal.api.http.waiting import Watch
from tableseal.api.logs import fields
from tableseal.api.problems import Problem
from tableseal.api.settings import Settings, is_loopback
from tableseal.api.store.engine import Store
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal, Role

logger = logging.getLogger(__name__)

LOCAL = Principal("local", Role.ADMIN)
"""Who asks where nobody is asked who he is."""

_UNKNOWN = Problem(
    "not-authenticated",
    "Who is asking?",
    401,
    "This service wants an API key, as `Authorization: Bearer tsk_...` (or a token of the identity provider, if it has "
    "one); what came is none, has expired or was revoked.",
)

_GUESSING = Problem(
    "too-many-refused",
    "Too many keys were refused",
    429,
    "Keys from this address were refused again and again. Wait, and look at the key that is sent.",
)


@dataclass(frozen=True)
class Service:
    """Everything a route works with; one an app. threads: of requests for work, which may have to wait for others.
    checks: a thread of what is computed before there is a job; several would only be in the way of who reads.
    generating: threads that answer requests for tables of the hypercubes (counters), with what was answered before
    (memories)."""

    settings: Settings
    store: Store
    inline: Inline
    metrics: Metrics
    threads: Threads
    checks: Threads
    watch: Watch
    guesses: Guesses
    counters: Counters
    memories: Memories
    generating: Threads
    identity: Identity | None = None


async def service(request: Request) -> Service:
    """Dependency: the service of this app."""
    found: Service = request.app.state.service
    return found


ServiceDep = Annotated[Service, Depends(service)]


async def principal(
    request: Request,
    at: ServiceDep,
    authorization: Annotated[str | None, Header(description="`Bearer` and an API key.")] = None,
) -> Principal:
    """Dependency: who is asking. A browser that nobody has signed in is shown the form for it."""
    if at.settings.access == "local":  # known without the database: no thread has to wait for it
        found = principal_of_request(request, at, authorization)
    else:
        found = await known(request, at, authorization)
    request.state.asking = found  # pages offer nobody what he may not do
    return found


async def known(request: Request, at: Service, authorization: str | None) -> Principal:
    """Who is asking; what is refused is in the log with its address, never with what was shown.

    Raises
    ------
    ProblemError: nobody knows, or too many from there have shown what was no good.
    """
    address = await admitted(request, at)
    try:
        return await run_in_threadpool(principal_of_request, request, at, authorization)
    except ProblemError as error:
        if error.problem.status == 401 and (authorization or COOKIE in request.cookies):
            note_refused(at, address)
        raise


async def admitted(request: Request, at: Service) -> str:
    """The address from which somebody shows a key; who guesses waits here.

    Raises
    ------
    ProblemError: 429.
    """
    address = "" if request.client is None else request.client.host
    if not await at.guesses.admitted(address):
        raise ProblemError(_GUESSING, {"Retry-After": "5"})
    return address


def note_refused(at: Service, address: str) -> None:
    """What somebody showed from an address was no good."""
    at.guesses.refused(address)
    logger.warning("a key was refused, from %s", address, extra=fields(address=address))


def principal_of_request(request: Request, at: Service, authorization: str | None) -> Principal:
    """Who is asking.

    Raises
    ------
    ProblemError: nobody knows.
    """
    if at.settings.access == "local":
        _refuse_others(request)
        return LOCAL
    found = principal_behind(at.settings, at.store, at.identity, authorization or "", request.cookies)
    if found is not None:
        return found
    raise ProblemError(_UNKNOWN, {"WWW-Authenticate": "Bearer"})


def _refuse_others(request: Request) -> None:
    """Where nobody is asked for a key, pages from elsewhere must not use the browser of whoever sits here.

    The name by which they reach this machine is not one of its own (DNS rebinding), or the browser names their origin.
    """
    if is_foreign(request.headers) or not _is_here(request.headers.get("host")):
        text = "This service answers only programs and pages of this machine, at localhost or 127.0.0.1."
        raise ProblemError(Problem("not-local", "Not from here", 403, text))


_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+))(?::[0-9]*)?")
"""RFC 9110: name or address, and a port; what is no such thing is nobody's name, whatever part of it looks like."""


def _is_here(host: str | None) -> bool:
    if host is None:  # HTTP/1.0, which no browser speaks
        return True
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback((found[1] or found[2]).lower())


_ORDER = list(Role)


def at_least(role: Role) -> Callable[[Request, Service, Principal], Awaitable[Principal]]:
    """Dependency: who is asking, if he has this role or a higher one."""

    async def check(request: Request, at: ServiceDep, asking: Annotated[Principal, Depends(principal)]) -> Principal:
        if not may(asking, role):
            await run_in_threadpool(require, request, at, asking, role)
        return asking

    return check


def may(asking: Principal, role: Role) -> bool:
    """Whether whoever asks has this role or a higher one."""
    return _ORDER.index(asking.role) >= _ORDER.index(role)


def require(request: Request, at: Service, asking: Principal, role: Role) -> None:
    """Go on only if whoever asks has this role or a higher one; that he has not is noted in the log.

    Raises
    ------
    ProblemError: 403.
    """
    if not may(asking, role):
        with at.store.writing() as connection:
            note(connection, asking, f"{request.method} as {role}", request.url.path, "refused")
        text = f"This needs the role {role}; whoever asks has the role {asking.role}."
        raise ProblemError(Problem("not-allowed", "Not allowed", 403, text))


Reader = Annotated[Principal, Depends(at_least(Role.READER))]
Analyst = Annotated[Principal, Depends(at_least(Role.ANALYST))]
Officer = Annotated[Principal, Depends(at_least(Role.OFFICER))]
Admin = Annotated[Principal, Depends(at_least(Role.ADMIN))]
