"""The answer of an audit, and how it is written; what it is made of is in `model.py`.

Names are loaded when they are first used: most audits write one form of the report, and none reads one.
"""

from typing import TYPE_CHECKING

from tableseal.audit.doors import opener

if TYPE_CHECKING:
    from tableseal.audit.report.document import report_from_json, report_json
    from tableseal.audit.report.html import render_html
    from tableseal.audit.report.model import Report, ReportCell
    from tableseal.audit.report.public import public_copy
    from tableseal.audit.report.text import render_text

__getattr__ = opener(
    __name__,
    {
        "document": ("report_from_json", "report_json"),
        "html": ("render_html",),
        "model": ("Report", "ReportCell"),
        "public": ("public_copy",),
        "text": ("render_text",),
    },
)

__all__ = ["Report", "ReportCell", "public_copy", "render_html", "render_text", "report_from_json", "report_json"]
