"""The outcome of a suppression as JSON (with its schema) and as text."""

from tableseal.suppression.report.text import suppression_text
from tableseal.suppression.report.to_json import suppression_document, suppression_json

__all__ = ["suppression_document", "suppression_json", "suppression_text"]
