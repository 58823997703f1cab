"""POST /v1/risk, /v1/sap and /v1/attacks: measures on their own."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.described import body, work
from tableseal.api.http.intake import Asked, taken
from tableseal.api.http.parameters import Said, said
from tableseal.api.http.uploads import RELEASE, Fields
from tableseal.api.jobs.attack_kind import KIND as ATTACK
from tableseal.api.jobs.risk_kind import KIND as RISK
from tableseal.api.jobs.sap_kind import KIND as SAP

RISK_FIELDS = Fields("original", ("protected", "transition"))
SAP_FIELDS = Fields("table", ("upper",))

_VALUES = [3, 17, 20, 23, 7, 30, 26, 24, 50]
_CELLS = {name: codes for name, codes in EXAMPLE["tables"][0]["cells"].items() if name != "status"}
KNOWN = {**EXAMPLE, "tables": [{"name": "by_region_and_size", "cells": {**_CELLS, "value": _VALUES}}]}
"""A release whose values are all there."""

_SHOWN = {**_CELLS, "value": [4, 16, 20, 24, 6, 30, 27, 23, 50], "truth": _VALUES}
CHANGED = {
    **EXAMPLE,
    "tables": [
        {
            "name": "by_region_and_size",
            "cells": _SHOWN,
            "truth": "truth",
            "rounding": {"method": "cell_key", "range": 1},
        }
    ],
}
"""A release whose values were changed by at most 1, with the true ones."""

MATRIX = "3,17\n23,0\n"
"""A bare matrix of counts."""


router = APIRouter(tags=["measures"])


@router.post("/v1/risk", **work("Risk", RISK, body(KNOWN, RISK_FIELDS, MATRIX)))
async def post_risk(ask: Asked, options: Annotated[Said, Depends(said(RISK.request))]) -> Response:
    """Measure the risk of a whole frequency table, before and after protection.

    The body is a release or, as CSV, a bare matrix of counts. In a form, the field `original` is the table, `protected`
    the table after protection, and `transition` a matrix of transition probabilities.
    """
    return await taken(ask, RISK, RISK_FIELDS, options)


@router.post("/v1/sap", **work("Sap", SAP, body(KNOWN, SAP_FIELDS, MATRIX)))
async def post_sap(ask: Asked, options: Annotated[Said, Depends(said(SAP.request))]) -> Response:
    """Measure the probability that subtracting known units recovers a zero.

    The body is a release with true values or, as CSV, a bare matrix of counts. In a form, the field `table` is that,
    and `upper` a matrix of the tightest upper bounds.
    """
    return await taken(ask, SAP, SAP_FIELDS, options)


@router.post("/v1/attacks", **work("Attack", ATTACK, body(CHANGED, RELEASE)))
async def post_attack(ask: Asked, options: Annotated[Said, Depends(said(ATTACK.request))]) -> Response:
    """Attack a release whose counts were changed, and say which true counts come back.

    The body is the agency's copy of the release, with true values beside the published ones.
    """
    return await taken(ask, ATTACK, RELEASE, options)
