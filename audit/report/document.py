"""A report as JSON, schema tableseal/report/1, and back."""

from tableseal.audit.codec.documents import json_of, record_from_json
from tableseal.audit.report.model import Report


def report_json(report: Report, *, indent: int | None = 1) -> str:
    """The report as JSON text: numbers are exact decimals of the measure; those that have no finite decimal (1/3, only
    possible for `lp` and for what insiders estimate) are written as the nearest float. Same report, same text."""
    return json_of(report, indent=indent)


def report_from_json(text: str) -> Report:
    """The report that `report_json` wrote; equal to the original where all its numbers have finite decimals.

    Raises
    ------
    InputError: not JSON, another schema, or a key or value that does not belong; the place is named.
    """
    return record_from_json(Report, text, what="report")
