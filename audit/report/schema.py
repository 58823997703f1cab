"""The JSON Schemas of what is written."""

import json
from importlib.resources import files


def risk_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of tableseal/risk/1."""
    return _schema("risk")


def sap_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of tableseal/sap/1."""
    return _schema("sap")


def _schema(name: str) -> dict[str, object]:
    text = files("tableseal.audit.report").joinpath(f"schemas/{name}.json").read_text("utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema
