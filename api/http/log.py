"""GET /v1/audit-log."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from tableseal.api.http.described import problems
from tableseal.api.http.service import Officer, ServiceDep
from tableseal.api.store.log import log_of

router = APIRouter(tags=["log"])


class LogResource(BaseModel):
    """Something that was done."""

    id: int
    at: datetime
    who: Annotated[str, Field(description="The key: its name and its public part.")]
    action: Annotated[str, Field(description="Such as audit.submit, result.read, publication.publish.")]
    object: Annotated[str, Field(description="Id of a job or a key, or a publication; never a value.")]
    outcome: Annotated[str, Field(description="done, the verdict, or refused.")]


@router.get("/v1/audit-log", responses=problems(401, 403, 422, 500, 503))
def get_log(
    at: ServiceDep,
    asking: Officer,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="Only entries with smaller ids.")] = None,
) -> list[LogResource]:
    """Who did what with what belongs to your department, newest first. Nobody can change or erase it."""
    with at.store.reading() as connection:
        found = log_of(connection, asking.owner, limit=limit, before=before)
    return [LogResource(**asdict(entry) | {"at": datetime.fromtimestamp(entry.at, UTC)}) for entry in found]
