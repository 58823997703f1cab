"""The kind `comparison`: a release in, several ways to protect it side by side out, as `tableseal compare`."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.methods import figures_of_comparison
from tableseal.api.jobs.pages import page_named
from tableseal.api.jobs.releases import ReleaseRequest, check_judging, release_in
from tableseal.api.options.compare import CompareOptions
from tableseal.api.options.option import switched
from tableseal.api.store.job import Document
from tableseal.audit.language import LANGUAGES, speaking


def _as_now(given: Any) -> Any:
    """Requests that were kept by earlier versions say `no_margins`."""
    return switched(CompareOptions, given) if isinstance(given, Mapping) else given


class ComparisonRequest(ReleaseRequest):
    """A comparison."""

    options: Annotated[CompareOptions, BeforeValidator(_as_now)] = CompareOptions()


def check(request: ComparisonRequest) -> None:
    """Refuse methods and settings that no release could make good."""
    from tableseal.api.suppressing import check_comparison

    check_judging(request)
    check_comparison(request.options)


def run(request: ComparisonRequest, context: Context) -> Result:
    """Compare ways to protect the release in the folder.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.suppressing import run_comparison
    from tableseal.suppression.comparison.document import comparison_json
    from tableseal.suppression.comparison.html import comparison_html

    comparison = run_comparison(release_in(request, context), request.options, progress=context.progress)
    context.progress("answer and pages", 0, 0)
    pages = []
    for language in LANGUAGES:
        with speaking(language):
            page = comparison_html(comparison)
        pages.append(Document(page_named(language), "text/html; charset=utf-8", page.encode()))
    return Result(
        (
            Document("comparison.json", "application/json", comparison_json(comparison).encode()),
            *pages,
            figures_of_comparison(comparison),
        ),
        title=comparison.problem.release.title,
    )


KIND = Kind("comparison", ComparisonRequest, run, Rows("comparison", "methods"), check)
