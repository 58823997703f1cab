"""The audit of gconfid (Statistics Canada), which re-sends its model through PuLP for every objective.

It needs an upper limit for every cell: at most ten times its value. Its intervals are therefore inside those of an
intruder who knows no limit. It refuses zeros, which are left out.
"""

import logging
from pathlib import Path
from typing import Any

import numpy as np

from cases.benchmarks.competitors.protocol import Answer, Relation, Task, installed
from cases.benchmarks.instance import Instance

WIDEST = {"lb_factor": 0.0, "ub_factor": 10.0}
"""The widest limits that it accepts, as multiples of the true value."""


class GconfidAudit:
    """gconfid.Auditing without its shuttle, which only slows it down."""

    name = "gconfid"
    title = "gconfid audit"
    packages = ("gconfid",)
    relation: Relation = "inside"

    def available(self) -> bool:
        """Whether gconfid is installed."""
        return installed(self.packages)

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """Data frames are made beforehand."""
        del folder, budget
        import gconfid
        import pulp

        logging.getLogger("gconfid").setLevel(logging.ERROR)
        cells, constraints = _frames(instance)

        def run() -> Any:
            solver = pulp.getSolver("HiGHS", msg=False, threads=1)
            return gconfid.Auditing(cells, constraints, custom_solver=solver, trace=logging.ERROR, **WIDEST).outaudit

        return Task(run, lambda table: _answer(instance, table))


def _frames(instance: Instance) -> tuple[Any, Any]:
    import pandas as pd

    kept = instance.values > 0
    number = np.arange(1, len(instance.values) + 1)
    cells = pd.DataFrame(
        {
            "CellId": number.astype(np.float64),
            "Total": instance.values.astype(np.float64),
            "TotalNoise": instance.values.astype(np.float64),
            "Sensitivity": np.where(instance.primary, instance.above, -1).astype(np.float64),
            "Status": np.where(instance.primary, "S", np.where(instance.withheld, "X", "V")),
            "Type": "C",
            "OutStatus": np.where(instance.withheld, "X", "P"),
        }
    )[kept]
    entries = instance.equations.tocoo()
    used = kept[entries.col]
    constraints = pd.DataFrame(
        {
            "ConstraintId": entries.row[used] + 1.0,
            "CellId": entries.col[used] + 1.0,
            "Coefficient": entries.data[used],
        }
    )
    return cells, constraints


def _answer(instance: Instance, table: Any) -> Answer:
    frame = table.to_pandas() if hasattr(table, "to_pandas") else table
    ends = np.full((2, len(instance.values)), np.nan)
    ends[:, frame["CellId"].to_numpy().astype(np.int64) - 1] = frame[["MinValue", "MaxValue"]].to_numpy().T
    return Answer(ends[:, instance.withheld])
