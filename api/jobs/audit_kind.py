"""The kind `audit`: a release in, its report out, exactly as `tableseal audit` gives it."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from api.auditing import AuditOptions, run_audit
from api.jobs.kinds import Context, Kind, Result
from api.store.job import Document
from audit.errors import LimitError

if TYPE_CHECKING:
    from audit.model import Release


class AuditRequest(BaseModel):
    """An audit: which of the files is the release, which the policy (none: the release's own), and the options.

    draft: the draft whose files these are, for those who look from the audit back to it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    release: str
    policy: str | None = None
    options: AuditOptions = AuditOptions()
    draft: str | None = None


def run(request: AuditRequest, context: Context) -> Result:
    """Audit the release in the folder.

    Raises
    ------
    InputError: the release or the policy cannot be used. LimitError: too many cells.
    """
    from audit.io import read_release
    from audit.report import render_html, report_json

    policy = None if request.policy is None else context.folder / request.policy
    release = read_release(context.folder / request.release, policy=policy)
    check_size(release, context.max_cells)
    result = run_audit(release, request.options, progress=context.progress)
    documents = [
        Document("report.json", "application/json", report_json(result.report).encode()),
        Document("report.html", "text/html; charset=utf-8", render_html(result.report, release).encode()),
    ]
    if result.proof is not None:
        from audit.proof import proof_json

        documents.append(Document("proof.json", "application/json", proof_json(result.proof).encode()))
    return Result(tuple(documents), result.report.verdict)


def check_size(release: "Release", most: int) -> None:
    """Refuse releases with more rows than the service takes.

    Raises
    ------
    LimitError: says how many there are.
    """
    rows = sum(len(table.status) for table in release.tables)
    if rows > most:
        raise LimitError(f"The release has {rows:,} rows in all tables; this service takes at most {most:,}.")


KIND = Kind("audit", AuditRequest, run)
