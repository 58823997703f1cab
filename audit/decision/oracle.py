"""The oracle that a search for patterns asks: does every cell keep the interval that it needs?

Each answer rests on tables in hand (protected) or on multipliers (not protected), and both are kept for later patterns:
a table serves every pattern that withholds what it changes; multipliers refute every pattern that withholds none of the
cells that would weaken them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.bounds.plan import DENSE
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.hitting import hit
from tableseal.audit.decision.lost import Lost
from tableseal.audit.decision.model import NEARLY, Models, in_whole_units
from tableseal.audit.decision.movers import Movers, prices
from tableseal.audit.decision.pool import Pool
from tableseal.audit.decision.settling import Settling
from tableseal.audit.decision.watch import Blamed, Broken, Watch
from tableseal.audit.decision.witnesses import FeasibleTable, Witnesses
from tableseal.audit.solvers.protocol import Solver

MOST_TABLES, TABLES_AN_END = 4000, 4
"""Tables that are remembered at most: so many, or so many for each end of the first requirements. With fewer, what was
shown is forgotten before all is shown (mh2d_big, 4,506 ends, against insiders: no pattern, whatever the time)."""

MOST_PAIRS = 200_000_000
"""Sets of cells times requirements up to which tables are looked for that serve many of them."""

COALITIONS = 4
"""Parts of all sets of cells, in large parts of a table: what withstands somebody who knows all cells of one withstands
each of its sets (f3d_20, 984 of them: the method takes 3 s for each part, programs for one end after another 70 s)."""

SHY = 1e3
"""How much dearer movement of cells is that a table should leave alone."""


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
    """Answers for patterns over one release. Keeps what it has learnt; the answers do not depend on it.

    Attributes
    ----------
    unsure: positions of requirements that are not sure.
    """

    def __init__(
        self,
        equations: Equations,
        requirements: Sequence[Requirement],
        method: Method,
        solver: Solver | None = None,
        watch: Watch | None = None,
        models: Models | None = None,
    ) -> None:
        """method: decides exactly. solver: linear programs that answer most questions before; None: it alone does.
        watch: is told of every pattern that meets all requirements, and may know more that become requirements.
        models: for the programs, which several oracles may share (see `Movers`); None: its own."""
        self._watch = watch
        self.equations = equations
        self.requirements = tuple(requirements)
        self._asking = set(self.requirements)
        self._narrow = equations.always_open[: equations.cells]
        self.ends = ends_of(self.requirements, equations.value, equations.cells)
        self.movers = None
        if solver is not None:
            self.movers = Movers(equations, self.requirements, self.ends, models or Models(equations, solver))
        self._method, self._solver = method, solver
        self._witnesses = Witnesses(equations.cells, max(MOST_TABLES, TABLES_AN_END * len(self.ends)), self.ends)
        self._cuts: dict[int, list[Cut]] = {}
        self.unsure = {q for q, need in enumerate(self.requirements) if not need.sure}
        self.pool = Pool(equations.cells)
        """Cuts against outsiders and insiders alike: what they know counts for nothing in them."""
        self._settling = Settling(equations, method, self._witnesses.add)
        self._learnt_from: WeakKeyDictionary[Oracle, int] = WeakKeyDictionary()

    @property
    def watched(self) -> bool:
        """Whether there is a watch that is told of patterns."""
        return self._watch is not None

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """What is decided within is about the requirements so far: the watch is told of nothing."""
        watch, self._watch = self._watch, None
        try:
            yield
        finally:
            self._watch = watch

    def ask(self, broken: Sequence[Broken]) -> None:
        """Take more requirements, behind those so far."""
        if not broken:
            return
        for q, more in enumerate(broken, start=len(self.requirements)):
            if not more.requirement.sure:
                self.unsure.add(q)
            if more.cut is not None:
                self._note(q, more.cut)
            self._asking.add(more.requirement)
        self.requirements += tuple(more.requirement for more in broken)
        self.ends = ends_of(self.requirements, self.equations.value, self.equations.cells)
        self._witnesses.ask(self.ends)
        if self.movers is not None:
            self.movers.ask(self.requirements, self.ends)

    def asks(self, need: Requirement) -> bool:
        """Whether it is among the requirements."""
        return need in self._asking

    @property
    def solved(self) -> int:
        """Components that had to be solved by the method so far."""
        return self._settling.solved

    @property
    def questions(self) -> int:
        """How often linear programs were asked about an end so far."""
        return 0 if self.movers is None else self.movers.questions

    def _note(self, q: int, cut: Cut) -> None:
        """Remember a cut of a requirement."""
        self._cuts.setdefault(q, []).append(cut)
        self.pool.add(cut, sure=q not in self.unsure)

    def shun(self, cells: NDArray[np.int64]) -> None:
        """Prefer tables that leave these cells alone."""
        if self.movers is not None:
            self.movers.shun(cells)

    def learn_from(self, other: "Oracle") -> None:
        """Take over the tables of another oracle that came in since the last time: of the same relations, with bounds
        of cells that may differ."""
        bounds = self.equations.value, self.equations.column_lower, self.equations.column_upper
        tables = other._witnesses.since(self._learnt_from.get(other, 0))
        self._witnesses.add_all([table for table in tables if table.fits(*bounds)])
        self._learnt_from[other] = other._witnesses.count

    def decide(self, pattern: NDArray[np.bool_], limits: Limits | None = None, *, exact: bool = True) -> Decision:
        """Which requirements a pattern meets.

        pattern: bool (cells), True where withheld; what a cell that is never published says does not matter.
        exact: leave nothing open (but for limits), which takes long where linear programs meet a requirement and no
        table of whole units is found.
        """
        limits = limits or Limits()
        while True:
            decision = self._decide(pattern, limits, exact, None)
            if self._spared(pattern, decision, limits):
                return Decision(np.ones_like(decision.protected), np.zeros_like(decision.failing), ())
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

        known: sets of cells, such as are never published among them; asked: bool (sets x requirements), those that
        matter, which may become fewer on the way; exact: see `decide`.
        """
        met = self._witnesses.met_without(pattern | self._narrow, known)
        for place, cells in enumerate(known):
            among = asked[place]
            if (among & ~self.ends.requirements_met(met[place])).any():
                view = pattern.copy()
                view[list(cells)] = False
                never = tuple(c for c in cells if self._narrow[c])
                decision = self._decide(view, limits, exact, among, many=len(known) > 1, known=never)
                if not decision.safe:
                    yield place, decision

    def lost_without(
        self, pattern: NDArray[np.bool_], known: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(int64, int64), ascending: sets of cells, and requirements that tables in hand show a pattern to meet, but
        not if the set is published besides. Of requirements that several tables meet together, all sets."""
        times, of_set, end = self._witnesses.lost_without(pattern | self._narrow, known)
        protected = self.protected(pattern)
        together = np.flatnonzero(protected & ~self.ends.requirements_met(times > 0))
        of_set = np.concatenate([of_set, np.repeat(np.arange(len(known)), len(together))])
        requirement = np.concatenate([self.ends.requirement[end], np.tile(together, len(known))])
        count = max(1, len(self.requirements))
        pair = np.unique(of_set * count + requirement)
        kept = protected[pair % count] if len(pair) else pair.astype(np.bool_)
        return pair[kept] // count, pair[kept] % count

    def spread(
        self, pattern: NDArray[np.bool_], known: Sequence[Sequence[int]], asked: NDArray[np.bool_], limits: Limits
    ) -> None:
        """Look for tables that leave sets of cells alone, as many of them at once as possible: what all tables in hand
        that meet an end move, a further one moves as little as it can.

        Only in large parts: elsewhere what is open takes few programs, and the search learns from what they find
        (linked turnover of 1,116 cells: proved cheapest after 4 s, and 3.5% open with these tables).
        known, asked: see `without`. Nothing is proved: what stays lost may be met all the same.
        """
        if self.movers is None or asked.size > MOST_PAIRS or not self.large(pattern, all_parts=True):
            return
        lost = Lost(self.ends, known, self.tables(pattern), self.equations.cells)
        wanted = asked.T
        draw = np.random.default_rng(len(known))
        for some in np.array_split(draw.permutation(len(known)), COALITIONS):
            view, before = pattern.copy(), self._witnesses.count
            view[[cell for place in some.tolist() for cell in known[place]]] = False
            among: NDArray[np.bool_] = np.asarray(asked[some].any(axis=0))
            self._decide(view, limits, False, among)
            lost.add(self._witnesses.since(before))
        for end in np.argsort(-lost.count(wanted), kind="stable").tolist():
            left = lost.of(end) & wanted[self.ends.requirement[end]]
            while left.any() and not limits.out_of_time():
                shy = np.ones(self.equations.matrix.shape[1])
                shy[lost.cells(left)] = SHY
                before = self._witnesses.count
                for hasty in (True, False):
                    self.movers.avoid(pattern, end, shy, limits, self._learn, hasty=hasty)
                    lost.add(self._witnesses.since(before))
                    less = lost.of(end) & wanted[self.ends.requirement[end]]
                    if np.count_nonzero(less) < np.count_nonzero(left):
                        break
                else:
                    break
                left = less

    def _spared(self, pattern: NDArray[np.bool_], decision: Decision, limits: Limits) -> bool:
        """Whether a pattern misses nothing but what this one need not meet."""
        missed = set(np.flatnonzero(~decision.protected).tolist())
        spared = bool(missed) and missed <= self.unsure
        return spared and self._watch is not None and self._watch.content(self, pattern, limits)

    def _more(self, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether the watch knows a requirement that a pattern does not meet; then it is asked from now on."""
        broken = () if self._watch is None else self._watch(self, pattern, limits, first=False)
        if broken:
            self.ask(broken)
        return bool(broken)

    def _decide(
        self,
        pattern: NDArray[np.bool_],
        limits: Limits,
        exact: bool,
        among: NDArray[np.bool_] | None,
        *,
        many: bool = False,
        known: tuple[int, ...] = (),
    ) -> Decision:
        """The answer about some requirements (bool, None: all), the others taken as met. many: see `Movers.answer`.

        known: cells that are never published and that whoever asks knows; what is learnt from that is not kept.
        """
        other = False if among is None else ~among
        protected = self._protected(pattern, known) | other
        cuts: dict[int, Cut] = {}
        for q in np.flatnonzero(~protected).tolist():
            view = self._view(pattern, q, known)
            broken = next((c for c in self._cuts.get(q, ()) if not c.holds(view)), None)
            if broken is not None:
                cuts[q] = broken
        large: set[int] = set()
        if self.movers is not None:
            asked = self._asked(protected, cuts)
            large = self._move(self.movers, pattern, asked, limits, cuts, many=many, known=known)
            protected = self._protected(pattern, known) | other
        left: dict[tuple[int, ...], list[int]] = {}
        for q in self._asked(protected, cuts):
            if not exact and self.movers is not None and q not in large:
                continue
            need = self.requirements[q]
            left.setdefault(tuple(c for c in need.attacker.known if pattern[c] or self._narrow[c]), []).append(q)
        for members in left.values():
            needs = {q: self.requirements[q].knowing(known) for q in members}
            furthest = int(self.ends.distance.max(initial=0))
            for q, cut in self._settling(self._view(pattern, members[0], known), needs, furthest, limits).items():
                cuts[q] = cut
                if not known:
                    self._note(q, cut)
        protected = self._protected(pattern, known) | other if left else protected
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
        # In large parts, too, one program mostly says what the method would say of all ends after a second.
        self._move(self.movers, pattern, asked, limits, cuts, first=True, many=self.movers.large(pattern, asked))
        if cuts:
            return False
        if not self.protected(pattern).all():
            left = self._asked(self.protected(pattern), cuts)
            return self.movers.large(pattern, left) and self.decide(pattern, limits, exact=False).safe
        return self._nothing_more(pattern, limits)

    def _nothing_more(self, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether the watch has nothing against a pattern."""
        broken = () if self._watch is None else self._watch(self, pattern, limits, first=True)
        for more in broken:
            if more.cut is not None:
                self.pool.add(more.cut, sure=more.requirement.sure)
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
            if not self._witnesses.meet(end, pattern | self._narrow):
                wider = self.movers.widen(pattern, may, prices(cost, may), end, limits, self._learn)
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
        chosen = start
        while True:
            if self.watched and self.large(chosen):
                self._decide(chosen, limits, False, None)  # the method finds tables that meet many ends at once
            chosen, _ = self._wider(chosen, pattern, cost, limits, sparing=self.watched)
            if not self.protected(chosen).all() or self._late(limits):
                return chosen, False
            if self.large(chosen, all_parts=True):
                chosen = self.let_go(chosen, pattern, cost, limits)
            chosen = self._beyond_doubt(chosen, pattern, cost, limits)
            if self._late(limits):
                return chosen, False
            if not self._more(chosen, limits):
                return chosen, True

    def _late(self, limits: Limits) -> bool:
        """Whether there is no time to ask the watch, which takes seconds where it knows thousands of requirements."""
        return self.watched and limits.out_of_time()

    def _wider(
        self,
        chosen: NDArray[np.bool_],
        within: NDArray[np.bool_],
        cost: NDArray[np.float64],
        limits: Limits,
        *,
        sparing: bool = False,
    ) -> tuple[NDArray[np.bool_], set[int]]:
        """(a pattern in which each end took what it needs, requirements of ends that were not met before).

        sparing: no end takes a cell more where a table without it shows it to be met, however much that moves.
        """
        free = np.zeros(self.equations.cells)
        met, took, price = self._witnesses.met(chosen | self._narrow), set[int](), prices(cost, within)
        for end in np.argsort(-self.ends.distance, kind="stable").tolist():
            if self.movers is None or limits.out_of_time():
                break
            if met[end] or self._witnesses.meet(end, chosen | self._narrow):
                continue
            if sparing and self.movers.widen(chosen, chosen, free, end, limits, self._learn) is not None:
                continue
            wider = self.movers.widen(chosen, within, price, end, limits, self._learn)
            if wider is not None:
                chosen = wider
                took.add(int(self.ends.requirement[end]))
        return chosen, took

    def let_go(
        self, chosen: NDArray[np.bool_], within: NDArray[np.bool_], cost: NDArray[np.float64], limits: Limits
    ) -> NDArray[np.bool_]:
        """A wider pattern in which relations alone do not show the watch that something is not met: cells that many of
        the broken cuts have in common come first, so that few serve all attackers."""
        while not self._late(limits):
            cuts = [more.cut for more in self.held(chosen) if more.cut is not None]
            if not cuts or not hit(cuts, chosen := chosen.copy(), within, cost):
                break
        return chosen

    def held(self, pattern: NDArray[np.bool_]) -> Sequence[Broken]:
        """What relations alone show the watch that a pattern does not meet; the cuts are remembered."""
        held = () if self._watch is None else self._watch.held(pattern)
        for more in held:
            if more.cut is not None:
                self.pool.add(more.cut)
        return held

    def _beyond_doubt(
        self, chosen: NDArray[np.bool_], within: NDArray[np.bool_], cost: NDArray[np.float64], limits: Limits
    ) -> NDArray[np.bool_]:
        """A wider pattern of which tables show that it meets what the watch doubts. What a pattern that was chosen
        without it does not meet is asked from now on: it mostly is what others do not meet either.

        To solve first which doubts are right takes longer than to let each take what it needs, which mostly is nothing
        more (mh2d_big: 4 s before anything is withheld, then 2.8; so 5.4, and the pattern costs the same).
        """
        if self._watch is not None:
            self._watch.spread(self, chosen, limits)
        doubts = self.doubts(chosen)
        if not doubts:
            return chosen
        needs = [doubt.requirement for doubt in doubts]
        other = self.alike(self.equations, needs)
        other.learn_from(self)
        other.shun(np.array(sorted({cell for need in needs for cell in need.attacker.known}), np.int64))
        chosen, took = other._wider(chosen, within, cost, limits, sparing=True)
        self.learn_from(other)
        self.ask([doubts[q] for q in sorted(took)])
        return chosen

    def blamed(self) -> Blamed | None:
        """See `Watch.blamed`; None without a watch."""
        return None if self._watch is None else self._watch.blamed()

    def shared(self) -> Mapping[int, Requirement]:
        """See `Watch.shared`; nothing without a watch."""
        return {} if self._watch is None else self._watch.shared()

    def doubts(self, pattern: NDArray[np.bool_]) -> Sequence[Broken]:
        """What the watch doubts about a pattern, see `Watch.doubts`."""
        return () if self._watch is None else self._watch.doubts(self, pattern)

    def untold(self, pattern: NDArray[np.bool_]) -> Sequence[Broken]:
        """What even outsiders may find out of what the watch knows, see `Watch.untold`."""
        return () if self._watch is None else self._watch.untold(self, pattern)

    def alike(self, equations: Equations, requirements: Sequence[Requirement], *, hasty: bool = False) -> "Oracle":
        """Another oracle with the same engines, which knows nothing yet. hasty: content with what lies near a cell."""
        models = None if self._solver is None else Models(equations, self._solver, hasty=hasty)
        return Oracle(equations, requirements, self._method, self._solver, models=models)

    def tables(self, pattern: NDArray[np.bool_]) -> list[FeasibleTable]:
        """Tables in hand that serve a pattern."""
        return self._witnesses.serving(pattern | self._narrow)

    def learn(self, tables: Sequence[FeasibleTable]) -> None:
        """Remember what are known to be tables."""
        self._witnesses.add_all(tables)

    def entanglement(self, pattern: NDArray[np.bool_], *, unseen: bool = False) -> int:
        """Columns times ends, over the parts of the table in which what a pattern (bool, cells) withholds hangs
        together. unseen: count only columns that no table shows."""
        label = self.equations.groups(self.equations.opened(pattern))
        counted = label >= 0
        if unseen:
            counted &= self.equations.always_open
        columns = np.bincount(label[counted], minlength=label.max(initial=-1) + 1)
        of_end = label[self.ends.cell]
        return int((columns * np.bincount(of_end[of_end >= 0], minlength=len(columns))).sum())

    def large(self, pattern: NDArray[np.bool_], *, all_parts: bool = False) -> bool:
        """Whether what no table in hand shows of a pattern lies in parts in which so much hangs together that it is
        left to the method. all_parts: whether anything that is asked does."""
        left = range(len(self.requirements)) if all_parts else np.flatnonzero(~self.protected(pattern)).tolist()
        return self.movers is not None and bool(left) and self.movers.large(pattern, left)

    def protected(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (requirements): those that tables in hand show to be met."""
        return self._protected(pattern, ())

    def _protected(self, pattern: NDArray[np.bool_], known: tuple[int, ...]) -> NDArray[np.bool_]:
        """The same of somebody who knows cells that are never published."""
        opened = pattern | self._narrow
        opened[list(known)] = False
        met = self._witnesses.met(opened)
        result = self.ends.requirements_met(met)
        for q in np.flatnonzero(self.ends.wide & ~result).tolist():
            sides = (self.ends.requirement == q) & (self.ends.sign != 0)
            if met[sides].all():
                low, high = self._witnesses.reach(self.requirements[q].cell, self._view(pattern, q, known))
                result[q] = high - low >= self.requirements[q].width
        return result

    def _view(self, pattern: NDArray[np.bool_], q: int, known: tuple[int, ...] = ()) -> NDArray[np.bool_]:
        """bool (cells): what the attacker of a requirement does not know, who may know more."""
        view = pattern | self._narrow
        view[[*self.requirements[q].attacker.known, *known]] = False
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
        many: bool = False,
        known: tuple[int, ...] = (),
    ) -> set[int]:
        """What linear programs show: tables of whole numbers, and cuts that the pattern breaks.

        Returns the requirements in parts of the table that are too large for that.
        """
        if not asked:
            return set()
        ends = np.flatnonzero(np.isin(self.ends.requirement, asked))
        opened = pattern | self._narrow
        opened[list(known)] = False
        ends = ends[~self._witnesses.met(opened)[ends]]
        if first:  # what few tables have ever met fails most easily
            ends = ends[np.argsort(self._witnesses.times_met[ends], kind="stable")]
        found, large = movers.answer(pattern, ends, limits, self._learn, first=first, many=many, known=known)
        for end, cut in sorted(found.items()):
            q = int(self.ends.requirement[end])
            if q not in cuts and not cut.holds(self._view(pattern, q, known)):
                cuts[q] = cut
                if not known:
                    self._note(q, cut)
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
        table = FeasibleTable(columns, moves, denominator)
        inside = table.fits(equations.value, equations.column_lower, equations.column_upper)
        if len(columns) == 0 or not inside or not equations.allow(columns, moves, denominator):
            return np.zeros(len(self.ends), np.bool_)
        cells = columns < equations.cells
        return self._witnesses.add(FeasibleTable(columns[cells], moves[cells], denominator))


def many_unseen(equations: Equations, columns: NDArray[np.int64]) -> bool:
    """Whether so many sums that no table shows and that are not zero hang together that the audit, too, is content with
    tables of fractions."""
    unseen = columns[equations.always_open[columns]]
    return int(np.count_nonzero(equations.value[unseen] != equations.column_lower[unseen])) >= DENSE
