"""POST /v1/audits."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from api.auditing import AuditOptions
from api.http.intake import Order, answer
from api.http.resources import JobResource
from api.http.service import Analyst, ServiceDep
from api.http.uploads import read_upload

EXAMPLE: dict[str, Any] = {
    "tableseal": 1,
    "title": "Companies by region and size",
    "kind": "count",
    "variables": {
        "region": {"total": "T", "codes": ["N", "S"]},
        "size": {"total": "Total", "codes": ["small", "large"]},
    },
    "tables": [
        {
            "name": "by_region_and_size",
            "status": "status",
            "cells": {
                "region": ["N", "N", "N", "S", "S", "S", "T", "T", "T"],
                "size": ["small", "large", "Total", "small", "large", "Total", "small", "large", "Total"],
                "value": [None, None, 20, None, None, 30, 26, 24, 50],
                "status": ["primary", "secondary", "", "secondary", "secondary", "", "", "", ""],
            },
        }
    ],
}
"""A release that the documentation of the interface shows; it runs."""

_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "object"}, "example": EXAMPLE},
            "application/yaml": {"schema": {"type": "string"}},
            "text/csv": {"schema": {"type": "string"}},
            "application/zip": {"schema": {"type": "string", "format": "binary"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "release": {"type": "string", "format": "binary"},
                        "policy": {"type": "string", "format": "binary"},
                        "file": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    },
                }
            },
        },
    }
}

PreferHeader = Annotated[
    str | None, Header(description="`wait=N`: answer with the result if it is there within N seconds.")
]
IdempotencyHeader = Annotated[
    str | None, Header(description="A key of your choice: the same request with it is never worked on twice.")
]

router = APIRouter(tags=["audits"])


@router.post(
    "/v1/audits",
    status_code=202,
    response_model=JobResource,
    responses={
        200: {"description": "The report (with `Prefer: wait`).", "content": {"application/json": {}}},
        202: {"description": "A job; `Location` says where."},
    },
    openapi_extra=_BODY,
)
async def post_audit(
    request: Request,
    at: ServiceDep,
    asking: Analyst,
    options: Annotated[AuditOptions, Query()],
    prefer: PreferHeader = None,
    idempotency_key: IdempotencyHeader = None,
) -> Response:
    """Audit a release: as the body (a release file in JSON or YAML, or bare CSV), as files of a form, or as a zip.

    Options are query parameters. In a form, the field `release` is the release file, `policy` a policy that goes before
    the release's own, and every other field a file that the release names.
    """
    from api.jobs.audit_kind import AuditRequest

    upload = await read_upload(request, at.settings)
    wanted = AuditRequest(release=upload.release, policy=upload.policy, options=options)
    return await answer(at, asking, Order("audit", wanted.model_dump_json(), upload.files), prefer, idempotency_key)
