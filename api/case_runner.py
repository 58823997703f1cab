"""Run a shipped case and put what comes out beside what is expected."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from tableseal.api.cases import Case, Expected, Run
from tableseal.audit.errors import InputError, TablesealError

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.report.model import Report, ReportCell

Progress = Callable[[str, int, int], None]
LookUp = Callable[[Expected], "Json"]
"""Gives the value that came out beside an expected one."""


@dataclass(frozen=True)
class Comparison:
    """One expected value and what was computed; `agrees` within the stated tolerance."""

    expected: Expected
    computed: "Json"
    agrees: bool


def run_case(case: Case, progress: Progress | None = None, *, slow: bool = False) -> tuple[Comparison, ...]:
    """Compute the runs of a case and compare, in the order of `expected.json`; slow ones only if asked for."""
    outcomes = {run.name: _outcome(run, progress) for run in case.runs if slow or not run.slow}
    return tuple(_compare(expected, outcomes[expected.run]) for expected in case.expected if expected.run in outcomes)


def _outcome(run: Run, progress: Progress | None) -> "LookUp | TablesealError":
    """What one run gives, or the error it ends with."""
    try:
        if run.kind == "risk":
            from tableseal.api.risk_cases import look_up_risk, run_risk

            return partial(look_up_risk, run_risk(run))
        if run.kind == "sap":
            from tableseal.api.sap_cases import look_up_sap, run_sap

            return partial(look_up_sap, run_sap(run))
        if run.kind == "suppress":
            from tableseal.api.suppress_cases import look_up_suppress, run_suppress

            return partial(look_up_suppress, run_suppress(run))
        if run.kind == "audit":
            return partial(look_up, _report(run, progress))
        raise InputError(f'run "{run.name}": there is no kind "{run.kind}"; kinds are audit, risk, sap, suppress.')
    except TablesealError as error:
        return error


def _report(run: Run, progress: Progress | None) -> "Report":
    from tableseal.audit.io import read_release
    from tableseal.audit.pipeline import audit

    return audit(
        read_release(run.release, policy=run.policy),
        bounds=run.bounds,  # type: ignore[arg-type]  # the engine refuses other words
        withhold_primaries=run.withhold_primaries,
        cumulative=run.cumulative,
        progress=progress,
    ).report


def _compare(expected: Expected, outcome: "LookUp | TablesealError") -> Comparison:
    if isinstance(outcome, TablesealError):
        text = str(outcome)
        named = expected.value if isinstance(expected.value, list) else []
        return Comparison(expected, text, expected.field == "error" and all(word in text for word in named))
    computed = outcome(expected)
    return Comparison(expected, computed, _equal(expected.value, computed, expected.tolerance))


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
    return next((cell for cell in report.cells if dict(cell.cell) == wanted), None)


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


def _equal(expected: object, computed: object, tolerance: Fraction) -> bool:
    if isinstance(expected, list) and isinstance(computed, list):
        return len(expected) == len(computed) and all(
            _equal(e, c, tolerance) for e, c in zip(expected, computed, strict=True)
        )
    if isinstance(expected, int | Fraction) and isinstance(computed, int | float | Fraction):
        return abs(Fraction(computed) - expected) <= tolerance
    return expected == computed
