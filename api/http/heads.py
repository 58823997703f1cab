"""HEAD wherever there is GET, and which methods an address has."""

from starlette.requests import Request
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Heads:
    """Middleware: HEAD is answered as GET is, without the body (RFC 9110, 9.3.2), which is not even made."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        scope["method"] = "GET"  # in place: who counts requests reads the route from the same scope

        async def begin(message: Message) -> None:
            await send(message)
            await send({"type": "http.response.body", "body": b""})
            raise _Answered

        try:
            await self._app(scope, receive, begin)
        except* _Answered:  # from inside of a group, if the answer is a stream
            pass


class _Answered(BaseException):
    """All that was asked for is said; nothing that handles errors may stop it."""


def allowed(request: Request) -> str:
    """What `Allow` says of the address of a request: the methods of all routes that it fits."""
    routes = request.app.routes
    fitting = [
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return ", ".join(["GET", "HEAD", *fitting[1:]] if "GET" in fitting else fitting)
