"""Integer programs through PuLP; here lies all that its generations in use (3 and 4) do differently."""

from dataclasses import dataclass
from typing import Any

import pulp
from highspy.highs import _Highs

Terms = list[tuple[Any, float]]
"""(variable, coefficient)"""

_expression = getattr(pulp.LpAffineExpression, "from_list", pulp.LpAffineExpression)

_NOT_FOR_HIGHS = ("logPath", "warmStart")
"""What PuLP 4 keeps among the options of the solver."""


@dataclass(frozen=True)
class Solved:
    """What became of a program. solution: variables have values; bound: what the solver proved, None: it does not tell.

    closed: the solver says that nothing better is possible (within the gap it was given).
    """

    infeasible: bool
    solution: bool
    closed: bool
    bound: float | None


class IntegerProgram:
    """Minimise a sum over binary variables under lower limits for other sums."""

    def __init__(self, name: str) -> None:
        self._problem = pulp.LpProblem(name, pulp.LpMinimize)

    def binary(self, name: str) -> Any:
        """A new variable, 0 or 1; its `varValue` after `solve`."""
        return self._problem.add_variable(name, 0, 1, cat="Integer")

    def minimise(self, terms: Terms) -> None:
        """What is to be least."""
        self._problem += _expression(terms)

    def at_least(self, terms: Terms, right: float) -> None:
        """One more row."""
        self._problem += _expression(terms) >= right

    def solve(self, solver: Any) -> Solved:
        """Let a solver of PuLP work."""
        stats = self._problem.solve(solver)
        if hasattr(stats, "has_solution"):  # PuLP 4
            infeasible, solution = stats.status == pulp.LpSolveStatus.Infeasible, stats.has_solution
            closed = stats.status == pulp.LpSolveStatus.Optimal
        else:
            infeasible, closed = stats == pulp.LpStatusInfeasible, self._problem.sol_status == pulp.LpSolutionOptimal
            solution = closed or self._problem.sol_status == pulp.LpSolutionIntegerFeasible
        return Solved(infeasible, solution, closed, self._bound())

    def _bound(self) -> float | None:
        info = getattr(getattr(self._problem, "solverModel", None), "getInfo", None)
        return None if info is None else float(info().mip_dual_bound)


class _QuietHighs(pulp.HiGHS):  # type: ignore[misc]  # PuLP ships no usable types
    """PuLP's HiGHS without the banner that the public class prints on standard output."""

    def createAndConfigureSolver(self, lp: Any) -> None:  # noqa: N802 - PuLP's name
        lp.solverModel = _Highs()
        lp.solverModel.setOptionValue("output_flag", False)
        for name, value in self.optionsDict.items():
            if name not in _NOT_FOR_HIGHS:
                lp.solverModel.setOptionValue(name, value)
        lp.solverModel.setOptionValue("time_limit", float(self.timeLimit))
        if (threads := self.optionsDict.get("threads", getattr(self, "threads", None))) is not None:
            lp.solverModel.setOptionValue("threads", threads)


def quiet_highs(seconds: float, **options: Any) -> Any:
    """HiGHS with a limit of time and options of its own, which prints nothing."""
    return _QuietHighs(msg=False, timeLimit=seconds, **options)
