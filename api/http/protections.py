"""POST /v1/suppressions and /v1/comparisons: what to withhold, and which way is best."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from tableseal.api.given_rules import GivenRules
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.described import body, component, work_responses
from tableseal.api.http.intake import Asked, Order, answer
from tableseal.api.http.resources import JobResource
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import RELEASE, Fields, read_upload
from tableseal.api.jobs.comparison_kind import KIND as COMPARISON
from tableseal.api.jobs.comparison_kind import CompareOptions, ComparisonRequest
from tableseal.api.jobs.releases import StatusMap
from tableseal.api.jobs.suppression_kind import KIND as SUPPRESSION
from tableseal.api.jobs.suppression_kind import SuppressionRequest, Symbol
from tableseal.api.suppressing import SuppressOptions

SUPPRESSION_FIELDS = Fields("release", ("policy", "decisions", "last_period"))

UNPROTECTED: dict[str, Any] = {
    **EXAMPLE,
    "policy": {"primary": [{"threshold": 5}]},
    "tables": [
        {
            "name": "by_region_and_size",
            "cells": {
                "region": EXAMPLE["tables"][0]["cells"]["region"],
                "size": EXAMPLE["tables"][0]["cells"]["size"],
                "value": [3, 17, 20, 23, 7, 30, 26, 24, 50],
            },
        }
    ],
}
"""A release with a sensitive cell that is not withheld yet."""


class SuppressionParameters(SuppressOptions, GivenRules):
    """Options of a search as query parameters."""

    tell_statuses: Annotated[bool, Field(description="The protected release tells primary from secondary cells.")] = (
        False
    )
    symbol: Symbol = None
    status_map: StatusMap = ()


class ComparisonParameters(CompareOptions, GivenRules):
    """Options of a comparison as query parameters."""

    status_map: StatusMap = ()


router = APIRouter(tags=["protection"])


@router.post(
    "/v1/suppressions",
    status_code=202,
    response_model=JobResource,
    responses=work_responses("Suppression", SUPPRESSION.rows),
    openapi_extra=body(component("Release"), UNPROTECTED, SUPPRESSION_FIELDS),
)
async def post_suppression(ask: Asked, options: Annotated[SuppressionParameters, Query()]) -> Response:
    """Withhold cells so that every sensitive cell stays protected, at least cost, and audit the result.

    In a form, the fields `decisions` and `last_period` are decisions by hand and the release of the last period. The
    protected release is `/v1/jobs/ID/protected`, if the audit says safe.
    """
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool, SUPPRESSION_FIELDS)
        wanted = SuppressionRequest(
            release=upload.main,
            **upload.roles,
            rules=options.alone(),
            status_map=options.status_map,
            tell_statuses=options.tell_statuses,
            symbol=options.symbol,
            options=SuppressOptions(**options.model_dump(include=set(SuppressOptions.model_fields))),
        )
        return await answer(ask, Order(SUPPRESSION.name, wanted.model_dump_json(), upload.files))


@router.post(
    "/v1/comparisons",
    status_code=202,
    response_model=JobResource,
    responses=work_responses("Comparison", COMPARISON.rows),
    openapi_extra=body(component("Release"), UNPROTECTED, RELEASE),
)
async def post_comparison(ask: Asked, options: Annotated[ComparisonParameters, Query()]) -> Response:
    """Protect a release in several ways and audit each: cells, cost, intervals, entropy and rank side by side."""
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool)
        wanted = ComparisonRequest(
            release=upload.main,
            **upload.roles,
            rules=options.alone(),
            status_map=options.status_map,
            options=CompareOptions(**options.model_dump(include=set(CompareOptions.model_fields))),
        )
        return await answer(ask, Order(COMPARISON.name, wanted.model_dump_json(), upload.files))
