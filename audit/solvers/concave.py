"""Points that reach many wanted ends at once, by an interior point method whose objective is concave.

A linear combination of wanted ends reaches few of them: a share of each is worth as much as all of one. The sum of the
logarithms of the distances is least where many are 0. It is followed by its gradient, weights 1 / distance that change
from step to step (reweighting: Candes, Wakin, Boyd 2008), which costs little more than one linear program. On 20 x 20 x
20 with 530 ends open a point reaches 80 of them, a combination 25; and all points start from the same middle, with
normal equations that are cheap to solve (`normal.py`): 22 steps of 1 ms.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.solvers.normal import Normal
from tableseal.audit.solvers.protocol import Floats, Outcome, Problem

MIDDLE = 0.02
"""Product of room and multiplier in the middle that all points start from, costs being 1 at most."""

CLOSE = 0.02
"""Share of the way from the middle to an end that is left when its weight is half of what it is there."""

DECIDED = 2e-4
"""Product at which weights change no more."""

STILL = 0.05
"""Share of the ends about to be reached by which their number may still grow, twice in a row, when weights stop."""

BEGUN = 4
"""Steps before that is looked at."""

NEARLY, VERY_NEARLY = 0.95, 0.999
"""Share of the way to the nearest bound that a step goes while weights change, and later."""

STOPS = 1e-6, 1e-7, 1e-9
"""Products at which the path is left; further on where it is not yet clear which columns are at bounds."""

STEPS = 60
"""Most steps of a path."""

MOVES = 8
"""Last moves onto the equations; one or two are mostly enough."""

NEAR = 1e-8
"""Distance from equations in the end."""

FAR = 1e6
"""Room of columns without upper bound; a point that uses half of it is unclear."""

ROOM = 8.0
"""Room of a column in the units that the path is followed in, in the middle of all columns."""


@dataclass(frozen=True)
class Ends:
    """Wanted ends: column, sign (1: minimum, -1: maximum), value of the column at which each is reached, weight."""

    column: NDArray[np.int64]
    sign: NDArray[np.int64]
    value: Floats
    weight: Floats


@dataclass(frozen=True)
class _Path:
    """room: distance of every column to its bounds (2 x columns); force: their multipliers; y: those of the rows."""

    room: Floats
    force: Floats
    y: Floats
    cost: Floats

    @property
    def product(self) -> float:
        """Room times multiplier, on average."""
        return float((self.room * self.force).mean())


class Concave:
    """A problem of equations over columns with lower bounds. rows: as many of them as are independent."""

    def __init__(self, problem: Problem, rows: NDArray[np.int64]) -> None:
        self._problem, self._rows = problem, rows
        self._free = np.flatnonzero(problem.column_upper > problem.column_lower)
        self._matrix = csr_array(problem.matrix[rows][:, self._free].astype(np.float64))
        self._transposed = csr_array(self._matrix.T)
        room = (problem.column_upper - problem.column_lower)[self._free]
        limited = room[np.isfinite(room)]
        self._unit = max(float(np.median(limited)) / ROOM, 1.0) if len(limited) else 1.0
        self._right = (problem.lower - problem.matrix @ problem.column_lower)[rows] / self._unit
        self._room = np.minimum(room / self._unit, FAR)
        self._normal = Normal(self._matrix)
        self._middle = self._find_middle()

    def reach(self, ends: Ends, *, wide: bool) -> Floats | None:
        """A point that reaches many of the ends; None if none is found.

        wide: in the middle of all such points, with as much room as there is. Otherwise the other ends, too, pull until
        the end, which brings a fifth more of them, and often to a corner.
        """
        if self._middle is None:
            return None
        place = np.full(len(self._problem.column_lower), -1)
        place[self._free] = np.arange(len(self._free))
        known = (place[ends.column] >= 0) & (ends.weight > 0)
        column, side = place[ends.column[known]], (ends.sign[known] < 0).astype(np.int64)
        value = (ends.value - self._problem.column_lower[ends.column])[known] / self._unit
        reached, weight = np.where(side == 0, value, self._room[column] - value), ends.weight[known]
        near = CLOSE * np.maximum(self._middle.room[side, column] - reached, CLOSE)
        about: list[int] = []

        def pull(path: _Path) -> tuple[Floats, bool]:
            room = path.room[side, column]
            away = np.maximum(room - reached, 0.0)
            soon = room < np.maximum(path.force[side, column], reached)
            about.append(int(soon.sum()))
            grows = [later - before > STILL * later for before, later in zip(about[-3:], about[-2:], strict=False)]
            decided = (len(about) > BEGUN and about[-1] > 0 and not any(grows)) or path.product <= DECIDED
            pulls = weight * near / (away + near)
            if decided and wide:
                pulls[~soon] = 0.0
            cost = np.zeros(len(self._free))
            np.add.at(cost, column, (1 - 2 * side) * pulls)
            return cost, decided

        path = self._middle
        for stop in STOPS:
            followed = self._follow(path, pull, stop)
            if followed is None:
                return None
            point = self._finished(followed)
            if point is not None:
                return point
            path, pull = followed, _same
        return None

    def minimise(self, cost: Floats) -> Outcome | None:
        """A point in the middle of the face where cost @ x is least, or nearly there, and multipliers; None if they are
        not found."""
        largest = np.abs(cost[self._free]).max(initial=0.0)
        if largest == 0.0:
            return None
        own = cost[self._free] / largest
        path = self._follow(self._middle, lambda path: (own, True), STOPS[-1])
        if path is None or (path.room[0] > FAR / 2).any():
            return None
        finished = self._finished(path)
        point = self._point(path.room[0]) if finished is None else finished
        row_dual = np.zeros(self._problem.matrix.shape[0])
        row_dual[self._rows] = largest * path.y
        return Outcome("optimal", point, row_dual)

    @np.errstate(all="ignore")
    def _find_middle(self) -> _Path | None:
        """Where all products are about MIDDLE; None if it is not found."""
        x = np.minimum(self._room / 4, 1.0)
        room = np.stack([x, self._room - x])
        path = _Path(room, MIDDLE / room, np.zeros(len(self._right)), np.zeros(len(x)))
        for _ in range(STEPS):
            lacking = self._right - self._matrix @ path.room[0]
            off = np.abs(path.room * path.force - MIDDLE).max(initial=0.0)
            if off < MIDDLE / 2 and np.abs(lacking).max(initial=0.0) < NEAR:
                return path
            direction = self._directions(path, lacking)
            if direction is None:
                return None
            path = self._step(path, direction(np.full_like(path.room, MIDDLE)), NEARLY)
        return None

    @np.errstate(all="ignore")
    def _follow(self, path: _Path | None, pull: Callable[[_Path], tuple[Floats, bool]], stop: float) -> _Path | None:
        """Mehrotra's predictor and corrector (1992) until the product is `stop`; None if it does not get there.

        pull: the cost at a point, and whether it is the last one.
        """
        decided = False
        for _ in range(STEPS):
            if path is None or not np.isfinite(path.product):
                return None
            if not decided:
                cost, decided = pull(path)
                path = _under(path, cost)
            if path.product < stop and decided:
                return path
            direction = self._directions(path, self._right - self._matrix @ path.room[0])
            if direction is None:
                return None
            change, pushed, _ = direction(np.zeros_like(path.room))
            room, force = _longest(path.room, change), _longest(path.force, pushed)
            then = float(((path.room + room * change) * (path.force + force * pushed)).mean())
            aim = (then / path.product) ** 3 * path.product
            path = self._step(path, direction(aim - change * pushed), VERY_NEARLY if decided else NEARLY)
        return None

    def _directions(self, path: _Path, lacking: Floats) -> Callable[[Floats], tuple[Floats, Floats, Floats]] | None:
        """Newton's directions from a point: (change of room, of multipliers, of y) for the products aimed at."""
        scale = 1.0 / (path.force / path.room).sum(axis=0)
        if not np.isfinite(scale).all() or not self._normal.factorise(scale):
            return None
        dual = path.cost - self._transposed @ path.y - path.force[0] + path.force[1]

        def direction(aim: Floats) -> tuple[Floats, Floats, Floats]:
            push = aim / path.room - path.force
            lead = dual - push[0] + push[1]
            y = self._normal.solve(self._matrix @ (scale * lead) + lacking)
            x = scale * (self._transposed @ y - lead)
            change = np.stack([x, -x])
            return change, push - path.force * change / path.room, y

        return direction

    def _step(self, path: _Path, direction: tuple[Floats, Floats, Floats], share: float) -> _Path:
        change, push, y = direction
        room = min(1.0, share * _longest(path.room, change))
        force = min(1.0, share * _longest(path.force, push))
        x = path.room[0] + room * change[0]
        return replace(path, room=np.stack([x, self._room - x]), force=path.force + force * push, y=path.y + force * y)

    @np.errstate(all="ignore")
    def _finished(self, path: _Path) -> Floats | None:
        """The point with the columns that are at bounds put there, on the equations; None if it does not get there."""
        at = path.room <= path.force
        x = np.where(at[0], 0.0, np.where(at[1], self._room, path.room[0]))
        inside = ~at.any(axis=0)
        for _ in range(MOVES):
            lacking = self._right - self._matrix @ x
            if np.abs(lacking).max(initial=0.0) < NEAR:
                break
            room = np.stack([x, self._room - x])
            scale = np.where(inside, room.min(axis=0), 0.0)
            if not self._normal.factorise(scale):
                return None
            move = scale * (self._transposed @ self._normal.solve(lacking))
            longest = _longest(room[:, inside], np.stack([move, -move])[:, inside])
            x += move if longest == 1.0 else NEARLY * longest * move
        else:
            return None
        if (x > FAR / 2).any():
            return None
        return self._point(x)

    def _point(self, x: Floats) -> Floats:
        """In the columns of the problem."""
        problem, free = self._problem, self._free
        point: Floats = problem.column_lower.copy()
        point[free] = np.clip(point[free] + self._unit * x, problem.column_lower[free], problem.column_upper[free])
        return point


def _same(path: _Path) -> tuple[Floats, bool]:
    return path.cost, True


def _under(path: _Path, cost: Floats) -> _Path:
    """The point under another cost: multipliers take up the difference, half of it at most by getting smaller."""
    more = cost - path.cost
    rise, fall = np.maximum(more, 0.0), np.maximum(-more, 0.0)
    away = np.stack([np.minimum(fall, path.force[0] / 2), np.minimum(rise, path.force[1] / 2)])
    force = path.force - away + np.stack([rise - away[1], fall - away[0]])
    return replace(path, force=force, cost=cost)


def _longest(value: Floats, change: Floats) -> float:
    """Largest step up to 1 that leaves values positive."""
    least = (change / value).min(initial=-1.0)
    return float(1.0 / max(-least, 1.0))
