"""What jobs keep for people: the report as one page, and by parts for the pages of the service."""

from tableseal.api.store.job import Document
from tableseal.audit.language import ENGLISH, LANGUAGES, speaking
from tableseal.audit.model.release import Release
from tableseal.audit.report.model import Report

WORKBENCH = "workbench.bin"
"""The file with the report by parts (`audit/report/workbench`)."""


def page_named(language: str) -> str:
    """The file with the page in a language."""
    return "report.html" if language == ENGLISH else f"report.{language}.html"


def pages_of(report: Report, release: Release) -> tuple[Document, ...]:
    """The files."""
    from tableseal.api.jobs.on_pages import OnPages
    from tableseal.audit.report import render_html
    from tableseal.audit.report.workbench.make import workbench

    def page(language: str) -> Document:
        with speaking(language):
            return Document(
                page_named(language), "text/html; charset=utf-8", render_html(report, release, OnPages()).encode()
            )

    return (
        *map(page, LANGUAGES),
        Document(WORKBENCH, "application/octet-stream", workbench(report, release, OnPages())),
    )
