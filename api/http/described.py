"""Pieces of the OpenAPI document that routes share."""

from collections.abc import Mapping, Sequence
from typing import Any

from tableseal.api.http.errors import MEDIA_TYPE
from tableseal.api.http.renderings import offered
from tableseal.api.http.resources import JobResource
from tableseal.api.http.uploads import ARCHIVES, BODIES, FORM, Fields
from tableseal.api.jobs.kinds import Kind, Rows

Responses = dict[int | str, dict[str, Any]]

_MEANING = {
    400: "The body cannot be read.",
    401: "Nobody knows who is asking.",
    403: "Whoever asks may not do this.",
    404: "There is no such thing, or it is another owner's.",
    406: "The answer cannot be had in a form that the request accepts.",
    408: "The body did not come in time.",
    409: "Not while things are as they are.",
    413: "Too large for this service.",
    415: "A media type that is not understood.",
    422: "The request cannot be used; `detail` says why, `source`, `pointer`, `row`, `column` and `cell` where.",
    429: "Too many jobs of yours wait; `Retry-After` says when to ask again.",
    500: "A fault of the service.",
    503: "The database does not answer at the moment.",
    507: "There is no room on the disk.",
}

READING = (401, 403, 404, 422, 500, 503)
"""Problems of routes that show something."""

ASKING = (401, 403, 406, 408, 409, 413, 415, 422, 429, 500, 503, 507)
"""Problems of routes that take work."""


def problems(*statuses: int) -> Responses:
    """Responses that are problem documents."""
    content = {MEDIA_TYPE: {"schema": component("Problem")}}
    return {status: {"description": _MEANING[status], "content": content} for status in statuses}


def component(name: str) -> dict[str, str]:
    """A schema of the document by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def results(schema: str, rows: Rows | None, description: str) -> dict[str, Any]:
    """A response that is the answer of a job, in all forms in which it can be had."""
    content: dict[str, Any] = {media_type: {"schema": {"type": "string"}} for media_type in offered(rows)}
    content["application/json"] = {"schema": component(schema)}
    return {"description": description, "content": content}


def gives(description: str, schema: str | None = None, *, page: bool = False) -> dict[str, Any]:
    """A response that is a JSON document of this schema, or a page."""
    content: dict[str, Any] = {} if schema is None else {"application/json": {"schema": component(schema)}}
    content |= {"text/html": {"schema": {"type": "string"}}} if page else {}
    return {"description": description, "content": content}


def work(schema: str, kind: Kind, content: Mapping[str, Any]) -> dict[str, Any]:
    """What a route that takes work says of itself: its result, a job, or a problem.

    schema: of its result; content: of its request, by media type.
    """
    location = {"description": "Where the job is.", "schema": {"type": "string"}}
    return {
        "status_code": 202,
        "response_model": JobResource,
        "responses": {
            200: results(schema, kind.rows, "The result (with `Prefer: wait=N`)."),
            202: gives("A job.", "JobResource") | {"headers": {"Location": location}},
            **problems(*ASKING),
        },
        "openapi_extra": {"requestBody": {"required": True, "content": content}},
    }


def body(example: object, fields: Fields, csv: str | None = None, schema: str = "Release") -> dict[str, Any]:
    """A release (or a document of another schema) as it may be sent: a document, files of a form, or an archive.

    csv: example of a bare table.
    """
    content: dict[str, Any] = {media_type: {"schema": {"type": "string"}} for media_type in BODIES}
    content["application/json"] = {"schema": component(schema), "example": example}
    if csv is not None:
        content["text/csv"] |= {"example": csv}
    return content | archive() | form(fields)


def archive() -> dict[str, Any]:
    """The media type of a zip archive."""
    return {ARCHIVES[0]: {"schema": _BINARY}}


def form(fields: Fields, more: Sequence[str] = ("file",)) -> dict[str, Any]:
    """The media type of a form; `more`: fields that may come again and again."""
    properties: dict[str, Any] = dict.fromkeys((fields.main, *fields.others), _BINARY)
    properties |= {name: {"type": "array", "items": _BINARY} for name in more}
    return {FORM: {"schema": {"type": "object", "properties": properties, "additionalProperties": False}}}


_BINARY = {"type": "string", "format": "binary"}
