"""POST /v1/batches."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from tableseal.api.http.described import archive, form, work
from tableseal.api.http.intake import Asked, taken
from tableseal.api.http.parameters import Said, said
from tableseal.api.http.uploads import Fields
from tableseal.api.jobs.batch_kind import KIND

FIELDS = Fields("releases", ("manifest", "policy"), packed=True)


router = APIRouter(tags=["batches"])


@router.post("/v1/batches", **work("Batch", KIND, archive() | form(FIELDS, ())))
async def post_batch(ask: Asked, options: Annotated[Said, Depends(said(KIND.request))]) -> Response:
    """Audit every release in a zip archive; one that fails never stops the others.

    The body is the archive, or a form with the field `releases` for it, `manifest` for a list of those that are wanted,
    and `policy` for a policy that goes before those of the releases. The result says what came out for each;
    `report.html` of the job is the same as a page, and the reports are `/v1/jobs/ID/reports/NAME.json` (with
    `html=true` also `NAME.html`).
    """
    return await taken(ask, KIND, FIELDS, options)
