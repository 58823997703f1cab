"""Movers: tables that move one cell as far as it has to go and everything else as little as possible.

Such a table changes few cells, so that it serves many patterns, and it is nearly always one of whole numbers (a circuit
of the relations). Where the cell cannot go so far, the multipliers of the relations give a cut that the pattern breaks.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.certify import rationalise, scaled, sparse
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import DENSE
from tableseal.audit.decision.cuts import Cut, Missed, capacity_cut, either_cut
from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.model import NEARLY, Model, Models
from tableseal.audit.decision.regions import Floats, Ints

OFTEN = 0.01
"""What movement costs of cells that have requirements of their own, beside 1 for others: they are withheld in every
pattern that matters, so that tables which move them serve more patterns."""

SHY = 20.0
"""How much dearer movement of cells is that some attacker knows: tables that leave them alone serve against it, too."""

WIDENING = 1e-2
"""What movement costs where it takes no further cell, beside 1 for a cell of the usual cost."""

DEAREST = 1e4
"""Times the usual cost that a cell may seem to cost: linear programs dislike more."""

AROUND = 4
AVOID = 10.0
"""How often fractions are avoided in a table, and how much dearer what had them becomes."""

STALE = 100
"""Cells that may have been given back before groups are looked for again."""

Learn = Callable[[Ints, Floats], NDArray[np.bool_]]


class Movers:
    """Answers for whole patterns.

    Attributes
    ----------
    questions: how often an end was asked about so far: each is a few programs.
    """

    def __init__(self, equations: Equations, requirements: Sequence[Requirement], ends: Ends, models: Models) -> None:
        """models: of the same relations, with cells that may hold less than these equations say."""
        self._equations, self._models = equations, models
        held = np.flatnonzero(equations.column_lower > models.equations.column_lower)
        self._falling = held, (equations.value - equations.column_lower)[held].astype(np.float64)
        nothing = np.zeros(equations.matrix.shape[1], np.bool_)
        self._grouped = nothing, np.full(len(nothing), -1, np.int64)
        self._shy = np.ones(len(nothing))
        self.questions = 0
        self.ask(requirements, ends)

    def ask(self, requirements: Sequence[Requirement], ends: Ends) -> None:
        """Answer for these requirements from now on."""
        self._requirements, self._ends = tuple(requirements), ends
        self._weight = np.ones(self._equations.matrix.shape[1])
        self._weight[ends.cell] = OFTEN

    def shun(self, cells: Ints) -> None:
        """Leave cells alone, if the same can be shown without them."""
        self._shy[cells] = SHY

    def answer(
        self,
        pattern: NDArray[np.bool_],
        asked: Ints,
        limits: Limits,
        learn: Learn,
        *,
        first: bool = False,
        many: bool = False,
        known: tuple[int, ...] = (),
    ) -> tuple[dict[int, Cut], list[int]]:
        """(cuts for ends (positions) that a pattern does not meet, ends in parts of the table that are too large).

        Neither for those about which nothing was shown.

        learn: told of each point (columns, moves); says which ends (bool) it shows to be met.
        first: the first end that is not shown to be met is enough; then the ends are asked in the order given.
        many: the pattern is one of many that attackers see, of which each asks about little: no part is too large, and
        integer programs are not asked (f3d_20: 10 of 1,761 ends need them, 0.5 s for each of 984 attackers).
        known: cells that are never published and that all attackers know.
        """
        equations, ends = self._equations, self._ends
        open_columns = equations.opened(pattern)
        open_columns[list(known)] = False
        label = self._label(open_columns)
        of_end = label[ends.cell[asked]]
        cuts: dict[int, Cut] = {}
        met = np.zeros(len(ends), np.bool_)

        def note(columns: Ints, point: Floats) -> NDArray[np.bool_]:
            shown = learn(columns, point)
            met[shown] = True
            return shown

        left: list[tuple[Model, Ints]] = []
        large: list[int] = []
        for group in np.unique(of_end).tolist():
            members = asked[of_end == group]
            if group < 0:  # published: nothing is withheld of it
                cuts |= {e: Cut(ends.cell[e : e + 1], np.ones(1, np.int64), 1) for e in members.tolist()}
                continue
            columns = np.flatnonzero(label == group)
            if not many and self._too_large(columns[open_columns[columns]]):
                large += members.tolist()
                continue
            model = self._models.parts.of(columns)
            model.reset(open_columns[model.region.columns], (self._weight * self._shy)[model.region.columns])
            order = members if first else members[np.argsort(-ends.distance[members], kind="stable")]
            # What lies near settles most ends, those that fail above all.
            for near in (*model.steps, None):
                for end in order.tolist():
                    if limits.out_of_time():
                        return cuts, large
                    if met[end] or end in cuts:
                        continue
                    need = self._requirements[ends.requirement[end]].knowing(known)
                    self.questions += 1
                    cut = self._one(model, end, need, pattern, limits, note, near=near)
                    if cut is not None:
                        cuts[end] = cut
                        if first:
                            return cuts, large
            left.append((model, members))
        if not cuts and not many:  # otherwise the pattern is no good anyhow
            self._in_whole_units(left, open_columns, met, limits, note, first=first)
        return cuts, large

    def large(self, pattern: NDArray[np.bool_], requirements: Sequence[int]) -> bool:
        """Whether some of these requirements (positions) are about cells in parts that are too large for `answer`."""
        open_columns = self._equations.opened(pattern)
        label = self._label(open_columns)
        groups = np.unique(label[[self._requirements[q].cell for q in requirements]])
        return any(
            self._too_large(np.flatnonzero((label == group) & open_columns)) for group in groups[groups >= 0].tolist()
        )

    def _too_large(self, columns: Ints) -> bool:
        """True for large parts, unless most of it are sums that no table shows: points of linked flat tables are whole
        numbers all the same (French turnover, 1,952 columns: 316 ends, each a whole table or a cut, 5 ms each; by the
        method there was no pattern after 160 s). The method answers for all ends that one attacker asks about; of many
        attackers each would take as long (mh2d_big against 1,000 of them: no pattern after 120 s)."""
        if self._ends.known is not None:
            return False
        never = np.count_nonzero(self._equations.always_open[columns])
        return len(columns) >= DENSE and bool(2 * never <= len(columns))

    def _label(self, open_columns: NDArray[np.bool_]) -> Ints:
        """Connected groups; those of a slightly wider pattern will do, because models hold still what is published."""
        wider, label = self._grouped
        stale = np.count_nonzero(wider & ~open_columns) > STALE
        if stale or np.count_nonzero(open_columns & ~wider):
            wider = open_columns if stale else open_columns | wider
            label = self._equations.groups(wider)
            self._grouped = wider, label
        return np.where(open_columns, label, -1)

    def _in_whole_units(
        self,
        left: list[tuple[Model, Ints]],
        open_columns: NDArray[np.bool_],
        met: NDArray[np.bool_],
        limits: Limits,
        learn: Learn,
        *,
        first: bool,
    ) -> None:
        """Integer programs for ends that points with fractions meet."""
        for model, members in left:
            model.reset(open_columns[model.region.columns], self._weight[model.region.columns])
            for end in members.tolist():
                if limits.out_of_time():
                    return
                if not met[end] and not self._whole(model, end, limits, learn) and first:
                    return

    def widen(
        self, pattern: NDArray[np.bool_], may: NDArray[np.bool_], price: Floats, end: int, limits: Limits, learn: Learn
    ) -> NDArray[np.bool_] | None:
        """A wider pattern that meets an end: with the cells of a table that costs least, as a linear program sees it.

        may: bool (cells), may be withheld besides; price: float64 (cells), of that (see `prices`). None: no table of
        whole numbers was found.
        """
        self.questions += 1
        equations, ends = self._equations, self._ends
        open_columns = equations.opened(pattern | may)
        model = self._around(open_columns, int(ends.cell[end]))
        weight = WIDENING * self._shy
        weight[: equations.cells] += np.where(pattern, 0.0, price)
        model.reset(open_columns[model.region.columns], weight[model.region.columns])
        for way, distance in ends.ways(end):
            model.aim(int(ends.cell[end]), way, distance, ends.known_to(end), self._falling)
            for point in _candidates(model, limits, hopeful=bool((may & ~pattern).any())):
                if learn(model.region.columns, point)[end]:
                    wider = pattern.copy()
                    moving = model.region.columns[np.abs(point) > NEARLY]
                    wider[moving[moving < equations.cells]] = True
                    return wider & (pattern | may)
        return None

    def avoid(
        self, pattern: NDArray[np.bool_], end: int, shy: Floats, limits: Limits, learn: Learn, *, hasty: bool
    ) -> NDArray[np.bool_]:
        """The ends (bool) that a table meets which moves one end's cell all the way, and other cells as little as
        possible; none where there is no such table in whole units.

        shy: float64 (columns), what movement of each costs. hasty: cells near this one will do, if they move it.
        """
        self.questions += 1
        equations, ends = self._equations, self._ends
        open_columns = equations.opened(pattern)
        model = self._around(open_columns, int(ends.cell[end]))
        model.reset(open_columns[model.region.columns], shy[model.region.columns])
        shown = np.zeros(len(ends), np.bool_)
        for way, distance in ends.ways(end):
            model.aim(int(ends.cell[end]), way, distance, ends.known_to(end), self._falling)
            point = model.least(limits, hasty=hasty)
            if point is not None:
                shown = learn(model.region.columns, point)
            if shown[end] or limits.out_of_time():
                break
        return shown

    def _around(self, open_columns: NDArray[np.bool_], cell: int) -> Model:
        """A model of the part of the table around a cell; of everything where that is most of it."""
        label = self._label(open_columns)
        columns = np.flatnonzero(label == label[cell])
        if 2 * len(columns) <= len(label):
            return self._models.parts.of(columns)
        return self._models.whole

    def _one(
        self,
        model: Model,
        end: int,
        need: Requirement,
        view: NDArray[np.bool_],
        limits: Limits,
        learn: Learn,
        *,
        near: int | None,
    ) -> Cut | None:
        """The cut of an end that cannot be reached; None if it can, or nothing was shown.

        need: what the end belongs to, with all that the attacker knows. view: bool (cells), the pattern. near: ask only
        so many columns near the cell.
        """
        known, cell, either = self._ends.known_to(end), int(self._ends.cell[end]), bool(self._ends.either[end])
        extent, multipliers, ways = 0.0, [], []
        for way, distance in self._ends.ways(end):
            model.aim(cell, way, distance, known, self._falling)
            point = model.move(limits) if near is None else model.move_near(limits, near)
            if point is None or learn(model.region.columns, point)[end]:
                return None
            extent = model.extent if either else extent + model.extent
            y = rationalise(model.multipliers) or scaled(model.multipliers)
            if y is None or (either and extent >= distance * (1 - NEARLY)):
                return None
            multipliers.append((way, sparse(y)))
            ways.append(Missed(distance, ((way, sparse(y)),)))
        if either:
            return either_cut(self._equations, need, ways, model.region.rows, view)
        if extent >= distance * (1 - NEARLY):
            return None
        return capacity_cut(self._equations, need, Missed(distance, tuple(multipliers)), model.region.rows)

    def _whole(self, model: Model, end: int, limits: Limits, learn: Learn) -> bool:
        """Whether a table of whole units is found that shows the end to be met: one that goes a unit further, or that
        of an integer program."""
        known, cell = self._ends.known_to(end), int(self._ends.cell[end])
        for way, distance in self._ends.ways(end):
            model.aim(cell, way, distance + 1, known, self._falling)
            further = model.move(limits)
            if further is not None and learn(model.region.columns, further)[end]:
                return True
            model.aim(cell, way, distance, known, self._falling)
            moved = model.move(limits)
            if moved is None or model.extent < distance * (1 - NEARLY):
                continue
            if learn(model.region.columns, moved)[end]:
                return True
            for among in ((moved != 0) | (model.weight < 1), np.ones(len(moved), np.bool_)):
                point = model.move_whole(limits, among)
                if point is not None and learn(model.region.columns, point)[end]:
                    return True
        return False


def prices(cost: Floats, may: NDArray[np.bool_]) -> Floats:
    """What linear programs take for the costs (float64, cells) of cells that may (bool) be withheld: in units of what
    one usually costs."""
    typical = max(float(np.median(cost[may])) if may.any() else 1.0, 1e-9)
    return np.minimum(cost / typical, DEAREST)


def _candidates(model: Model, limits: Limits, *, hopeful: bool = True) -> Iterator[Floats]:
    """Points that bring the cell all the way, until one is a table of whole units: the cheapest, others that avoid what
    had fractions, and those of integer programs, first over what moved so far; these only where there is a point with
    fractions, if not `hopeful`."""
    moved = np.zeros(len(model.region.columns), np.bool_)
    weight = model.weight
    for _ in range(AROUND):
        point = model.least(limits)
        if point is None:
            break
        yield point
        moved |= np.abs(point) > NEARLY
        parts = np.abs(point - np.rint(point)) > NEARLY
        if not parts.any():
            break
        model.weight = np.where(parts, AVOID * model.weight, model.weight)
    model.weight = weight
    if not hopeful and not moved.any():
        return
    if model.vast and (moved.any() or model.endless):  # what goes furthest takes 30 s and more there (34,440 cells)
        whole = model.move_whole(limits, moved) if moved.any() else None
        if whole is not None:
            yield whole
        for most in model.steps:
            near = model.move_near(limits, most)
            if near is not None:
                yield near
        return
    further = model.move(limits)
    if further is not None:
        yield further
    for among in (moved, moved | (weight <= WIDENING), None):
        found = model.move_whole(limits, among)
        if found is not None:
            yield found
