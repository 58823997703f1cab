"""Shipped cases of `tableseal sap`."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.cases.case import Expected, Run
from tableseal.audit.measures.sap.simulation import SimulatedTables, simulate_rounded_total
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.measures.sap.population import Population
    from tableseal.audit.measures.sap.result import Sap

REJECTED = 0.001
"""A published row is rejected if chance alone gives a deviation as large as its with less than this probability."""


@dataclass(frozen=True)
class SapOutcome:
    """Curves by definition; or the tables of a simulation, and the published rows (sample size -> tables by band)."""

    curves: "Mapping[str, Sap]"
    simulated: SimulatedTables | None = None
    published: Mapping[int, list[int]] = field(default_factory=dict)


def compute(run: Run, progress: Progress) -> SapOutcome:
    """Compute a run. Its options: `rounding`, `rounded_total` of a matrix of counts; or, for a file of published bands,
    `simulation` with the arguments of `simulate_rounded_total`.

    Raises
    ------
    InputError: files that cannot be used.
    """
    from tableseal.audit.measures.sap.definitions import resolved_sap, static_sap

    options = dict(run.options)
    simulation = options.pop("simulation", None)
    if isinstance(simulation, Mapping):
        return SapOutcome({}, simulate_rounded_total(**simulation), _published_rows(run.release))
    attack = _population(run, options).attack
    sizes = tuple(range(attack.total + 1))
    return SapOutcome({"static": static_sap(attack, sizes), "resolved": resolved_sap(attack, sizes, progress=progress)})


def _population(run: Run, options: Mapping[str, object]) -> "Population":
    from tableseal.audit.io import read_release
    from tableseal.audit.io.matrix import matrix_in
    from tableseal.audit.measures.sap.matrix_attack import of_counts
    from tableseal.audit.measures.sap.population import of_release

    counts = matrix_in(run.release)
    if counts is None:
        return of_release(read_release(run.release))
    return of_counts(counts, **options)  # type: ignore[arg-type]  # as of_counts has them


def _published_rows(path: Path) -> dict[int, list[int]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row[0]): [int(entry) for entry in row[1:]] for row in list(csv.reader(file))[1:]}


def look_up(outcome: SapOutcome, expected: Expected) -> "Json":
    """One value: `static 4` or `resolved 4`, SAP(4) as the text of its fraction (or its float).

    Of a simulation: `bands 4`, mean numbers of tables by bands of SAP(4); `rejected`, the sample sizes whose published
    rows do not fit.
    """
    what, _, size = expected.field.partition(" ")
    if outcome.simulated is not None:
        if what == "bands":
            return [round(float(v), 1) for v in outcome.simulated.means[int(size)]]
        return [n for n, row in outcome.published.items() if outcome.simulated.chance(n, row) < REJECTED]
    from tableseal.audit.measures.sap.result import fraction_text

    found = outcome.curves[what]
    at = found.n.index(int(size))
    return found.value[at] if found.exact is None else fraction_text(found.exact[at])
