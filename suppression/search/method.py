"""What every search method is: a function of a problem and the tools to work with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.progress import Progress, silent
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.result import Found

DEFAULT_SOLVER = "HiGHS"
"""Of integer programs; any other that PuLP finds installed can be named."""


def refuse_missing(solver: str) -> None:
    """Refuse a solver that is not there: before the work, also where a method would only need it at the end.

    Raises
    ------
    InputError: names those that are installed.
    """
    if solver == DEFAULT_SOLVER:
        return
    import pulp

    installed = pulp.listSolvers(onlyAvailable=True)
    if solver not in installed:
        text = f"not installed; installed are {', '.join(sorted(installed))}."
        raise InputError(text, at=OptionName("solver", solver))


def keep_nothing(found: Found) -> None:
    """For callers that only want the last answer."""


@dataclass(frozen=True)
class Tools:
    """What a search works with.

    oracle: says whether a pattern is safe; engine: linear programs; integer_solver: of integer programs, by PuLP's
    name. limits: at which the search ends with the best it has. seed: of methods that draw at random.
    keep: told of every safe pattern that is better than those before, so that an interrupted search loses nothing.
    """

    oracle: Oracle
    engine: Solver
    limits: Limits
    integer_solver: str = DEFAULT_SOLVER
    seed: int = 0
    progress: Progress = silent
    keep: Callable[[Found], None] = keep_nothing


class Search(Protocol):
    """A search method."""

    def __call__(self, problem: Problem, tools: Tools) -> Found:
        """The best pattern that the method finds within the limits; safe by the oracle, unless the method is labelled
        otherwise."""
        ...
