"""The OpenAPI document: what the routes say, with the schemas of releases, results and problems."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tableseal.api.http.described import component
from tableseal.api.problems import PREFIX
from tableseal.api.schemas import SCHEMAS, schema

_PLACE = {
    "source": {"type": "string", "description": "The file of the request that is meant."},
    "pointer": {"type": "string", "description": "JSON pointer (RFC 6901) into it, if it is a document."},
    "table": {"type": "string", "description": "Name of the table of the release, or of the statistic."},
    "row": {"type": "integer", "description": "Row of its data, from 1 below the header."},
    "column": {"type": ["string", "integer"], "description": "Name of the column, or its number if it has no name."},
    "cell": {"type": "object", "description": "Code of each variable.", "additionalProperties": {"type": "string"}},
    "measure": {"type": "string", "description": "Measure of the cell, where there are several."},
    "line": {"type": "integer", "description": "Line of its text, from 1."},
    "character": {"type": "integer", "description": "Position on the line, from 1."},
}

_STRINGS = {"type": "array", "items": {"type": "string"}}

PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "A problem document (RFC 9457). The HTTP page of the documentation lists the types.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "pattern": f"^{PREFIX}[a-z-]+$"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was found and what was expected."},
        **_PLACE,
        "found": {"type": "string", "description": "What was found, as `detail` says it."},
        "expected": {"type": "string", "description": "What was expected, as `detail` says it."},
        "keys": {"type": "array", "items": {"type": "string"}, "description": "Keys of the release file to settle it."},
        "parameter": {"type": "string", "description": "The query parameter or header that is meant."},
        "places": {
            "type": "array",
            "description": "All places, if there are several; the first one stands beside the detail too.",
            "items": {"type": "object", "properties": _PLACE},
        },
        "errors": {
            "type": "array",
            "description": "All errors of the document, if it has several; the first one stands beside `detail` too.",
            "items": {
                "type": "object",
                "properties": {"detail": {"type": "string"}, "parameter": {"type": "string"}, **_PLACE},
            },
        },
        "imbalances": {
            "type": "array",
            "description": "Released sums that their released parts cannot give.",
            "items": {
                "type": "object",
                "required": ["name", "table", "row", "expected", "found", "difference", "parts"],
                "properties": {
                    "name": {"type": "string", "description": "Full name of the sum."},
                    "table": {"type": "string"},
                    "row": {"type": ["integer", "null"], "description": "Row of that table's data, from 1."},
                    "cell": {"type": "array", "items": _STRINGS, "description": "(variable, code) of each variable."},
                    "expected": {"type": "string"},
                    "found": {"type": "string"},
                    "difference": {"type": "string"},
                    "parts": {"type": "array", "items": _STRINGS, "description": "(name, value) of the first parts."},
                    "count": {"type": "integer", "description": "How many parts there are."},
                    "rest": {"type": "boolean", "description": "There are parts that are not released."},
                    "hint": {"type": "string", "description": "What may be the reason."},
                },
            },
        },
    },
}


def install(app: FastAPI) -> None:
    """Let the app give the whole document; it is made when it is first asked for."""

    def whole() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            schemas = made.setdefault("components", {}).setdefault("schemas", {})
            for name in ("HTTPValidationError", "ValidationError"):  # problem documents come in their place
                schemas.pop(name, None)
            schemas |= _schemas()
            made["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            for operations in made["paths"].values():
                for operation in operations.values():
                    _secure(operation)
                    _streams(operation)
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = whole  # type: ignore[method-assign]


def _secure(operation: dict[str, Any]) -> None:
    """Where a key may be sent, say so as OpenAPI wants it: not as a parameter. Without keys nothing is sent."""
    parameters = operation.get("parameters", [])
    others = [parameter for parameter in parameters if parameter["name"] != "authorization"]
    if len(others) < len(parameters):
        operation["parameters"] = others
        operation["security"] = [{"key": []}, {}]


def _streams(operation: dict[str, Any]) -> None:
    """Streams without `itemSchema`, which is of OpenAPI 3.2."""
    for response in operation["responses"].values():
        for content in response.get("content", {}).values():
            content.pop("itemSchema", None)


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = {"Problem": PROBLEM}
    for word in SCHEMAS:
        found |= _component("".join(part.capitalize() for part in word.split("-")), schema(word))
    answers = (
            "Attack", "Batch", "Comparison", "Plan", "Protection", "PublicationAudit", "Published", "Report", "Risk",
            "Sap", "Suppression",
        )  # fmt: skip
    found["Result"] = {"anyOf": [component(name) for name in answers]}
    return found


def _component(name: str, whole: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its definitions beside it, under names of their own."""
    plain = {key: value for key, value in whole.items() if key not in ("$schema", "$id", "$defs")}
    found = {name: plain, **{f"{name}.{part}": value for part, value in whole.get("$defs", {}).items()}}
    return {key: _moved(value, name) for key, value in found.items()}


def _moved(schema: Any, name: str) -> Any:
    if isinstance(schema, list):
        return [_moved(entry, name) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {key: _moved(value, name) for key, value in schema.items()}
    _simplify(moved)
    target = moved.get("$ref")
    if isinstance(target, str) and target.startswith("#/$defs/"):
        moved["$ref"] = f"#/components/schemas/{name}.{target.removeprefix('#/$defs/')}"
    elif target == "#":
        moved["$ref"] = f"#/components/schemas/{name}"
    return moved


def _simplify(schema: dict[str, Any]) -> None:
    """Say the same so that programs that make clients understand it, which do not know all of JSON Schema."""
    types = schema.get("type")
    if schema.get("items") is False:
        del schema["items"]
        schema["maxItems"] = len(schema.get("prefixItems", ()))
    elif (types == "array" or (isinstance(types, list) and "array" in types)) and "prefixItems" not in schema:
        schema.setdefault("items", {})
    enum = schema.get("enum")
    if isinstance(enum, list) and len({type(entry) for entry in enum if entry is not None}) > 1:
        del schema["enum"]
        schema["anyOf"] = [{"const": entry} for entry in enum]
