"""Connected components first, then GLPK's primal simplex on each, warm from one objective to the next."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.attack import Attack, attack, components
from cases.benchmarks.competitors.protocol import Answer, Budget, Relation, Task, installed
from cases.benchmarks.instance import Instance

ORDER_SEED = 1
"""Components are taken in random order, so that what a cut run has done is a fair sample."""


class ComponentsGlpk:
    """The best that a good programmer reaches with a solver from the shelf; also the independent reference."""

    name = "glpk_components"
    title = "components, then GLPK warm"
    packages = ("swiglpk",)
    relation: Relation = "equal"

    def available(self) -> bool:
        """Whether swiglpk is installed."""
        return installed(self.packages)

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """From cells in memory, as ours: building the system is part of the work."""
        del folder
        return Task(lambda: _bounds(attack(instance), budget), Answer)


def _bounds(system: Attack, seconds: float) -> NDArray[np.float64]:
    ends = np.full((2, system.matrix.shape[1]), np.nan)
    budget = Budget(seconds)
    parts = components(system)
    for at in np.random.default_rng(ORDER_SEED).permutation(len(parts)).tolist():
        if budget.spent():
            break
        _bound_part(parts[at], ends, budget)
    return ends


def _bound_part(part: Attack, ends: NDArray[np.float64], budget: Budget) -> None:
    import swiglpk as glpk

    model = model_of(part)
    settings = glpk.glp_smcp()
    glpk.glp_init_smcp(settings)
    settings.msg_lev = glpk.GLP_MSG_OFF
    settings.meth = glpk.GLP_PRIMAL
    try:
        for column, cell in enumerate(part.columns.tolist(), start=1):
            glpk.glp_set_obj_coef(model, column, 1.0)
            for end, sense in enumerate((glpk.GLP_MIN, glpk.GLP_MAX)):
                glpk.glp_set_obj_dir(model, sense)
                glpk.glp_simplex(model, settings)
                status = glpk.glp_get_status(model)
                if status == glpk.GLP_OPT:
                    ends[end, cell] = glpk.glp_get_obj_val(model)
                elif end == 1 and status == glpk.GLP_UNBND:
                    ends[end, cell] = np.inf
            glpk.glp_set_obj_coef(model, column, 0.0)
            if budget.spent():
                break
    finally:
        glpk.glp_delete_prob(model)


def model_of(part: Attack) -> Any:
    import swiglpk as glpk

    rows, columns = part.matrix.shape
    model = glpk.glp_create_prob()
    glpk.glp_add_rows(model, rows)
    glpk.glp_add_cols(model, columns)
    for row, right in enumerate(part.right.tolist(), start=1):
        glpk.glp_set_row_bnds(model, row, glpk.GLP_FX, right, right)
    for column in range(1, columns + 1):
        glpk.glp_set_col_bnds(model, column, glpk.GLP_LO, 0.0, 0.0)
    entries = part.matrix.tocoo()
    row_of, column_of, value_of = (make(entries.nnz + 1) for make in (glpk.intArray, glpk.intArray, glpk.doubleArray))
    triples = zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True)
    for at, (row, column, value) in enumerate(triples, start=1):
        row_of[at], column_of[at], value_of[at] = row + 1, column + 1, float(value)
    glpk.glp_load_matrix(model, entries.nnz, row_of, column_of, value_of)
    return model
