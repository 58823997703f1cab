"""The kind `suppression`: a release in; pattern, audit and protected release out, as `tableseal suppress`."""

import io
import zipfile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.releases import ReleaseRequest, read, release_in
from tableseal.api.options.suppress import SuppressOptions, Symbol, TellStatuses
from tableseal.api.store.job import Document
from tableseal.api.suppressing import run_suppression, with_reasons

if TYPE_CHECKING:
    from tableseal.audit.model import Release
    from tableseal.suppression.answer import Suppression

_TIME = (1980, 1, 1, 0, 0, 0)
"""Of files in archives: equal files make equal archives."""


_RELEASE = Path("release.yaml")
"""The release file in an archive; its tables are CSV files."""

LEAST_REASONS = 10.0
"""Seconds that may go into what needs each cell where no time limit is given: so many, or as many as all before."""


class SuppressionRequest(ReleaseRequest):
    """A search; which files hold decisions by hand and the release of the last period."""

    decisions: str | None = None
    last_period: str | None = None
    tell_statuses: TellStatuses = False
    symbol: Symbol = None
    options: SuppressOptions = SuppressOptions()


def run(request: SuppressionRequest, context: Context) -> Result:
    """Search for the release in the folder; what was found is kept before it is looked for what needs each cell. The
    protected release, for readers and with all that the agency knows, is there only if its audit says safe.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.audit.bounds.component import Limits
    from tableseal.audit.io import check_symbol
    from tableseal.suppression.problem.decisions import read_decisions
    from tableseal.suppression.reasons.explaining import explained

    check_symbol(request.symbol, _RELEASE)
    release = release_in(request, context)
    last = None if request.last_period is None else read(context.folder / request.last_period, request, context)
    decisions = () if request.decisions is None else read_decisions(context.folder / request.decisions)
    began = monotonic()
    found = run_suppression(release, request.options, decisions=decisions, last=last, progress=context.progress)
    if request.options.explain is not False:
        context.keep(_result(explained(found, Limits(monotonic())), request))
    limits = Limits(monotonic() + max(LEAST_REASONS, monotonic() - began))
    return _result(with_reasons(found, request.options, limits), request)


def _result(result: "Suppression", request: SuppressionRequest) -> Result:
    """The documents of a job."""
    from tableseal.audit.io import canonical_json
    from tableseal.audit.report import render_html
    from tableseal.suppression.protections.public import public_release
    from tableseal.suppression.report import suppression_json

    documents = [Document("suppression.json", "application/json", suppression_json(result).encode())]
    if result.report is not None and result.release is not None:
        page = render_html(result.report, result.release)
        documents.append(Document("report.html", "text/html; charset=utf-8", page.encode()))
        if result.verdict == "safe":
            public = public_release(result.release, tell_statuses=request.tell_statuses)
            documents.append(Document("protected.json", "application/json", canonical_json(public)))
            documents.append(Document("protected.zip", "application/zip", _packed(public, request.symbol)))
            documents.append(Document("confidential.json", "application/json", canonical_json(result.release)))
    return Result(tuple(documents), result.verdict)


def _packed(release: "Release", symbol: str | None) -> bytes:
    """A release as an archive: release.yaml, and a CSV file for each table."""
    from tableseal.audit.io import release_files

    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path, text in release_files(release, _RELEASE, symbol=symbol).items():
            archive.writestr(zipfile.ZipInfo(path.name, _TIME), text.encode(), zipfile.ZIP_DEFLATED)
    return target.getvalue()


KIND = Kind("suppression", SuppressionRequest, run, Rows("suppression", "cells"))
