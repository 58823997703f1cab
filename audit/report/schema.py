"""The JSON Schema of the report."""

import json
from importlib.resources import files


def report_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of tableseal/report/1."""
    text = files("audit.report").joinpath("schemas/report.json").read_text("utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema
