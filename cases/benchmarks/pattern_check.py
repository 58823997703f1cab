"""Is a pattern safe? Asked of GLPK, which neither we nor the others use for choosing patterns."""

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.attack import Attack, components, known
from cases.benchmarks.competitors.components_glpk import model_of
from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked

TOLERANCE = 1e-6


def underprotected(instance: Instance | Linked, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool (cells): primaries that an outsider can bound more closely than required (all that are not withheld)."""
    columns = np.flatnonzero(pattern)
    result = instance.primary & ~pattern
    for part in components(known(instance.equations, instance.values, pattern)):
        cells = columns[part.columns]
        asked = np.flatnonzero(instance.primary[cells])
        if len(asked):
            low, high = _reach(part, asked)
            value = instance.values[cells[asked]]
            need_low = np.maximum(value - instance.below[cells[asked]], 0)
            need_high = value + instance.above[cells[asked]]
            slack = TOLERANCE * np.maximum(1.0, np.abs(value))
            result[cells[asked]] = (low > need_low + slack) | (high < need_high - slack)
    return result


def _reach(part: Attack, asked: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest value of some columns."""
    import swiglpk as glpk

    model = model_of(part)
    settings = glpk.glp_smcp()
    glpk.glp_init_smcp(settings)
    settings.msg_lev, settings.meth = glpk.GLP_MSG_OFF, glpk.GLP_PRIMAL
    ends = np.full((2, len(asked)), np.nan)
    try:
        for k, column in enumerate((asked + 1).tolist()):
            glpk.glp_set_obj_coef(model, column, 1.0)
            for end, sense in enumerate((glpk.GLP_MIN, glpk.GLP_MAX)):
                glpk.glp_set_obj_dir(model, sense)
                glpk.glp_simplex(model, settings)
                status = glpk.glp_get_status(model)
                if status == glpk.GLP_UNBND:
                    ends[end, k] = -np.inf if end == 0 else np.inf
                elif status == glpk.GLP_OPT:
                    ends[end, k] = glpk.glp_get_obj_val(model)
                else:
                    raise RuntimeError(f"GLPK: status {status}")
            glpk.glp_set_obj_coef(model, column, 0.0)
    finally:
        glpk.glp_delete_prob(model)
    return ends[0], ends[1]
