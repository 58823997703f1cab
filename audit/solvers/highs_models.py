"""Models of HiGHS through highspy.

Primal simplex stays primal feasible when only the objective changes, which is what makes a warm model fast here.
Integer programs get a model of their own: mixing both in one model has given wrong answers, and separation is cheaper
than trust.
"""

import highspy
import numpy as np

# The public subclass switches on callbacks in its constructor, which prints a banner on standard output before it can
# be told to be silent; the JSON report goes there. The base class has the same interface and prints nothing.
from highspy.highs import _Highs
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.solvers.protocol import Basis, Floats, Outcome, Problem

_PRIMAL_SIMPLEX = 4
_DUAL_SIMPLEX = 1

_ROUGH = 1e-3
"""Relative tolerance of the first-order method."""

_STEPS = 20_000
"""Of the first-order method, at most: a limit that does not depend on the speed of the machine."""

_EXACT = 2.0**50
"""Bounds up to which floats tell whole numbers apart with room to spare. Beyond that an integer program means nothing,
and HiGHS may not come back from preparing one, whatever its limits (12 columns, values of 10^16: ten minutes)."""


def _model(problem: Problem, integral: NDArray[np.bool_] | None = None) -> _Highs:
    lp = highspy.HighsLp()
    rows, columns = problem.matrix.shape
    lp.num_row_, lp.num_col_ = rows, columns
    lp.col_cost_ = np.zeros(columns)
    lp.col_lower_, lp.col_upper_ = problem.column_lower, problem.column_upper
    lp.row_lower_, lp.row_upper_ = problem.lower, problem.upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = problem.matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = problem.matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = problem.matrix.data.astype(np.float64)
    if integral is not None:
        kinds = highspy.HighsVarType
        lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in integral.tolist()]
    model = _Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("random_seed", 0)
    model.passModel(lp)
    return model


class HighsWarm:
    """A warm HiGHS model: dual simplex first and after changed right sides, primal simplex for changed objectives."""

    def __init__(self, problem: Problem) -> None:
        self._model = _model(problem)
        self._columns = np.arange(problem.matrix.shape[1], dtype=np.int32)
        self._model.setOptionValue("presolve", "off")
        # From nothing, dual simplex finds a first table 15 times faster than primal (2,641 columns: 11 ms, 165 ms).
        self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)

    def set_rows(self, value: Floats) -> None:
        """Make every row an equation with the given right side; the next run starts with dual simplex."""
        self._model.changeRowsBounds(len(value), np.arange(len(value), dtype=np.int32), value, value)
        self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)

    def set_columns(self, lower: Floats, upper: Floats) -> None:
        """Change the bounds of all columns; the next run starts with dual simplex."""
        self._model.changeColsBounds(len(self._columns), self._columns, lower, upper)
        self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)

    def forget(self) -> None:
        """Start the next run from nothing, with dual simplex."""
        self._model.clearSolver()
        self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)

    def add_rows(self, matrix: csr_array, lower: Floats, upper: Floats) -> None:
        """Add rows; the next run starts with dual simplex."""
        start, index = matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32)
        self._model.addRows(len(lower), lower, upper, matrix.nnz, start, index, matrix.data.astype(np.float64))
        self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)

    def drop_rows(self, dropped: NDArray[np.bool_]) -> None:
        """Take out some rows (bool, rows); the next run starts with dual simplex."""
        rows = np.flatnonzero(dropped).astype(np.int32)
        self._model.deleteRows(len(rows), rows)
        self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)

    def minimise(self, cost: Floats, seconds: float = float("inf")) -> Outcome:
        """Minimise cost @ x from the last basis; a run that ends without a clear status is repeated cold."""
        self._model.changeColsCost(len(self._columns), self._columns, cost)
        # The engine's clock runs on from run to run.
        self._model.setOptionValue("time_limit", self._model.getRunTime() + max(seconds, 0.0))
        self._model.run()
        outcome = self._outcome()
        if outcome.status == "stopped" and self._model.getModelStatus() != highspy.HighsModelStatus.kTimeLimit:
            self._model.clearSolver()
            self._model.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)
            self._model.run()
            outcome = self._outcome()
        self._model.setOptionValue("simplex_strategy", _PRIMAL_SIMPLEX)
        return outcome

    def _outcome(self) -> Outcome:
        status = self._model.getModelStatus()
        statuses = highspy.HighsModelStatus
        if status == statuses.kOptimal:
            solution = self._model.getSolution()
            return Outcome(
                "optimal",
                x=np.array(solution.col_value, dtype=np.float64),
                row_dual=np.array(solution.row_dual, dtype=np.float64),
                basis=self._basis,
            )
        if status in (statuses.kUnbounded, statuses.kUnboundedOrInfeasible):
            return Outcome("unbounded")
        if status == statuses.kInfeasible:
            return Outcome("infeasible")
        return Outcome("stopped")

    def _basis(self) -> Basis:
        basis, kinds = self._model.getBasis(), highspy.HighsBasisStatus
        columns = np.array([int(s) for s in basis.col_status], dtype=np.int8)
        rows = np.array([int(s) for s in basis.row_status], dtype=np.int8)
        at_upper, at_lower = int(kinds.kUpper), int(kinds.kLower)
        return Basis(
            basic=columns == int(kinds.kBasic),
            at_upper=columns == at_upper,
            tight=(rows == at_upper).astype(np.int8) - (rows == at_lower).astype(np.int8),
        )


