"""POST /v1/plans and /v1/published: which tables of a publication hang together, and all of them made safe."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from tableseal.api.http.described import body, work
from tableseal.api.http.intake import Asked, taken
from tableseal.api.http.parameters import Said, said
from tableseal.api.http.service import require
from tableseal.api.http.uploads import Fields
from tableseal.api.jobs.plan_kind import KIND as PLAN
from tableseal.api.jobs.published_kind import KIND as PUBLISHED
from tableseal.api.store.tokens import Role

FIELDS = Fields("plan", body="plan")

_RECORDS = [("N", "small"), ("N", "large"), ("S", "small"), ("S", "large")]
_HOW_OFTEN = [6, 9, 2, 12]

EXAMPLE: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Firms",
    "measures": {"firms": {"kind": "count"}},
    "variables": {
        "region": {"total": "T", "codes": ["N", "S"]},
        "size": {"total": "Total", "codes": ["small", "large"]},
    },
    "tables": [
        {"name": "firms", "measure": "firms", "by": ["region", "size"]},
        {"name": "regions", "measure": "firms", "by": ["region"]},
    ],
    "microdata": {
        "cells": {
            "region": [r for (r, _), n in zip(_RECORDS, _HOW_OFTEN, strict=True) for _ in range(n)],
            "size": [s for (_, s), n in zip(_RECORDS, _HOW_OFTEN, strict=True) for _ in range(n)],
        }
    },
    "policy": {"primary": [{"threshold": 3}]},
}
"""A plan that the documentation of the interface shows; it runs."""


router = APIRouter(tags=["plans"])


@router.post("/v1/plans", **work("Plan", PLAN, body(EXAMPLE, FIELDS, schema="PlanFile")))
async def post_plan(ask: Asked, options: Annotated[Said, Depends(said(PLAN.request))]) -> Response:
    """Show which tables of a plan hang together, and what is to be protected in place of them.

    The body is a plan in JSON or YAML, a bare list of tables as CSV, or a zip or a form (field `plan`) with the files
    that the plan names.
    """
    return await taken(ask, PLAN, FIELDS, options)


@router.post("/v1/published", **work("Published", PUBLISHED, body(EXAMPLE, FIELDS, schema="PlanFile")))
async def post_published(ask: Asked, options: Annotated[Said, Depends(said(PUBLISHED.request))]) -> Response:
    """Tabulate, protect and audit everything that a plan owes, cluster by cluster.

    `/v1/jobs/ID/public.zip` holds the tables of clusters whose audit says safe, `/v1/jobs/ID/agency.zip` copies with
    true values, patterns, reports and the certificate. A worker that is lost costs the cluster that was under way. With
    `publication=NAME` (role officer) nothing is public before all of it was judged with what is out under that name,
    which then has it as one entry.
    """
    if options["under"].get("publication") is not None:
        require(ask.http, ask.at, ask.asking, Role.OFFICER)
    return await taken(ask, PUBLISHED, FIELDS, options, by=ask.asking.who)
