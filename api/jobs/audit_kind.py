"""The kind `audit`: a release in, its report out, exactly as `tableseal audit` gives it."""

from tableseal.api.auditing import refuse_public_proof, run_audit
from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.pages import pages_of
from tableseal.api.jobs.releases import ReleaseRequest, check_judging, release_in
from tableseal.api.options.audit import AuditOptions
from tableseal.api.options.shared import Html, Public
from tableseal.api.store.job import Document


class AuditRequest(ReleaseRequest):
    """An audit."""

    options: AuditOptions = AuditOptions()
    public: Public = False
    html: Html = False


def check(request: AuditRequest) -> None:
    """Refuse a public proof, and letters or rules that are none."""
    refuse_public_proof(public=request.public, proof=request.options.proof)
    check_judging(request)


def run(request: AuditRequest, context: Context) -> Result:
    """Audit the release in the folder.

    Raises
    ------
    InputError: the release or the policy cannot be used. LimitError: too many cells.
    """
    from tableseal.audit.report import public_copy, report_json

    release = release_in(request, context)
    result = run_audit(release, request.options, progress=context.progress)
    report = public_copy(result.report) if request.public else result.report
    context.progress("answer and pages", 0, 0)
    documents = [Document("report.json", "application/json", report_json(report).encode())]
    if request.html:
        documents += pages_of(report, release)
    if result.proof is not None:
        from tableseal.audit.proof import proof_json

        documents.append(Document("proof.json", "application/json", proof_json(result.proof).encode()))
    return Result(tuple(documents), report.verdict, release.title)


KIND = Kind("audit", AuditRequest, run, Rows("report", "cells"), check)