class HighsInterior:
    """Interior point method without crossover: the middle of a face, and no basis."""

    def __init__(self, problem: Problem) -> None:
        self._model = _model(problem)
        self._columns = np.arange(problem.matrix.shape[1], dtype=np.int32)
        self._model.setOptionValue("solver", "ipm")
        self._model.setOptionValue("run_crossover", "off")

    def minimise(self, cost: Floats, column_lower: Floats, column_upper: Floats, seconds: float) -> Outcome:
        """Minimise cost @ x from nothing."""
        model, columns = self._model, self._columns
        model.changeColsCost(len(columns), columns, cost)
        model.changeColsBounds(len(columns), columns, column_lower, column_upper)
        model.setOptionValue("time_limit", model.getRunTime() + max(seconds, 0.0))
        for presolve in ("on", "off"):  # what presolve leaves is at times too small or degenerate for the method
            model.clearSolver()
            model.setOptionValue("presolve", presolve)
            model.run()
            if model.getModelStatus() != highspy.HighsModelStatus.kUnknown:
                break
        solution = model.getSolution()
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal or not solution.value_valid:
            return Outcome("stopped")
        dual = np.array(solution.row_dual, dtype=np.float64) if solution.dual_valid else None
        return Outcome("optimal", np.array(solution.col_value, dtype=np.float64), dual)


def minimise_integer(
    problem: Problem,
    cost: Floats,
    seconds: float,
    nodes: int,
    integral: NDArray[np.bool_] | None,
    effort: float,
    interior: int,
    start: Floats | None = None,
) -> Outcome:
    """Minimise over integers in a fresh model; stops after `seconds`, or so many nodes; at once where numbers are too
    large for it."""
    bounds = np.concatenate([problem.lower, problem.upper, problem.column_lower, problem.column_upper])
    if np.abs(bounds[np.isfinite(bounds)]).max(initial=0.0) > _EXACT:
        return Outcome("stopped")
    model = _model(problem, np.ones(len(cost), np.bool_) if integral is None else integral)
    model.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
    model.setOptionValue("time_limit", max(seconds, 0.0))
    model.setOptionValue("mip_max_nodes", nodes)
    model.setOptionValue("mip_heuristic_effort", effort)
    if (
        len(cost) > interior
    ):  # of a program without whole columns the second (17,846 columns: 5 s, with simplex minutes)
        model.setOptionValue("mip_lp_solver", "ipm")
        model.setOptionValue("solver", "ipm" if integral is not None and not integral.any() else "choose")
    model.setOptionValue("mip_rel_gap", 0.0)
    model.setOptionValue("mip_abs_gap", 0.0)
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = start
        model.setSolution(known)
    model.run()
    status = model.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return Outcome("infeasible")
    point = np.array(model.getSolution().col_value, dtype=np.float64)
    usable = model.getSolution().value_valid and len(point) == len(cost)
    optimal = status == highspy.HighsModelStatus.kOptimal
    bound = float(model.getInfo().mip_dual_bound)
    return Outcome("optimal" if optimal else "stopped", x=point if usable else None, bound=bound)


def first_order(problem: Problem, cost: Floats, seconds: float) -> Outcome:
    """Minimise over real numbers by the primal-dual hybrid gradient method (Applegate and others 2021), which needs no
    factors of the matrix: of a cube of 170,373 nested cells 1 s, where the interior point method takes 100 s.

    What a limit ends HiGHS calls invalid; what it has then is given all the same, for multipliers need not be the best
    ones to prove a bound (50,304 cells: nothing else after 300 of 600 steps). Those of a problem that was made smaller
    before are of no use then.
    """
    model = _model(problem)
    model.setOptionValue("presolve", "off")
    model.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
    model.setOptionValue("time_limit", max(seconds, 0.0))
    model.setOptionValue("solver", "pdlp")
    model.setOptionValue("pdlp_optimality_tolerance", _ROUGH)
    model.setOptionValue("primal_feasibility_tolerance", _ROUGH)
    model.setOptionValue("dual_feasibility_tolerance", _ROUGH)
    model.setOptionValue("pdlp_iteration_limit", _STEPS)
    model.run()
    solution = model.getSolution()
    point, dual = np.array(solution.col_value, dtype=np.float64), np.array(solution.row_dual, dtype=np.float64)
    if len(dual) != problem.matrix.shape[0] or not (np.isfinite(point).all() and np.isfinite(dual).all()):
        return Outcome("stopped")
    optimal = model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Outcome("optimal" if optimal else "stopped", point, dual)
