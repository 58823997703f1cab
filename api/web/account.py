"""Who is asking with this browser: sign in with an API key, and out."""

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.access.who import COOKIE
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.service import Service, ServiceDep, admitted, may, note_refused, principal
from tableseal.api.problems import Problem
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Role, begin_session, end_session, principal_of
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page, see, sign_in_page

_NO_KEY = Problem("not-authenticated", "This is no valid key", 401, "It is mistyped, has expired or was revoked.")

router = APIRouter(prefix="/account")


@router.get("")
async def get_account(request: Request, at: ServiceDep) -> Response:
    """Who is asking, as far as it is known."""
    try:
        asking = await principal(request, at, request.headers.get("authorization"))
    except ProblemError as error:
        if error.problem.status != 401:
            raise
        return sign_in_page(at.settings.session_hours)
    return page("account.html", asking=asking, local=at.settings.access == "local", admin=may(asking, Role.ADMIN))


@router.post("")
async def post_account(request: Request, at: ServiceDep) -> Response:
    """Sign in: the browser keeps a session, where no script sees it, and not the key."""
    key = str((await plain_form(request)).get("key", "")).strip()
    address = await admitted(request, at)
    session = await run_in_threadpool(_begun, at, key)
    if session is None:
        note_refused(at, address)
        return sign_in_page(at.settings.session_hours, _NO_KEY)
    response = see("/")
    secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE,
        session,
        int(at.settings.session_hours * 3600),
        httponly=True,
        samesite="strict",
        secure=secure,
        path="/",
    )
    return response


@router.post("/leave")
def post_leave(request: Request, at: ServiceDep) -> Response:
    """Sign out."""
    session = request.cookies.get(COOKIE)
    if session is not None:
        with at.store.writing() as connection:
            end_session(connection, session, at.settings.pepper)
    response = see("/account")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


def _begun(at: Service, key: str) -> str | None:
    with at.store.writing() as connection:
        asking = principal_of(connection, key, at.settings.pepper)
        if asking is not None:
            note(connection, asking, "session.begin", "browser")
        return begin_session(connection, key, at.settings.session_hours * 3600, at.settings.pepper)
