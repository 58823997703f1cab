"""POST /v1/risk and /v1/sap: measures on their own."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.described import body, component, work_responses
from tableseal.api.http.intake import Asked, Order, answer
from tableseal.api.http.resources import JobResource
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import Fields, read_upload
from tableseal.api.jobs.releases import StatusMap
from tableseal.api.jobs.risk_kind import KIND as RISK
from tableseal.api.jobs.risk_kind import RiskOrder
from tableseal.api.jobs.sap_kind import KIND as SAP
from tableseal.api.jobs.sap_kind import SapOrder
from tableseal.api.risk_options import RiskOptions
from tableseal.api.sap import SapOptions

RISK_FIELDS = Fields("original", ("protected", "transition"))
SAP_FIELDS = Fields("table", ("upper",))

_VALUES = [3, 17, 20, 23, 7, 30, 26, 24, 50]
_CELLS = {name: codes for name, codes in EXAMPLE["tables"][0]["cells"].items() if name != "status"}
KNOWN = {**EXAMPLE, "tables": [{"name": "by_region_and_size", "cells": {**_CELLS, "value": _VALUES}}]}
"""A release whose values are all there."""

MATRIX = "3,17\n23,0\n"
"""A bare matrix of counts."""


class RiskParameters(RiskOptions):
    """Options of a measurement of risk as query parameters."""

    status_map: StatusMap = ()


class SapParameters(SapOptions):
    """Options of SAP as query parameters."""

    status_map: StatusMap = ()


router = APIRouter(tags=["measures"])


@router.post(
    "/v1/risk",
    status_code=202,
    response_model=JobResource,
    responses=work_responses("Risk", RISK.rows),
    openapi_extra=body(component("Release"), KNOWN, RISK_FIELDS, MATRIX),
)
async def post_risk(ask: Asked, options: Annotated[RiskParameters, Query()]) -> Response:
    """Measure the risk of a whole frequency table, before and after protection.

    The body is a release or, as CSV, a bare matrix of counts. In a form, the field `original` is the table, `protected`
    the table after protection, and `transition` a matrix of transition probabilities.
    """
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool, RISK_FIELDS)
        wanted = RiskOrder(
            original=upload.main,
            protected=upload.roles.get("protected"),
            transition=upload.roles.get("transition"),
            status_map=options.status_map,
            options=RiskOptions(**options.model_dump(include=set(RiskOptions.model_fields))),
        )
        return await answer(ask, Order(RISK.name, wanted.model_dump_json(), upload.files))


@router.post(
    "/v1/sap",
    status_code=202,
    response_model=JobResource,
    responses=work_responses("Sap", SAP.rows),
    openapi_extra=body(component("Release"), KNOWN, SAP_FIELDS, MATRIX),
)
async def post_sap(ask: Asked, options: Annotated[SapParameters, Query()]) -> Response:
    """Measure the probability that subtracting known units recovers a zero.

    The body is a release with true values or, as CSV, a bare matrix of counts. In a form, the field `table` is that,
    and `upper` a matrix of the tightest upper bounds.
    """
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool, SAP_FIELDS)
        wanted = SapOrder(
            table=upload.main,
            upper=upload.roles.get("upper"),
            status_map=options.status_map,
            options=SapOptions(**options.model_dump(include=set(SapOptions.model_fields))),
        )
        return await answer(ask, Order(SAP.name, wanted.model_dump_json(), upload.files))
