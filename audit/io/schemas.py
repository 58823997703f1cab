"""JSON Schemas (2020-12) of the files that a user writes, made from the document models."""

from typing import Any

from pydantic import BaseModel

from tableseal.audit.io.document import ReleaseDocument
from tableseal.audit.io.policy_document import PolicyDocument


def release_schema() -> dict[str, Any]:
    """JSON Schema of a release file (`tableseal schema release`)."""
    return document_schema(ReleaseDocument, "release")


def policy_schema() -> dict[str, Any]:
    """JSON Schema of a policy file (`tableseal schema policy`)."""
    return document_schema(PolicyDocument, "policy")


def document_schema(model: type[BaseModel], name: str) -> dict[str, Any]:
    """JSON Schema of a file that a model describes."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"tableseal/{name}/1",
        **_without_titles(model.model_json_schema()),
    }


def _without_titles(schema: Any) -> Any:
    """Titles that only repeat the name of a field say nothing; properties that are called title stay."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_titles(item) for name, item in value.items()}
        if key == "properties"
        else _without_titles(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
