"""Who is asking with this browser: sign in with an API key, and out."""

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.http.errors import ProblemError
from api.http.service import COOKIE, Service, ServiceDep, principal, refuse_foreign
from api.problems import Problem
from api.store.tokens import Principal, principal_of
from api.web.intake import plain_form
from api.web.pages import page, see

_NO_KEY = Problem("not-authenticated", "This is no valid key", 401, "It is mistyped, has expired or was revoked.")

router = APIRouter(prefix="/account")


@router.get("")
def get_account(request: Request, at: ServiceDep) -> Response:
    """Who is asking, as far as it is known."""
    try:
        asking = principal(request, at, request.headers.get("authorization"))
    except ProblemError as error:
        if error.problem.status != 401:
            raise
        return page("account.html", asking=None, local=False, problem=None)
    return page("account.html", asking=asking, local=at.settings.access == "local", problem=None)


@router.post("")
async def post_account(request: Request, at: ServiceDep) -> Response:
    """Sign in: the key is kept by the browser, where no script sees it, until it is closed."""
    refuse_foreign(request)
    key = str((await plain_form(request)).get("key", "")).strip()
    if await run_in_threadpool(_owner, at, key) is None:
        return page("account.html", status=401, asking=None, local=False, problem=_NO_KEY.document())
    response = see("/")
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, key, httponly=True, samesite="strict", secure=secure, path="/")
    return response


@router.post("/leave")
def post_leave(request: Request) -> Response:
    """Sign out."""
    refuse_foreign(request)
    response = see("/account")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


def _owner(at: Service, key: str) -> Principal | None:
    with at.store.reading() as connection:
        return principal_of(connection, key)
