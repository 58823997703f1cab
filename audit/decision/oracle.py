"""The oracle that a search for patterns asks: does every cell keep the interval that it needs?

Each answer rests on tables in hand (protected) or on multipliers (not protected), and both are kept for later patterns:
a table serves every pattern that withholds what it changes; multipliers refute every pattern that withholds none of the
cells that would weaken them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Component, Limits, TargetBounds
from audit.bounds.method import Method
from audit.decision.cuts import Cut, Missed, Requirement, capacity_cut
from audit.decision.equations import Equations
from audit.decision.witnesses import Witnesses
from audit.linear.integers import NO_LOWER, NO_UPPER

MOST_TABLES = 4000
"""Tables that are remembered."""


@dataclass(frozen=True)
class Decision:
    """The answer about one pattern.

    protected: bool (requirements), shown by tables in hand. failing: bool (requirements), proved.
    cuts: one for each failing requirement, in order.
    """

    protected: NDArray[np.bool_]
    failing: NDArray[np.bool_]
    cuts: tuple[Cut, ...]

    @property
    def safe(self) -> bool:
        """Every requirement is shown to be met."""
        return bool(self.protected.all())


class Oracle:
    """Answers for patterns over one release. Keeps what it has learnt; the answers do not depend on it."""

    def __init__(self, equations: Equations, requirements: Sequence[Requirement], method: Method) -> None:
        self.equations = equations
        self.requirements = tuple(requirements)
        self._method = method
        self._witnesses = Witnesses(equations.cells, MOST_TABLES)
        self._cuts: dict[int, list[Cut]] = {}
        self.solved = 0
        """Components that had to be solved so far."""

    def decide(self, pattern: NDArray[np.bool_], limits: Limits | None = None) -> Decision:
        """Which requirements a pattern meets.

        pattern: bool (cells), True where withheld; what a cell that is never published says does not matter.
        """
        limits = limits or Limits()
        protected = np.zeros(len(self.requirements), np.bool_)
        cuts: dict[int, Cut] = {}
        for known, members in self._attackers(pattern).items():
            view = pattern.copy()
            view[list(known)] = False
            asked = self._unanswered(view, members, protected, cuts)
            if asked:
                self._solve(view, asked, limits, protected, cuts)
        failing = np.zeros(len(self.requirements), np.bool_)
        failing[list(cuts)] = True
        return Decision(protected, failing, tuple(cuts[q] for q in sorted(cuts)))

    def _attackers(self, pattern: NDArray[np.bool_]) -> dict[tuple[int, ...], list[int]]:
        """Requirements by what their attacker knows of this pattern."""
        attackers: dict[tuple[int, ...], list[int]] = {}
        for q, requirement in enumerate(self.requirements):
            known = tuple(c for c in requirement.known_to if pattern[c])
            attackers.setdefault(known, []).append(q)
        return attackers

    def _unanswered(
        self, view: NDArray[np.bool_], members: list[int], protected: NDArray[np.bool_], cuts: dict[int, Cut]
    ) -> list[int]:
        """Requirements that neither a table in hand nor a known cut answers."""
        low, high = self._reach(view)
        left = []
        for q in members:
            if self._met(q, low, high):
                protected[q] = True
                continue
            broken = next((c for c in self._cuts.get(q, ()) if not c.holds(view)), None)
            if broken is None:
                left.append(q)
            else:
                cuts[q] = broken
        return left

    def _reach(self, view: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        count = self.equations.cells
        return self._witnesses.reach(view | self.equations.always_open[:count], self.equations.value[:count])

    def _met(self, q: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> bool:
        need = self.requirements[q]
        a, b = int(low[need.cell]), int(high[need.cell])
        return b - a >= need.width and _reaches(need, a, b)

    def _solve(
        self,
        view: NDArray[np.bool_],
        asked: list[int],
        limits: Limits,
        protected: NDArray[np.bool_],
        cuts: dict[int, Cut],
    ) -> None:
        """Solve the components of the requirements that are left, and learn."""
        equations = self.equations
        open_columns = equations.always_open.copy()
        open_columns[: equations.cells] |= view
        label = equations.groups(open_columns)
        by_group: dict[int, list[int]] = {}
        for q in asked:
            by_group.setdefault(int(label[self.requirements[q].cell]), []).append(q)
        for group, members in sorted(by_group.items()):
            if group < 0:  # published: nothing is withheld of it
                for q in members:
                    cuts[q] = Cut(np.array([self.requirements[q].cell]), np.ones(1, np.int64), 1)
                continue
            self._solve_group(np.flatnonzero(label == group), members, view, limits, cuts)
        low, high = self._reach(view)
        for q in asked:
            protected[q] = q not in cuts and self._met(q, low, high)

    def _solve_group(
        self,
        columns: NDArray[np.int64],
        members: list[int],
        view: NDArray[np.bool_],
        limits: Limits,
        cuts: dict[int, Cut],
    ) -> None:
        equations = self.equations
        needs = [self.requirements[q] for q in members]
        at = np.searchsorted(columns, [n.cell for n in needs])
        ones = np.ones(len(needs), np.int64)
        targets = csr_array((ones, at, np.arange(len(needs) + 1)), shape=(len(needs), len(columns)))
        component = equations.component(columns, targets)
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
        for table in tables:
            changed = np.flatnonzero(table != equations.value[columns])
            changed = changed[columns[changed] < equations.cells]
            if len(changed):
                self._witnesses.add(columns[changed], table[changed])
        for q, need, bounds in zip(members, needs, answer.targets, strict=True):
            missed = _missed(need, bounds, int(equations.value[need.cell]))
            if missed is not None:
                cut = capacity_cut(equations, need, missed, columns)
                if cut is None or cut.holds(view):
                    cut = self._something_more(view, need)
                cuts[q] = cut
                self._cuts.setdefault(q, []).append(cut)

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
        more = ~view & ~self.equations.always_open[: self.equations.cells]
        more[list(need.known_to)] = False
        cells = np.flatnonzero(more)
        return Cut(cells, np.ones(len(cells), np.int64), 1)


def _enough(need: Requirement, value: int) -> tuple[int, int]:
    """Values that are low and high enough for both ends together to meet the requirement; NO_LOWER, NO_UPPER where each
    end has to be known exactly, because what one lacks in width the other may have."""
    low = value if need.lower is None else min(need.lower, value)
    high = value if need.upper is None else max(need.upper, value)
    if need.width <= high - low:
        return low, high
    if low == high and need.width == 1:
        return low - 1, high + 1  # an end that is proved not to go so far lies at the true value
    return NO_LOWER, NO_UPPER


def _far_enough(need: Requirement, value: int) -> tuple[int, int]:
    """Values each of which alone meets the requirement, as far as its side can."""
    low = value if need.lower is None else min(need.lower, value)
    high = value if need.upper is None else max(need.upper, value)
    return min(low, value - need.width), max(high, value + need.width)


def _reaches(need: Requirement, low: int, high: int) -> bool:
    return (need.lower is None or low <= need.lower) and (need.upper is None or high >= need.upper)


def _missed(need: Requirement, bounds: TargetBounds, value: int) -> Missed | None:
    """What is proved of a requirement that is not met."""
    low, high = bounds.lower.outer, bounds.upper.outer
    if need.upper is not None and high is not None and high < need.upper:
        return Missed(need.upper - value, ((-1, bounds.upper.proof),))
    if need.lower is not None and low is not None and low > need.lower:
        return Missed(value - need.lower, ((1, bounds.lower.proof),))
    if low is not None and high is not None and high - low < need.width:
        return Missed(need.width, ((1, bounds.lower.proof), (-1, bounds.upper.proof)))
    return None
