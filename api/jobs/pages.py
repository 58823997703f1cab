"""What jobs keep for people: the report as one page, and by parts for the pages of the service."""

from tableseal.api.store.job import Document
from tableseal.audit.model.release import Release
from tableseal.audit.report.model import Report

WORKBENCH = "workbench.bin"
"""The file with the report by parts (`audit/report/workbench`)."""


def pages_of(report: Report, release: Release) -> tuple[Document, ...]:
    """The files."""
    from tableseal.audit.report import render_html
    from tableseal.audit.report.workbench.make import workbench

    return (
        Document("report.html", "text/html; charset=utf-8", render_html(report, release).encode()),
        Document(WORKBENCH, "application/octet-stream", workbench(report, release)),
    )
