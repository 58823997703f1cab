"""What can an intruder work out from released tables?

The door of the package: read a release, audit it, read the report. Names are loaded when they are first used, so that
reading a schema or a help text does not wait for a solver.
"""

from typing import TYPE_CHECKING

from tableseal.audit.doors import opener

if TYPE_CHECKING:
    from tableseal.audit.errors import AdditivityError, ContradictionError, InputError, LimitError, TablesealError
    from tableseal.audit.io import read_policy, read_release, release_from_document, table_from_frame
    from tableseal.audit.model import Policy, Release
    from tableseal.audit.pipeline import AuditResult, audit
    from tableseal.audit.report import Report, public_copy, render_html, render_text, report_from_json, report_json

__getattr__ = opener(
    __name__,
    {
        "errors": ("AdditivityError", "ContradictionError", "InputError", "LimitError", "TablesealError"),
        "io": ("read_policy", "read_release", "release_from_document", "table_from_frame"),
        "model": ("Policy", "Release"),
        "pipeline": ("AuditResult", "audit"),
        "report": ("Report", "public_copy", "render_html", "render_text", "report_from_json", "report_json"),
    },
)

__all__ = [
    "AdditivityError",
    "AuditResult",
    "ContradictionError",
    "InputError",
    "LimitError",
    "Policy",
    "Release",
    "Report",
    "TablesealError",
    "audit",
    "public_copy",
    "read_policy",
    "read_release",
    "release_from_document",
    "render_html",
    "render_text",
    "report_from_json",
    "report_json",
    "table_from_frame",
]
