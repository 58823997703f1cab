"""What is left open of a pattern, asked of the bounds engine: tables in which cells go far enough, or cuts from proofs.

Slow and exact: the last word where linear programs of moves have shown nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Answer, Component, Limits, TargetBounds
from tableseal.audit.bounds.method import Method
from tableseal.audit.bounds.plan import DENSE
from tableseal.audit.decision.cuts import Cut, Missed, capacity_cut, either_cut
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.witnesses import FeasibleTable
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER


class Settling:
    """Decides requirements by the bounds of their cells.

    solved: components that had to be solved so far.
    """

    def __init__(self, equations: Equations, method: Method, learn: Callable[[FeasibleTable], object]) -> None:
        """method: decides exactly. learn: told of each table."""
        self._equations, self._method, self._learn = equations, method, learn
        self.solved = 0

    def __call__(
        self, view: NDArray[np.bool_], needs: Mapping[int, Requirement], furthest: int, limits: Limits
    ) -> dict[int, Cut]:
        """Answer for some requirements (by number) of attackers who do not know the same cells (bool): `view`.

        furthest: the longest way of a cell that anybody will ask a table about. Tables that were found are handed to
        `learn`. Returns a cut for each requirement that is proved not to be met.
        """
        equations = self._equations
        label = equations.groups(np.append(view, equations.always_open[equations.cells :]))
        numbers, cells = list(needs), np.array([need.cell for need in needs.values()], np.int64)
        # Of a published cell nothing is withheld.
        cuts = {q: Cut(np.array([n.cell]), np.ones(1, np.int64), 1) for q, n in needs.items() if label[n.cell] < 0}
        for asked, columns, component in equations.components(label, cells):
            members = {numbers[k]: needs[numbers[k]] for k in asked.tolist()}
            cuts |= self._settle(columns, component, members, view, furthest, limits)
        return cuts

    def _settle(
        self,
        columns: NDArray[np.int64],
        component: Component,
        members: Mapping[int, Requirement],
        view: NDArray[np.bool_],
        furthest: int,
        limits: Limits,
    ) -> dict[int, Cut]:
        """The requirements of one component."""
        equations, at = self._equations, component.targets.indices
        needs = list(members.values())
        ends = [_enough(n, int(equations.value[n.cell])) for n in needs]
        answer = self._method.bounds(
            component,
            replace(limits, prove=True),
            enough=np.array([low for low, _ in ends] + [-high for _, high in ends], dtype=np.int64),
            start=equations.value[columns],
        )
        self.solved += 1
        tables = list(answer.tables)
        for k, (bounds, need) in enumerate(zip(answer.targets, needs, strict=True)):
            low, high = _far_enough(need, int(equations.value[need.cell]))
            if bounds.lower.unlimited and (bounds.lower.attained is None or bounds.lower.attained > low):
                tables += self._table(component, int(at[k]), NO_LOWER, low, limits)
            if bounds.upper.unlimited and (bounds.upper.attained is None or bounds.upper.attained < high):
                tables += self._table(component, int(at[k]), high, NO_UPPER, limits)
        if len(columns) >= DENSE:
            self._learn_real(columns, answer, furthest)
        for table in tables:
            changed = np.flatnonzero(table != equations.value[columns])
            changed = changed[columns[changed] < equations.cells]
            if len(changed):
                self._learn(FeasibleTable(columns[changed], table[changed] - equations.value[columns[changed]]))
        rows = np.unique(equations.by_column[columns].indices)
        cuts: dict[int, Cut] = {}
        for (q, need), bounds in zip(members.items(), answer.targets, strict=True):
            missed = _missed(need, bounds, int(equations.value[need.cell]))
            if missed:
                if need.either:
                    cut = either_cut(equations, need, missed, rows, view)
                else:
                    cut = capacity_cut(equations, need, missed[0], rows)
                if cut is None or cut.holds(view):
                    cut = self._something_more(view, need)
                cuts[q] = cut
        return cuts

    def _learn_real(self, columns: NDArray[np.int64], answer: Answer, furthest: int) -> None:
        """Remember real tables of a part of the table that is too large for whole ones, as the audit does."""
        ends = [end for bounds in answer.targets for end in (bounds.lower, bounds.upper)]
        points = {id(end.point[0]): end.point for end in ends if end.point is not None}
        value = self._equations.value
        for numerator, denominator in points.values():
            if denominator * float(furthest) >= NO_UPPER:
                continue
            moves = numerator - value[columns] * denominator
            changed = np.flatnonzero((moves != 0) & (columns < self._equations.cells))
            self._learn(FeasibleTable(columns[changed], moves[changed], denominator))

    def _table(
        self, component: Component, column: int, low: int, high: int, limits: Limits
    ) -> tuple[NDArray[np.int64], ...]:
        """Tables in which a column without limit goes as far as it has to."""
        lower, upper = component.column_lower.copy(), component.column_upper.copy()
        lower[column], upper[column] = max(low, int(lower[column])), min(high, int(upper[column]))
        narrowed = replace(component, column_lower=lower, column_upper=upper)
        return self._method.bounds(narrowed, replace(limits, prove=True)).tables

    def _something_more(self, view: NDArray[np.bool_], need: Requirement) -> Cut:
        """Whatever the reason, a pattern that is not enough needs one more cell."""
        more = ~view & ~self._equations.always_open[: self._equations.cells]
        more[list(need.attacker.known)] = False
        cells = np.flatnonzero(more)
        return Cut(cells, np.ones(len(cells), np.int64), 1)


def _enough(need: Requirement, value: int) -> tuple[int, int]:
    """Values that are low and high enough for both ends together to meet the requirement; NO_LOWER, NO_UPPER where each
    end has to be known exactly, because what one lacks in width the other may have."""
    low, high = need.ends(value)
    if need.width <= high - low:
        return low, high
    if low == high and need.width == 1:
        return low - 1, high + 1  # an end that is proved not to go so far lies at the true value
    return NO_LOWER, NO_UPPER


def _far_enough(need: Requirement, value: int) -> tuple[int, int]:
    """Values each of which alone meets the requirement, as far as its side can."""
    low, high = need.ends(value)
    return min(low, value - need.width), max(high, value + need.width)


def _missed(need: Requirement, bounds: TargetBounds, value: int) -> list[Missed]:
    """What is proved of a requirement that is not met: one thing, of two ways to be met both."""
    low, high = bounds.lower.outer, bounds.upper.outer
    found = []
    if need.upper is not None and high is not None and high < need.upper:
        found.append(Missed(need.upper - value, ((-1, bounds.upper.proof),)))
    if need.lower is not None and low is not None and low > need.lower:
        found.append(Missed(value - need.lower, ((1, bounds.lower.proof),)))
    if need.either:
        return found if len(found) == 2 else []
    if not found and low is not None and high is not None and high - low < need.width:
        found.append(Missed(need.width, ((1, bounds.lower.proof), (-1, bounds.upper.proof))))
    return found[:1]
