"""Shipped cases of `tableseal audit`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tableseal.api.cases.case import Expected, Run
from tableseal.audit.io import read_release
from tableseal.audit.pipeline import audit
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.report.model import Report, ReportCell


def compute(run: Run, progress: Progress) -> "Report":
    """Audit the release of a run."""
    return audit(
        read_release(run.release, policy=run.policy),
        bounds=run.bounds,  # type: ignore[arg-type]  # the engine refuses other words
        withhold_primaries=run.withhold_primaries,
        cumulative=run.cumulative,
        progress=progress,
    ).report


def look_up(report: "Report", expected: Expected) -> "Json":
    """One value of a report.

    Fields of the whole report: `verdict`, `findings` (cells exposed or underprotected), `summary NAME`,
    `error` (None, because there is a report). Fields of a cell: `interval`, `lower`, `upper`, `lp`, `lp lower`,
    `attained`, `possible` (a number, or [at least, at most] where they differ), `step TABLE` (the interval
    once that table is out), `reveals` (its text) and every other attribute of `ReportCell`. None: no such cell.
    """
    field = expected.field
    if field.startswith("summary "):
        count: int = getattr(report.summary, field.removeprefix("summary "))
        return count
    if expected.cell is None:
        findings = sum(cell.verdict in ("exposed", "underprotected") for cell in report.cells)
        return {"verdict": report.verdict, "findings": findings, "error": None}[field]
    cell = _find(report, expected.cell)
    return None if cell is None else _of_cell(cell, field)


def _find(report: "Report", wanted: Mapping[str, str]) -> "ReportCell | None":
    return next((cell for cell in report.cells if wanted in (dict(cell.cell), _with_measure(cell))), None)


def _with_measure(cell: "ReportCell") -> dict[str, str]:
    return {"measure": cell.measure, **dict(cell.cell)}


def _of_cell(cell: "ReportCell", field: str) -> "Json":
    if field.startswith("step "):
        table = field.removeprefix("step ")
        return next(([step.lower, step.upper] for step in cell.steps if step.table == table), None)
    if field == "interval":
        return [cell.lower, cell.upper]
    if field in ("lp", "attained"):
        pair = getattr(cell, field)
        return None if pair is None else list(pair)
    if field == "lp lower":
        return None if cell.lp is None else cell.lp[0]
    if field == "possible":
        least, most = cell.possible.at_least, cell.possible.at_most
        return least if least == most else [least, most]
    if field == "reveals":
        return None if cell.reveals is None else cell.reveals.text
    value: Json = getattr(cell, field)
    return value
