"""POST /v1/audits."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from tableseal.api.http.described import body, work
from tableseal.api.http.intake import Asked, taken
from tableseal.api.http.parameters import Said, said
from tableseal.api.http.uploads import RELEASE
from tableseal.api.jobs.audit_kind import KIND

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
                "value": [2, 18, 20, 24, 6, 30, 26, 24, 50],
                "status": ["primary", "secondary", "", "secondary", "secondary", "", "", "", ""],
            },
        }
    ],
    "policy": {"primary": [{"threshold": 3}]},
}
"""A release that the documentation of the interface shows; it runs."""


router = APIRouter(tags=["audits"])


@router.post("/v1/audits", **work("Report", KIND, body(EXAMPLE, RELEASE)))
async def post_audit(ask: Asked, options: Annotated[Said, Depends(said(KIND.request))]) -> Response:
    """Audit a release: as the body (a release file in JSON or YAML, or bare CSV), as files of a form, or as a zip.

    Options are query parameters. In a form, the field `release` is the release file, `policy` a policy that goes before
    the release's own, and every other field a file that the release names.
    """
    return await taken(ask, KIND, RELEASE, options)
