"""What every route needs, and who is asking."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Header, Request

from api.http.errors import ProblemError
from api.http.inline import Inline
from api.http.metrics import Metrics
from api.problems import Problem
from api.settings import Settings, is_loopback
from api.store.engine import Store
from api.store.tokens import Principal, Role, principal_of

LOCAL = Principal("local", Role.OFFICER)
"""Who asks where nobody is asked who he is."""

COOKIE = "tableseal-key"
"""In which a browser keeps the key that somebody signed in with."""

_UNKNOWN = Problem(
    "not-authenticated",
    "Who is asking?",
    401,
    "This service wants an API key, as `Authorization: Bearer tsk_...`; what came is none, has expired or was revoked.",
)


@dataclass(frozen=True)
class Service:
    """Everything a route works with; one an app."""

    settings: Settings
    store: Store
    inline: Inline
    metrics: Metrics


def service(request: Request) -> Service:
    """Dependency: the service of this app."""
    found: Service = request.app.state.service
    return found


ServiceDep = Annotated[Service, Depends(service)]


def principal(
    request: Request,
    at: ServiceDep,
    authorization: Annotated[str | None, Header(description="`Bearer` and an API key.")] = None,
) -> Principal:
    """Dependency: who is asking. Other ways to find out (OIDC) belong here and give a Principal too."""
    if at.settings.access == "local":
        _refuse_others(request)
        return LOCAL
    scheme, _, key = (authorization or "").partition(" ")
    if authorization is None and COOKIE in request.cookies:
        # Browsers send it by themselves, so a page from elsewhere must not make them ask for anything.
        refuse_foreign(request)
        scheme, key = "bearer", request.cookies[COOKIE]
    if scheme.lower() == "bearer" and key:
        with at.store.reading() as connection:
            found = principal_of(connection, key.strip())
        if found is not None:
            return found
    raise ProblemError(_UNKNOWN, {"WWW-Authenticate": "Bearer"})


def _refuse_others(request: Request) -> None:
    """Where nobody is asked for a key, pages from elsewhere must not use the browser of whoever sits here.

    The name by which they reach this machine is not one of its own (DNS rebinding), or the browser names their origin.
    """
    if _is_foreign(request) or not is_loopback(request.url.hostname or ""):
        text = "This service answers only programs and pages of this machine, at localhost or 127.0.0.1."
        raise ProblemError(Problem("not-local", "Not from here", 403, text))


def refuse_foreign(request: Request) -> None:
    """What a browser sends with its cookies, only a page of ours may make it send.

    Raises
    ------
    ProblemError: 403.
    """
    if _is_foreign(request):
        text = "A page from elsewhere cannot ask for this."
        raise ProblemError(Problem("foreign-origin", "Not from here", 403, text))


def _is_foreign(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")


_ORDER = list(Role)


def at_least(role: Role) -> Callable[[Principal], Principal]:
    """Dependency: who is asking, if he has this role or a higher one."""

    def check(asking: Annotated[Principal, Depends(principal)]) -> Principal:
        if _ORDER.index(asking.role) < _ORDER.index(role):
            text = f"This needs the role {role}, and the key has the role {asking.role}."
            raise ProblemError(Problem("not-allowed", "Not allowed", 403, text))
        return asking

    return check


Reader = Annotated[Principal, Depends(at_least(Role.READER))]
Analyst = Annotated[Principal, Depends(at_least(Role.ANALYST))]
Officer = Annotated[Principal, Depends(at_least(Role.OFFICER))]
