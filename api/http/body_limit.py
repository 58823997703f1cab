"""Limits on the bodies of requests: how large, and how long they may take to come."""

import asyncio
import time

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tableseal.api.http.errors import Page, ProblemError, problem_response, wants_page
from tableseal.api.problems import Problem

_CLOSE = {"Connection": "close"}


class BodyLimit:
    """Middleware: no body has more than so many bytes, whatever it says of its size, and none drips in for ever."""

    def __init__(self, app: ASGIApp, most: int, seconds: float, page: Page) -> None:
        self._app, self._most, self._seconds, self._page = app, most, seconds, page
        text = f"The request has more than {most:,} bytes, the limit of this service."
        self._large = Problem("body-too-large", "The request is too large", 413, text)
        text = f"The request did not come within {seconds:g} seconds, the limit of this service."
        self._slow = Problem("upload-too-slow", "The request is too slow", 408, text)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        stated = headers.get("content-length", "0")
        if stated.isascii() and stated.isdigit() and int(stated) > self._most:
            response = self._page(Request(scope), self._large) if wants_page(headers) else problem_response(self._large)
            response.headers.update(_CLOSE)
            await response(scope, receive, send)
            return
        until = time.monotonic() + self._seconds
        total, complete = 0, False

        async def limited() -> Message:
            nonlocal total, complete
            if complete:  # what comes now is that the client has gone, whenever that is
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
            except TimeoutError:
                raise ProblemError(self._slow, _CLOSE) from None
            total += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if total > self._most:
                raise ProblemError(self._large, _CLOSE)
            return message

        await self._app(scope, limited, send)
