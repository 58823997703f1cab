"""The character NUL in addresses: no name here has it, and PostgreSQL keeps no text with it."""

from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from tableseal.api.http.errors import Page, problem_response, wants_page
from tableseal.api.problems import Problem

NUL = "\0"


class NoNul:
    """Middleware: an address with NUL leads nowhere, a parameter with it is refused, whatever database there is."""

    def __init__(self, app: ASGIApp, page: Page) -> None:
        self._app, self._page = app, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = _found(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
            return
        paged = wants_page(Headers(scope=scope))
        response = self._page(Request(scope), problem) if paged else problem_response(problem)
        await response(scope, receive, send)


def _found(scope: Scope) -> Problem | None:
    if NUL in scope["path"]:
        return Problem("not-found", "Not Found", 404, "There is nothing at this address; it holds the character NUL.")
    query: bytes = scope["query_string"]
    if b"%00" not in query:
        return None
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    name = next((name for name, value in pairs if NUL in name or NUL in value), "").replace(NUL, "\\0")
    text = f"{name[:100]}: holds the character NUL, expected text without it."
    return Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter=name[:100] or None)
