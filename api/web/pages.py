"""How pages are made: templates, headers, files that pages load, and problems as pages."""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tableseal.api.http.service import may as allowed
from tableseal.api.options.rules import said_rules
from tableseal.api.problems import Problem
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal, Role
from tableseal.audit.codec.exact_json import decimal_text
from tableseal.audit.language import ENGLISH, LANGUAGES, in_script, numerals, preferred, speak, speaking, words_of
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

_SPOKEN = {f"web.{language}.js": language for language in LANGUAGES if language != ENGLISH}
"""The script in other languages."""

LANG = "lang"
"""Query parameter that chooses a language."""

LANGUAGE_COOKIE = "tableseal_language"
"""Cookie that remembers it."""

YEAR = 365 * 86_400

static = APIRouter()


def page(
    request: Request, template: str, /, *, status: int = 200, problem: Problem | None = None, **context: Any
) -> Response:
    """A template with what it needs, as a response to a request, for whoever asked: he is offered what he may do.

    problem: what it has to tell; then the status is that of it.
    """
    said = None if problem is None else problem.document()
    asking: Principal | None = getattr(request.state, "asking", None)
    may = {role.value: asking is not None and allowed(asking, role) for role in Role}
    context |= {"problem": said, "may": may.__getitem__, "makes_tables": _makes_tables(request)}
    language = language_of(request)
    with speaking(language):
        text = _environment().get_template(template).render(context)
    response = Response(text, status if problem is None else problem.status, HEADERS, "text/html; charset=utf-8")
    response.headers["Content-Language"] = language
    if request.query_params.get(LANG) == language:
        response.set_cookie(LANGUAGE_COOKIE, language, YEAR, httponly=True, samesite="strict", path="/")
    return response


def language_of(request: Request) -> str:
    """The language of a page: what the query says (`lang=fr`), what was said so before, what the service is set to, or
    what the browser likes best; else English."""
    state = getattr(request.scope.get("app"), "state", None)
    service = getattr(state, "service", None)
    chosen = (request.query_params.get(LANG), request.cookies.get(LANGUAGE_COOKIE))
    known = (language for language in chosen if language in LANGUAGES)
    accepted = preferred(request.headers.get("accept-language", ""))
    return next(known, None) or (None if service is None else service.settings.language) or accepted or ENGLISH


def _makes_tables(request: Request) -> bool:
    """Whether the service has hypercubes of which users make tables."""
    service = getattr(getattr(request.scope.get("app"), "state", None), "service", None)
    return service is not None and service.settings.hypercubes is not None


def see(path: str) -> Response:
    """Go there."""
    return Response(status_code=303, headers={**HEADERS, "Location": path})


def sign_in_page(request: Request, hours: float, problem: Problem | None = None, status: int = 200) -> Response:
    """The form with which somebody signs in, for so many hours."""
    return page(request, "account.html", status=status, asking=None, local=False, problem=problem, hours=hours)


def problem_page(request: Request, problem: Problem, hours: float = 0.0) -> Response:
    """A problem that ended a request; where somebody is not signed in, the form for it."""
    if problem.status == 401:
        return sign_in_page(request, hours, status=401)
    return page(request, "problem.html", problem=problem)


def erase_page(request: Request, job: Job, title: str, back: str) -> Response:
    """Ask before something is erased. back: its page; what erases it is below that."""
    return page(request, "erase.html", job=job, title=title, back=back)


def parts_of(report: str) -> tuple[str, str]:
    """Title and body (without script) of the page of a report, to be shown inside of another page.

    Both are HTML. What a release says is escaped there, so the tags that are looked for are the page's own.
    """
    title = report.partition("<title>")[2].partition("</title>")[0]
    end = report.rfind("<script>")
    return title, report[report.index('<header class="top">') : end if end >= 0 else report.rindex("</body>")]


@static.get("/static/{name}")
async def get_static(name: str, request: Request, if_none_match: Annotated[str, Header()] = "") -> Response:
    """A file that pages load."""
    if name not in _STATIC and name not in _SPOKEN:
        return problem_page(request, Problem("not-found", "Not Found", 404, "There is no such file."))
    content, tag, media_type = _file(name)
    headers = {"Cache-Control": "no-cache", "ETag": tag, "X-Content-Type-Options": "nosniff"}
    if if_none_match == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, 200, headers, f"{media_type}; charset=utf-8")


