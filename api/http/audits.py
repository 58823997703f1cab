"""POST /v1/audits."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from tableseal.api.auditing import AuditOptions
from tableseal.api.given_rules import GivenRules
from tableseal.api.http.described import body, component, work_responses
from tableseal.api.http.intake import Asked, Order, answer
from tableseal.api.http.resources import JobResource
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import RELEASE, read_upload
from tableseal.api.jobs.audit_kind import KIND, AuditRequest
from tableseal.api.jobs.releases import StatusMap

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


class AuditParameters(AuditOptions, GivenRules):
    """Options of an audit as query parameters."""

    public: Annotated[bool, Field(description="Leave out of the report what only the agency may know.")] = False
    html: Annotated[bool, Field(description="Also make a page of the report, `/v1/jobs/{job}/report.html`.")] = False
    status_map: StatusMap = ()


router = APIRouter(tags=["audits"])


@router.post(
    "/v1/audits",
    status_code=202,
    response_model=JobResource,
    responses=work_responses("Report", KIND.rows),
    openapi_extra=body(component("Release"), EXAMPLE, RELEASE),
)
async def post_audit(ask: Asked, options: Annotated[AuditParameters, Query()]) -> Response:
    """Audit a release: as the body (a release file in JSON or YAML, or bare CSV), as files of a form, or as a zip.

    Options are query parameters. In a form, the field `release` is the release file, `policy` a policy that goes before
    the release's own, and every other field a file that the release names.
    """
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool)
        wanted = AuditRequest(
            release=upload.main,
            policy=upload.roles.get("policy"),
            rules=options.alone(),
            status_map=options.status_map,
            public=options.public,
            html=options.html,
            options=AuditOptions(**options.model_dump(include=set(AuditOptions.model_fields))),
        )
        return await answer(ask, Order(KIND.name, wanted.model_dump_json(), upload.files))
