"""What browsers are told and what is not taken from them: headers of every answer, and requests of other sites."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tableseal.api.http.errors import problem_response
from tableseal.api.problems import Problem

DEFAULTS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer; a route that needs another value sets it (pages: to load their own files)."""

_HARMLESS = ("GET", "HEAD", "OPTIONS")

FOREIGN = Problem(
    "cross-site",
    "Not from another site",
    403,
    "The page that sent this request belongs to another site. Open the page of this service and do it there.",
)


class Browsers:
    """Middleware: `DEFAULTS` where a route says nothing else; 403 for changes that pages of other sites ask for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in DEFAULTS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["method"] not in _HARMLESS and is_foreign(Headers(scope=scope)):
            await problem_response(FOREIGN)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)


def is_foreign(headers: Headers) -> bool:
    """Whether a browser says that a page of another site sent this; programs say nothing of the kind.

    `Sec-Fetch-Site` cannot be set by pages, and every browser since 2023 sends it to trustworthy addresses; where it is
    not there, `Origin` must be the host that was asked. So forms need no secret field.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")
