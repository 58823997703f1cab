"""Shipped cases of `tableseal risk`."""

from typing import TYPE_CHECKING

from tableseal.api.cases.case import Expected, Run
from tableseal.audit.io.files import read_text
from tableseal.audit.io.matrix import read_matrix
from tableseal.audit.measures.risk.measure import RiskSettings, measure
from tableseal.audit.model.count_table import CountTable
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.random_rounding import random_rounding

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.measures.risk.result import RiskResult


def compute(run: Run, progress: Progress) -> "RiskResult":
    """Measure the bare matrix of a run; its options are the fields of `RiskSettings`."""
    name = run.release.name
    counts = read_matrix(read_text(run.release, source=name)[0], name)
    settings = RiskSettings(draw=random_rounding, **run.options)  # type: ignore[arg-type]  # the dataclass has a say
    return measure(CountTable.of_matrix(name, counts), settings)


def look_up(report: "RiskResult", expected: Expected) -> "Json":
    """One figure: `R1`, `R2` or `HD`, alone for the whole table or behind `row 3` or `column 3`.

    `estimated R1`, `estimated R2`, `true R1` and `true R2` are those of a sample.
    """
    place, _, figure = expected.field.rpartition(" ")
    sample = report.sample
    if place in ("estimated", "true"):
        if sample is None or sample.true_r2 is None:
            return None
        known: dict[str, Json] = {"true R1": sample.true_r1, "true R2": sample.true_r2.mean}
        return (known | {"estimated R1": sample.r1.mean, "estimated R2": sample.r2.mean})[expected.field]
    variable, _, code = place.partition(" ")
    where = {variable: code} if place else {}
    part = next(part for part in report.parts if dict(part.where) == where)
    if figure == "R1" or part.after is None:
        return part.risk
    return {"R2": part.after.risk, "HD": part.after.distance}[figure].mean