@static.get("/favicon.ico")
async def get_icon() -> Response:
    """Where browsers look for it that show something else than a page."""
    return see("/static/icon.svg")


@cache
def _file(name: str) -> tuple[bytes, str, str]:
    package, path, media_type = _STATIC["web.js" if name in _SPOKEN else name]
    content = files(package).joinpath(path).read_bytes()
    if name in _SPOKEN:
        with speaking(_SPOKEN[name]):
            content = in_script(content.decode(), SCRIPT).encode()
    return content, f'"{sha256(content).hexdigest()[:32]}"', media_type


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        # What pages in files and pages of the service have in common lies with those who write the files.
        loader=ChoiceLoader(
            [
                PackageLoader("tableseal.api.web"),
                PackageLoader("tableseal.api.publishing"),
                PackageLoader("tableseal.audit", "report/templates"),
            ]
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        moment=_moment,
        duration=_duration,
        waited=_waited,
        seconds=_seconds,
        integer=lambda n: f"{n:,}".replace(",", "\u202f"),
        figure=_figure,
        amount=_amount,
        selected_error=lambda fields: any(field.error for field in fields.values()),
        unknown=unknown_in_words,
        called=word_of,
        counts_words=counts_words,
        applied=applied_words,
    )
    speak(environment)
    environment.globals["kinds"] = KINDS
    environment.globals["languages"] = LANGUAGES
    environment.globals["rule_names"] = tuple(one.name for one, _ in said_rules())
    return environment


KINDS: Mapping[str, str] = words_of(
    {
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
        "table": "Table",
    }
)
"""What jobs are called on pages."""


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _figure(value: float, digits: int = 6) -> str:
    """A measure with so many significant digits."""
    return numerals(f"{value:,.{digits}g}".replace(",", "\u202f"))


def _amount(value: int | Fraction) -> str:
    """A sum, with all its decimals."""
    whole, point, decimals = (decimal_text(Fraction(value)) or f"{float(value):.6f}").partition(".")
    return numerals(f"{int(whole):,}".replace(",", "\u202f") + point + decimals)


SCRIPT = words_of(
    (
        "Close",
        "Copied",
        "Its own page",
        "At work",
        "is done",
        "is under way",
        "waits",
        '${names.length} files: ${names.join(", ")}',
        "; about ${Math.ceil(more / 10) * 10} s of this step are left",
        "; about ${Math.ceil(more / 60)} min of this step are left",
        "at most ${Math.ceil((100 * (found - proved)) / found)}% cheaper is possible",
        "${group(done)} so far",
        "${group(done)} of ${group(total)}${left(name, done, total)}",
        "Waiting for a worker: place ${group(place)} in the queue",
    )
)
"""Words of `web.js`."""

STATES = words_of(
    (
        *("queued", "running", "succeeded", "failed", "cancelled", "safe", "unsafe", "undecided", "not judged"),
        *("safe as listed", "ready", "columns", "choose", "unbalanced"),
    )
)
"""Where jobs stand, and what comes of them."""

STAGES = words_of(
    (
        *("answer and pages", "arithmetic of exposures", "attacks", "audit", "bounds"),
        *("cells and rules", "cells beyond their neighbours", "cells that fall", "cells that no row lists", "clusters"),
        *("completion", "cumulative view", "designs", "earlier answers", "entropy over tables"),
        *("insiders", "insiders with shares"),
        *("linear system and additivity", "methods", "messages", "parts", "proof", "rank of the system", "reading"),
        *(
            "reduction",
            "relations",
            "releases",
            "report",
            "risk of whole tables",
            "rules, relations and costs",
            "samples",
            "search",
        ),
        *("subtraction (SAP)", "sum of changes", "table", "what needs each cell"),
    )
)
"""Steps of the work, as engines tell them."""

HEADINGS = words_of(("Cells that fall", "Cells that revised figures give away"))
"""That macros make ids of."""


def _waited(job: Job) -> str:
    """How long a job waited for its first attempt; empty if it still does, or was done at once."""
    waited = 0.0 if job.started is None else job.started - job.created
    return "" if waited <= 0.05 else _seconds(waited)


def _duration(job: Job) -> str:
    """How long a job has worked, in words; empty if it never did."""
    return "" if job.started is None or job.finished is None else _seconds(job.finished - job.started)


def _seconds(taken: float) -> str:
    return numerals(f"{taken:.1f} s") if taken < 60 else f"{int(taken // 60)} min {int(taken % 60)} s"
