"""One linear program of moves from a table, kept while what is held still and what is to move change."""

from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.near import NEAR, Nearby
from tableseal.audit.decision.regions import Floats, Ints, Region, Regions, region_of
from tableseal.audit.solvers.protocol import Outcome, Solver
from tableseal.audit.solvers.protocol import Problem as Program

RELUCTANCE = 1e-4
"""What a unit of movement elsewhere costs beside a unit of the cell in question, at most: little enough that the cell
goes as far as it can."""

NEARLY = 1e-6
"""Share of a distance that is too little to matter."""

WIDE = 64
"""Times the distance that a cell may move in a table of an integer program."""

LARGEST = 2_500
"""Directions in which columns may move, up to which an integer program is asked (f3d_10, 600: 0.03 s; up to 2,330: 0.1
to 1.1 s; fh3d_mid, 4,025, and f3d_20, 3,647: 2 to 6 s; beyond that minutes). Like EFFORT a limit of work, not of time,
so that answers do not depend on the machine and what else it does."""

EFFORT = 1_000_000
"""Coefficients times nodes of an integer program."""

KEPT = 100_000
"""Columns of programs near a cell that are kept, for the same cell in another pattern."""

LARGE = 1_500
"""Columns from which what lies near a cell is asked first (a block of 241,080 cells, 1,799 columns: 1.5 s for all of
them, and 20 ms for those near a cell; from 300 on small grids of 34,440 cells are no quicker and cost 47,310 in place
of 45,413)."""

HASTY = 1_000
"""Columns near a cell that whoever is hasty asks at most."""

ENDLESS = 70_000
"""Columns from which no program is over all of them."""

MULTIPLES = (1, 2, 3, 4, 5, 6, 8, 12)
"""Of a vertex with fractions that are tried: cells without an upper limit have room for them."""


def in_whole_units(point: Floats) -> tuple[Ints, int] | None:
    """(the moves of a linear program times a factor, which are in whole units; the factor); None if none is found."""
    for factor in MULTIPLES:
        moves = np.rint(point * factor).astype(np.int64)
        if np.abs(moves - point * factor).max(initial=0.0) <= NEARLY:
            return moves, factor
    return None


