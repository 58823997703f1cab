"""One HiGHS model of all withheld cells, primal simplex, warm from one objective to the next."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.attack import Attack, attack
from cases.benchmarks.competitors.protocol import Answer, Budget, Relation, Task, installed
from cases.benchmarks.instance import Instance

PRIMAL_SIMPLEX = 4


class WarmHighs:
    """The plain loop over all objectives that a good programmer writes with highspy."""

    name = "highs_warm"
    title = "HiGHS, one model, warm"
    packages = ("highspy",)
    relation: Relation = "equal"

    def available(self) -> bool:
        """Whether highspy is installed."""
        return installed(self.packages)

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """From cells in memory, as ours: building the system is part of the work."""
        del folder
        return Task(lambda: _bounds(attack(instance), budget), Answer)


def _bounds(system: Attack, seconds: float) -> NDArray[np.float64]:
    import highspy

    model = _model(system)
    cells = system.matrix.shape[1]
    ends = np.full((2, cells), np.nan)
    budget = Budget(seconds)
    senses = (highspy.ObjSense.kMinimize, highspy.ObjSense.kMaximize)
    for cell in range(cells):
        model.changeColCost(cell, 1.0)
        for end, sense in enumerate(senses):
            model.changeObjectiveSense(sense)
            model.run()
            status = model.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                ends[end, cell] = model.getInfo().objective_function_value
            elif end == 1 and status in (
                highspy.HighsModelStatus.kUnbounded,
                highspy.HighsModelStatus.kUnboundedOrInfeasible,
            ):
                ends[end, cell] = np.inf
        model.changeColCost(cell, 0.0)
        if budget.spent():
            break
    return ends


def _model(system: Attack) -> Any:
    import highspy

    rows, columns = system.matrix.shape
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = rows, columns
    program.col_cost_ = np.zeros(columns)
    program.col_lower_, program.col_upper_ = np.zeros(columns), np.full(columns, highspy.kHighsInf)
    program.row_lower_ = program.row_upper_ = system.right.astype(np.float64)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = system.matrix.indptr.astype(np.int32)
    program.a_matrix_.index_ = system.matrix.indices.astype(np.int32)
    program.a_matrix_.value_ = system.matrix.data.astype(np.float64)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("presolve", "off")
    model.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
    model.passModel(program)
    return model
