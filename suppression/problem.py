"""What a search for secondary cells is given: which cells must be withheld, which may be, at what cost, and what every
pattern has to achieve."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.bounds.plan import deciding
from audit.decision.cuts import Requirement
from audit.decision.equations import Equations, build_equations
from audit.errors import InputError
from audit.linear.cells import Cells
from audit.linear.merge import merge_cells
from audit.linear.naming import full_name
from audit.model import Policy, Release, Status
from audit.rules import assess, completed
from audit.solvers.protocol import Solver
from suppression.costs import Costs, cell_costs


@dataclass(frozen=True)
class Problem:
    """A search problem; positions are those of the release's distinct cells.

    Attributes
    ----------
    primary: bool (cells), sensitive: withheld in every pattern.
    may: bool (cells), may be withheld besides.
    cost: int64 (cells), of withholding; in 1 / scale.
    requirements: what every pattern has to achieve.
    reason: why each cell is sensitive (None: it is not).
    """

    release: Release
    cells: Cells
    equations: Equations
    primary: NDArray[np.bool_]
    may: NDArray[np.bool_]
    cost: NDArray[np.int64]
    scale: int
    requirements: tuple[Requirement, ...]
    reason: tuple[str | None, ...]

    def price(self, pattern: NDArray[np.bool_]) -> int:
        """Cost of the secondary cells of a pattern, in 1 / scale."""
        return int(self.cost[pattern & ~self.primary].sum())


def build_problem(release: Release, policy: Policy, costs: Costs, solver: Solver) -> Problem:
    """The search problem of a release: everything withheld so far but the sensitive cells is given back first.

    Raises
    ------
    InputError: a withheld cell without a true value; a sensitive cell that cannot be withheld.
    AdditivityError, ContradictionError, LimitError: see audit.prepare.
    """
    cells, _ = merge_cells(release)
    cells = completed(release, cells)
    sensitivity = assess(release, cells, policy)
    primary = sensitivity.sensitive | (cells.status >= Status.WITHHELD)
    primary &= cells.status != Status.MISSING
    _refuse_published(release, cells, primary)
    equations = build_equations(release, cells, deciding(solver))
    known = cells.exact | cells.truth.known
    value = equations.value[: len(cells)]
    may = known & ~cells.rounded & ~primary & (cells.row >= 0)
    may &= np.isin(cells.status, (Status.PUBLISHED, Status.SECONDARY))
    may &= value != 0  # everyone expects zeros to be shown; withholding one protects nothing below it
    cost, scale = cell_costs(release, cells, value, costs)
    requirements = []
    for cell in np.flatnonzero(primary).tolist():
        lower, upper = sensitivity.required_lower.get(cell), sensitivity.required_upper.get(cell)
        if not policy.require.protection:
            lower = upper = None
        requirements.append(Requirement(cell, lower, upper))
    given = [None if s < Status.SECONDARY else Status(s).word for s in cells.status.tolist()]
    reason = tuple(r or (g if p else None) for r, g, p in zip(sensitivity.rule, given, primary.tolist(), strict=True))
    return Problem(release, cells, equations, primary, may, cost, scale, tuple(requirements), reason)


def _refuse_published(release: Release, cells: Cells, primary: NDArray[np.bool_]) -> None:
    """A sensitive cell that is out already, must be published or stands nowhere in a table cannot be withheld."""
    for status, why in (
        (Status.MUST_PUBLISH, "must be published"),
        (Status.FROZEN, "has been published already (frozen)"),
        (Status.STRUCTURAL_ZERO, "is a zero that everyone knows"),
    ):
        at = np.flatnonzero(primary & (cells.status == status))
        if len(at):
            raise InputError(
                f"{full_name(release, cells, int(at[0]))}: is sensitive, but {why}; it cannot be protected"
            )
    at = np.flatnonzero(primary & cells.rounded)
    if len(at):
        raise InputError(
            f"{full_name(release, cells, int(at[0]))}: is sensitive and stands in a rounded table; a cell of a rounded "
            "table is not withheld but rounded"
        )
