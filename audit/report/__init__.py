"""The answer of an audit, and how it is written."""

from audit.report.from_json import report_from_json
from audit.report.html import render_html
from audit.report.model import (
    CellRank,
    Figure,
    InsiderFinding,
    OverTables,
    PanelEntry,
    Possible,
    Reason,
    Report,
    ReportCell,
    Reveals,
    Step,
    Summary,
    Term,
    Verdict,
)
from audit.report.public import public_copy
from audit.report.schema import report_schema
from audit.report.text import render_text
from audit.report.to_json import report_document, report_json

__all__ = [
    "CellRank",
    "Figure",
    "InsiderFinding",
    "OverTables",
    "PanelEntry",
    "Possible",
    "Reason",
    "Report",
    "ReportCell",
    "Reveals",
    "Step",
    "Summary",
    "Term",
    "Verdict",
    "public_copy",
    "render_html",
    "render_text",
    "report_document",
    "report_from_json",
    "report_json",
    "report_schema",
]
