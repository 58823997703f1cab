"""Cells that no row lists, as a search has to protect them: the release must not give them away.

With everything published but the sensitive cells, the audit finds all that any pattern can have to protect: the more
is withheld, the less follows. These become cells of the problem that are never published themselves, cost nothing, and
have requirements: some value that is not sensitive must stay possible, or where no rule speaks of values, more than
one.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.implied.asked import with_implied
from tableseal.audit.implied.find import Implied, find_implied
from tableseal.audit.implied.narrow import Bounding
from tableseal.audit.implied.telling import Telling
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.staying import stays_withheld
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.prepare import prepare
from tableseal.audit.reduction import reduction
from tableseal.audit.rules import Sensitivity, completed
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.whatif import exactly_withheld


@dataclass(frozen=True)
class Unlisted:
    """The cells that no row lists and that have to be protected, behind those that are listed.

    release: with tables that list them, behind its own. cells: the listed ones, then these. requirements: of these.
    """

    release: Release
    cells: Cells
    requirements: tuple[Requirement, ...]


def unlisted(
    release: Release,
    cells: Cells,
    primary: NDArray[np.bool_],
    sensitivity: Sensitivity,
    policy: Policy,
    solver: Solver,
    limits: Limits,
) -> Unlisted | None:
    """What has to be protected beside listed cells; None if nothing has.

    primary: bool (cells), withheld in every pattern.

    Raises
    ------
    LimitError: a size beyond what can be handled.
    """
    if policy.implied == "off" or not policy.primary:
        return None
    shown = (cells.status == Status.SECONDARY) & ~primary & cells.truth.known & ~stays_withheld(release, cells)
    prepared = prepare(release, exactly_withheld(cells, primary, shown))
    bounding = None
    if policy.implied == "all":
        bounding = Bounding(prepared.system.forms, full(solver), solver, replace(limits, values=False))
    found = find_implied(prepared, reduction(prepared), policy, sensitivity, bounding)
    if len(found) == 0:
        return None
    asked = with_implied(release, found)
    return Unlisted(asked, completed(asked, merge_cells(asked)[0]), tuple(_requirements(found, policy, release, cells)))


def _requirements(found: Implied, policy: Policy, release: Release, cells: Cells) -> list[Requirement]:
    """What makes the audit find no fault with these cells, which stand behind the listed ones (`cells`)."""
    dangers = Telling.of(release, cells).dangers(policy, nonnegative=release.intruder.nonnegative)
    rules = found.sensitivity
    needs = []
    for k in range(len(found)):
        cell, lowest, highest = len(cells) + k, found.bounds[k].lower.outer, found.bounds[k].upper.outer
        danger = dangers[int(found.cells.measure[k])]
        low, high = rules.required_lower.get(k), rules.required_upper.get(k)
        if policy.implied == "computed" or not policy.require.protection:
            needs.append(Requirement(cell))
        elif release.microdata is not None:
            needs += [Requirement(cell)] if low is None or high is None else _around(cell, low, high)
        elif danger is None or lowest is None or not danger.holds(np.array([lowest])).any():
            needs.append(Requirement(cell))  # not its value is too small: it must not come out, that is all
        elif highest is not None and highest < 0:
            needs.append(Requirement(cell, upper=0))
        elif danger.low <= 0:
            needs.append(Requirement(cell, upper=danger.high + 1))
        else:
            needs.append(Requirement(cell, 0, danger.high + 1, either=True))
    return needs


def _around(cell: int, low: int, high: int) -> list[Requirement]:
    """Values beyond the interval that a rule asks for must stay possible, or all of it: one of the two ends and more
    than the other."""
    return [Requirement(cell, low, high + 1, either=True), Requirement(cell, low - 1, high, either=True)]
