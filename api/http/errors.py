"""Errors of every kind become problem documents."""

import errno
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tableseal.api.access.who import UnavailableError
from tableseal.api.http.heads import allowed
from tableseal.api.options.checking import expected_of, shown
from tableseal.api.problems import UNEXPECTED, Problem, problem_of
from tableseal.api.store.engine import Unreachable, is_full
from tableseal.api.store.keyring import LostKeyError
from tableseal.api.store.sealing import DamagedError
from tableseal.audit.errors import TablesealError

MEDIA_TYPE = "application/problem+json"

FULL = Problem(
    "storage-full", "No room is left", 507, "There is no room on the disk. Nothing was kept of this request."
)

LOST_KEY = Problem(
    "encryption-key-missing",
    "What is kept cannot be read",
    503,
    "The key under which this is encrypted is not here. Whoever runs the service has to bring it back.",
)

DAMAGED = Problem(
    "damaged",
    "What is kept is damaged",
    500,
    "What is kept is not what was kept: it was changed outside of the service. Ask for the work again.",
)

logger = logging.getLogger(__name__)


class ProblemError(Exception):
    """A problem that ends a request."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.detail)
        self.problem, self.headers = problem, headers


def problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as a response."""
    return JSONResponse(problem.document(), problem.status, headers, media_type=MEDIA_TYPE)


Page = Callable[[Request, Problem], Response]
"""A problem as a page for whoever asked."""


def wants_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser asks for something to show."""
    return "text/html" in headers.get("accept", "")


def install(app: FastAPI, page: Page) -> None:
    """Let the app answer with problem documents, or with pages where a browser asks, whatever goes wrong."""

    def answer(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
        if not wants_page(request.headers):
            return problem_response(problem, headers)
        response = page(request, problem)
        response.headers.update(headers or {})
        return response

    @app.exception_handler(ProblemError)
    async def _problem(request: Request, error: ProblemError) -> Response:
        return answer(request, error.problem, error.headers)

    @app.exception_handler(TablesealError)
    async def _user(request: Request, error: TablesealError) -> Response:
        return answer(request, problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def _validation(request: Request, error: RequestValidationError) -> Response:
        return answer(request, _parameters(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        headers = {**(error.headers or {})}
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:  # the framework knows of the first route alone
            headers = {name: value for name, value in headers.items() if name.lower() != "allow"}
            headers["Allow"] = allowed(request)
        return answer(request, _plain(error), headers)

    @app.exception_handler(Unreachable)
    async def _unreachable(request: Request, error: Unreachable) -> Response:
        logger.warning("the database does not answer: %s", type(error.orig).__name__)
        if is_full(error):
            return answer(request, FULL)
        text = "The database does not answer at the moment. Nothing was kept of this request; send it again."
        problem = Problem("database-unavailable", "The database does not answer", 503, text)
        return answer(request, problem, {"Retry-After": "5"})

    @app.exception_handler(DataError)
    async def _unkept(request: Request, error: DataError) -> Response:
        text = "A field of this request holds what no database keeps, such as the character NUL."
        return answer(request, Problem("invalid-parameter", "A field cannot be used", 422, text))

    @app.exception_handler(UnavailableError)
    async def _identity(_: Request, error: UnavailableError) -> Response:
        text = "The keys of the identity provider cannot be had at the moment, so nobody knows who you are. Try again."
        problem = Problem("identity-provider-unavailable", "The identity provider does not answer", 503, text)
        return problem_response(problem, {"Retry-After": "5"})

    @app.exception_handler(LostKeyError)
    @app.exception_handler(DamagedError)
    async def _sealed(request: Request, error: LostKeyError | DamagedError) -> Response:
        logger.error("what is kept cannot be read: %s", type(error).__name__)
        return answer(request, LOST_KEY if isinstance(error, LostKeyError) else DAMAGED)

    @app.exception_handler(OSError)
    async def _system(request: Request, error: OSError) -> Response:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            logger.warning("no room is left on the disk")
            return answer(request, FULL)
        raise error

    @app.exception_handler(ClientDisconnect)
    async def _gone(_: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=400)  # nobody reads it; it is counted

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> Response:
        logger.error("unexpected %s", type(error).__name__)
        return answer(request, UNEXPECTED)


def _plain(error: HTTPException) -> Problem:
    title = HTTPStatus(error.status_code).phrase
    return Problem(title.lower().replace(" ", "-"), title, error.status_code, str(error.detail))


def _parameters(error: RequestValidationError) -> Problem:
    """All that is wrong with the parameters of a request; the first stands beside the detail."""
    first, *others = [_parameter(one) for one in error.errors()]
    return replace(first, errors=(first, *others)) if others else first


def _parameter(one: Mapping[str, Any]) -> Problem:
    name = str(one["loc"][-1])
    place = "parameter" if one["loc"][0] == "query" else str(one["loc"][0])
    if one["type"] == "extra_forbidden":
        text = f"{place} {name}: there is no such {place} here."
    else:
        given = f" {shown(one['input'])}" if place == "parameter" and "input" in one else ""
        text = f"{place} {name}{given}: expected {expected_of(one)}."
    return Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter=name)
