"""The outcome of a suppression as JSON and as text."""

from tableseal.suppression.report.document import suppression_json, suppression_report
from tableseal.suppression.report.text import suppression_text

__all__ = ["suppression_json", "suppression_report", "suppression_text"]
