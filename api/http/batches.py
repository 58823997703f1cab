"""POST /v1/batches."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.given_rules import GivenRules
from tableseal.api.http.described import archive, form, work_responses
from tableseal.api.http.intake import Asked, Order, answer
from tableseal.api.http.resources import JobResource
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import Fields, read_upload, refuse_too_much
from tableseal.api.jobs.batch_kind import KIND, BatchOptions, BatchRequest

FIELDS = Fields("releases", ("manifest", "policy"), packed=True)


class BatchParameters(BatchOptions, GivenRules):
    """Options of a batch as query parameters."""


router = APIRouter(tags=["batches"])


@router.post(
    "/v1/batches",
    status_code=202,
    response_model=JobResource,
    responses=work_responses("Batch", KIND.rows),
    openapi_extra={"requestBody": {"required": True, "content": archive() | form(FIELDS, ())}},
)
async def post_batch(ask: Asked, options: Annotated[BatchParameters, Query()]) -> Response:
    """Audit every release in a zip archive; one that fails never stops the others.

    The body is the archive, or a form with the field `releases` for it, `manifest` for a list of those that are wanted,
    and `policy` for a policy that goes before those of the releases. The result says what came out for each;
    `report.html` of the job is the same as a page, and the reports are `/v1/jobs/ID/reports/NAME.json` (with
    `html=true` also `NAME.html`).
    """
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool, FIELDS)
        packed = next(file.content for file in upload.files if file.name == upload.main)
        await run_in_threadpool(refuse_too_much, packed, ask.at.settings)
        wanted = BatchRequest(
            releases=upload.main,
            manifest=upload.roles.get("manifest"),
            policy=upload.roles.get("policy"),
            rules=options.alone(),
            options=BatchOptions(**options.model_dump(include=set(BatchOptions.model_fields))),
        )
        return await answer(ask, Order(KIND.name, wanted.model_dump_json(), upload.files))
