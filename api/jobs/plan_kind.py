"""The kind `plan`: a plan in, which of its tables hang together out, as `tableseal plan`."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.store.job import Document

if TYPE_CHECKING:
    from tableseal.audit.plans.read import Plan


FILES = "files/"
"""Prefix of the files of a plan among those of a result."""


class PlanRequest(BaseModel):
    """Which of the files is the plan. draft: the job `plan` whose files these are, for those who look from the job back
    to it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    plan: str
    draft: str | None = None


class ShownRequest(PlanRequest):
    """Which of the files is the plan. kept: files that stay with the result, for jobs that begin with them."""

    kept: tuple[str, ...] = ()


def run(request: ShownRequest, context: Context) -> Result:
    """Say what the plan in the folder comes to.

    Raises
    ------
    InputError: it cannot be used.
    """
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.plans.report import plan_report

    report = plan_report(plan_in(request, context))
    answer = Document("plan.json", "application/json", json_of(report).encode())
    kept = (Document(FILES + name, "application/octet-stream", context.folder / name) for name in request.kept)
    return Result((answer, *kept), title=report.title)


def plan_in(request: PlanRequest, context: Context) -> "Plan":
    """The plan that a request names, read as the command line reads it.

    Raises
    ------
    InputError: it cannot be used.
    """
    from tableseal.audit.plans.read import read_plan

    return read_plan(context.folder / request.plan)


KIND = Kind("plan", ShownRequest, run, Rows("plan", "clusters"))
