"""The kind `suppression`: a release in; pattern, audit and protected release out, as `tableseal suppress`."""

from typing import TYPE_CHECKING

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.methods import figures_of_search
from tableseal.api.jobs.pages import pages_of
from tableseal.api.jobs.pattern import pattern_documents
from tableseal.api.jobs.protected import RELEASE_FILE, protected_documents
from tableseal.api.jobs.releases import ReleaseRequest, check_judging, read, release_in
from tableseal.api.options.suppress import SuppressOptions, Symbol, TellStatuses
from tableseal.api.store.job import Document
from tableseal.api.suppressing import check_search, run_suppression, with_reasons

if TYPE_CHECKING:
    from tableseal.suppression.answer import Suppression


class SuppressionRequest(ReleaseRequest):
    """A search; which files hold decisions by hand and the release of the last period."""

    decisions: str | None = None
    last_period: str | None = None
    tell_statuses: TellStatuses = False
    symbol: Symbol = None
    options: SuppressOptions = SuppressOptions()


def check(request: SuppressionRequest) -> None:
    """Refuse what no release could make good: a method, settings of a search, a symbol for withheld values."""
    from tableseal.audit.io import check_symbol

    check_judging(request)
    check_symbol(request.symbol, RELEASE_FILE)
    check_search(request.options)


def run(request: SuppressionRequest, context: Context) -> Result:
    """Search for the release in the folder; what was found is kept before it is looked for what needs each cell. The
    protected release, for readers and with all that the agency knows, is there only if its audit says safe.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.audit.bounds.component import Limits
    from tableseal.audit.clock import now
    from tableseal.suppression.problem.decisions import read_decisions
    from tableseal.suppression.reasons.explaining import explained

    release = release_in(request, context)
    last = None if request.last_period is None else read(context.folder / request.last_period, request, context)
    decisions = () if request.decisions is None else read_decisions(context.folder / request.decisions)
    found = run_suppression(release, request.options, decisions=decisions, last=last, progress=context.progress)
    context.progress("answer and pages", 0, 0)
    if request.options.explain is not False:
        context.keep(_result(explained(found, Limits(now())), request))
        context.progress("what needs each cell", 0, 0)
    found = with_reasons(found, request.options)
    context.progress("answer and pages", 0, 0)
    return _result(found, request)


def _result(result: "Suppression", request: SuppressionRequest) -> Result:
    """The documents of a job."""
    from tableseal.suppression.protections.public import public_release
    from tableseal.suppression.report import suppression_json

    documents = [Document("suppression.json", "application/json", suppression_json(result).encode())]
    if result.report is not None and result.release is not None:
        pages = pages_of(result.report, result.release)
        documents += (*pages, *pattern_documents(result), figures_of_search(result))
        if result.verdict == "safe":
            public = public_release(result.release, tell_statuses=request.tell_statuses)
            documents += protected_documents(public, result.release, request.symbol)
    return Result(tuple(documents), result.verdict, result.problem.release.title)


KIND = Kind("suppression", SuppressionRequest, run, Rows("suppression", "cells"), check)
