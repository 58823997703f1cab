"""A second linear programming engine of independent origin (GLPK); scipy's is HiGHS again."""

import swiglpk as glpk
from numpy.typing import NDArray


def minimise(matrix: NDArray, lower: NDArray, upper: NDArray, column_lower: NDArray, cost: NDArray) -> float | None:
    """Least cost @ x with lower <= matrix @ x <= upper and x >= column_lower; None if there is no limit.

    Raises
    ------
    ValueError: there is no solution, or GLPK gives up.
    """
    problem = glpk.glp_create_prob()
    try:
        rows, columns = matrix.shape
        glpk.glp_add_rows(problem, rows)
        glpk.glp_add_cols(problem, columns)
        for r in range(rows):
            glpk.glp_set_row_bnds(problem, r + 1, *_kind(float(lower[r]), float(upper[r])))
        for c in range(columns):
            glpk.glp_set_col_bnds(problem, c + 1, *_kind(float(column_lower[c]), float("inf")))
            glpk.glp_set_obj_coef(problem, c + 1, float(cost[c]))
        entries = [(r, c, float(matrix[r, c])) for r in range(rows) for c in range(columns) if matrix[r, c]]
        row_of, column_of = glpk.intArray(len(entries) + 1), glpk.intArray(len(entries) + 1)
        value_of = glpk.doubleArray(len(entries) + 1)
        for k, (r, c, value) in enumerate(entries, start=1):
            row_of[k], column_of[k], value_of[k] = r + 1, c + 1, value
        glpk.glp_load_matrix(problem, len(entries), row_of, column_of, value_of)
        settings = glpk.glp_smcp()
        glpk.glp_init_smcp(settings)
        settings.msg_lev = glpk.GLP_MSG_OFF
        glpk.glp_simplex(problem, settings)
        status = glpk.glp_get_status(problem)
        if status == glpk.GLP_UNBND:
            return None
        if status != glpk.GLP_OPT:
            raise ValueError(f"GLPK status {status}")
        return float(glpk.glp_get_obj_val(problem))
    finally:
        glpk.glp_delete_prob(problem)


def _kind(low: float, high: float) -> tuple[int, float, float]:
    unlimited_below, unlimited_above = low == float("-inf"), high == float("inf")
    if unlimited_below and unlimited_above:
        return glpk.GLP_FR, 0.0, 0.0
    if unlimited_below:
        return glpk.GLP_UP, 0.0, high
    if unlimited_above:
        return glpk.GLP_LO, low, 0.0
    return (glpk.GLP_FX if low == high else glpk.GLP_DB), low, high
