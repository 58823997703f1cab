"""POST /v1/suppressions, /v1/protections and /v1/comparisons: what to withhold or change, and which way is best."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.described import body, work
from tableseal.api.http.intake import Asked, taken
from tableseal.api.http.parameters import Said, said
from tableseal.api.http.uploads import RELEASE, Fields
from tableseal.api.jobs.comparison_kind import KIND as COMPARISON
from tableseal.api.jobs.protection_kind import KIND as PROTECTION
from tableseal.api.jobs.suppression_kind import KIND as SUPPRESSION

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


router = APIRouter(tags=["protection"])


@router.post("/v1/suppressions", **work("Suppression", SUPPRESSION, body(UNPROTECTED, SUPPRESSION_FIELDS)))
async def post_suppression(ask: Asked, options: Annotated[Said, Depends(said(SUPPRESSION.request))]) -> Response:
    """Withhold cells so that every sensitive cell stays protected, at least cost, and audit the result.

    In a form, the fields `decisions` and `last_period` are decisions by hand and the release of the last period. The
    protected release is `/v1/jobs/ID/protected`, if the audit says safe.
    """
    return await taken(ask, SUPPRESSION, SUPPRESSION_FIELDS, options)


@router.post("/v1/protections", **work("Protection", PROTECTION, body(UNPROTECTED, RELEASE)))
async def post_protection(ask: Asked, options: Annotated[Said, Depends(said(PROTECTION.request))]) -> Response:
    """Change the values of a release by a method, audit what is released, and say risk and utility.

    The protected release is `/v1/jobs/ID/protected`, if the audit says safe.
    """
    return await taken(ask, PROTECTION, RELEASE, options)


@router.post("/v1/comparisons", **work("Comparison", COMPARISON, body(UNPROTECTED, RELEASE)))
async def post_comparison(ask: Asked, options: Annotated[Said, Depends(said(COMPARISON.request))]) -> Response:
    """Protect a release in several ways and audit each: cells, cost, intervals, entropy and rank side by side."""
    return await taken(ask, COMPARISON, RELEASE, options)
