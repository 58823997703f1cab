"""Separation of patterns that withhold cells in part: how much of each limits how far a table may move it.

Where no table moves a sensitive cell far enough, the multipliers give a cut that is valid for every pattern, whatever
the floats were: they are rounded to fractions, and the capacities are computed from these exactly.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.certify import rationalise, scaled, sparse
from tableseal.audit.bounds.component import Limits, Multipliers
from tableseal.audit.decision.cuts import Cut, Missed, capacity_cut, either_cut
from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.regions import Floats, Ints, Region, Regions
from tableseal.audit.solvers.protocol import Problem as Program
from tableseal.audit.solvers.protocol import Solver

LEAST = 1e-7
"""Shares below this count as nothing."""

MARGIN = 1e-4
"""A cut must be broken by so much of its right side to be worth adding."""

CLASS = 2
"""Distances within this factor share their limits, and with them the warm basis."""

TOGETHER = 4
"""Ends of one region from which points that move all of them at once are tried first."""


class Separation:
    """Finds cuts that a fractional pattern breaks."""

    def __init__(
        self,
        equations: Equations,
        requirements: Sequence[Requirement],
        ends: Ends,
        solver: Solver,
        shared: Mapping[int, Requirement] | None = None,
    ) -> None:
        """shared: cell -> what nobody may find out of it; see `roots`."""
        self._equations, self._shared = equations, shared or {}
        self.roots: list[tuple[int, Cut]] = []
        """(cell, cut of what nobody may find out of it), from the multipliers of each cut that was found."""
        self.ask(requirements, ends)
        self._regions = Regions(equations, lambda region: _Model(region, solver))

    def ask(self, requirements: Sequence[Requirement], ends: Ends, left_out: Collection[int] = ()) -> None:
        """Find cuts for these requirements from now on, but for some (positions)."""
        self._requirements, self.ends = tuple(requirements), ends
        self._asked = ~np.isin(ends.requirement, list(left_out))

    def cuts(self, share: Floats, limits: Limits, most: int | None = None) -> dict[int, Cut]:
        """The cut of each end (position) that falls short; at most so many.

        share: float64 (cells), how much of each is withheld.
        """
        equations, ends = self._equations, self.ends
        full = np.ones(equations.matrix.shape[1])
        full[: equations.cells] = np.where(share > LEAST, share, 0.0)
        full[equations.always_open] = 1.0
        label = equations.groups(full > 0)
        of_end = np.where(self._asked, label[ends.cell], -1)
        cuts: dict[int, Cut] = {}
        for group in np.unique(of_end[of_end >= 0]).tolist():
            if limits.out_of_time() or (most is not None and len(cuts) >= most):
                break
            model = self._regions.of(np.flatnonzero(label == group))
            inside = _Inside(self, model, full[model.region.columns], limits)
            cuts |= inside.cuts(np.flatnonzero(of_end == group), None if most is None else most - len(cuts))
        return cuts

    def cut(self, end: int, multipliers: Sequence[tuple[int, Multipliers]], rows: Ints) -> Cut | None:
        """The cut that the multipliers of both ways of an end, or of its only one, give."""
        need = self._requirements[self.ends.requirement[end]]
        root = self._root(need.cell, multipliers, rows)
        if root is not None:
            self.roots.append((need.cell, root))
        if need.either:
            far = dict(self.ends.ways(end))
            ways = [Missed(far[way], ((way, y),)) for way, y in multipliers]
            return either_cut(self._equations, need, ways, rows, None)
        return capacity_cut(self._equations, need, Missed(int(self.ends.distance[end]), tuple(multipliers)), rows)

    def _root(self, cell: int, multipliers: Sequence[tuple[int, Multipliers]], rows: Ints) -> Cut | None:
        """What the same multipliers say of what nobody may find out of a cell: how far it can go one way, or, where it
        is enough that it can move, how far apart two tables can be."""
        need, (way, y) = self._shared.get(cell), multipliers[0]
        if need is None or len(multipliers) > 2:
            return None
        value = int(self._equations.value[cell])
        low, high = need.ends(value)
        distance = value - low if way == 1 else high - value
        if len(multipliers) == 1 and distance > 0:
            return capacity_cut(self._equations, need, Missed(distance, ((way, y),)), rows)
        other = replace(y, numerator=-y.numerator)
        return capacity_cut(self._equations, need, Missed(need.width, ((way, y), (-way, other))), rows)


class _Model:
    def __init__(self, region: Region, solver: Solver) -> None:
        self.region = region
        still = np.zeros(len(region.columns))
        self.warm = solver.warm(Program(region.matrix, region.low, region.high, still, still))


class _Inside:
    """All that is asked within one region."""

    def __init__(self, separation: Separation, model: _Model, share: Floats, limits: Limits) -> None:
        self._separation, self._ends, self._limits = separation, separation.ends, limits
        self._region, self._warm, self._share = model.region, model.warm, share
        self._met = np.zeros(len(self._ends), np.bool_)
        self._move = np.zeros(separation._equations.matrix.shape[1])
        self._mirrored = False

    def cuts(self, members: Ints, most: int | None) -> dict[int, Cut]:
        """Cuts for ends of this region.

        An end that asks how far a cell can go both ways together is asked at once: how far apart two tables can be, in
        which each cell differs by no more than its whole room, and no further than it has to (cells of which each is
        withheld to 0.6 move a cell by 0.6 down and by 0.6 up, and still not by one unit).
        """
        if not self._plain:
            return self._cuts(members, most)
        ranges = members[(self._ends.sign[members] == 0) & ~self._ends.either[members]]
        self._mirrored = True
        found = self._cuts(ranges, most)
        self._mirrored, self._met[ranges] = False, self._met[ranges] | (self._ends.distance[ranges] == 1)
        left = np.setdiff1d(members, [*found])
        return found | self._cuts(left[~self._met[left]], None if most is None else most - len(found))

    @property
    def _plain(self) -> bool:
        """All relations are equations."""
        return not (self._region.low != self._region.high).any()

    def _cuts(self, members: Ints, most: int | None) -> dict[int, Cut]:
        distance = self._ends.distance[members]
        left = members[np.lexsort((self._ends.attacker[members], -distance))]
        found: dict[int, Cut] = {}
        while len(left) and not self._limits.out_of_time():
            first = left[0]
            widest = int(self._ends.distance[first])
            near = self._ends.attacker[left] == self._ends.attacker[first]
            near &= self._ends.distance[left] * CLASS > widest
            if not self._met[left[near]].all():
                self._limit(widest, int(first))
                self._together(left[near])
            for end in left[near].tolist():
                if most is not None and len(found) >= most:
                    return found
                cut = None if self._met[end] else self._one(end)
                if cut is not None:
                    found[end] = cut
            left = left[~near]
        return found

    def _limit(self, widest: int, end: int) -> None:
        """No cell has to contribute more than the whole distance, which strengthens the cuts."""
        share = np.where(np.isin(self._region.columns, self._ends.known_to(end)), 0.0, self._share)
        down, up = self._region.down, self._region.up
        if self._mirrored:
            down = up = down + up
        self._warm.set_columns(-np.minimum(down, widest) * share, np.minimum(up, widest) * share)

    def _solve(self, cost: Floats) -> tuple[Floats, Floats] | None:
        """(moves, multipliers), after the ends that the moves show have been noted."""
        outcome = self._warm.minimise(cost, self._limits.seconds_left())
        if outcome.x is None or outcome.row_dual is None:
            return None
        self._move[self._region.columns] = outcome.x
        met = self._ends.met(self._move, MARGIN)
        self._met |= met & (self._ends.sign == 0) & ~self._ends.either if self._mirrored else met
        return outcome.x, outcome.row_dual

    def _together(self, near: Ints) -> None:
        """Points that move many cells at once, in one direction and then in the other."""
        for _ in range(4):
            for way in (1, -1):
                open_ends = near[~self._met[near] & (self._ends.sign[near] * way >= 0)]
                if len(open_ends) < TOGETHER or self._limits.out_of_time():
                    continue
                cost = np.zeros(len(self._region.columns))
                np.add.at(cost, np.searchsorted(self._region.columns, self._ends.cell[open_ends]), float(way))
                before = int(self._met[near].sum())
                if self._solve(cost) is None or int(self._met[near].sum()) - before < len(open_ends) / 4:
                    return

    def _one(self, end: int) -> Cut | None:
        at = int(np.searchsorted(self._region.columns, self._ends.cell[end]))
        multipliers: list[tuple[int, Multipliers]] = []
        extent, either = 0.0, bool(self._ends.either[end])
        for way, distance in self._ends.ways(end):
            if self._mirrored and way == -1:
                own = multipliers[0][1]
                multipliers.append((way, replace(own, numerator=-own.numerator)))
                continue
            cost = np.zeros(len(self._region.columns))
            cost[at] = way
            solved = self._solve(cost)
            y = None if solved is None else rationalise(solved[1]) or scaled(solved[1])
            if solved is None or y is None:
                return None
            moved = abs(float(solved[0][at]))
            extent = moved if either else extent + moved
            if either and extent >= distance * (1 - MARGIN):
                return None
            multipliers.append((way, sparse(y)))
        if extent >= self._ends.distance[end] * (1 - MARGIN):
            return None
        return self._separation.cut(end, multipliers, self._region.rows)
