"""The kind `plan`: a plan in, which of its tables hang together out, as `tableseal plan`."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.store.job import Document

if TYPE_CHECKING:
    from tableseal.audit.plans.read import Plan


class PlanRequest(BaseModel):
    """Which of the files is the plan; draft: see `ReleaseRequest`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    plan: str
    draft: str | None = None


def run(request: PlanRequest, context: Context) -> Result:
    """Say what the plan in the folder comes to.

    Raises
    ------
    InputError: it cannot be used.
    """
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.plans.report import plan_report

    return Result(
        (Document("plan.json", "application/json", json_of(plan_report(plan_in(request, context))).encode()),)
    )


def plan_in(request: PlanRequest, context: Context) -> "Plan":
    """The plan that a request names, read as the command line reads it.

    Raises
    ------
    InputError: it cannot be used.
    """
    from tableseal.audit.plans.read import read_plan

    return read_plan(context.folder / request.plan)


KIND = Kind("plan", PlanRequest, run, Rows("plan", "clusters"))
