"""Shipped cases of `tableseal suppress`."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tableseal.api.cases.case import Expected, Run
from tableseal.api.options.checking import checked
from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.suppressing import run_suppression, with_reasons
from tableseal.audit.io import read_release
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.suppression.answer import Suppression


def compute(run: Run, progress: Progress) -> "Suppression":
    """Protect the release of a run. Options: those of SuppressOptions."""
    options = checked(SuppressOptions, run.options, who=f'run "{run.name}"')
    return with_reasons(
        run_suppression(read_release(run.release, policy=run.policy), options, progress=progress), options
    )


def look_up(result: "Suppression", expected: Expected) -> "Json":
    """One value: `status`, `cost`, `bound`, `guarantee`, `most rank` of any pattern within a budget, `primary`,
    `secondary`, `verdict` of the audit, `findings` (sensitive cells exposed or underprotected), `rank` of what is
    released, `withheld for nothing`, `in the way` (cells that a conflict names), `error`; of a cell `status`: primary,
    secondary or published."""
    found, problem = result.found, result.problem
    if expected.cell is not None:
        return _status(result, dict(expected.cell))
    secondary = None if found.pattern is None else result.secondary
    report = result.report
    bad = ("exposed", "underprotected")
    findings = None if report is None else sum(bool(c.sensitive) and c.verdict in bad for c in report.cells)
    values: dict[str, Json] = {
        "status": found.status,
        "cost": None if found.pattern is None else Fraction(found.cost, problem.scale),
        "bound": None if found.pattern is None else Fraction(found.bound, problem.scale),
        "primary": int(problem.primary.sum()),
        "secondary": secondary,
        "verdict": None if report is None else report.verdict,
        "findings": findings,
        "guarantee": found.guarantee,
        "most rank": found.most_rank,
        "rank": None if report is None else report.summary.rank,
        "withheld for nothing": len(result.idle),
        "in the way": None if result.conflict is None else len(result.conflict.blocking),
        "error": None,
    }
    return values[expected.field]


def _status(result: "Suppression", wanted: dict[str, str]) -> "Json":
    problem, pattern = result.problem, result.found.pattern
    for cell in np.flatnonzero(problem.cells.row >= 0).tolist():
        if problem.release.cell_codes(problem.cells.codes[cell]) == wanted:
            if problem.primary[cell]:
                return "primary"
            return "secondary" if pattern is not None and pattern[cell] else "published"
    return None
