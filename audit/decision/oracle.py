"""The oracle that a search for patterns asks: does every cell keep the interval that it needs?

Each answer rests on tables in hand (protected) or on multipliers (not protected), and both are kept for later patterns:
a table serves every pattern that withholds what it changes; multipliers refute every pattern that withholds none of the
cells that would weaken them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Answer, Component, Limits, TargetBounds
from audit.bounds.method import Method
from audit.bounds.plan import DENSE
from audit.decision.cuts import Cut, Missed, Requirement, capacity_cut
from audit.decision.ends import ends_of
from audit.decision.equations import Equations
from audit.decision.model import NEARLY, in_whole_units
from audit.decision.movers import Movers
from audit.decision.parts import pieces
from audit.decision.pool import Pool
from audit.decision.witnesses import Table, Witnesses
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.solvers.protocol import Solver

MOST_TABLES = 4000
"""Tables that are remembered."""

SPARSE = 8
"""Times the withheld cells up to which a table is asked as a whole; in larger ones what is done for all cells at each
question takes longer than the question."""


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


@dataclass(frozen=True)
class Broken:
    """A requirement that a pattern does not meet, or is not shown to meet. cut: one that every pattern satisfies which
    meets it; None: none is known, or it is not sure that it has to be met."""

    requirement: Requirement
    cut: Cut | None


class Watch(Protocol):
    """Knows more requirements than an oracle was asked about, too many to ask them all."""

    def __call__(
        self, oracle: "Oracle", pattern: NDArray[np.bool_], limits: Limits, *, first: bool
    ) -> Sequence[Broken]:
        """Those that are not met by a pattern which meets what the oracle was asked about.

        first: some of them are enough.
        """
        ...


@dataclass(frozen=True)
class Part:
    """What a pattern leaves open of one connected part of the table.

    cells: int64, positions of its cells, which its own oracle numbers in this order. asked: positions of its
    requirements.
    """

    cells: NDArray[np.int64]
    asked: tuple[int, ...]
    oracle: "Oracle"


class Oracle:
    """Answers for patterns over one release. Keeps what it has learnt; the answers do not depend on it.

    Attributes
    ----------
    watch: is told of every pattern that meets all requirements, and may know more that become requirements.
    """

    def __init__(
        self,
        equations: Equations,
        requirements: Sequence[Requirement],
        method: Method,
        solver: Solver | None = None,
        watch: Watch | None = None,
    ) -> None:
        """method: decides exactly. solver: linear programs that answer most questions before; None: it alone does."""
        self.watch = watch
        self.equations = equations
        self.requirements = tuple(requirements)
        self._narrow = equations.always_open[: equations.cells]
        self.ends = ends_of(self.requirements, equations.value, self._narrow)
        self.movers = None if solver is None else Movers(equations, self.requirements, self.ends, solver)
        self._method, self._solver = method, solver
        self._witnesses = Witnesses(equations.cells, MOST_TABLES, self.ends)
        self._cuts: dict[int, list[Cut]] = {}
        self.pool = Pool(equations.cells)
        """Cuts against outsiders and insiders alike: what they know counts for nothing in them."""
        self.solved = 0
        """Components that had to be solved by the method so far."""
        self._learnt_from: dict[int, int] = {}

    def ask(self, broken: Sequence[Broken]) -> None:
        """Take more requirements, behind those so far."""
        for more in broken:
            if more.cut is not None:
                self._cuts.setdefault(len(self.requirements), []).append(more.cut)
                self.pool.add(more.cut)
            self.requirements += (more.requirement,)
        self.ends = ends_of(self.requirements, self.equations.value, self._narrow)
        self._witnesses.ask(self.ends)
        if self.movers is not None:
            self.movers.ask(self.requirements, self.ends)

    def shun(self, cells: NDArray[np.int64]) -> None:
        """Prefer tables that leave these cells alone."""
        if self.movers is not None:
            self.movers.shun(cells)

    def learn_from(self, other: "Oracle") -> None:
        """Take over the tables of another oracle that came in since the last time: of the same relations, with bounds
        of cells that may differ."""
        equations = self.equations
        for table in other._witnesses.since(self._learnt_from.get(id(other), 0)):
            if table.fits(equations.value, equations.column_lower, equations.column_upper):
                self._witnesses.add(table)
        self._learnt_from[id(other)] = other._witnesses.count

    def decide(self, pattern: NDArray[np.bool_], limits: Limits | None = None, *, exact: bool = True) -> Decision:
        """Which requirements a pattern meets.

        pattern: bool (cells), True where withheld; what a cell that is never published says does not matter.
        exact: leave nothing open (but for limits), which takes long where linear programs meet a requirement and no
        table of whole units is found.
        """
        limits = limits or Limits()
        while True:
            decision = self._decide(pattern, limits, exact, None)
            if not decision.safe or not self._more(pattern, limits):
                return decision

    def without(
        self,
        pattern: NDArray[np.bool_],
        known: Sequence[Sequence[int]],
        asked: NDArray[np.bool_],
        limits: Limits,
        *,
        exact: bool = False,
    ) -> Iterator[tuple[int, Decision]]:
        """Which requirements are not shown to be met if a set of cells is published besides: for each such set that is
        to blame for something, its position and the decision.

        known: sets of cells; asked: bool (sets x requirements), those that matter; exact: see `decide`.
        """
        met = self._witnesses.met_without(pattern | self._narrow, known)
        for place, cells in enumerate(known):
            among = asked[place]
            if (among & ~self.ends.requirements_met(met[place])).any():
                view = pattern.copy()
                view[list(cells)] = False
                decision = self._decide(view, limits, exact, among)
                if not decision.safe:
                    yield place, decision

    def _more(self, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether the watch knows a requirement that a pattern does not meet; then it is asked from now on."""
        broken = () if self.watch is None else self.watch(self, pattern, limits, first=False)
        if broken:
            self.ask(broken)
        return bool(broken)

    def _decide(
        self, pattern: NDArray[np.bool_], limits: Limits, exact: bool, among: NDArray[np.bool_] | None
    ) -> Decision:
        """The answer about some requirements (bool, None: all), the others taken as met."""
        other = False if among is None else ~among
        protected = self.protected(pattern) | other
        cuts: dict[int, Cut] = {}
        for q in np.flatnonzero(~protected).tolist():
            view = self._view(pattern, q)
            broken = next((c for c in self._cuts.get(q, ()) if not c.holds(view)), None)
            if broken is not None:
                cuts[q] = broken
        large: set[int] = set()
        if self.movers is not None:
            large = self._move(self.movers, pattern, self._asked(protected, cuts), limits, cuts)
            protected = self.protected(pattern) | other
        left: dict[tuple[int, ...], list[int]] = {}
        for q in self._asked(protected, cuts):
            if not exact and self.movers is not None and q not in large:
                continue
            known = tuple(c for c in self.requirements[q].known_to if pattern[c])
            left.setdefault(known, []).append(q)
        for members in left.values():
            self._solve(self._view(pattern, members[0]), members, limits, cuts)
        protected = self.protected(pattern) | other if left else protected
        failing = np.zeros(len(self.requirements), np.bool_)
        failing[list(cuts)] = True
        return Decision(protected & ~failing, failing, tuple(cuts[q] for q in sorted(cuts)))

    def shows_safe(self, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether tables show that a pattern is safe; False: they do not, though others might.

        Much quicker than `decide`, because the first end that is not met is the answer.
        """
        protected = self.protected(pattern)
        if protected.all():
            return self._nothing_more(pattern, limits)
        asked = np.flatnonzero(~protected).tolist()
        if self.movers is None:
            return self.decide(pattern, limits).safe
        if self.pool.breaks(pattern):
            return False
        cuts: dict[int, Cut] = {}
        large = self._move(self.movers, pattern, asked, limits, cuts, first=True)
        if large and not cuts:
            return self.decide(pattern, limits, exact=False).safe
        return not cuts and bool(self.protected(pattern).all()) and self._nothing_more(pattern, limits)

    def _nothing_more(self, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether the watch has nothing against a pattern."""
        broken = () if self.watch is None else self.watch(self, pattern, limits, first=True)
        for cut in (b.cut for b in broken if b.cut is not None):
            self.pool.add(cut)
        return not broken

    def widened(
        self, pattern: NDArray[np.bool_], q: int, may: NDArray[np.bool_], cost: NDArray[np.float64], limits: Limits
    ) -> NDArray[np.bool_] | None:
        """A wider pattern that meets requirement q, cheaply; None if none is found.

        may: bool (cells), may be withheld besides; cost: float64 (cells), of that.
        """
        if self.movers is None:
            return None
        for end in np.flatnonzero(self.ends.requirement == q).tolist():
            if not self._witnesses.met(pattern | self._narrow)[end]:
                wider = self.movers.widen(pattern, may, cost, end, limits, self._learn)
                if wider is None:
                    return None
                pattern = wider
        return pattern

    def narrowed(
        self, pattern: NDArray[np.bool_], start: NDArray[np.bool_], cost: NDArray[np.float64], limits: Limits
    ) -> tuple[NDArray[np.bool_], bool]:
        """(a pattern around `start` and within another, whether it is shown to be safe): each end takes what it needs
        in turn, the cheapest for it as a linear program sees it, the widest first.

        cost: float64 (cells), of withholding.
        """
        chosen = start.copy()
        while True:
            for end in np.argsort(-self.ends.distance, kind="stable").tolist():
                if self._witnesses.met(chosen | self._narrow)[end]:
                    continue
                if self.movers is None or limits.out_of_time():
                    return chosen, False
                wider = self.movers.widen(chosen, pattern, cost, end, limits, self._learn)
                chosen = chosen if wider is None else wider
            if not self.protected(chosen).all():
                return chosen, False
            if not self._more(chosen, limits):
                return chosen, True

    def parts(self, pattern: NDArray[np.bool_]) -> list[Part]:
        """An oracle for each part of a pattern, which answers for all patterns within it; they know the tables in hand
        that serve it. This one for everything where little would be gained, and where it watches for more."""
        if self.watch is not None or SPARSE * np.count_nonzero(pattern) > len(pattern):
            return [Part(np.arange(len(pattern)), tuple(range(len(self.requirements))), self)]
        found: list[Part] = []
        part_of = np.full(self.equations.cells, -1, np.int64)
        place = np.full(self.equations.cells, -1, np.int64)
        for piece in pieces(self.equations, self.requirements, pattern):
            cells = piece.columns[: piece.equations.cells]
            part_of[cells], place[cells] = len(found), np.arange(len(cells))
            oracle = Oracle(piece.equations, piece.requirements, self._method, self._solver)
            found.append(Part(cells, piece.asked, oracle))
        for table in self._witnesses.serving(pattern | self._narrow):
            # Parts share no relation: what a table does in each of them is a table by itself.
            for number in np.unique(part_of[table.cells]).tolist():
                here = part_of[table.cells] == number
                own = Table(place[table.cells[here]], table.moves[here], table.denominator)
                found[number].oracle._witnesses.add(own)
        return found

    def learn(self, part: Part, pattern: NDArray[np.bool_]) -> None:
        """Remember the tables of a part that serve a pattern (bool, cells of the part)."""
        if part.oracle is self:
            return
        for table in part.oracle._witnesses.serving(pattern | part.oracle._narrow):
            self._witnesses.add(replace(table, cells=part.cells[table.cells]))

    def entanglement(self, pattern: NDArray[np.bool_]) -> int:
        """Columns times ends, over the parts of the table in which what a pattern (bool, cells) withholds hangs
        together."""
        opened = self.equations.always_open.copy()
        opened[: self.equations.cells] |= pattern
        label = self.equations.groups(opened)
        columns = np.bincount(label[label >= 0])
        of_end = label[self.ends.cell]
        return int((columns * np.bincount(of_end[of_end >= 0], minlength=len(columns))).sum())

    def protected(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (requirements): those that tables in hand show to be met."""
        met = self._witnesses.met(pattern | self._narrow)
        result = self.ends.requirements_met(met)
        for q in np.flatnonzero(self.ends.wide & ~result).tolist():
            sides = (self.ends.requirement == q) & (self.ends.sign != 0)
            if met[sides].all():
                low, high = self._witnesses.reach(self.requirements[q].cell, self._view(pattern, q) | self._narrow)
                result[q] = high - low >= self.requirements[q].width
        return result

    def _view(self, pattern: NDArray[np.bool_], q: int) -> NDArray[np.bool_]:
        """The pattern as the attacker of a requirement sees it."""
        if not self.requirements[q].known_to:
            return pattern
        view = pattern.copy()
        view[list(self.requirements[q].known_to)] = False
        return view

    def _asked(self, protected: NDArray[np.bool_], cuts: dict[int, Cut]) -> list[int]:
        return [q for q in np.flatnonzero(~protected).tolist() if q not in cuts]

    def _move(
        self,
        movers: Movers,
        pattern: NDArray[np.bool_],
        asked: list[int],
        limits: Limits,
        cuts: dict[int, Cut],
        *,
        first: bool = False,
    ) -> set[int]:
        """What linear programs show: tables of whole numbers, and cuts that the pattern breaks.

        Returns the requirements in parts of the table that are too large for that.
        """
        if not asked:
            return set()
        ends = np.flatnonzero(np.isin(self.ends.requirement, asked))
        ends = ends[~self._witnesses.met(pattern | self._narrow)[ends]]
        if first:  # what few tables have ever met fails most easily
            ends = ends[np.argsort(self._witnesses.times_met[ends], kind="stable")]
        found, large = movers.attack(pattern, ends, limits, self._learn, first=first)
        for end, cut in sorted(found.items()):
            q = int(self.ends.requirement[end])
            if q not in cuts and not cut.holds(self._view(pattern, q)):
                cuts[q] = cut
                self._cuts.setdefault(q, []).append(cut)
                self.pool.add(cut)
        return {int(q) for q in self.ends.requirement[large]}

    def _learn(self, columns: NDArray[np.int64], point: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Remember the point of a linear program, and its mirror image, where some multiple of it is a table of whole
        numbers; and itself where tables of fractions will do."""
        at = np.flatnonzero(np.abs(point) > NEARLY)
        found = in_whole_units(point[at])
        if found is None:
            return np.zeros(len(self.ends), np.bool_)
        moves, factor = found
        met = self._remember(columns[at], moves) | self._remember(columns[at], -moves)
        if factor > 1 and many_unseen(self.equations, columns):
            met |= self._remember(columns[at], moves, factor) | self._remember(columns[at], -moves, factor)
        return met

    def _remember(
        self, columns: NDArray[np.int64], moves: NDArray[np.int64], denominator: int = 1
    ) -> NDArray[np.bool_]:
        """Remember a table, moved by `moves` in 1 / denominator, if it is one; bool (ends): what it meets."""
        equations = self.equations
        table = Table(columns, moves, denominator)
        inside = table.fits(equations.value, equations.column_lower, equations.column_upper)
        if len(columns) == 0 or not inside or not equations.allow(columns, moves, denominator):
            return np.zeros(len(self.ends), np.bool_)
        cells = columns < equations.cells
        return self._witnesses.add(Table(columns[cells], moves[cells], denominator))

    def _solve(self, view: NDArray[np.bool_], asked: list[int], limits: Limits, cuts: dict[int, Cut]) -> None:
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
        if len(columns) >= DENSE:
            self._learn_real(columns, answer)
        for table in tables:
            changed = np.flatnonzero(table != equations.value[columns])
            changed = changed[columns[changed] < equations.cells]
            if len(changed):
                self._witnesses.add(Table(columns[changed], table[changed] - equations.value[columns[changed]]))
        rows = np.unique(equations.by_column[columns].indices)
        for q, need, bounds in zip(members, needs, answer.targets, strict=True):
            missed = _missed(need, bounds, int(equations.value[need.cell]))
            if missed is not None:
                cut = capacity_cut(equations, need, missed, rows)
                if cut is None or cut.holds(view):
                    cut = self._something_more(view, need)
                cuts[q] = cut
                self._cuts.setdefault(q, []).append(cut)
                self.pool.add(cut)

    def _learn_real(self, columns: NDArray[np.int64], answer: Answer) -> None:
        """Remember real tables of a part of the table that is too large for whole ones, as the audit does."""
        ends = [end for bounds in answer.targets for end in (bounds.lower, bounds.upper)]
        points = {id(end.point[0]): end.point for end in ends if end.point is not None}
        for numerator, denominator in points.values():
            if denominator * float(self.ends.distance.max(initial=0)) >= NO_UPPER:
                continue
            moves = numerator - self.equations.value[columns] * denominator
            changed = np.flatnonzero((moves != 0) & (columns < self.equations.cells))
            self._witnesses.add(Table(columns[changed], moves[changed], denominator))

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


def many_unseen(equations: Equations, columns: NDArray[np.int64]) -> bool:
    """Whether so many sums that no table shows and that are not zero hang together that the audit, too, is content with
    tables of fractions."""
    unseen = columns[equations.always_open[columns]]
    return int(np.count_nonzero(equations.value[unseen] != equations.column_lower[unseen])) >= DENSE


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
