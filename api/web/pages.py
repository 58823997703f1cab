"""How pages are made: templates, headers, files that pages load, and problems as pages."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tableseal.api.options.rules import said_rules
from tableseal.api.problems import Problem
from tableseal.api.store.job import Job
from tableseal.audit.report.applied import applied_words, counts_words, word_of
from tableseal.audit.report.unknown import unknown_in_words

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'; object-src 'none'",
    # A browser that sends no referrer says `Origin: null` with its forms.
    "Referrer-Policy": "same-origin",
}

_STATIC = {
    "web.css": ("tableseal.api.web", "static/web.css", "text/css"),
    "web.js": ("tableseal.api.web", "static/web.js", "text/javascript"),
    "icon.svg": ("tableseal.api.web", "static/icon.svg", "image/svg+xml"),
    # The package of reports itself would load the engines.
    "report.css": ("tableseal.audit", "report/templates/report.css", "text/css"),
    "compare.css": ("tableseal.suppression.comparison", "templates/compare.css", "text/css"),
}

static = APIRouter()


def page(template: str, /, *, status: int = 200, problem: Problem | None = None, **context: Any) -> Response:
    """A template with what it needs, as a response. problem: what it has to tell; then the status is that of it."""
    said = None if problem is None else problem.document()
    text = _environment().get_template(template).render(context, problem=said)
    return Response(text, status if problem is None else problem.status, HEADERS, "text/html; charset=utf-8")


def see(path: str) -> Response:
    """Go there."""
    return Response(status_code=303, headers={**HEADERS, "Location": path})


def sign_in_page(hours: float, problem: Problem | None = None, status: int = 200) -> Response:
    """The form with which somebody signs in, for so many hours."""
    return page("account.html", status=status, asking=None, local=False, problem=problem, hours=hours)


def problem_page(problem: Problem, hours: float = 0.0) -> Response:
    """A problem that ended a request; where somebody is not signed in, the form for it."""
    if problem.status == 401:
        return sign_in_page(hours, status=401)
    return page("problem.html", problem=problem)


def parts_of(report: str) -> tuple[str, str]:
    """Title and body (without script) of the page of a report, to be shown inside of another page.

    Both are HTML. What a release says is escaped there, so the tags that are looked for are the page's own.
    """
    title = report.partition("<title>")[2].partition("</title>")[0]
    end = report.rfind("<script>")
    return title, report[report.index('<header class="top">') : end if end >= 0 else report.rindex("</body>")]


@static.get("/static/{name}")
async def get_static(name: str, if_none_match: Annotated[str, Header()] = "") -> Response:
    """A file that pages load."""
    if name not in _STATIC:
        return problem_page(Problem("not-found", "Not Found", 404, "There is no such file."))
    content, tag, media_type = _file(name)
    headers = {"Cache-Control": "no-cache", "ETag": tag, "X-Content-Type-Options": "nosniff"}
    if if_none_match == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, 200, headers, f"{media_type}; charset=utf-8")


@cache
def _file(name: str) -> tuple[bytes, str, str]:
    package, path, media_type = _STATIC[name]
    content = files(package).joinpath(path).read_bytes()
    return content, f'"{sha256(content).hexdigest()[:32]}"', media_type


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        # What pages in files and pages of the service have in common lies with the reports.
        loader=ChoiceLoader([PackageLoader("tableseal.api.web"), PackageLoader("tableseal.audit", "report/templates")]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        moment=_moment,
        duration=_duration,
        integer=lambda n: f"{n:,}",
        unknown=unknown_in_words,
        called=word_of,
        counts_words=counts_words,
        applied=applied_words,
    )
    environment.globals["kinds"] = _KINDS
    environment.globals["rule_names"] = tuple(one.name for one, _ in said_rules())
    return environment


_KINDS: Mapping[str, str] = {
    "audit": "Audit",
    "draft": "Release",
    "suppression": "Pattern",
    "protection": "Changed values",
    "comparison": "Comparison",
    "batch": "Batch",
    "publication": "Audit with a publication",
    "risk": "Risk",
    "sap": "SAP",
    "attack": "Attacks",
    "plan": "Plan",
    "published": "Tables of a plan",
}
"""What jobs are called on pages."""


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _duration(job: Job) -> str:
    """How long a job has worked, in words; empty if it never did."""
    if job.started is None or job.finished is None:
        return ""
    taken = job.finished - job.started
    return f"{taken:.1f} s" if taken < 60 else f"{int(taken // 60)} min {int(taken % 60)} s"