def _places(columns: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """(where those of some columns that are there stand, bool: which they are). columns: increasing; numpy's `isin`
    looks at all of them, for the few that an attacker knows."""
    at = np.searchsorted(columns, wanted)
    here = np.append(columns, -1)[at] == wanted
    return at[here], here


class Model:
    """Moves up and moves down are columns of their own."""

    def __init__(self, region: Region, solver: Solver, *, kept: int | None = None, hasty: bool = False) -> None:
        """kept: columns of the programs of what is near (some 2 MB for 150 of them), if not KEPT. hasty: see `vast`."""
        self.region, self._hasty = region, hasty
        still = np.zeros(2 * len(region.columns))
        self._both = csr_array(hstack([region.matrix, -region.matrix]))
        self._solver = solver
        self._warm = solver.warm(Program(self._both, region.low, region.high, still, still))
        self._room = np.concatenate([region.up, region.down])
        large = len(region.columns) >= LARGE
        self._nearby = Nearby(region, solver, KEPT if kept is None else kept) if large else None
        self._still = still
        self.weight = still
        self.extent = 0.0
        self.multipliers = still

    def reset(self, open_columns: NDArray[np.bool_], weight: Floats) -> None:
        """What is withheld, and how much it should be left alone."""
        self._open = np.tile(open_columns, 2)
        self.weight = weight
        self._cost = np.tile(weight, 2) * (RELUCTANCE / len(weight))
        if self._nearby is not None:
            self._nearby.open(open_columns)

    def aim(self, cell: int, way: int, distance: int, known: Ints, falling: tuple[Ints, Floats] | None = None) -> None:
        """Which cell is to go how far (way 1: down), with what the attacker knows held still.

        falling: columns that must not fall by more than so much, if they are columns of the model.
        """
        count = len(self.region.columns)
        at = int(np.searchsorted(self.region.columns, cell))
        self._far = np.where(self._open, self._room, 0.0)
        if len(known):
            held, _ = _places(self.region.columns, known)
            self._far[held] = self._far[count + held] = 0.0
        if falling is not None:
            own, here = _places(self.region.columns, falling[0])
            self._far[count + own] = np.minimum(self._far[count + own], falling[1][here])
        self._own, other = (at + count, at) if way == 1 else (at, at + count)
        self._distance = distance
        self._far[self._own], self._far[other] = min(self._far[self._own], distance), 0.0
        self._posed = False

    def _pose(self) -> None:
        """Tell the program what is asked, once it is needed."""
        if self._posed:
            return
        self._posed = True
        self._warm.set_columns(self._still, self._far)
        # Few cells move from the true table, which is the vertex without a basis: from the last vertex, with other
        # cells held still, it takes seven times as many pivots (French turnover: 710 instead of 92).
        self._warm.forget()

    def move(self, limits: Limits, *, prove: bool = True) -> Floats | None:
        """Moves (columns) that bring the cell so far, or as far as it can go; then `multipliers` prove that (if asked
        to)."""
        self._pose()
        cost = self._cost.copy()
        cost[self._own] = -1.0
        outcome = self._warm.minimise(cost, limits.seconds_left())
        if outcome.x is None or outcome.row_dual is None:
            return None
        best, self.multipliers = outcome.x, outcome.row_dual
        self.extent = float(best[self._own])
        if prove and self.extent < self._distance * (1 - NEARLY):
            cost = np.zeros(len(cost))
            cost[self._own] = -1.0
            pure = self._warm.minimise(cost, limits.seconds_left())
            if pure.x is None or pure.row_dual is None:
                return None
            self.extent, self.multipliers = float(pure.x[self._own]), pure.row_dual
        return self._moves(best)

    @property
    def steps(self) -> tuple[int, ...]:
        """How many columns near a cell to ask before all: none where all are few."""
        if self._nearby is None:
            return ()
        if not self._hasty:
            return self._nearby.steps
        return tuple(most for most in NEAR if most <= HASTY)

    @property
    def vast(self) -> bool:
        """Whether a program over all columns takes long where one over those near a cell hardly does worse (34,440
        cells, 457 cells that each take what they need: 75 of these programs took 39 s, 1,680 near ones 30 s). Who is
        hasty takes every table for that of which only some columns are near."""
        return len(self.steps) >= (1 if self._hasty else len(NEAR))

    @property
    def endless(self) -> bool:
        """Whether a program over all columns is never asked for (241,080 cells: one took more than 50 s)."""
        return self._hasty or len(self.region.columns) > ENDLESS

    def move_near(self, limits: Limits, most: int) -> Floats | None:
        """What `move` says, if a few columns near the cell settle it: they bring it all the way, or multipliers prove
        that no others bring it further. None if they do not.

        most: columns that are near.
        """
        assert self._nearby is not None
        count = len(self.region.columns)
        program = self._nearby.program(self._own, most)
        far, own = self._far[program.taken], np.flatnonzero(program.taken == self._own)
        program.warm.set_columns(program.still, far)
        moved = np.zeros(2 * count)

        def solved(cost: Floats) -> Outcome:
            cost[own] = -1.0
            outcome = program.warm.minimise(cost, limits.seconds_left())
            if outcome.x is not None:
                moved[program.taken] = outcome.x
                self.extent = float(moved[self._own])
            return outcome

        outcome = solved(np.zeros(len(far)))
        if outcome.x is None or outcome.row_dual is None:
            return None
        if self.extent >= self._distance * (1 - NEARLY):
            shy = np.tile(self.weight[program.near], 2) * (RELUCTANCE / len(far))
            return None if solved(shy).x is None else self._moves(moved)
        self.multipliers = np.zeros(len(self.region.rows))
        self.multipliers[program.rows] = outcome.row_dual
        up, down = self._far[:count] > 0, self._far[count:] > 0
        return self._moves(moved) if self._nearby.settles(self.multipliers, up, down, program.near) else None

    def least(self, limits: Limits, *, hasty: bool = False) -> Floats | None:
        """Moves (columns) that bring the cell all the way at the least weight; None if there are none. In tables that
        are `vast`, or where one is `hasty`, at the least weight of the columns near it, if these bring it there."""
        if self._far[self._own] < self._distance:
            return None
        for most in self.steps:
            near = self._least_near(limits, most, prove=not hasty and (not self.vast or most < max(self.steps)))
            if near is not None:
                return near
        if self.steps and self.endless:
            return None
        self._pose()
        low = self._still.copy()
        low[self._own] = self._distance
        self._warm.set_columns(low, self._far)
        outcome = self._warm.minimise(np.tile(self.weight, 2), limits.seconds_left())
        self._warm.set_columns(self._still, self._far)
        return None if outcome.x is None else self._moves(outcome.x)

    def _least_near(self, limits: Limits, most: int, *, prove: bool) -> Floats | None:
        """What `least` says, if multipliers of a few columns near the cell prove that others would not be cheaper, or
        nobody asks them to."""
        assert self._nearby is not None
        count = len(self.region.columns)
        program = self._nearby.program(self._own, most)
        low = np.where(program.taken == self._own, float(self._distance), 0.0)
        program.warm.set_columns(low, self._far[program.taken])
        outcome = program.warm.minimise(np.tile(self.weight[program.near], 2), limits.seconds_left())
        if outcome.x is None or outcome.row_dual is None:
            return None
        multipliers, moved = np.zeros(len(self.region.rows)), np.zeros(2 * count)
        multipliers[program.rows], moved[program.taken] = outcome.row_dual, outcome.x
        up, down = self._far[:count] > 0, self._far[count:] > 0
        settled = not prove or self._nearby.settles(multipliers, up, down, program.near, self.weight)
        return self._moves(moved) if settled else None

    def move_whole(self, limits: Limits, among: NDArray[np.bool_] | None = None) -> Floats | None:
        """The same in whole units, by an integer program over some of the columns, or all; None if there is
        nothing, or it would take much effort to find it."""
        far = np.floor(np.minimum(self._far, WIDE * self._distance)) * (1 if among is None else np.tile(among, 2))
        low = self._still.copy()
        if far[self._own] < self._distance:
            return None
        if np.count_nonzero(far) > LARGEST:
            return None
        low[self._own] = self._distance
        region = self.region
        program = Program(self._both, np.ceil(region.low), np.floor(region.high), low, far)
        nodes = max(1, EFFORT // max(1, self._both.nnz))
        outcome = self._solver.minimise_integer(program, self._still, limits.seconds_left(), nodes=nodes)
        return None if outcome.x is None else self._moves(outcome.x)

    def _moves(self, x: Floats) -> Floats:
        count = len(self.region.columns)
        moves: Floats = x[:count] - x[count:]
        return moves


class Models:
    """Models of the parts of a table, each made when it is first needed. They serve all attackers: what one knows
    besides is said to a model with what is asked (see `Model.aim`)."""

    def __init__(self, equations: Equations, solver: Solver, *, hasty: bool = False) -> None:
        """hasty: see `Model`."""
        self.equations = equations
        # Not a method: whoever gives models up has their memory back at once.
        self._made = partial(Model, solver=solver, hasty=hasty)
        self.parts = Regions(equations, self._made)

    @cached_property
    def whole(self) -> Model:
        """Of the whole table."""
        return self._made(region_of(self.equations, np.arange(len(self.equations.value))))
