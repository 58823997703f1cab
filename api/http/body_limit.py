"""A limit on the size of requests, answered with a problem document (FastAPI's own limit answers in plain text)."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import Page, ProblemError, problem_response, wants_page
from api.problems import Problem


class BodyLimit:
    """Middleware: no request has more than so many bytes, whatever it says of its size."""

    def __init__(self, app: ASGIApp, most: int, page: Page) -> None:
        self._app, self._most, self._page = app, most, page
        text = f"The request has more than {most:,} bytes, the limit of this service."
        self._problem = Problem("body-too-large", "The request is too large", 413, text)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        stated = headers.get("content-length", "0")
        if stated.isascii() and stated.isdigit() and int(stated) > self._most:
            response = self._page(self._problem) if wants_page(headers) else problem_response(self._problem)
            response.headers["Connection"] = "close"
            await response(scope, receive, send)
            return
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._most:
                raise ProblemError(self._problem, {"Connection": "close"})
            return message

        await self._app(scope, counted, send)
