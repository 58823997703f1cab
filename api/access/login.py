"""/login and /logout: a browser is given a key once, and shows a cookie from then on."""

from html import escape
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Cookie, Form, Query, Request, Response

from api.access.who import COOKIE
from api.http.service import ServiceDep
from api.store.log import note
from api.store.tokens import begin_session, end_session, principal_of

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in - tableseal</title>
<link rel="stylesheet" href="/static/report.css">
<link rel="stylesheet" href="/static/web.css">
</head>
<body>
<main>
<h1>Sign in</h1>
{problem}
<form method="post" action="/login?next={next}">
<p><label for="key">API key</label><br>
<input id="key" name="key" type="password" required autofocus autocomplete="current-password" size="60"></p>
<p><button>Sign in</button></p>
</form>
<p>An administrator makes keys with <code>tableseal token create</code>.</p>
</main>
</body>
</html>
"""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
}

router = APIRouter(include_in_schema=False)

Next = Annotated[str, Query(max_length=2000)]


@router.get("/login")
def get_login(next: Next = "/") -> Response:
    """Ask for a key."""
    return _page(next)


@router.post("/login")
def post_login(
    request: Request, at: ServiceDep, key: Annotated[str, Form(max_length=200)], next: Next = "/"
) -> Response:
    """Begin a session."""
    settings = at.settings
    seconds = settings.session_hours * 3600
    with at.store.writing() as connection:
        session = begin_session(connection, key.strip(), seconds, settings.pepper)
        asking = principal_of(connection, key.strip(), settings.pepper)
        if asking is not None:
            note(connection, asking, "session.begin", "browser")
    if session is None:
        return _page(next, '<p role="alert">This is no valid key; it may have expired, or was revoked.</p>', 403)
    response = Response(status_code=303, headers={"Location": inside(next)})
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, session, int(seconds), secure=secure, httponly=True, samesite="strict")
    return response


@router.post("/logout")
def post_logout(at: ServiceDep, session: Annotated[str | None, Cookie(alias=COOKIE)] = None) -> Response:
    """End the session."""
    if session is not None:
        with at.store.writing() as connection:
            end_session(connection, session, at.settings.pepper)
    response = Response(status_code=303, headers={"Location": "/login"})
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


def inside(path: str) -> str:
    """The path if it leads to a page of this service, else the start page."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return quote(path, safe="/?=&%") if plain else "/"


def _page(next: str, problem: str = "", status: int = 200) -> Response:
    text = _PAGE.format(problem=problem, next=escape(quote(inside(next), safe="")))
    return Response(text, status, _HEADERS, "text/html; charset=utf-8")
