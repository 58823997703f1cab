"""The answer of an audit, and how it is written.

Names are loaded when they are first used: most audits write one form of the report, and none reads one.
"""

from typing import TYPE_CHECKING

from audit.doors import opener

if TYPE_CHECKING:
    from audit.report.from_json import report_from_json
    from audit.report.html import render_html
    from audit.report.model import (
        Accepted,
        BeyondHelp,
        CellRank,
        Figure,
        ImpliedCount,
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

__getattr__ = opener(
    __name__,
    {
        "audit.report.from_json": ("report_from_json",),
        "audit.report.html": ("render_html",),
        "audit.report.model": (
            "Accepted",
            "BeyondHelp",
            "CellRank",
            "Figure",
            "ImpliedCount",
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
        ),
        "audit.report.public": ("public_copy",),
        "audit.report.schema": ("report_schema",),
        "audit.report.text": ("render_text",),
        "audit.report.to_json": ("report_document", "report_json"),
    },
)

__all__ = [
    "Accepted",
    "BeyondHelp",
    "CellRank",
    "Figure",
    "ImpliedCount",
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
