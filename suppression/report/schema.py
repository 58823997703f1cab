"""The JSON Schema of what is written."""

import json
from importlib.resources import files


def suppression_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of tableseal/suppression/1; the report inside it has a schema of its own."""
    text = files("tableseal.suppression.report").joinpath("schemas/suppression.json").read_text("utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema
